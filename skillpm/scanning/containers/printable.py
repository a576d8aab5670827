"""Texts in binary data: runs of printable characters, in ASCII and in UTF-16."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from skillpm.scanning.containers.parts import Budget, Found, text_part

MAX_RUNS: Final = 40_000
MAX_LENGTH: Final = 4_000
MAX_TEXT: Final = 600_000
_SHORTEST: Final = 8


def runs(data: bytes, shortest: int) -> Iterator[str]:
    """Printable runs of at least that many characters; long ones are cut into pieces."""
    plain, wide = _patterns(shortest)
    for found in islice(plain.finditer(data), MAX_RUNS):
        yield found[0].decode("ascii")
    for found in islice(wide.finditer(data), MAX_RUNS):
        yield found[0][::2].decode("ascii")


def open_program(data: bytes, budget: Budget) -> Iterator[Found]:
    """The texts in a native program, which may hold addresses and commands."""
    del budget  # bounded by itself
    told = "\n".join(runs(data, _SHORTEST))[:MAX_TEXT]
    if told:
        yield text_part("strings", told, "strings")


@cache
def _patterns(shortest: int) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    return (
        re.compile(rb"[\t\x20-\x7e]{%d,%d}" % (shortest, MAX_LENGTH)),
        re.compile(rb"(?:[\t\x20-\x7e]\x00){%d,%d}" % (shortest, MAX_LENGTH)),
    )
