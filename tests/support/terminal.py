"""A person at a terminal, who reads what is shown before they answer."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from support.cli import Result, environment, user_home

Answer = Callable[[str], str | None]
"""What to type, from all that is shown so far; None to read on."""

_CODE: Final = re.compile(r"Type ([0-9a-f]{6}|yes)\b[^\n]*: $")
_SECONDS: Final = 60.0


def types_back(shown: str) -> str | None:
    """The answer of somebody who agrees: the word that is asked for."""
    found = _CODE.search(shown)
    return f"{found[1]}\n" if found else None


def says(text: str, to: str = "Type ") -> Answer:
    """Somebody who types a text once a question is there."""
    return lambda shown: f"{text}\n" if to in shown else None


def converse(
    *args: str,
    home: Path,
    answer: Answer,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    early: str = "",
) -> Result:
    """Run `skill ARGS` on a terminal of 100 columns and answer one question.

    Args:
        args: the words after `skill`.
        home: the SKILL_HOME.
        answer: what is typed, and when.
        env: further variables.
        cwd: where it runs; by default the user's HOME.
        early: what was typed before it started.
    """
    variables = environment(home, env)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    os.write(ours, early.encode())
    command = [sys.executable, "-P", "-m", "skillpm", *args]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables,
        cwd=cwd or user_home(home), start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    try:
        shown = _play(ours, answer)
        status = process.wait(_SECONDS)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return Result(args, status, shown.replace("\r\n", "\n"), "", tty=True)


def _play(terminal: int, answer: Answer) -> str:
    shown, given = b"", False
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            chunk = os.read(terminal, 65_536)
        except OSError:  # the last process closed it
            chunk = b""
        shown += chunk
        if not chunk:
            return shown.decode(errors="surrogateescape")
        text = None if given else answer(shown.decode(errors="replace"))
        if text is not None:
            os.write(terminal, text.encode())
            given = True
    raise TimeoutError(shown)
