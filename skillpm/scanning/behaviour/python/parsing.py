"""From source text to a syntax tree, and from the tree's places back to offsets in the text.

What is not quite Python 3 (notebook cells, sessions with `>>>`, print statements, an indented
piece of a document) is repaired line by line: a repair never changes the number of lines nor what
stands before the changed part of a line, so that offsets stay true.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, MAX_SOURCE

_TRIES: Final = 6
_MAX_REPAIRED: Final = 200_000

_MAY_WARN: Final = regex(r"\\[^\n\\'\"abfnrtvxuUN0-3]|[0-9_](?:and|else|for|if|in|is|or|not)\b")
_WARNINGS: Final = threading.Lock()
_MAX_STATEMENTS: Final = 5_000
_MAX_LOST: Final = 40
_GOES_ON: Final = regex(r"[)\]}]|(?:else|elif|except|finally)\b")
_SURROGATE: Final = regex("[\ud800-\udfff]")
_PROMPT: Final = regex(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)")
_SHELL: Final = regex(r"^([ \t]*)(?:\w+[ \t]*=[ \t]*)?(?:!!?|%sx |%system |%%!)[ \t]*(\S.*)$")
_INSTALL: Final = regex(r"^([ \t]*)%[ \t]*((?:pip|pip3|conda|mamba|uv)[ \t]+\S.*)$")
_CELL: Final = regex(r"^%%(?:bash|sh|script[ \t]+(?:bash|sh|zsh))\b.*$")
_MAGIC: Final = regex(r"^%{1,2}[A-Za-z_].*$")
_BRACES: Final = regex(r"\{[^{}\n]{1,80}\}")
_OLD: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (
        regex(r"^([ \t]*(?:.{1,120}:[ \t]+)?)(print|exec) (?![=(.\[])([^#\n]*?)[ \t]*(?:#.*)?$"),
        r"\1\2(\3)",
    ),
    (regex(r"^([ \t]*except[ \t]+[^,:\n]{1,120}),[ \t]*(\w+)[ \t]*:"), r"\1 as \2:"),
    (regex(r"^([ \t]*raise[ \t]+[\w.]{1,80}),.*$"), r"\1"),
    (regex(r"<>"), "!="),
    (regex(r"\b0[0-7]{2,5}\b(?![.'\"])"), lambda m: str(int(m[0], 8)).ljust(len(m[0]))),
    (regex(r"\b[uU]([rR])(?=['\"])"), r" \1"),
)


@dataclass(frozen=True, slots=True)
class Command:
    """A line or cell of a notebook that is not Python: where it stands, and what it runs."""

    start: int
    end: int
    text: str
    install: bool = False


class Places:
    """Tells the offset of a line and column as `ast` counts them: in bytes of UTF-8."""

    def __init__(self, lines: list[str], lengths: list[int], *, shift: int, above: int) -> None:
        self._lines = lines
        self._starts = [0, *accumulate(length + 1 for length in lengths)]
        self._shift = shift
        self._above = above
        self._ascii = all(map(str.isascii, lines))
        self._end = self._starts[-1] - 1 + shift

    def offset(self, line: int, column: int) -> int:
        """The offset in the source's text of a place in the tree."""
        number = max(line - 1 - self._above, 0)
        if number >= len(self._lines):
            return self._end
        if not self._ascii:
            content = self._lines[number]
            if not content.isascii():
                column = len(content.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))
        end = self._starts[number + 1] - 1
        return min(self._starts[number] + column, end) + self._shift

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        start = self.offset(line, column)
        return start, max(self.offset(last or line, end or column), start)


@dataclass(frozen=True, slots=True)
class Reading:
    """A source that was understood: its tree, its places, and the commands between the code.

    `whole` tells that at most a few lines could not be read.
    """

    tree: ast.Module
    places: Places
    commands: tuple[Command, ...] = ()
    whole: bool = True


def read(text: str) -> Reading | None:
    """The tree of a source; None when it is no Python, or too long. Never raises."""
    if len(text) > MAX_SOURCE:
        return None
    shift = 1 if text.startswith("\ufeff") else 0
    lines = _prepared(text[shift:]).split("\n")
    lengths = [len(line) for line in lines]
    tree, _ = _parsed(lines)
    above = lost = 0
    commands: tuple[Command, ...] = ()
    if tree is None:
        commands = tuple(_commands(lines, shift))
        _make_modern(lines)
        above = _indented(lines)
        tree = _parsed_in_spite(lines, above)
    if tree is None:
        tree, lost = _parsed_piecewise(lines)
    if tree is None:
        if not commands and lost <= _MAX_LOST:
            return None
        tree = ast.Module([], [])
    places = Places(lines, lengths, shift=shift, above=above)
    return Reading(tree, places, commands, whole=lost <= _MAX_LOST)


def _prepared(text: str) -> str:
    """The text with what the tokenizer would refuse or count otherwise replaced, char by char."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "\\ \n" in text:
        text = text.replace("\\ \n", " \\\n")
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _parsed(lines: list[str], above: int = 0) -> tuple[ast.Module | None, int]:
    """The tree, or the number of the line that is wrong, from 0; -1 when no line is to blame."""
    source = "if 1:\n" * above + "\n".join(lines) + "\n"
    try:
        if not _MAY_WARN.search(source):
            return ast.parse(source), -1
        # Only here could the parser warn. Filters belong to the process: one scan at a time.
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source), -1
    except SyntaxError as error:
        return None, (error.lineno or 0) - 1 - above
    except (ValueError, MemoryError, RecursionError, OverflowError):
        return None, -1


def _parsed_in_spite(lines: list[str], above: int) -> ast.Module | None:
    """The tree without the few lines that are wrong."""
    size = sum(map(len, lines)) + 1
    for _ in range(max(1, min(_TRIES, _MAX_REPAIRED // size)) + 1):
        tree, wrong = _parsed(lines, above)
        if tree is not None:
            return tree
        if not 0 <= wrong < len(lines) or not lines[wrong].strip():
            return None
        lines[wrong] = _blank(lines[wrong])
    return None


def _parsed_piecewise(lines: list[str]) -> tuple[ast.Module | None, int]:
    """The tree of those statements that can be read, None when there are none; the lines lost."""
    body: list[ast.stmt] = []
    lost = 0
    for start, end in _statements(lines):
        tree = _parsed_in_spite(lines[start:end], 0)
        if tree is not None and any(not isinstance(one, ast.Pass) for one in tree.body):
            body += ast.increment_lineno(tree, start).body
        elif tree is None:
            lost += end - start
    return ast.Module(body, []) if body else None, lost


def _statements(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where the statements of the outermost level begin and end, by their indentation."""
    starts = [
        number
        for number, line in enumerate(lines)
        if line[:1] not in ("", " ", "\t", "#") and not _GOES_ON.match(line)
    ]
    starts = [n for n in starts if not (n and lines[n - 1].startswith("@"))][:_MAX_STATEMENTS]
    yield from pairwise([*starts, len(lines)])


def _blank(line: str) -> str:
    """A line without what is wrong; nothing at all when that was done before."""
    return "" if line.strip() == "pass" else line[: len(line) - len(line.lstrip())] + "pass"


def _commands(lines: list[str], at: int) -> list[Command]:
    """The lines and cells of a notebook that go to a shell; `pass` stands for them afterwards."""
    found: list[Command] = []
    for number, line in enumerate(lines):
        start, at = at, at + len(line) + 1
        if "!" not in line and "%" not in line:
            continue
        if _CELL.match(line):
            rest = "\n".join(lines[number + 1 :])
            found.append(Command(at, at + len(rest), rest))
            lines[number:] = ["pass"] * (len(lines) - number)
            break
        shell = _SHELL.match(line)
        if match := shell or _INSTALL.match(line):
            command = _BRACES.sub(HOLE, match[2]).rstrip()
            install = shell is None
            found.append(Command(start + match.start(2), start + match.end(2), command, install))
            lines[number] = match[1] + "pass"
        elif _MAGIC.match(line):
            lines[number] = "pass"
    return found


def _make_modern(lines: list[str]) -> None:
    """Sessions lose their prompts and their output, Python 2 becomes Python 3."""
    if any(line.lstrip().startswith(">>> ") for line in lines):
        lines[:] = [
            " " * match.end() + line[match.end() :] if (match := _PROMPT.match(line)) else ""
            for line in lines
        ]
    for number, line in enumerate(lines):
        for pattern, new in _OLD:
            line = pattern.sub(new, line)  # noqa: PLW2901  # each repair works on the one before
        lines[number] = line


def _indented(lines: list[str]) -> int:
    """Whether the first line of code is indented, as in a list of a document: 1 or 0."""
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    return int(first[:1] in (" ", "\t"))
