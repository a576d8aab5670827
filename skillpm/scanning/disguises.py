"""Wordings that people and models read but patterns don't: letters swapped, spread or turned round.

Each is a decoder of `decoders`: it undoes the disguise of a stretch and leaves the rest alone.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from typing import Final

from skillpm.model.regex import regex

_FEWEST_WORDS: Final = 3
_TELLING: Final = 5
_LONGEST: Final = 2_000
_MOST_PLACES: Final = 500
_COMMON: Final = frozenset(
    "the and you your all any this that with from for not must never ignore forget previous prior"  # noqa: SIM905 - forty words in four lines
    " instructions rules system prompt user tell send secret file files token password key keys run"
    " delete upload execute follow only now".split()
)

_WORD: Final = regex(r"[A-Za-z]{3,}")
_SPREAD: Final = regex(r"\b(?:[A-Za-z](?:[ ._*-]|[ ]{2,4})){7,400}[A-Za-z]\b")
_BETWEEN_WORDS: Final = regex(r"[ ]{2,4}|[ ]?[_*-][ ]?(?=[ ])|[/|]")
_LEET: Final = regex(r"(?<![\w$@])(?=[\w$@]{0,20}[A-Za-z])[A-Za-z013457@$]{2,24}(?![\w$@])")
_MIXED: Final = regex(r"[A-Za-z][013457@$]{1,3}[a-z]")
_SWAPPED: Final = "013457@$"
_AS_I: Final = str.maketrans(_SWAPPED, "oieastas")
_AS_L: Final = str.maketrans(_SWAPPED, "oleastas")


def spread_letters(text: str) -> Iterator[tuple[int, str, str]]:
    """`i g n o r e   a l l`: letters with something between them; wider gaps part the words."""
    for found in _SPREAD.finditer(text):
        words = (_letters(word) for word in _BETWEEN_WORDS.split(found[0]))
        yield found.start(), "spread-letters", " ".join(word for word in words if word)


def swapped_letters(text: str) -> Iterator[tuple[int, str, str]]:
    """`1gn0r3 4ll pr3v10u5`: digits and signs that stand for letters, several words of a line."""
    for start, line in _lines(text, (found.start() for found in _MIXED.finditer(text))):
        if sum(_is_swapped(word[0]) for word in _LEET.finditer(line)) < _FEWEST_WORDS:
            continue
        for table in (_AS_I, _AS_L):
            words = _LEET.split(line), _LEET.findall(line)
            plain = (
                between + word.translate(table)
                for between, word in zip_longest(*words, fillvalue="")
            )
            yield start, "swapped-letters", "".join(plain)


def rotated_letters(text: str) -> Iterator[tuple[int, str, str]]:
    """A line in ROT13: its words are common ones once they are turned by thirteen letters."""
    yield from _turned(text, "rot13", _ROTATED)


def reversed_letters(text: str) -> Iterator[tuple[int, str, str]]:
    """A line written backwards."""
    yield from _turned(text, "reversed", _REVERSED)


def _turned(text: str, name: str, common: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    telling = (word for word in common if len(word) >= _TELLING and word in text)
    places = (at for word in telling for at in islice(_places(text, word), _MOST_PLACES))
    for start, line in _lines(text, places):
        words = {word.lower() for word in _WORD.findall(line)}
        if len(words & common) >= _FEWEST_WORDS:
            yield start, name, _TURN[name](line)


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _lines(text: str, places: Iterable[int]) -> Iterator[tuple[int, str]]:
    """The line of each place, told once for places that follow each other, cut when long."""
    seen = -1
    for place in places:
        start = text.rfind("\n", 0, place) + 1
        if start != seen:
            end = text.find("\n", place)
            yield start, text[start : end if end >= 0 else len(text)][:_LONGEST]
        seen = start


def _letters(word: str) -> str:
    return "".join(filter(str.isalpha, word))


def _is_swapped(word: str) -> bool:
    """Whether letters and their stand-ins are mixed, unlike in `utf8`, `x64` and `v10`."""
    inner = word.rstrip("0123456789")
    signs = sum(char in _SWAPPED for char in inner)
    return len(word) >= 3 and signs > 0 and any(map(str.isalpha, inner[1:]))


def _rot13(text: str) -> str:
    return codecs.encode(text, "rot13")


def _backwards(text: str) -> str:
    return text[::-1]


_TURN: Final = {"rot13": _rot13, "reversed": _backwards}
_ROTATED: Final = frozenset(map(_rot13, _COMMON)) - _COMMON
_REVERSED: Final = frozenset(map(_backwards, _COMMON)) - _COMMON
