"""What is known about a value before the code runs: its text, its name, and where it came from.

A `Value` is never changed after it was made (a `Thing` may be: files and connections learn).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Final

from skillpm.scanning.behaviour.acts import HOLE, MAX_TEXT, Carries, Hop

MAX_OPTIONS: Final = 12
"""So many texts are kept that one value may be."""

MAX_ITEMS: Final = 4_096
MAX_TRAIL: Final = 8

_FREE: Final = max(member.value for member in Carries) << 1
CODES: Final = _FREE
"""Put together from character codes, single letters, backwards or by xor: BUILT where it is used
as a text that does something, nothing where it is only data."""
JOINED: Final = _FREE << 1
"""A word glued from two parts: BUILT where it names code or a command."""
UNPACKED: Final = _FREE << 2
"""Decoded from something unknown: DECODED where it is run."""
WALKED: Final = _FREE << 3
"""A path met on a walk through a folder and all below it, or what stands in such a file."""
RANDOM: Final = _FREE << 4
"""Random bytes or zeros, as one overwrites a file with."""

PLAIN: Final = _FREE - 1
"""The labels that acts may show."""

NETWORK: Final = Carries.NETWORK.value
DECODED: Final = Carries.DECODED.value
ENCODED: Final = Carries.ENCODED.value
BUILT: Final = Carries.BUILT.value
ENVIRONMENT: Final = Carries.ENVIRONMENT.value
SECRET_VARIABLE: Final = Carries.SECRET_VARIABLE.value
SECRET_FILE: Final = Carries.SECRET_FILE.value
FILE: Final = Carries.FILE.value
FACTS: Final = Carries.FACTS.value
INPUT: Final = Carries.INPUT.value
CAPTURED: Final = Carries.CAPTURED.value
SOCKET: Final = Carries.SOCKET.value
TEMPORARY: Final = Carries.TEMPORARY.value
SECRET: Final = SECRET_FILE | SECRET_VARIABLE | ENVIRONMENT | CAPTURED
PRIVATE: Final = SECRET | FILE | FACTS | INPUT


@dataclass(frozen=True, slots=True)
class Flow:
    """Where data comes from: labels (`Carries` and the marks above), names, and the way it took."""

    labels: int = 0
    variables: frozenset[str] = frozenset()
    trail: tuple[Hop, ...] = ()

    def but(self, labels: int) -> Flow:
        """The same without some labels; without any, nothing is left."""
        kept = self.labels & ~labels
        if kept == self.labels:
            return self
        if not kept:
            return CLEAN
        return Flow(kept, self.variables if kept & SECRET_VARIABLE else frozenset(), self.trail)

    def plus(self, labels: int) -> Flow:
        """The same with more labels."""
        return (
            self
            if self.labels | labels == self.labels
            else replace(self, labels=self.labels | labels)
        )

    def then(self, hop: Hop, labels: int = 0) -> Flow:
        """The same, one step further."""
        trail = self.trail if hop in self.trail else (*self.trail, hop)[:MAX_TRAIL]
        return Flow(self.labels | labels, self.variables, trail)


CLEAN: Final = Flow()


def both(left: Flow, right: Flow) -> Flow:
    """Data from two places."""
    if left is right or not right.labels:
        return left if left.labels else right
    if not left.labels:
        return right
    if right.labels | left.labels == left.labels and right.variables <= left.variables:
        return left
    trail = left.trail + tuple(hop for hop in right.trail if hop not in left.trail)
    return Flow(left.labels | right.labels, left.variables | right.variables, trail[:MAX_TRAIL])


class Thing:
    """Something with a state or a body: a function, a class, a file, a connection."""

    __slots__ = ()

    def held(self) -> Flow:
        """What it gives to one who takes it whole, beside the flow of the value that it is in."""
        return CLEAN


class _Missing:
    """The constant that is not known."""


MISSING: Final = _Missing()


@dataclass(slots=True, eq=False)
class Value:
    """What is known about one value.

    Attributes:
        name: the full name of a known function, module or object (`os.system`, `requests.get()`).
        const: the value itself, or MISSING.
        options: the texts that it may be, with holes; none when nothing is known.
        flow: where it comes from.
        items: of a list, tuple or set.
        fields: of a dict, by the text of the key.
        thing: what stands behind it.
    """

    name: str = ""
    const: Any = MISSING
    options: tuple[str, ...] = ()
    flow: Flow = CLEAN
    items: tuple[Value, ...] | None = None
    fields: dict[str, Value] | None = None
    thing: Thing | None = None


NOTHING: Final = Value()


@dataclass(slots=True, eq=False)
class Link(Thing):
    """A connection and its other end."""

    peer: str = HOLE


@dataclass(slots=True, eq=False)
class Process(Thing):
    """A started program and the language it reads from its input, or ""."""

    language: str = ""


@dataclass(slots=True, eq=False)
class Partial(Thing):
    """A callable with some arguments already given."""

    callee: Value
    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


def constant(value: object, flow: Flow = CLEAN) -> Value:
    """A value that is known exactly."""
    return Value("", value, (value,) if isinstance(value, str) else (), flow)


def text(*options: str, flow: Flow = CLEAN, name: str = "") -> Value:
    """A value that is one of some texts."""
    return Value(name, MISSING, options[:MAX_OPTIONS], flow)


def flowing(flow: Flow) -> Value:
    """A value of which only the origin is known."""
    return Value("", MISSING, (), flow) if flow.labels else NOTHING


def listed(items: Iterable[Value], name: str = "") -> Value:
    """A list or tuple of values."""
    held = tuple(items)[:MAX_ITEMS]
    return Value(name, MISSING, (), flow_of(held), held)


def flow_of(values: Iterable[Value]) -> Flow:
    """The flows of all of them."""
    found = CLEAN
    for value in values:
        if value.flow.labels:
            found = both(found, value.flow)
        if value.thing is not None:
            found = both(found, value.thing.held())
    return found


def texts(value: Value) -> tuple[str, ...]:
    """The texts that a value may be; HOLE when nothing is known."""
    if value.options:
        return value.options
    known = value.const
    if isinstance(known, bytes):
        return (as_text(known),)
    if isinstance(known, int | float):
        return (short_number(known),)
    return (HOLE,)


def short_number(number: float) -> str:
    """A number as Python prints it, unless it is too long to be printed."""
    if isinstance(number, int) and number.bit_length() > 1_000:
        return HOLE
    return str(number)


def as_text(data: bytes) -> str:
    """Bytes as text."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def one_text(value: Value) -> str:
    """The one text that a value is known to be, or ""."""
    found = value.options or (texts(value) if value.const is not MISSING else ())
    return found[0] if len(found) == 1 and HOLE not in found[0] else ""


def known(value: Value) -> bool:
    """Whether anything is known of its text."""
    return bool(value.options) or isinstance(value.const, bytes | int | float)


def spliced(parts: Iterable[Value]) -> tuple[str, ...]:
    """Every text that comes of writing values one after the other; none when all are unknown."""
    held = tuple(parts)
    if not any(known(part) for part in held):
        return ()
    choices: list[tuple[str, ...]] = []
    room = MAX_OPTIONS
    for part in held:
        found = texts(part)[:room]
        room = max(room // max(len(found), 1), 1)
        choices.append(found)
    return tuple(dict.fromkeys(shortened("".join(way)) for way in product(*choices)))


def shortened(long: str) -> str:
    """A text cut at the length that is kept; holes side by side are one."""
    if HOLE + HOLE in long:
        while HOLE + HOLE in long:
            long = long.replace(HOLE + HOLE, HOLE)
    return long if len(long) <= MAX_TEXT else long[:MAX_TEXT] + HOLE


def joined(left: Value, right: Value) -> Value:
    """A value that may be either."""
    if left is right:
        return left
    options = left.options
    if right.options != options:
        options = tuple(dict.fromkeys((*options, *right.options)))[:MAX_OPTIONS]
    same = type(left.const) is type(right.const) and left.const == right.const
    return Value(
        left.name or right.name,
        left.const if same else MISSING,
        options,
        both(left.flow, right.flow),
        _joined_items(left.items, right.items),
        left.fields if right.fields is None else {**(left.fields or {}), **right.fields},
        left.thing or right.thing,
    )


def _joined_items(
    left: tuple[Value, ...] | None, right: tuple[Value, ...] | None
) -> tuple[Value, ...] | None:
    if left is None or right is None or left is right:
        return right if left is None else left
    if len(left) != len(right):
        return max(left, right, key=len)
    return tuple(joined(one, other) for one, other in zip(left, right, strict=True))


def one_of(values: Iterable[Value]) -> Value:
    """A value that may be any of them."""
    found: Value | None = None
    for value in values:
        found = value if found is None else joined(found, value)
    return found or NOTHING


def elements(value: Value) -> Iterator[Value] | None:
    """The elements of what is known element by element, in order; None when it is not."""
    if value.items is not None:
        return iter(value.items)
    if value.fields is not None:
        return (constant(key) for key in value.fields)
    if isinstance(value.const, str | bytes | tuple | range) and len(value.const) <= MAX_ITEMS * 16:
        return (constant(item, value.flow) for item in value.const)
    return None


def element(value: Value) -> Value:
    """What a value gives when it is gone through, all its elements taken together."""
    if value.name == "os.environ":
        return Value("os.environ[]", flow=Flow(FACTS, frozenset(), value.flow.trail))
    if value.items is not None:
        return one_of(value.items[:64]) if value.items else flowing(value.flow)
    if isinstance(value.const, tuple):
        return one_of(constant(item, value.flow) for item in value.const[:MAX_OPTIONS])
    if value.fields is not None:
        return one_of(constant(key) for key in list(value.fields)[:MAX_OPTIONS])
    return (
        Value("", MISSING, (), value.flow, None, None, value.thing)
        if value.flow.labels
        else NOTHING
    )
