"""The parts of a Markdown document, told apart by one pass over its lines.

A scanner needs roles, not a tree: front matter, headings, prose, quotes, tables, fenced code
with its language, inline code and HTML comments (over several lines too). The grammar follows
CommonMark <https://spec.commonmark.org/> where that matters for the role of a line; an unclosed
fence runs to the end of the document and so does an unclosed comment, as a renderer shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from skillpm.model.regex import regex
from skillpm.scanning.facts import Role, Segment

_FENCE: Final = regex(r"[ \t>]{0,32}(`{3,200}|~{3,200})[ \t]{0,8}([^\s`]{0,40})")
_HEADING: Final = regex(r"[ ]{0,3}(#{1,6})[ \t]+(\S.{0,200})")
_LIST_ITEM: Final = regex(r"[ \t>]{0,40}(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOLD_LINE: Final = regex(r"[ \t]{0,40}(?:[-*+] )?(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?[ \t]*$")
_INLINE: Final = regex(r"`{1,3}[^`\n]{1,2000}`{1,3}")
_CODE: Final = regex(
    r"^[ \t>]{0,32}(`{3,200}|~{3,200})[ \t]{0,8}([^\s`]{0,40})|`{1,3}[^`\n]{1,2000}`{1,3}",
    re.MULTILINE,
)
_FRONT_MATTER_CLOSE: Final = regex(r"^---[ \t]*$", re.MULTILINE)
_MARKED: Final = {">": Role.QUOTE, "|": Role.TABLE}
_LINE: Final = 400
_INTRO_LENGTH: Final = 300
_JOINED: Final = frozenset((Role.CODE, Role.COMMENT, Role.FRONT_MATTER))


@dataclass(slots=True)
class _State:
    """Where the pass is: what is open, and what introduced it."""

    intro: str = ""
    in_list: bool = False
    headings: list[tuple[int, str]] = field(default_factory=list)
    heading: str = ""


def segments(text: str) -> tuple[Segment, ...]:
    """The whole text as segments in order, without gaps; at least one, even for ""."""
    found: list[Segment] = []
    for piece in _pieces(text):
        if found and piece.role in _JOINED and _joins(found[-1], piece):
            last = found[-1]
            found[-1] = Segment(
                last.start, piece.end, last.role, last.language, last.intro, last.heading
            )
        else:
            found.append(piece)
    return tuple(found) or (Segment(0, 0, Role.PROSE),)


class Code(NamedTuple):
    """A fenced block or inline code: its text without the marks, and a block's language."""

    start: int
    end: int
    language: str
    inline: bool


def code(text: str) -> Iterator[Code]:
    """Every piece of code of a document, those in comments too; quicker than `segments`."""
    found = _CODE.search(text)
    while found:
        end = found.end()
        if found[1]:
            start = text.find("\n", end) + 1 or len(text)
            end = _fence_end(text, start, found[1])
            last = text.rfind("\n", start, max(end - 1, start)) + 1 or start
            closing = text[last:end].strip(" \t>\n")
            stop = last if closing and not closing.strip(found[1][0]) else end
            yield Code(start, max(stop, start), found[2].strip("{}.").lower(), inline=False)
        else:
            marks = len(found[0]) - len(found[0].lstrip("`"))
            yield Code(found.start() + marks, max(end - marks, found.start() + marks), "", True)
        found = _CODE.search(text, end)


def comments(text: str) -> tuple[Segment, ...]:
    """The segments of an HTML, XML or SVG text: comments, and everything else as a script."""
    found: list[Segment] = []
    at = 0
    while at < len(text):
        start = text.find("<!--", at)
        start = len(text) if start < 0 else start
        if start > at:
            found.append(Segment(at, start, Role.SCRIPT, "html"))
        close = text.find("-->", start + 4)
        at = len(text) if close < 0 else close + 3
        if start < len(text):
            found.append(Segment(start, at, Role.COMMENT))
    return tuple(found) or (Segment(0, 0, Role.SCRIPT, "html"),)


def _joins(last: Segment, piece: Segment) -> bool:
    said = (last.role, last.language, last.intro)
    return said == (piece.role, piece.language, piece.intro)


def _pieces(text: str) -> Iterator[Segment]:
    state = _State()
    at = _front_matter_end(text)
    if at:
        yield Segment(0, at, Role.FRONT_MATTER)
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        line = text[at : min(end, at + _LINE)]
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            end = _fence_end(text, end, fence[1])
            language = fence[2].strip("{}.").lower()
            yield Segment(at, end, Role.CODE, language, state.intro, state.heading)
        elif (opening := text.find("<!--", at, end)) >= 0:
            yield from _plain(state, text, at, opening)
            close = text.find("-->", opening + 4)
            end = len(text) if close < 0 else close + 3
            yield Segment(opening, end, Role.COMMENT)
        else:
            yield from _plain(state, text, at, end)
        at = end


def _front_matter_end(text: str) -> int:
    begin = 1 if text.startswith("\ufeff") else 0
    if not text.startswith(("---\n", "--- \n"), begin):
        return 0
    close = _FRONT_MATTER_CLOSE.search(text, begin + 4)
    return min(close.end() + 1, len(text)) if close else 0


def _fence_end(text: str, start: int, mark: str) -> int:
    """The end of the line that closes a fence, or of the text."""
    at = text.find(mark, start)
    while at >= 0:
        line = text.rfind("\n", 0, at) + 1
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        if not text[line:at].strip(" \t>") and not text[at:end].strip(mark[0] + " \t"):
            return min(end + 1, len(text))
        at = text.find(mark, end)
    return len(text)


def _plain(state: _State, text: str, start: int, end: int) -> Iterator[Segment]:
    if start == end:
        return
    line = text[start : min(end, start + _LINE)]
    role = _role(line)
    intro = state.intro
    _remember(state, line, role)
    at = start
    if "`" in line:
        for code in _INLINE.finditer(text, start, end):
            if code.start() > at:
                yield Segment(at, code.start(), role, "", intro, state.heading)
            yield Segment(code.start(), code.end(), Role.INLINE, "", intro, state.heading)
            at = code.end()
    if at < end:
        yield Segment(at, end, role, "", intro, state.heading)


def _role(line: str) -> Role:
    first = line.lstrip()[:1]
    if first == "#" and _HEADING.match(line):
        return Role.HEADING
    return _MARKED.get(first, Role.PROSE)


def _remember(state: _State, line: str, role: Role) -> None:
    """Keep what introduces the next lines: a heading, a sentence, the head of a table."""
    stripped = line.strip()
    if role is Role.HEADING:
        found = _HEADING.match(line)
        level = len(found[1]) if found else 1
        state.headings = [h for h in state.headings if h[0] < level]
        state.headings.append((level, stripped.strip("# ")))
        state.heading = " / ".join(title for level, title in state.headings if level > 1)
        state.intro, state.in_list = "", False
    elif not stripped:
        return
    elif _LIST_ITEM.match(line):
        state.in_list = True
        if stripped.endswith(":") or _BOLD_LINE.match(line):
            state.intro = stripped[-_INTRO_LENGTH:]
    elif role is Role.TABLE:
        state.intro = state.intro if state.in_list else stripped[:_INTRO_LENGTH]
        state.in_list = True
    elif not line.startswith((" ", "\t")) or stripped.endswith(":"):
        state.intro, state.in_list = stripped[-_INTRO_LENGTH:], False
