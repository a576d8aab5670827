"""One lock for everything that changes state: a kernel lock, so a killed holder frees it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from skillpm.edges import disk, folders
from skillpm.errors import LockedError

SAY_AFTER: Final = 2.0
DEADLINE: Final = 300.0


@contextlib.contextmanager
def exclusive(
    path: Path, say: Callable[[str], None], *, deadline: float = DEADLINE
) -> Iterator[None]:
    """Hold the lock for the duration of the block.

    Args:
        path: the lock file, in a folder of ours; it is never removed.
        say: called once, after two seconds of waiting, with who is waited for.
        deadline: seconds after which waiting ends.

    Raises:
        LockedError: the deadline passed.
        StateError: the lock file cannot be opened, locked or written.
    """
    folders.private_folder(path.parent)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with disk.translated(f"open the lock {path}"):
        descriptor = os.open(path, flags, 0o600)
    try:
        with disk.translated(f"lock {path}"):
            _acquire(descriptor, say, deadline)
            os.truncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, say: Callable[[str], None], deadline: float) -> None:
    start, said, pause = time.monotonic(), False, 0.005
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - start
            if waited > deadline:
                raise LockedError(f"{_holder(descriptor)} holds the lock") from None
            if waited > SAY_AFTER and not said:
                said = True
                say(f"waiting for {_holder(descriptor)}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
        else:
            return


def _holder(descriptor: int) -> str:
    pid = os.pread(descriptor, 16, 0).decode("ascii", "replace").strip()
    return f"another skill command (process {pid})" if pid.isdigit() else "another skill command"
