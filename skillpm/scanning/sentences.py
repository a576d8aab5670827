"""What the sentences of a text say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final

from skillpm.model.regex import regex
from skillpm.scanning.index import Span
from skillpm.scanning.rules import Saying, Term

MOST: Final = 20_000
_LONGEST: Final = 160
_MEMORY: Final = 64 * 1024 * 1024
_END: Final = regex(
    r"[.!?][\"')\]]?(?:\s|$)|[\u3002\uff01\uff1f]|\x00|\n\s{0,8}\n|\s[\u2014\u2013]\s"
)


class Speech:
    """One text, in lower case and without markup.

    Attributes:
        text: the text.
    """

    def __init__(self, text: str, terms: Mapping[str, Term]) -> None:
        self.text = text
        self._terms = terms
        self._data = text.encode("utf-8", "replace")
        self._plain = len(self._data) == len(text)
        self._spans: dict[str, list[Span]] = {}

    def says(self, saying: Saying) -> Iterator[Span]:
        """Where the first term stands in one sentence with all the others."""
        first, *others = saying
        for start, end in self._of(first):
            sentence = self._around(start, end).encode("utf-8", "replace")
            if all(self._compiled(term).search(sentence) for term in others):
                yield start, end

    def _of(self, term: str) -> list[Span]:
        """Where a term stands, at most `MOST` times."""
        if term not in self._spans:
            found = islice(self._compiled(term).finditer(self._data), MOST)
            self._spans[term] = [*self._characters(one.span(1) for one in found)]
        return self._spans[term]

    def _compiled(self, term: str) -> Any:
        return _compiled(self._terms[term].expression)

    def _characters(self, spans: Iterator[Span]) -> Iterator[Span]:
        """Stretches of bytes, in order, as stretches of characters."""
        if self._plain:
            yield from spans
            return
        byte, char = 0, 0
        for start, end in spans:
            char += len(self._data[byte:start].decode("utf-8", "replace"))
            byte = start
            yield char, char + len(self._data[start:end].decode("utf-8", "replace"))

    def _around(self, start: int, end: int) -> str:
        """The sentence of a stretch, at most 160 characters on either side."""
        before = self.text[max(start - _LONGEST, 0) : start]
        begin = 0
        for boundary in _END.finditer(before):
            begin = boundary.end()
        closing = _END.search(self.text, max(end - 1, start), end + _LONGEST)
        stop = closing.start() if closing else end + _LONGEST
        return before[begin:] + self.text[start:stop]


@cache
def _compiled(expression: str) -> Any:
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile(expression, options)
