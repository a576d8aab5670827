"""What an opener hands over: parts of a file, and notes about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

MAX_MEMBERS: Final = 500
MAX_BYTES: Final = 10_000_000
MAX_RATIO: Final = 200
BOMB_BYTES: Final = 5_000_000
JOINT: Final = "!/"

_LONGEST_NAME: Final = 160


@dataclass(frozen=True, slots=True)
class Part:
    """A file inside another, or a text that was read out of it.

    Attributes:
        name: where in the container; untrusted.
        data: the bytes of a file, or the text in UTF-8.
        executable: whether the container marks it as a program.
        origin: how a text was read out, such as `metadata`; "" for a file of its own.
        unseen: whether somebody who opens the container as usual doesn't see the text.
    """

    name: str
    data: bytes
    executable: bool = False
    origin: str = ""
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A rule that holds for the container itself, with words that say more."""

    rule: str
    detail: str = ""


Found: TypeAlias = Part | Note


@dataclass(slots=True)
class Budget:
    """How much may still be taken out of one file of the skill, over all depths."""

    members: int = MAX_MEMBERS
    left: int = MAX_BYTES

    def take(self, size: int) -> bool:
        """Whether one more part of that size is allowed; then it is counted."""
        if self.members <= 0 or size > self.left:
            return False
        self.members -= 1
        self.left -= size
        return True


Opener: TypeAlias = Callable[[bytes, Budget], Iterator[Found]]


def text_part(name: str, text: str, origin: str, *, unseen: bool = False) -> Part:
    """A part for a text that was read out of a container."""
    return Part(name, text.encode("utf-8", "replace"), origin=origin, unseen=unseen)


def shown(name: str) -> str:
    """An untrusted name on one line, its end kept when it is long."""
    clean = "".join(char if char.isprintable() else "?" for char in name[-2 * _LONGEST_NAME :])
    return clean if len(clean) <= _LONGEST_NAME else "…" + clean[1 - _LONGEST_NAME :]


def is_bomb(packed: int, plain: int) -> bool:
    """Whether so little cannot honestly expand to so much."""
    return plain > BOMB_BYTES and plain > MAX_RATIO * max(packed, 1)
