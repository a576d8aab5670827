"""One call of a function that the language or a library provides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from skillpm.scanning.behaviour.acts import HOLE, Act, Carries, Deed, Hop
from skillpm.scanning.behaviour.javascript.folding import option
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Known,
    Thing,
    text_of,
)
from skillpm.scanning.behaviour.shell.calls import FETCHED, fresh
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, origin


class Host(Protocol):
    """What a function may ask of the machine."""

    @property
    def path(self) -> str:
        """The file whose text is being run."""
        ...

    def record(self, act: Act) -> None:
        """Notes an act."""
        ...

    def flow(self, thing: Thing) -> Value:
        """A thing as data: what flows on when it is printed or sent."""
        ...

    def apply(
        self, function: Thing, arguments: Sequence[Thing], this: Thing | None = None
    ) -> Thing:
        """Calls a function."""
        ...

    def run_text(self, text: Value) -> Thing:
        """Runs a text as code of the same language in place of the call."""
        ...

    def run_shell(self, text: Value) -> Value:
        """Runs a text as shell commands in place of the call; what it prints."""
        ...

    def indexed(self, thing: Thing, index: Thing) -> Thing:
        """The field of a thing that an expression names."""
        ...

    def keys(self, thing: Thing) -> Thing:
        """The names of a thing's fields."""
        ...

    def load(self, name: Value) -> Thing:
        """A module by its name."""
        ...

    def stored(self, path: Value) -> Value | None:
        """What the code itself wrote to a file."""
        ...

    def store(self, path: Value, content: Value) -> None:
        """Remembers what is in a file."""
        ...


@dataclass(slots=True)
class Call:
    """A function with its arguments.

    Attributes:
        host: the machine.
        name: the full name.
        arguments: what it is called with.
        start: offset of the call.
        end: offset after it.
        this: the object whose method it is.
    """

    host: Host
    name: str
    arguments: Sequence[Thing]
    start: int
    end: int
    this: Thing | None = None

    @property
    def leaf(self) -> str:
        """The name without what it belongs to."""
        return self.name.rpartition(".")[2]

    def thing(self, number: int) -> Thing | None:
        """An argument."""
        return self.arguments[number] if number < len(self.arguments) else None

    def value(self, number: int) -> Value:
        """An argument as data."""
        thing = self.thing(number)
        return EMPTY if thing is None else self.host.flow(thing)

    def option(self, name: str) -> Thing | None:
        """A field of the first options object that has it."""
        for thing in self.arguments:
            found = option(thing, name)
            if found is not None:
                return found
        return None

    def says(self, name: str) -> bool:
        """Whether an option is `true`."""
        return text_of(self.option(name)) == "true"

    def act(
        self, deed: Deed, target: str, value: Value = EMPTY, *how: str, language: str = ""
    ) -> None:
        """Notes that the call does something, with what flows into it."""
        self.host.record(
            Act(
                deed, self.start, self.end, target, value.carries, value.variables, value.trail,
                language, frozenset(how),
            )
        )  # fmt: skip

    def hop(self, words: str) -> Hop:
        """A step of a trail at this call."""
        return Hop(self.start, words[:120], self.host.path)

    def callback(self, *given: Thing) -> Thing:
        """Calls the last function among the arguments; what it returns."""
        for thing in reversed(self.arguments):
            if isinstance(thing, CALLABLE) or (isinstance(thing, Known) and given):
                return self.host.apply(thing, given)
        return UNKNOWN

    def read(self, path: Value) -> Value:
        """What is in a file; notes that it is read."""
        stored = self.host.stored(path)
        value = stored or fresh(path, self.hop(f"read from {path.text}"))
        self.act(Deed.READ, path.text, origin([Value(carries=value.carries), path]))
        return value

    def write(self, path: Value, content: Value, *how: str) -> None:
        """Notes that a file is written, and remembers what is in it."""
        self.act(Deed.WRITE, path.text, content, *how)
        self.host.store(path, content)

    def fetched(self, url: str) -> Value:
        """What comes back from an address."""
        hop = self.hop(FETCHED + url)
        return Value(HOLE, Carries.NETWORK, frozenset(), (hop,), f"<{url}>")


Handler: TypeAlias = Callable[[Call], Thing]
NOTHING: Final = UNKNOWN
