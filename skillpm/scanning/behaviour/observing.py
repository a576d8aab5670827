"""From the files of a skill to what its code does: code is found, read, and again if nested."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from skillpm.model.regex import regex
from skillpm.scanning import markdown
from skillpm.scanning.behaviour.acts import MAX_ACTS, MAX_SOURCE, Act, Deed, FrontEnd, Source
from skillpm.scanning.facts import Doing, FileFacts, Layer

MAX_PIECES: Final = 2_000
MAX_DOINGS: Final = 20_000
MAX_NESTED: Final = 3
MAX_NESTED_PIECES: Final = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a file that is code.

    Attributes:
        language: of a front end: `python`, `shell` or `javascript`.
        source: the text as the front end gets it.
        file: where.
        layer: the reading of the file that holds it.
        start: offset of the source in the layer.
        nested: how many interpreters it was handed through.
        outer: the act that hands it to an interpreter; None for code that stands in the file.
    """

    language: str
    source: Source
    file: FileFacts
    layer: Layer
    start: int = 0
    nested: int = 0
    outer: Act | None = None


class Observed(NamedTuple):
    """What code does, and the files whose code could not be read."""

    doings: tuple[Doing, ...]
    unread: tuple[FileFacts, ...] = ()


def _python() -> FrontEnd:
    from skillpm.scanning.behaviour.python import PythonFrontEnd

    return PythonFrontEnd()


def _shell() -> FrontEnd:
    from skillpm.scanning.behaviour.shell.front import ShellFrontEnd

    return ShellFrontEnd()


def _javascript() -> FrontEnd:
    from skillpm.scanning.behaviour.javascript.front import JavaScriptFrontEnd

    return JavaScriptFrontEnd()


FRONT_ENDS: Final[dict[str, Callable[[], FrontEnd]]] = {
    "python": cache(_python),
    "shell": cache(_shell),
    "javascript": cache(_javascript),
}
"""Language to its front end, loaded when a skill first holds such code."""

_NAMES: Final = {
    "python": "python", "py": "python", "python3": "python", "ipython": "python",
    "shell": "shell", "bash": "shell", "sh": "shell", "zsh": "shell", "console": "shell",
    "shell-session": "shell", "shellsession": "shell", "terminal": "shell", "ksh": "shell",
    "javascript": "javascript", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
    "typescript": "javascript", "ts": "javascript", "tsx": "javascript", "node": "javascript",
    "nodejs": "javascript", "cjs": "javascript",
}  # fmt: skip
_EXTENSION: Final = {"typescript": ".ts", "ts": ".ts", "tsx": ".tsx", "jsx": ".jsx"}
_COMMAND: Final = regex(
    r"\s{0,8}(?:[$%>]\s{1,4})?(?:sudo |env )?(?:curl|wget|bash|sh|zsh|npm|npx|pnpm|yarn|bun"
    r"|pip3?|uvx?|python3?|node|git|cd|export|brew|apt(?:-get)?|dnf|yum|docker|kubectl|chmod|chown"
    r"|rm|mv|cp|tar|unzip|echo|cat|printf|eval|source|nc|ncat|ssh|scp|rsync|crontab|launchctl|systemctl"
    r"|openssl|base64|xattr"
    r"|powershell|env|printenv|find|dd|tee|osascript|security|gh|aws|gcloud)\s"
)
_RECIPES: Final = frozenset(("make", "docker"))
_RUN: Final = regex(
    r"^[ \t]{0,8}RUN[ \t]+(?:--\S{1,200}[ \t]+){0,6}((?:[^\n]*\\ ?\n)*[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_MAKE_ASSIGNS: Final = regex(r"(\w{1,60})[ \t]{1,8}[:?]{0,2}=[ \t]{1,8}(\S.{0,400}?)[ \t]*$")
_MAKE_VARIABLE: Final = regex(r"\$\((\w{1,60})\)")
_MAKE_MARKS: Final = regex(r"^\t[@+ -]*")


def observe(files: Iterable[FileFacts]) -> Observed:
    """What the code in these files does, in order of language, then of place; total and bounded."""
    found: list[Doing] = []
    unread: list[FileFacts] = []
    level = list(_bounded(pieces(files), MAX_PIECES))
    for _ in range(MAX_NESTED + 1):
        inner: list[Piece] = []
        for language in FRONT_ENDS:
            spoken = [piece for piece in level if piece.language == language]
            for doing in _read(language, spoken, unread):
                found.append(doing)
                inner += _handed_on(doing)
        level = inner[:MAX_NESTED_PIECES]
        if not level or len(found) > MAX_DOINGS * len(Deed):
            break
    return Observed(tuple(_kept(found)), tuple(dict.fromkeys(unread)))


def _kept(found: list[Doing]) -> Iterator[Doing]:
    """At most `MAX_DOINGS` of a kind, so that many of one can't push others out."""
    counted: Counter[Deed] = Counter()
    for doing in found:
        counted[doing.act.deed] += 1
        if counted[doing.act.deed] <= MAX_DOINGS:
            yield doing


def pieces(files: Iterable[FileFacts]) -> Iterator[Piece]:
    """The code of every file: scripts as a whole, fenced blocks and commands of documents."""
    for facts in files:
        if not facts.layers:
            continue
        whole = facts.layers[0]
        language = _NAMES.get(facts.identity.language, "")
        if language:
            yield Piece(language, Source(facts.file.path, whole.text), facts, whole)
        elif facts.identity.language in ("markdown", "text"):
            yield from _in_document(facts, whole)
        elif facts.identity.language in _RECIPES:
            yield from _recipes(facts, whole)


def _recipes(facts: FileFacts, whole: Layer) -> Iterator[Piece]:
    """The commands of a Makefile or Dockerfile, as a shell gets them, each where it stands."""
    path = facts.file.path
    if facts.identity.language == "make":
        lines = whole.text.replace("\\ \n", " \\\n").split("\n")
        text = "\n".join(map(_of_make, lines))
        yield Piece("shell", Source(path, text, whole=False), facts, whole)
        return
    for found in _RUN.finditer(whole.text):
        text = found[1].replace("\\ \n", " \\\n")  # the line end was that of Windows
        yield Piece("shell", Source(path, text, whole=False), facts, whole, found.start(1))


def _of_make(line: str) -> str:
    """A line of a Makefile in shell, as long as it was: a command, an assignment, or blank."""
    said = _MAKE_VARIABLE.sub(r"${\1}", line).replace("$$", " $")
    if line.startswith("\t"):
        return _MAKE_MARKS.sub(lambda mark: " " * len(mark[0]), said)
    assigned = _MAKE_ASSIGNS.match(said)
    if not assigned or '"' in assigned[2]:
        return " " * len(line)
    return f'{assigned[1]}="{assigned[2]}"'.ljust(len(line))[: max(len(line), 1)]


def _in_document(facts: FileFacts, whole: Layer) -> Iterator[Piece]:
    for start, end, named, inline in markdown.code(whole.text):
        text = whole.text[start:end]
        language = _language(named, text, inline=inline)
        if language and text.strip():
            path = facts.file.path + _EXTENSION.get(named, "")
            yield Piece(language, Source(path, text, whole=False), facts, whole, start)


def _language(named: str, text: str, *, inline: bool) -> str:
    if inline or named in ("", "text", "plaintext", "txt"):
        return "shell" if _COMMAND.match(text) else ""
    return _NAMES.get(named, "")


def _read(language: str, spoken: list[Piece], unread: list[FileFacts]) -> list[Doing]:
    """What pieces of one language do together; what can't be read, or is cut, counts as unread."""
    if not spoken:
        return []
    try:
        acts = list(FRONT_ENDS[language]().acts([piece.source for piece in spoken]))
    except Exception:  # noqa: BLE001 - a hostile text may find a fault of ours; it is told as such
        unread += [piece.file for piece in spoken]
        return []
    unread += [spoken[number].file for number, act in acts if act.deed is Deed.UNREAD]
    unread += [piece.file for piece in spoken if len(piece.source.text) > MAX_SOURCE]
    counted = Counter((number, act.deed) for number, act in acts)
    unread += [spoken[number].file for (number, _), count in counted.items() if count >= MAX_ACTS]
    return [
        _doing(act, spoken[number], language) for number, act in acts if act.deed is not Deed.UNREAD
    ]


def _doing(act: Act, piece: Piece, language: str) -> Doing:
    return Doing(_placed(act, piece), piece.file, piece.layer, language, piece.nested)


def _placed(act: Act, piece: Piece) -> Act:
    """The act with its offsets in the layer; all of nested code stands where it was handed on."""
    if piece.outer is not None:
        outer = piece.outer
        return replace(
            act,
            start=outer.start,
            end=outer.end,
            carries=act.carries,
            trail=outer.trail + tuple(replace(hop, start=outer.start) for hop in act.trail),
        )
    if not piece.start:
        return act
    trail = tuple(
        hop if hop.path else replace(hop, start=hop.start + piece.start) for hop in act.trail
    )
    return replace(act, start=act.start + piece.start, end=act.end + piece.start, trail=trail)


def _handed_on(doing: Doing) -> Iterator[Piece]:
    """The text that an act hands to an interpreter that we can read."""
    act = doing.act
    if act.deed not in (Deed.INTERPRET, Deed.RUN) or doing.nested >= MAX_NESTED:
        return
    language = _NAMES.get(act.language, "")
    if language and len(act.target.strip()) > 1:
        path = doing.file.file.path
        source = Source(path, act.target, whole=False)
        yield Piece(language, source, doing.file, doing.layer, 0, doing.nested + 1, outer=act)


def _bounded(items: Iterable[Piece], most: int) -> Iterator[Piece]:
    for number, item in enumerate(items):
        if number >= most:
            return
        yield item
