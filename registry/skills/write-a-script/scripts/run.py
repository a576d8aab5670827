#!/usr/bin/env python3
"""Run a program with a time limit and a bounded output, and end all it started.

The program is started without a shell, in a process group of its own, without
standard input (unless --stdin). Of each of its two outputs the beginning and the
end are passed on; what lies between is counted. A summary goes to standard error.

Exit statuses:
  the program's own, and
  2    wrong usage
  124  ended because the time was over
  125  the runner itself failed
  126  the program is not executable
  127  the program was not found
  128+N  the program was ended by signal N
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime as dt
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

TIME_OVER, FAILED, NOT_EXECUTABLE, NOT_FOUND = 124, 125, 126, 127
CHUNK = 65_536
GRACE = 3.0  # seconds between the polite signal and the other one
PLAIN = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "SHELL")


@dataclasses.dataclass
class Sink:
    """One output of the program: its first half of the limit, then its last half."""

    out: BinaryIO
    limit: int
    total: int = 0
    tail: bytes = b""

    def take(self, part: bytes) -> None:
        """Pass on what still fits; keep the end of the rest."""
        room = max(0, self.limit // 2 - self.total)
        self.total += len(part)
        if room:
            self.out.write(part[:room])
            self.out.flush()
        self.tail = (self.tail + part[room:])[-(self.limit - self.limit // 2) :]

    def close(self) -> None:
        """Pass on the end, and say what was left out before it."""
        left_out = self.total - self.limit // 2 - len(self.tail)
        if left_out > 0:
            self.out.write(f"\n[... {left_out} bytes left out ...]\n".encode())
        self.out.write(self.tail)
        self.out.flush()


def bare_environment() -> dict[str, str]:
    """Only the variables that every program needs."""
    return {key: os.environ[key] for key in PLAIN if key in os.environ}


def start(options: argparse.Namespace) -> subprocess.Popen[bytes]:
    """Start the program in its own group."""
    return subprocess.Popen(
        options.argv,
        stdin=None if options.stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=options.cwd,
        env=bare_environment() if options.bare_env else None,
        start_new_session=True,
    )


def pump(child: subprocess.Popen[bytes], limit: int, deadline: float) -> bool:
    """Pass both outputs on until they end; False when the time was over first."""
    if child.stdout is None or child.stderr is None:
        return True
    sinks = {
        child.stdout.fileno(): Sink(sys.stdout.buffer, limit),
        child.stderr.fileno(): Sink(sys.stderr.buffer, limit),
    }
    in_time = True
    with selectors.DefaultSelector() as waiting:
        for descriptor in sinks:
            waiting.register(descriptor, selectors.EVENT_READ)
        while waiting.get_map():
            left = deadline - time.monotonic()
            ready = waiting.select(left) if left > 0 else []
            if not ready:
                in_time = False
                break
            for key, _ in ready:
                part = os.read(key.fd, CHUNK)
                if part:
                    sinks[key.fd].take(part)
                else:
                    waiting.unregister(key.fd)
    for sink in sinks.values():
        sink.close()
    return in_time


def end(child: subprocess.Popen[bytes]) -> None:
    """End the whole group: politely, then surely."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(GRACE)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def supervise(child: subprocess.Popen[bytes], options: argparse.Namespace) -> int:
    """Wait for the program within its time and return the status to hand on."""
    deadline = time.monotonic() + options.timeout
    try:
        in_time = pump(child, options.max_output, deadline)
        try:
            status = child.wait(max(0.0, deadline - time.monotonic()) if in_time else 0.0)
        except subprocess.TimeoutExpired:
            return TIME_OVER
        if not in_time:
            return TIME_OVER  # it ended, but something it left behind did not
    finally:
        end(child)
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()
    return 128 - status if status < 0 else status


def record(path: Path, options: argparse.Namespace, status: int, seconds: float) -> None:
    """Add one line about this run to the record file."""
    entry = {
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "argv": options.argv,
        "status": status,
        "seconds": round(seconds, 3),
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = argparse.ArgumentParser(
        prog="run.py",
        description=__doc__,
        usage="%(prog)s [options] -- PROGRAM [ARGUMENT ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--timeout", type=float, default=60.0, help="seconds (60)")
    made.add_argument("--max-output", type=int, default=100_000, help="bytes an output (100000)")
    made.add_argument("--cwd", type=Path, help="folder to run in (here)")
    made.add_argument("--bare-env", action="store_true", help="without your other variables")
    made.add_argument("--stdin", action="store_true", help="hand standard input on")
    made.add_argument("--record", type=Path, help="file that gets one JSON line a run")
    made.add_argument("argv", nargs="+", metavar="PROGRAM")
    options = made.parse_args(words)
    if not 0 < options.timeout <= 86_400 or not 2 <= options.max_output <= 100_000_000:
        made.error("--timeout takes up to a day, --max-output 2 bytes to 100 MB")
    if options.cwd is not None and not options.cwd.is_dir():
        made.error(f"--cwd: {options.cwd} is not a folder")
    return options


def terminated(_number: int, _frame: object) -> NoReturn:
    """End on SIGTERM the ordinary way, so that the program is ended too."""
    sys.exit(143)


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    signal.signal(signal.SIGTERM, terminated)
    begun = time.monotonic()
    try:
        status = supervise(start(options), options)
    except FileNotFoundError:
        print(f"run.py: {options.argv[0]} was not found", file=sys.stderr)
        return NOT_FOUND
    except PermissionError:
        print(f"run.py: {options.argv[0]} is not executable", file=sys.stderr)
        return NOT_EXECUTABLE
    except (OSError, ValueError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    seconds = time.monotonic() - begun
    over = f", time limit of {options.timeout:g} s reached" if status == TIME_OVER else ""
    print(f"run.py: status {status} after {seconds:.1f} s{over}", file=sys.stderr)
    if options.record is not None:
        record(options.record, options, status, seconds)
    return status


if __name__ == "__main__":
    sys.exit(main())
