"""Where the words of a text stand, so that a literal is found without searching the text.

A literal is looked for in the distinct words, which are few. In a literal the mark `EDGE` stands
for a word boundary: `EDGE + "rm" + EDGE` is the word `rm` and nothing longer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
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
    """The words of one text, lower case, each with its places.

    `counts[literal]` says how often a literal may stand in the text; 0 only when it does not.
    Every view of a layer is as long as the layer and has the same words in the same places, so
    one index serves them all.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: defaultdict[str, list[int]] = defaultdict(list)
        for word in _WORD.finditer(text):
            self._words[word[0]].append(word.start())
        plain = "\n".join(word for word in self._words if word.isascii())
        other = "\n".join(word for word in self._words if not word.isascii())
        self._joined = tuple(f"\n{words}\n" for words in (plain, other) if words)
        self._grams = {s[i : i + _GRAM] for s in self._joined for i in range(len(s) - _GRAM + 1)}
        self._known: dict[str, tuple[str, ...] | None] = {}
        self.counts = _Counts(self._count)

    def _count(self, literal: str) -> int:
        words = self._words_with(literal)
        if words is None:
            return self._text.count(literal.strip(EDGE))
        return sum(len(self._words[word]) for word in words)

    def spans(self, literal: str) -> Iterator[Span]:
        """Stretches of text, one for each place, that the literal overlaps."""
        words = self._words_with(literal)
        if words is None:
            yield from self._found(literal.strip(EDGE))
            return
        for word in words:
            for start in self._words[word]:
                yield start, start + len(word)

    def _found(self, literal: str) -> Iterator[Span]:
        at = self._text.find(literal)
        while at >= 0:
            yield at, at + len(literal)
            at = self._text.find(literal, at + 1)

    def _words_with(self, literal: str) -> tuple[str, ...] | None:
        """The words that may be the literal or hold it; None when it is not about one word."""
        if literal not in self._known:
            pieces = probes(literal)
            found: tuple[str, ...] | None = ()
            if all(map(self._matching, pieces)):
                single = len(pieces) == 1 and len(pieces[0].strip("\n")) == len(literal.strip(EDGE))
                found = self._matching(pieces[0]) if single else None
            self._known[literal] = found
        return self._known[literal]

    def _matching(self, wanted: str) -> tuple[str, ...]:
        if wanted[:_GRAM] not in self._grams or wanted[-_GRAM:] not in self._grams:
            return ()
        if wanted[0] == wanted[-1] == "\n":
            return (wanted[1:-1],) if wanted[1:-1] in self._words else ()
        return tuple(self._holding(wanted))

    def _holding(self, wanted: str) -> Iterator[str]:
        for joined in self._joined:
            at = joined.find(wanted)
            while at >= 0:
                end = joined.index("\n", at + 1)
                yield joined[joined.rindex("\n", 0, at + 1) + 1 : end]
                at = joined.find(wanted, end)


@cache
def probes(literal: str) -> tuple[str, ...]:
    """The parts of a literal to look for among words, a line break for each end of a word."""
    lowered = literal.lower()
    found = (_probe(lowered, *word.span()) for word in _WORD.finditer(lowered))
    return tuple(part for part in found if len(part) >= _GRAM)


def _probe(literal: str, start: int, end: int) -> str:
    before, after = literal[:start], literal[end:]
    opening = "\n" if _cuts(before[-1:]) else ""
    return opening + literal[start:end] + ("\n" if _cuts(after[:1]) else "")


def _cuts(char: str) -> bool:
    """Whether the neighbour in the literal is certainly not part of the same word."""
    return char != "" and _WORD.match(char) is None
