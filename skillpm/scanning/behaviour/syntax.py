"""The one door to tree-sitter: grammars, limits and offsets.

The parser is handed a copy of the text in which every character is one byte, so that its offsets
are those of the text. It is written in C and not linear on all texts: it may use only so much
processor time, and what it cannot read in that time is not read.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import MAX_SOURCE

if TYPE_CHECKING:
    from tree_sitter import Parser

SECONDS: Final = 0.25
SECONDS_PER_CHARACTER: Final = 1e-6
"""Processor time for a text; ordinary code takes a tenth of it."""

MAX_NESTED: Final = 2_000
PROBE_SECONDS: Final = 0.01
PROBE_SECONDS_PER_CHARACTER: Final = 3e-6
_PROBE: Final = 2_000
_BRACKETS: Final = regex(rb"[()\[\]{}]")
_CHUNK: Final = 65_536
_LINE_ENDS: Final = regex("[\u2028\u2029]")
_BLANKS: Final = regex("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff\x00]")
_OTHERS: Final = regex(r"[^\x00-\x7f]")


class Language(enum.StrEnum):
    """A grammar."""

    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "tsx"


class Node(Protocol):
    """A node of a syntax tree; offsets are those of the text that was parsed."""

    @property
    def id(self) -> int:
        """Tells nodes of one tree apart."""
        ...

    @property
    def type(self) -> str:
        """The name of its kind."""
        ...

    @property
    def start_byte(self) -> int:
        """Its offset."""
        ...

    @property
    def end_byte(self) -> int:
        """The offset after it."""
        ...

    @property
    def children(self) -> Sequence[Node]:
        """All children, with those that are only punctuation."""
        ...

    @property
    def named_children(self) -> Sequence[Node]:
        """The children with meaning."""
        ...

    def child_by_field_name(self, name: str, /) -> Node | None:
        """The child in a role."""
        ...

    def children_by_field_name(self, name: str, /) -> Sequence[Node]:
        """The children in a role."""
        ...


def parse(language: Language, text: str) -> Node | None:
    """The root of the text's tree; None when the text is too long or takes too much time."""
    if len(text) > MAX_SOURCE:
        return None
    data = _one_byte_each(text)
    if _is_too_deep(data) or not _is_quick(_parser(language), data):
        return None
    parser = _parser(language)
    limit = time.thread_time() + SECONDS + len(data) * SECONDS_PER_CHARACTER

    def late(_offset: int, _error: bool) -> bool:
        return time.thread_time() > limit

    try:
        return parser.parse(lambda at, _: data[at : at + _CHUNK], progress_callback=late).root_node
    except ValueError:
        _parser.cache_clear()
        return None


def _is_too_deep(data: bytes) -> bool:
    """Whether brackets are nested so deeply that the parser, which recurses, would run out."""
    depth = 0
    for bracket in _BRACKETS.findall(data):
        depth += 1 if bracket in b"([{" else -1
        if depth > MAX_NESTED:
            return True
    return False


def _is_quick(parser: Parser, data: bytes) -> bool:
    """Whether longer and longer beginnings are parsed in a time that grows as they do.

    On some texts the parser's time and memory explode, and it does not ask whether to go on.
    """
    size = _PROBE
    while size < len(data):
        start = time.thread_time()
        parser.parse(data[:size])
        if time.thread_time() - start > PROBE_SECONDS + size * PROBE_SECONDS_PER_CHARACTER:
            return False
        size *= 2
    return True


def _one_byte_each(text: str) -> bytes:
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    text = _LINE_ENDS.sub("\n", text)
    text = _BLANKS.sub(" ", text)
    return _OTHERS.sub("x", text).encode("ascii")


@cache
def _parser(language: Language) -> Parser:
    import tree_sitter

    if language is Language.JAVASCRIPT:
        import tree_sitter_javascript

        grammar = tree_sitter_javascript.language()
    else:
        import tree_sitter_typescript

        typescript = language is Language.TYPESCRIPT
        grammar = (
            tree_sitter_typescript.language_typescript()
            if typescript
            else tree_sitter_typescript.language_tsx()
        )
    return tree_sitter.Parser(tree_sitter.Language(grammar))
