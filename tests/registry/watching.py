"""Running the watch script: once, beside the test, and waiting for what it does."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from .tools import Done, argv, environment, run, script

WATCH: Final = script("create-watch", "watch.py")
SAME, UNREADABLE, DAMAGED, BUSY, CHANGED = 0, 3, 4, 5, 10


def once(state: Path, *words: str | Path) -> Done:
    return run(WATCH, "--state", state, "--once", *words)


def printing(file: Path) -> list[str]:
    """A command that prints a file."""
    return ["--", sys.executable, "-c", "import sys; print(open(sys.argv[1]).read())", str(file)]


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for something that is about to happen."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


@contextlib.contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """The watch, running beside the test; it is gone at the end."""
    child = subprocess.Popen(
        argv(WATCH, words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def gone(pid: int) -> bool:
    """Whether a process has ended (one that nobody collected counts as ended)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
