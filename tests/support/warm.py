"""The command without its start-up: forked from a process that has imported everything already.

Half of a short command's time is Python's start and the import of libraries, and the tests run
thousands of them. Each run is still a process and a session of its own, with its own environment,
working directory and standard streams, and it enters by `skillpm.__main__` as always. What is
imported late, or only by some commands, is not seen here: other tests look at that in
fresh processes.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, NoReturn

_LENGTH: Final = struct.Struct("!I")
_STREAMS: Final = 3
_ABOUT_THE_START: Final = ("PATH", "LANG", "LC_", "PYTHON", "GIT_PYTHON")
"""Variables that matter before `main`: whoever changes them needs a fresh process."""

Streams = tuple[IO[bytes], IO[bytes], IO[bytes]]


class Process:
    """A command that was forked; told apart from `subprocess.Popen` by nothing that is used."""

    def __init__(self, reply: socket.socket) -> None:
        self._reply = reply
        self.pid = int(self._line())

    def wait(self, timeout: float) -> int:
        """Its exit status; negative when a signal ended it.

        Raises:
            TimeoutError: it still runs after so many seconds.
        """
        self._reply.settimeout(timeout)
        status = int(self._line())
        self._reply.close()
        return status

    def _line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            part = self._reply.recv(1)
            assert part, "the process that was forked has died"
            line += part
        return line


class Parent:
    """The process that has everything imported; started at the first run of a test process."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._control, theirs = socket.socketpair()
        self._turn = threading.Lock()
        command = [sys.executable, "-P", "-m", "support.warm", str(theirs.fileno())]
        plain = {k: v for k, v in environment.items() if k != "LOOPBACK_GUARD_LOG"}
        with theirs:
            self._process = subprocess.Popen(
                command, env=plain, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )

    def start(
        self, args: Sequence[str], environment: Mapping[str, str], cwd: Path, streams: Streams
    ) -> Process:
        """Start a command with those streams as its standard ones."""
        ours, theirs = socket.socketpair()
        request = json.dumps({"args": args, "env": dict(environment), "cwd": str(cwd)}).encode()
        files = [*(stream.fileno() for stream in streams), theirs.fileno()]
        with theirs, self._turn:
            socket.send_fds(self._control, [_LENGTH.pack(len(request))], files)
            self._control.sendall(request)
        return Process(ours)


def is_fresh_needed(env: Mapping[str, str]) -> bool:
    """Whether a run with those variables of its own is about the start of the interpreter."""
    return not hasattr(os, "fork") or any(name.startswith(_ABOUT_THE_START) for name in env)


def _serve(control: socket.socket) -> None:
    """Fork for each request, until the tests end; returns in each child that is to run."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that watch
    while True:
        head, files, _, _ = socket.recv_fds(control, _LENGTH.size, _STREAMS + 1)
        if not head:
            os._exit(0)
        request = json.loads(_exactly(control, _LENGTH.unpack(head)[0]))
        if not os.fork() and not _watched(files):
            control.close()
            _become(request)
            return
        for file in files:
            os.close(file)


def _exactly(control: socket.socket, many: int) -> bytes:
    data = b""
    while len(data) < many:
        data += control.recv(many - len(data))
    return data


def _watched(files: list[int]) -> bool:
    """Fork once more: False in the process that runs; the other tells its status and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child = os.fork()
    if not child:
        os.setsid()
        for number, file in enumerate(files[:_STREAMS]):
            os.dup2(file, number)
        for file in files:
            os.close(file)
        return False
    with socket.socket(fileno=files[_STREAMS]) as reply:
        for file in files[:_STREAMS]:
            os.close(file)
        reply.sendall(b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(OSError):  # the test gave up on it
            reply.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(request: Mapping[str, Any]) -> None:
    """Give this process everything that a fresh one would start with."""
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.chdir(request["cwd"])
    tempfile.tempdir = None
    sys.argv = ["skill", *request["args"]]
    errors = sys.stdout.errors
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r")), "utf-8", errors)
    sys.stdout = _writer(1, errors, lines=os.isatty(1))
    sys.stderr = _writer(2, "backslashreplace", lines=True)
    importlib.reload(importlib.import_module("sitecustomize"))  # the guard of this run


def _writer(number: int, errors: str | None, *, lines: bool) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(number, "w"))
    return io.TextIOWrapper(raw, "utf-8", errors, line_buffering=lines)


def _import_everything() -> None:
    """All of the package, and what it imports late, by scanning something."""
    import skillpm

    for module in pkgutil.walk_packages(skillpm.__path__, "skillpm."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for late in ("git", "httpx", "rich.console", "rich.table", "rich.text", "yaml"):
        importlib.import_module(late)
    from skillpm.edges.disk import read_tree
    from skillpm.scanning.scanner import scan

    for skill in sorted((Path(skillpm.__path__[0]).parent / "registry" / "skills").iterdir()):
        scan(read_tree(skill))


def _main() -> NoReturn:
    control = socket.socket(fileno=int(sys.argv[1]))
    _import_everything()
    gc.collect()
    gc.freeze()
    _serve(control)
    runpy.run_module("skillpm", run_name="__main__")
    sys.exit(0)


if __name__ == "__main__":
    _main()
