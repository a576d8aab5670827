"""The three forms of a layer that rules read; each as long as the layer, character by character."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.facts import Layer

PARAGRAPH: Final = "\x00\x00"

_MARKUP: Final = '*`"#\n\t'
_FANCY_MARKUP: Final = "\u201c\u201d\u2018\u00ab\u00bb\u00a0"
_APOSTROPHES: Final = "\u2019\u00b4"


def exact(layer: Layer) -> str:
    """The text as it is."""
    return layer.text


def command(layer: Layer) -> str:
    """Lower case, lines continued by a backslash joined."""
    text = lower(layer.text)
    return text.replace("\\\n", "  ") if "\\\n" in text else text


def prose(layer: Layer) -> str:
    """Lower case, markup and quotation marks blanked, the lines of a paragraph joined."""
    text = lower(layer.text)
    for leader in ("\n> ", "\n>", "\n# ", "\n// ", "\n * ", "\n-- "):
        if leader in text:
            text = text.replace(leader, "\n".ljust(len(leader)))
    text = text.replace("\n\n", PARAGRAPH)
    text = _replaced(text, _MARKUP if text.isascii() else _MARKUP + _FANCY_MARKUP, " ")
    return text.replace(" _", "  ").replace("_ ", "  ") if "_" in text else text


def _replaced(text: str, characters: str, by: str) -> str:
    """Faster than `translate` for a few characters in a long text."""
    for char in characters:
        text = text.replace(char, by)
    return text


def lower(text: str) -> str:
    """Lower case of the same length, apostrophes straight."""
    lowered = text.lower() if text.isascii() else _replaced(text.lower(), _APOSTROPHES, "'")
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


VIEWS: Final = {"exact": exact, "command": command, "prose": prose}
