"""The variables, files and descriptors that statements leave for those that follow."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, SECRETS, Act, Carries, Deed, Hop
from skillpm.scanning.behaviour.shell.calls import Call, guards_secret
from skillpm.scanning.behaviour.shell.expansion import fields, single
from skillpm.scanning.behaviour.shell.grammar import (
    Assignment,
    Channel,
    Function,
    Statement,
)
from skillpm.scanning.behaviour.shell.scripts import Library, Script
from skillpm.scanning.behaviour.shell.words import (
    EMPTY,
    FIFO,
    UNKNOWN,
    Value,
    is_secret_name,
    join,
    origin,
)

MAX_ARRAY: Final = 200
MAX_FOLDERS: Final = 40
MAX_SECRETS: Final = 100
_FACTS: Final = frozenset(
    ["USER", "LOGNAME", "HOSTNAME", "HOST", "UID", "EUID", "OSTYPE", "MACHTYPE"]
)
_SPELLED: Final = {"HOME": "$HOME", "TMPDIR": "$TMPDIR", "PATH": "$PATH", "IFS": " "}
_ROOTED: Final = ("/", "~", "$", "<", HOLE)


@dataclass
class State:
    """What a script has set so far."""

    variables: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[Function, Script]] = field(default_factory=dict)
    aliases: dict[str, Value] = field(default_factory=dict)
    secrets: dict[str, Value] = field(default_factory=dict)
    files: dict[str, Value] = field(default_factory=dict)
    folders: dict[str, Value] = field(default_factory=dict)
    descriptors: dict[int, Value] = field(default_factory=dict)
    drains: dict[str, Sequence[Statement]] = field(default_factory=dict)
    arguments: tuple[Value, ...] | None = None
    folder: str = ""
    called: set[str] = field(default_factory=set)
    active: list[str] = field(default_factory=list)
    traps: list[Call] = field(default_factory=list)
    looped: bool = False


class Environment:
    """What expansions and commands ask for, apart from running anything."""

    def __init__(self, script: Script, library: Library) -> None:
        self.script = script
        self.library = library
        self.state = State()
        self._span = (0, 0)

    @property
    def descriptors(self) -> dict[int, Value]:
        """What is open under a number."""
        return self.state.descriptors

    @property
    def path(self) -> str:
        """The file whose text is being run."""
        return self.script.path

    def record(self, act: Act) -> None:
        """Notes an act."""
        self.library.ledger.record(self.script.number, act)

    # Variables

    def parameter(self, name: str, index: str) -> Sequence[Value] | None:
        """The values of a variable; None when nothing in the script sets it."""
        if name in ("@", "*") or name.isdigit():
            return self._argument(name)
        if name == "BASH_SOURCE":
            return [Value(self.script.path or HOLE)]
        values = self.state.variables.get(name)
        if values is None or not index:
            return values
        if index in ("@", "*"):
            return values
        if index.lstrip("-").isdigit() and -len(values) <= int(index) < len(values):
            return [values[int(index)]]
        return [join(values)] if len(values) == 1 else [origin(values)]

    def _argument(self, name: str) -> Sequence[Value] | None:
        if name == "0":
            return [Value(self.script.path or HOLE)]
        given = self.state.arguments
        if given is None:
            return [Value(HOLE, Carries.INPUT, key=f"${name}")]
        if name in ("@", "*"):
            return given
        number = int(name) - 1
        return [given[number]] if number < len(given) else None

    def outside(self, name: str) -> Value:
        """What a variable is that nothing in the script sets."""
        if name in _SPELLED:
            return Value(_SPELLED[name])
        if name == "PWD":
            return Value(self.state.folder or ".")
        if name in _FACTS:
            hop = Hop(self._span[0], f"${name}", self.path)
            return Value(HOLE, Carries.FACTS, frozenset(), (hop,), f"${name}")
        if name.isupper() and is_secret_name(name):
            hop = Hop(self._span[0], f"variable {name}", self.path)
            names = frozenset({name})
            value = Value(HOLE, Carries.SECRET_VARIABLE, names, (hop,), f"${name}")
            act = Act(Deed.VARIABLE, *self._span, name, Carries.SECRET_VARIABLE, names)
            self.record(act)
            return value
        return Value(HOLE, key=f"${name}") if name.isidentifier() else UNKNOWN

    def assign(self, name: str, value: Value) -> None:
        """Sets a variable."""
        self.state.variables[name] = (value,)

    def assigned(self, assignment: Assignment, *, alias: bool = False) -> None:
        """Carries an assignment out."""
        name, words = assignment.name, assignment.words
        values = tuple(fields(words, self)) if assignment.array else (single(words[0], self),)
        if alias:
            self.state.aliases[name] = values[0] if values else EMPTY
            return
        before = self.state.variables.get(name, ())
        if assignment.append and before and not assignment.array:
            values = (*before[:-1], join([before[-1], *values]))
        elif assignment.append or assignment.index:
            values = (*before, *values)[-MAX_ARRAY:]
        self.state.variables[name] = values

    def literal(self, text: str) -> Value:
        """A text of the script that has a hole."""
        holes = self.script.holes
        if self.script.span is None:
            return Value(text)
        return origin([holes], text, holes.key and text.replace(HOLE, f"<{holes.key[:80]}>"))

    def output(self, body: list[Statement]) -> Value:
        """What statements write to their standard output."""
        raise NotImplementedError

    def channel(self, piece: Channel) -> Value:
        """The name of the file that stands for a process."""
        raise NotImplementedError

    # Files

    def place(self, path: Value) -> str:
        """What tells a file apart from others."""
        text = path.identity
        if not text.startswith(_ROOTED) and self.state.folder:
            text = posixpath.join(self.state.folder, text)
        return posixpath.normpath(text) if "/" in text or "." in text else text

    def stored(self, path: Value) -> Value | None:
        """What the script itself wrote to a file, downloaded or unpacked there."""
        if not path.text:
            return None
        place = self.place(path)
        value = self.state.files.get(place)
        if value is not None:
            return value
        inside = self._inside(place)
        if inside is not None:
            return inside
        if (
            not self.state.folders
            or guards_secret(path.text)
            or self.library.find(path.text, self.path)
        ):
            return None
        for _ in range(MAX_FOLDERS):
            if place in self.state.folders:
                return self.state.folders[place]
            if place in (".", "/", ""):
                break
            place = posixpath.dirname(place) or "."
        return None

    def _inside(self, place: str) -> Value | None:
        """All that was put into a folder, when there are secrets among it."""
        start = place.removesuffix("*").rstrip("/") + "/"
        found = [
            content
            for path, content in list(self.state.secrets.items())[:MAX_SECRETS]
            if path.startswith(start) or (place == "." and not path.startswith(_ROOTED))
        ]
        return origin(found, HOLE, f"<{place}>") if found else None

    def store(self, path: Value, content: Value, *, append: bool = False) -> None:
        """Remembers what is in a file."""
        place = self.place(path)
        before = self.state.files.get(place)
        if before is not None and before.key == FIFO.key:
            self.state.looped = Carries.SOCKET in content.carries
        elif append and before is not None and before.text:
            content = join([before, content])
        elif path.text.endswith("/") and before is not None:
            content = origin([before, content], HOLE)
        self.state.files[place] = content
        if content.carries & SECRETS:
            self.state.secrets[place] = content

    def unpack(self, folder: Value, content: Value) -> None:
        """Remembers where the files of a folder come from."""
        self.state.folders[self.place(folder)] = content.saying(HOLE)

    def enter(self, folder: Value) -> None:
        """Changes the working folder."""
        text = folder.identity
        if text in ("-", ""):
            return
        self.state.folder = (
            text
            if text.startswith(_ROOTED)
            else posixpath.normpath(posixpath.join(self.state.folder, text))
        )

    def drain(self, path: str) -> Sequence[Statement] | None:
        """The statements that read what is written to a path."""
        return self.state.drains.get(path)

    def drained(self, piece: Channel) -> Value:
        """The name of the file that stands for statements that read it."""
        name = f"/dev/fd/{63 + len(self.state.drains)}"
        self.state.drains[name] = piece.body
        return Value(name)

    def supplied(self, content: Value) -> Value:
        """The name of the file that stands for what statements print."""
        name = f"/dev/fd/{200 + len(self.state.files)}"
        self.state.files[name] = content
        return origin([content], name)


def merged(ways: Sequence[dict[str, tuple[Value, ...]]]) -> dict[str, tuple[Value, ...]]:
    """The variables after one of several ways, of which any may have been taken."""
    before, result = ways[0], dict(ways[0])
    for way in ways[1:]:
        for name, values in way.items():
            if values is before.get(name):
                continue
            known = result.get(name)
            if known is None or known is before.get(name):
                result[name] = _either(before.get(name), values)
            elif known != values:
                result[name] = _either(known, values)
    return result


def _either(first: tuple[Value, ...] | None, second: tuple[Value, ...]) -> tuple[Value, ...]:
    """The second values, with what flows into the first ones as well."""
    if not first or len(second) != 1 or not any(value.carries for value in first):
        return second if second and second[0] != EMPTY else (first or second)
    value = second[0]
    return (origin([value, *first], value.text or first[0].text, value.key),)
