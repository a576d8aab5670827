"""The one gate for text from outside: what may reach a terminal, a log or a JSON reader."""

from __future__ import annotations

import unicodedata
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


LIMIT: Final = 2_000
"""Characters of one line of text from outside that are shown."""


def safe(text: str, limit: int = LIMIT) -> str:
    """One line of text with everything invisible or active escaped, capped at `limit`.

    Control, format, private, unassigned and surrogate characters, line separators and variation
    selectors become `\\xNN`, `\\uNNNN` or `\\UNNNNNNNN`; tabs and newlines become a space.
    """
    shortened = text if len(text) <= limit else text[: limit - 1] + "…"
    if shortened.isascii() and shortened.isprintable():
        return shortened
    return "".join(_char(c) for c in shortened)


def safe_block(text: str) -> str:
    """Many lines, each made `safe`; newlines and tabs are kept."""
    return "\n".join(
        "\t".join(safe(part, 1_000_000) for part in line.split("\t"))
        for line in text.replace("\r\n", "\n").split("\n")
    )


def tokens(text: str) -> int:
    """About how many tokens a model makes of a text: a quarter of its bytes."""
    return (len(text.encode(errors="surrogatepass")) + 3) // 4


def _char(char: str) -> str:
    if char in "\n\t\r":
        return " "
    if unicodedata.category(char) in _HIDDEN or _selects_variation(char):
        code = ord(char)
        if code < 0x100:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return char


def _selects_variation(char: str) -> bool:
    return (
        "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or char in "\u180b\u180c\u180d\u180f"
    )
