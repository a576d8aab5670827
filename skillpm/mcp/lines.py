"""Standard input line by line, read so that being told to stop is not waiting for one more line."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import anyio

LONGEST: Final = 8 * 1024 * 1024
"""Bytes of one line; a client that sends more has lost its way, and is read no further."""

_CHUNK: Final = 64 * 1024


@contextmanager
def taken_input() -> Iterator[int]:
    """Standard input for us alone: whatever is started or reads meanwhile finds it empty."""
    ours = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield ours
    finally:
        os.dup2(ours, 0)
        os.close(ours)


async def lines(descriptor: int) -> AsyncIterator[str]:
    """Each line of a descriptor, until it ends."""
    waiting = bytearray()
    while len(waiting) <= LONGEST and (data := await _some(descriptor)):
        waiting += data
        *whole, rest = waiting.split(b"\n")
        waiting = bytearray(rest)
        for line in whole:
            yield line.decode(errors="replace")


async def _some(descriptor: int) -> bytes:
    with suppress(PermissionError):  # a plain file is always readable, and cannot be waited for
        await anyio.wait_readable(descriptor)
    return os.read(descriptor, _CHUNK)
