"""Where the words of a text stand, so that a literal is found without searching the text.

A literal is looked for in the distinct words, which are few. In a literal the mark `EDGE` stands
for a word boundary: `EDGE + "rm" + EDGE` is the word `rm` and nothing longer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

EDGE: Final = "\b"
_WORD: Final = re.compile(r"[^\W_]+")
_GRAM: Final = 3

Span = tuple[int, int]


class _Counts(dict[str, int]):
    """Counts that are made when they are first asked for."""

    def __init__(self, make: Callable[[str], int]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, literal: str) -> int:
        """Count now and remember."""
        count = self[literal] = self._make(literal)
        return count


class Index:
    """The words of one text, lower case.

    `counts[literal]` says how often a literal may stand in the text; 0 only when it does not.
    Every view of a layer is as long as the layer and has the same words in the same places, so
    one index serves them all.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Counter(_WORD.findall(text))
        plain = "\n".join(word for word in self._words if word.isascii())
        other = "\n".join(word for word in self._words if not word.isascii())
        self._joined = tuple(f"\n{words}\n" for words in (plain, other) if words)
        self._grams = {s[i : i + _GRAM] for s in self._joined for i in range(len(s) - _GRAM + 1)}
        self.counts = _Counts(self._count)

    def _count(self, literal: str) -> int:
        plan = plan_for(literal)
        if not plan.grams <= self._grams:
            return 0
        if not plan.word:
            return self._text.count(plan.text)
        return sum(self._words[word] for word in self._holding(plan.word))

    def spans(self, literal: str) -> Iterator[Span]:
        """Stretches of text that the literal covers; some may only hold it in a longer word."""
        wanted = plan_for(literal).text
        at = self._text.find(wanted) if self.counts[literal] else -1
        while at >= 0:
            yield at, at + len(wanted)
            at = self._text.find(wanted, at + 1)

    def _holding(self, wanted: str) -> Iterator[str]:
        """The words that hold what is wanted, a line break standing for an end of the word."""
        if wanted[0] == wanted[-1] == "\n":
            if wanted[1:-1] in self._words:
                yield wanted[1:-1]
            return
        for joined in self._joined:
            at = joined.find(wanted)
            while at >= 0:
                end = joined.index("\n", at + 1)
                yield joined[joined.rindex("\n", 0, at + 1) + 1 : end]
                at = joined.find(wanted, end)


@dataclass(frozen=True, slots=True)
class Plan:
    """How to look for one literal.

    Attributes:
        text: the literal itself, lower case.
        grams: what the joined words of the text must hold for the literal to be there.
        word: the part of a word that the literal is, with its ends; "" when it is more.
    """

    text: str
    grams: frozenset[str]
    word: str


@cache
def plan_for(literal: str) -> Plan:
    """The plan for a literal, made once."""
    lowered = literal.lower()
    text = lowered.strip(EDGE)
    found = [_part(lowered, *word.span()) for word in _WORD.finditer(lowered)]
    grams = {part[i : i + _GRAM] for part in found for i in range(len(part) - _GRAM + 1)}
    single = len(found) == 1 and found[0].strip("\n") == text and len(found[0]) >= _GRAM
    return Plan(text, frozenset(grams), found[0] if single else "")


def _part(literal: str, start: int, end: int) -> str:
    before, after = literal[:start], literal[end:]
    opening = "\n" if _cuts(before[-1:]) else ""
    return opening + literal[start:end] + ("\n" if _cuts(after[:1]) else "")


def _cuts(char: str) -> bool:
    """Whether the neighbour in the literal is certainly not part of the same word."""
    return char != "" and _WORD.match(char) is None
