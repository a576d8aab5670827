"""The statements and words of a shell, as `reading` finds them; offsets are those of the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class Literal:
    """Text that stands for itself; `coded` when it was spelled with escapes of letters."""

    text: str
    quoted: bool = False
    coded: bool = False


@dataclass(slots=True)
class Parameter:
    """`$name` or `${name…}`: `sign` is `!` or `#` before the name, `operator` what follows it."""

    name: str
    quoted: bool = False
    sign: str = ""
    index: str = ""
    operator: str = ""
    operands: tuple[Word, ...] = ()


@dataclass(slots=True)
class Output:
    """`$(…)` or backquotes."""

    body: list[Statement]
    quoted: bool = False


@dataclass(slots=True)
class Channel:
    """`<(…)`, or `>(…)` when it is written to."""

    body: list[Statement]
    writing: bool


Piece: TypeAlias = Literal | Parameter | Output | Channel


@dataclass(slots=True)
class Word:
    """One word as it is spelled: pieces without a space between them."""

    pieces: list[Piece]
    start: int = 0
    end: int = 0

    @property
    def plain(self) -> str:
        """Its text when that needs no expansion, else ""."""
        if len(self.pieces) == 1 and isinstance(piece := self.pieces[0], Literal):
            return piece.text
        return ""


@dataclass(slots=True)
class Redirect:
    """`2>> word`; for a here-document the word is its body."""

    operator: str
    descriptor: int
    word: Word


@dataclass(slots=True)
class Assignment:
    """`name=word` or `name=(words)`, also behind `export` and its kin."""

    name: str
    words: list[Word]
    array: bool = False
    append: bool = False
    index: str = ""


@dataclass(slots=True)
class _Statement:
    start: int
    end: int = 0
    redirects: list[Redirect] = field(default_factory=list)
    background: bool = False


@dataclass(slots=True)
class Simple(_Statement):
    """A command with its words, or bare assignments."""

    assignments: list[Assignment] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline(_Statement):
    """Stages whose outputs flow into the next."""

    stages: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Group(_Statement):
    """`{ …; }` or `( … )`."""

    body: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Choice(_Statement):
    """`if` and `case`: what is run to choose, and the ways it may go."""

    tests: list[Statement] = field(default_factory=list)
    subject: list[Word] = field(default_factory=list)
    ways: list[list[Statement]] = field(default_factory=list)


@dataclass(slots=True)
class Loop(_Statement):
    """`for` (with a variable and items) and `while`."""

    variable: str = ""
    items: list[Word] = field(default_factory=list)
    test: list[Statement] = field(default_factory=list)
    body: list[Statement] = field(default_factory=list)
    endless: bool = False


@dataclass(slots=True)
class Function(_Statement):
    """The definition of a function."""

    name: str = ""
    body: list[Statement] = field(default_factory=list)


Statement: TypeAlias = Simple | Pipeline | Group | Choice | Loop | Function
