"""What an expression may stand for before the code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, origin
from skillpm.scanning.behaviour.syntax import Node

MAX_ITEMS: Final = 4_000
MAX_DEPTH: Final = 4


class Number(NamedTuple):
    """A number that is known."""

    amount: float

    @property
    def text(self) -> str:
        """As it is printed."""
        whole = int(self.amount) if self.amount == self.amount // 1 else None
        return str(self.amount) if whole is None else str(whole)


@dataclass(slots=True, eq=False)
class Items:
    """An array or the bytes of a buffer; `rest` is what flowed in without being told apart."""

    items: list[Thing] = field(default_factory=list)
    rest: Value = EMPTY
    reversed: bool = False


@dataclass(slots=True, eq=False)
class Record:
    """An object with fields; `rest` are the objects that were spread into it."""

    fields: dict[str, Thing] = field(default_factory=dict)
    rest: list[Thing] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Scope:
    """The variables of a function, and those around it."""

    parent: Scope | None = None
    names: dict[str, Thing] = field(default_factory=dict)
    this: Thing | None = None

    def find(self, name: str) -> Thing | None:
        """What a name stands for."""
        scope: Scope | None = self
        while scope is not None:
            thing = scope.names.get(name)
            if thing is not None:
                return thing
            scope = scope.parent
        return None

    def holder(self, name: str) -> Scope:
        """The scope that has a name, or this one."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Script:
    """A text that is run.

    Attributes:
        number: of the source that its acts are noted for.
        path: of that source.
        text: what it says.
        span: where in the source all acts lie, for a text that does not stand there itself.
    """

    number: int
    path: str
    text: str
    span: tuple[int, int] | None = None


@dataclass(slots=True, eq=False)
class Closure:
    """A function of the code."""

    node: Node
    scope: Scope
    script: Script
    this: Thing | None = None


@dataclass(slots=True, eq=False)
class Kind:
    """A class of the code: all its objects are taken for one."""

    shared: Record
    parent: Thing | None = None
    constructor: Closure | None = None


class Known(NamedTuple):
    """Something that the language or a library provides, by its full name."""

    path: str


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a library.

    Attributes:
        kind: `process`, `socket`, `request`, `file`, `xhr`, `server`, `element`, `mailer`.
        value: what it is about (peer, address, path, command) with what flowed into it.
        fields: what was set on it.
    """

    kind: str
    value: Value = UNKNOWN
    fields: dict[str, Thing] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Native:
    """A function that the machine itself hands out, such as `resolve` of a promise."""

    call: Callable[[Sequence[Thing]], Thing]


Thing: TypeAlias = Value | Number | Items | Record | Closure | Kind | Known | Instance | Native

CALLABLE: Final = (Closure, Native)


def text_of(thing: Thing | None) -> str:
    """The text of a thing when it is one."""
    return thing.text if isinstance(thing, Value | Number) else ""


def number_of(thing: Thing | None) -> int | None:
    """The whole number that a thing is."""
    if isinstance(thing, Number):
        return int(thing.amount)
    if isinstance(thing, Value) and thing.text.lstrip("-").isdigit() and len(thing.text) < 16:
        return int(thing.text)
    return None


def parts_of(thing: Thing, depth: int = 0) -> Iterator[Value | Known]:
    """The values that a thing is made of."""
    if isinstance(thing, Value | Known):
        yield thing
    elif isinstance(thing, Number):
        yield Value(thing.text)
    elif depth < MAX_DEPTH:
        inner: list[Thing] = []
        if isinstance(thing, Items):
            inner = [*thing.items[:200], thing.rest]
        elif isinstance(thing, Record):
            inner = [*list(thing.fields.values())[:100], *thing.rest[:10]]
        elif isinstance(thing, Instance):
            inner = [origin([thing.value])]
        for part in inner:
            yield from parts_of(part, depth + 1)


def merged(first: Thing, second: Thing) -> Thing:
    """What is either the one or the other."""
    if first is second or _is_nothing(second):
        return first
    if _is_nothing(first):
        return second
    if not isinstance(first, Value):
        return first
    if not isinstance(second, Value):
        return second
    text = first.text if first.known else second.text
    if first.known and first.text and not second.known and second.carries:
        text = HOLE
    return origin([first, second], text, first.key or second.key)


def _is_nothing(thing: Thing) -> bool:
    return isinstance(thing, Value) and not thing.carries and thing.text in ("", HOLE)
