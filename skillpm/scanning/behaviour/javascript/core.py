"""The state that code is run in: sources, acts, limits, files and what flows."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Act, Carries, Deed, Hop, Source
from skillpm.scanning.behaviour.javascript.things import (
    Closure,
    Known,
    Number,
    Record,
    Scope,
    Script,
    Thing,
    parts_of,
)
from skillpm.scanning.behaviour.shell import front as shell, scripts
from skillpm.scanning.behaviour.shell.ledger import Ledger
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, origin
from skillpm.scanning.behaviour.syntax import Language, Node, parse

FUEL: Final = 200_000
FUEL_PER_CHARACTER: Final = 4
MAX_VISITS: Final = 6
"""A function is run so often, and four times that when data flows into it."""

SHORT: Final = 200
"""Shorter functions are run as often as the fuel lasts: they may decode a text."""

MAX_PLAYED: Final = 100_000
EXTENSIONS: Final = ("", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", ".cts")
_STORES: Final = ("localStorage", "sessionStorage", "document.cookie", "chrome.cookies")


class Core:
    """What expressions and functions ask for, apart from running anything."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self.ledger = Ledger([source.path for source in sources])
        self.script = Script(0, "", "")
        self.span = (0, 0)
        self.files: dict[str, Value] = {}
        self.pending: deque[Closure] = deque()
        self.deferred: list[tuple[Node, Scope, Script]] = []
        self.exports: dict[int, Record] = {}
        self.depth = 0
        self.nested = 0
        self.fuel = FUEL + sum(len(source.text) for source in sources) * FUEL_PER_CHARACTER
        self.played = MAX_PLAYED
        self._visits: dict[tuple[int, int], int] = {}
        self._paths = {
            posixpath.normpath(source.path): number
            for number, source in enumerate(sources)
            if source.whole and source.path
        }

    @property
    def path(self) -> str:
        """The file whose text is being run."""
        return self.script.path

    def record(self, act: Act) -> None:
        """Notes an act."""
        self.ledger.record(self.script.number, act)

    def place(self, node: Node) -> tuple[int, int]:
        """Where acts of a node are noted."""
        return self.script.span or (node.start_byte, node.end_byte)

    def source_text(self, node: Node) -> str:
        """What a node says."""
        return self.script.text[node.start_byte : node.end_byte]

    def visit(self, node: Node, *, urgent: bool) -> bool:
        """Whether a function may be run, which its first time it always may."""
        key = id(self.script), node.id
        visits = self._visits.get(key, 0)
        self._visits[key] = visits + 1
        if not visits:
            return True
        size = node.end_byte - node.start_byte
        self.fuel -= size + 50
        limit = MAX_VISITS * 4 if urgent else MAX_VISITS
        return self.fuel > 0 and (visits < limit or size < SHORT)

    def visited(self, closure: Closure) -> bool:
        """Whether a function was ever run."""
        return (id(closure.script), closure.node.id) in self._visits

    # Data

    def flow(self, thing: Thing) -> Value:
        """A thing as data: what flows on when it is printed or sent."""
        if isinstance(thing, Value):
            return thing
        if isinstance(thing, Number):
            return Value(thing.text)
        values = [
            self._provided(part.path) if isinstance(part, Known) else part
            for part in parts_of(thing)
        ]
        return values[0] if len(values) == 1 else origin(values)

    def inert(self, thing: Thing) -> Value:
        """A thing as data for a function that may not look at all that it could find there."""
        if isinstance(thing, Value):
            return thing
        return origin([part for part in parts_of(thing) if isinstance(part, Value)])

    def _provided(self, path: str) -> Value:
        """What an object of the language or a library is as data."""
        if path in ("process.env", "Deno.env", "Bun.env", "import.meta.env"):
            return self.environment()
        if path.startswith(_STORES):
            return self.kept(path)
        return UNKNOWN

    def environment(self) -> Value:
        """All variables of the environment."""
        self.record(Act(Deed.VARIABLE, *self.span, "*", Carries.ENVIRONMENT))
        hop = Hop(self.span[0], "environment", self.path)
        return Value(HOLE, Carries.ENVIRONMENT, frozenset(), (hop,), "<environment>")

    def kept(self, name: str) -> Value:
        """What a browser keeps for the user under a name."""
        names = frozenset({name})
        self.record(Act(Deed.VARIABLE, *self.span, name, Carries.SECRET_VARIABLE, names))
        hop = Hop(self.span[0], name, self.path)
        return Value(HOLE, Carries.SECRET_VARIABLE, names, (hop,), f"<{name}>")

    # Files

    def stored(self, path: Value) -> Value | None:
        """What the code itself wrote to a file."""
        return self.files.get(_plain(path)) if path.text else None

    def store(self, path: Value, content: Value) -> None:
        """Remembers what is in a file."""
        self.files[_plain(path)] = content

    def run_shell(self, text: Value) -> Value:
        """Runs a text as shell commands in place of the call; what it prints."""
        self.played -= len(text.text)
        if self.played < 0 or not text.text.strip(HOLE + " \n"):
            return UNKNOWN
        place = scripts.Script(self.script.number, self.path, (), self.span)
        return shell.play(text, place, self.ledger, self.files)

    # Sources

    def found(self, name: str) -> int | None:
        """The source that a relative module name means, seen from the script."""
        near = posixpath.join(posixpath.dirname(self.path), name)
        base = posixpath.normpath(near)
        stem = base.rpartition(".")[0] if base.endswith((".js", ".mjs", ".cjs", ".jsx")) else base
        for candidate in (base, stem, posixpath.join(base, "index")):
            for extension in EXTENSIONS:
                number = self._paths.get(candidate + extension)
                if number is not None:
                    return number
        return None


def language_of(path: str) -> Language:
    """The grammar for a file of that name; TypeScript's when the name does not tell."""
    if path.endswith((".js", ".mjs", ".cjs", ".jsx")):
        return Language.JAVASCRIPT
    return Language.TSX if path.endswith(".tsx") else Language.TYPESCRIPT


def tree_of(path: str, text: str) -> Node | None:
    """The tree of a text; by another grammar when the one for its name takes too long."""
    language = language_of(path)
    root = parse(language, text)
    if root is None and language is not Language.JAVASCRIPT:
        root = parse(Language.JAVASCRIPT, text)
    return root


def _plain(path: Value) -> str:
    text = path.identity
    return posixpath.normpath(text) if "/" in text else text
