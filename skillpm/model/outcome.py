"""What an operation gives back: data for programs, messages for people, one exit status."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

Level = Literal["note", "warning", "error"]

Agree = Callable[[Sequence[str]], bool]
"""Shows lines and asks the person once; True when they agree."""

STDOUT: Final = "-"
"""How standard output is named where a file may be."""


class Message(NamedTuple):
    """One line for the person at the terminal."""

    text: str
    level: Level = "note"


class Table(NamedTuple):
    """Rows under headings; the first column is the name of the thing."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = "nothing to show"


class Later(Mapping[str, Any]):
    """Data that is made when a program asks for it; a person at a terminal never does."""

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, Any]:
        return self._make()

    def __getitem__(self, key: str) -> Any:
        """The value under a key."""
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        """The keys."""
        return iter(self._made)

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._made)


class Outcome(NamedTuple):
    """The result of one operation; printing it is the CLI's business.

    Attributes:
        data: JSON-ready values, the same whatever the output looks like.
        tables: what a person sees first.
        text: a document to be shown verbatim (a skill's text), or "".
        errors: what is to be shown verbatim on standard error (a script's), or "".
        status: the exit status, from the table in `errors`.
    """

    data: Mapping[str, Any]
    messages: tuple[Message, ...] = ()
    tables: tuple[Table, ...] = ()
    text: str = ""
    status: int = 0
    errors: str = ""


@dataclass(slots=True)
class Notes:
    """A list of messages that grows while an operation runs."""

    messages: list[Message] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Add something worth knowing."""
        self.messages.append(Message(text))

    def warn(self, text: str) -> None:
        """Add something that may need attention."""
        self.messages.append(Message(text, "warning"))

    def fail(self, text: str) -> None:
        """Add something that was not done."""
        self.messages.append(Message(text, "error"))

    def extend(self, messages: Sequence[Message]) -> None:
        """Add messages from elsewhere, in order."""
        self.messages.extend(messages)
