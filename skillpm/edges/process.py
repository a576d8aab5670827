"""Running a program of somebody else's: it ends, says little, and its group ends with it.

The program leads a session and a process group of its own, and can leave neither; what it starts
can, and is not waited for then. Whatever happens (it ends, its time is up, we are interrupted,
whoever asked goes away), the whole group is killed before we come back.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from skillpm.errors import StateError

MOST: Final = 128 * 1024
"""Bytes of each stream that are kept from its beginning, and as many from its end."""

_LOOK: Final = 0.05
_SOON: Final = 0.005
_DRAIN: Final = 0.3
_CHUNK: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be run.

    Attributes:
        argv: the program, by its absolute path, and its arguments.
        env: its whole environment.
        cwd: where it runs.
        seconds: how long it may take.
    """

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    seconds: float


@dataclass(slots=True)
class Stream:
    """The beginning and the end of what came out; the middle is counted and let go of."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    size: int = 0

    def add(self, data: bytes) -> None:
        """Take what came."""
        self.size += len(data)
        room = MOST - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        if len(self.tail) > 2 * MOST:
            del self.tail[:-MOST]

    @property
    def left_out(self) -> int:
        """How many bytes of the middle are not kept."""
        return max(0, self.size - len(self.head) - len(self.tail[-MOST:]))

    def text(self) -> str:
        """What is kept, with a line that says what is not."""
        if not self.left_out:
            return bytes(self.head + self.tail).decode(errors="replace")
        gap = f"\n[{self.left_out} bytes left out]\n"
        first, last = bytes(self.head), bytes(self.tail[-MOST:])
        return first.decode(errors="replace") + gap + last.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    Attributes:
        status: its exit status; the negative number of the signal that ended it.
        timed_out: whether its time was up.
        stopped: whether whoever asked went away.
    """

    status: int
    out: Stream
    err: Stream
    seconds: float
    timed_out: bool = False
    stopped: bool = False


def run(job: Job, is_stopped: Callable[[], bool] = lambda: False) -> Ended:
    """Run a program to its end, without input.

    Args:
        job: what to run.
        is_stopped: asked all the time; True ends it.

    Raises:
        StateError: the system cannot start it.
    """
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            list(job.argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(job.env),
            cwd=job.cwd,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise StateError(f"{job.argv[0]} cannot be started: {error}") from None
    out, err = Stream(), Stream()
    with process, contextlib.closing(_Reader(process, out, err)) as reader:
        try:
            reason = _watch(process, reader, began + job.seconds, is_stopped)
        finally:
            _kill(process)  # also what it left running
        process.wait()
        reader.drain(time.monotonic() + _DRAIN)
    took = time.monotonic() - began
    return Ended(process.returncode, out, err, took, reason == "time", reason == "stop")


class _Reader:
    """Reads both streams as they come, so that a program that writes a lot never waits."""

    def __init__(self, process: subprocess.Popen[bytes], out: Stream, err: Stream) -> None:
        self._selector = selectors.DefaultSelector()
        for pipe, stream in ((process.stdout, out), (process.stderr, err)):
            if pipe:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe, selectors.EVENT_READ, stream)

    def read(self, seconds: float) -> bool:
        """Take what comes within that time; False when there is nothing more to come."""
        if not self._selector.get_map():
            return False
        for key, _ in self._selector.select(seconds):
            pipe: IO[bytes] = key.fileobj  # type: ignore[assignment]
            data = os.read(pipe.fileno(), _CHUNK)
            if data:
                key.data.add(data)
            else:
                self._selector.unregister(pipe)
        return True

    def drain(self, until: float) -> None:
        """Take what is left; a process that left the group may hold the other end open."""
        while time.monotonic() < until and self.read(_LOOK):
            pass

    def close(self) -> None:
        """Stop to look."""
        self._selector.close()


def _watch(
    process: subprocess.Popen[bytes], reader: _Reader, until: float, is_stopped: Callable[[], bool]
) -> str:
    """Wait for the program; "" when it ended by itself, else why it must: `time` or `stop`."""
    while not _has_ended(process):
        left = until - time.monotonic()
        if left <= 0:
            return "time"
        if is_stopped():
            return "stop"
        if not reader.read(min(left, _LOOK)):
            time.sleep(min(left, _SOON))
    return ""


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ended; where that can be told without it, its number stays taken until we kill."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, options) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
