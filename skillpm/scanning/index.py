"""Which of a rule set's literals stand in a text, and where.

All literals are looked for in one pass of RE2 <https://github.com/google/re2>. In a literal the
mark `EDGE` stands for a word boundary: `EDGE + "rm" + EDGE` is the word `rm` and nothing longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any, Final

EDGE: Final = "\b"
_MEMORY: Final = 64 * 1024 * 1024

Span = tuple[int, int]


class Literals:
    """The literals of a rule set, lower case, compiled when the first text is looked at."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._literals = sorted({literal.lower() for literal in literals})

    def within(self, text: str) -> frozenset[str]:
        """Those that may stand in a lower-case text; no other one does."""
        found = self._compiled.Match(text.encode("utf-8", "replace"))
        return frozenset(map(self._literals.__getitem__, found or ()))

    @cached_property
    def _compiled(self) -> Any:
        import re2

        options = re2.Options()
        options.max_mem = _MEMORY
        compiled = re2.Set.SearchSet(options)
        for literal in self._literals:
            opening, text, closing = _parts(literal)
            compiled.Add(opening + re2.escape(text) + closing)
        compiled.Compile()
        return compiled


def _parts(literal: str) -> tuple[str, str, str]:
    """Boundaries and text for RE2, whose boundaries know ASCII alone: more is found, never less."""
    text = literal.strip(EDGE)
    opening = r"\b" if literal.startswith(EDGE) and _is_plain(text[:1]) else ""
    closing = r"\b" if literal.endswith(EDGE) and _is_plain(text[-1:]) else ""
    return opening, text, closing


def _is_plain(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


class Index:
    """The literals of one lower-case text.

    Every view of a layer is as long as the layer and has the same words in the same places, so
    one index serves them all.

    Attributes:
        possible: the literals that may stand in the text.
    """

    def __init__(self, text: str, literals: Literals) -> None:
        self.possible = literals.within(text)
        self._text = text
        self._found: dict[str, list[Span]] = {}
        self._merged: dict[frozenset[str], list[Span]] = {}

    def places(self, literals: frozenset[str]) -> list[Span]:
        """The stretches of all of these literals, sorted."""
        if literals not in self._merged:
            found = map(self.spans, literals & self.possible)
            self._merged[literals] = sorted(chain.from_iterable(found))
        return self._merged[literals]

    def spans(self, literal: str) -> list[Span]:
        """Stretches of text that the literal covers; some may only hold it in a longer word."""
        if literal not in self.possible:
            return []
        wanted = literal.strip(EDGE)
        if wanted not in self._found:
            self._found[wanted] = [*self._places(wanted)]
        return self._found[wanted]

    def _places(self, wanted: str) -> Iterator[Span]:
        find, length = self._text.find, len(wanted)
        at = find(wanted)
        while at >= 0:
            yield at, at + length
            at = find(wanted, at + 1)
