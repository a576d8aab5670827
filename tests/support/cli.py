"""The command as a user runs it: in a process of its own, its environment made from scratch."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, Self

from .warm import Parent, Process, is_fresh_needed

STATUSES: Final = frozenset([*range(10), 70, 130])
"""Every exit status the command may end with."""

ROOT: Final = Path(__file__).resolve().parents[2]
_SUPPORT: Final = Path(__file__).resolve().parent
_START: Final = {
    "LANG": "C.UTF-8",
    "PYTHONPATH": os.pathsep.join(map(str, (_SUPPORT / "child", ROOT / "tests", ROOT))),
}
_REORDERING: Final = frozenset("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e")
_ISOLATES: Final = frozenset("\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Result:
    """What one run of the command said.

    Attributes:
        args: the words after `skill`.
        status: the exit status; negative when a signal ended it.
        out: standard output; of a run on a terminal, all that the terminal showed.
        err: standard error; "" of a run on a terminal.
        tty: whether it ran on a terminal.
    """

    args: tuple[str, ...]
    status: int
    out: str
    err: str
    tty: bool = False

    def ok(self) -> Self:
        """The result, after asserting status 0."""
        return self.ended(0)

    def ended(self, status: int) -> Self:
        """The result, after asserting that status and a clean output."""
        assert self.status == status, f"expected status {status}\n{self}"
        assert_clean_output(self)
        return self

    def json(self) -> Any:
        """The one JSON value that standard output holds."""
        try:
            return json.loads(self.out)
        except ValueError as error:
            raise AssertionError(f"not JSON: {error}\n{self}") from None

    def __str__(self) -> str:
        words = " ".join(self.args)
        return f"$ skill {words}\nstatus {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def user_home(home: Path) -> Path:
    """The user's HOME that goes with a SKILL_HOME: a folder `user` beside it."""
    return home.parent / "user"


def environment(home: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The whole environment of a run; the folders it names are made.

    Args:
        home: the SKILL_HOME.
        env: further variables, which win.
    """
    temporary = home.parent / "tmp"
    for folder in (user_home(home), temporary):
        folder.mkdir(parents=True, exist_ok=True)
    return {
        # The program under test first: Debian's procps has one of the same name.
        "PATH": f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(user_home(home)),
        "TMPDIR": str(temporary),
        "SKILL_HOME": str(home),
        "TERM": "xterm-256color",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": "file:http:https",
        **_START,
        "LOOPBACK_GUARD_LOG": str(temporary.parent / "outside-connections"),
        **(env or {}),
    }


def run_skill(
    *args: str,
    home: Path,
    env: Mapping[str, str] | None = None,
    input: str | bytes | None = None,  # noqa: A002 - the name subprocess.run gave it
    cwd: Path | None = None,
    tty: bool = False,
    timeout: float = 60,
    fresh: bool = False,
) -> Result:
    """Run `skill ARGS` and return what it said.

    Args:
        args: the words after `skill`.
        home: the SKILL_HOME; the user's HOME and TMPDIR are made beside it.
        env: further variables of its environment.
        input: what it reads; without it standard input is empty (on a terminal: silent).
        cwd: where it runs; by default the user's HOME.
        tty: run it on a terminal of 100 columns.
        timeout: seconds after which it is killed.
        fresh: start a new interpreter, as a user does; see `support.warm` for the other way.

    Raises:
        subprocess.TimeoutExpired: it was killed.
        AssertionError: it reached for an address outside loopback.
    """
    variables = environment(home, env)
    run = _run_on_terminal if tty else _run
    anew = fresh or is_fresh_needed(env or {})
    process = _Run(args, variables, cwd or user_home(home), _bytes(input), timeout, anew)
    result = run(process)
    _check_guard(Path(variables["LOOPBACK_GUARD_LOG"]), result)
    return result


def _bytes(text: str | bytes | None) -> bytes:
    return text.encode() if isinstance(text, str) else text or b""


def assert_clean_output(result: Result) -> None:
    """Assert a documented status, no traceback, valid UTF-8, and nothing that steers a terminal."""
    text = result.out + result.err
    assert result.status in STATUSES, f"undocumented status\n{result}"
    assert "Traceback (most recent call last)" not in text, str(result)
    steering = {char for char in text if _steers(char)}
    if result.tty:
        steering -= {"\x1b", "\r", "\x08"}
    assert not steering, f"raw {sorted(map(ascii, steering))} in the output\n{result!r}"


def _steers(char: str) -> bool:
    if char in "\n\t":
        return False
    return unicodedata.category(char) in ("Cc", "Cs") or char in _REORDERING | _ISOLATES


@dataclass(frozen=True, slots=True)
class _Run:
    args: tuple[str, ...]
    env: dict[str, str]
    cwd: Path
    input: bytes
    timeout: float
    fresh: bool

    @property
    def command(self) -> list[str]:
        # -P: like an installed script, never import from the working directory.
        return [sys.executable, "-P", "-m", "skillpm", *self.args]


def _run(run: _Run) -> Result:
    return _run_fresh(run) if run.fresh else _run_warm(run)


def _run_warm(run: _Run) -> Result:
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(run.input)
        given.seek(0)
        status = _ended(_parent(run.env).start(run.args, run.env, run.cwd, (given, out, err)), run)
        return Result(run.args, status, _content(out), _content(err))


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return _text(file.read())


@cache
def _parent_of(path: str) -> Parent:
    return Parent({"PATH": path, **_START})


def _parent(environment: Mapping[str, str]) -> Parent:
    return _parent_of(environment["PATH"])


def _ended(process: Process, run: _Run) -> int:
    try:
        return process.wait(run.timeout)
    except BaseException as error:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if isinstance(error, TimeoutError):
            raise subprocess.TimeoutExpired(run.command, run.timeout) from None
        raise


def _run_fresh(run: _Run) -> Result:
    with subprocess.Popen(
        run.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=run.env,
        cwd=run.cwd,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(run.input, run.timeout)
        except BaseException:
            _kill(process)
            raise
    return Result(run.args, process.returncode, _text(out), _text(err))


def _run_on_terminal(run: _Run) -> Result:
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        try:
            process = subprocess.Popen(
                run.command,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=run.env,
                cwd=run.cwd,
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        with process:
            try:
                os.write(ours, run.input)
                out = _read_terminal(ours, run)
                process.wait(run.timeout)
            except BaseException:
                _kill(process)
                raise
    finally:
        os.close(ours)
    return Result(run.args, process.returncode, _text(out).replace("\r\n", "\n"), "", tty=True)


def _read_terminal(terminal: int, run: _Run) -> bytes:
    out = b""
    deadline = time.monotonic() + run.timeout
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            break
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # EIO: Linux's word for "the last process closed it"
            return out
        if not chunk:
            return out
        out += chunk
    raise subprocess.TimeoutExpired(run.command, run.timeout, out)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _text(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _check_guard(log: Path, result: Result) -> None:
    if log.exists():
        found = log.read_text(errors="replace")
        log.unlink()
        raise AssertionError(f"reached outside loopback: {found}\n{result}")
