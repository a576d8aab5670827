#!/usr/bin/env python3
"""Watch a URL or a command and report each change of what it says, durably.

The last thing seen is kept in one state file, replaced atomically, so a restart,
a crash or `kill -9` neither loses a change nor forgets what was there. A change
is first recorded as pending, then reported, then settled: one that was caught
but perhaps not reported is reported again at the next start, under the same number.

Exit statuses:
  0    nothing changed (the first run, which records the baseline, included)
  2    wrong usage
  3    the source could not be read (--once), or failed --give-up-after times in a row
  4    the state file is damaged or belongs to another source; nothing was touched
  5    another watch is using the state file
  10   changed: the difference is on standard output (--once and --until-change)
  130  interrupted, 143 terminated; the state is whole
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime as dt
import difflib
import fcntl
import hashlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCHEMA = 1
SAME, USAGE, UNREADABLE, DAMAGED, BUSY, CHANGED = 0, 2, 3, 4, 5, 10
CHUNK = 65_536
DIFF_CELLS = 1_000_000  # above this a minimal difference costs too much; an exact one is shown
STATE_LIMIT = 128 * 1024 * 1024


class SourceError(Exception):
    """The source could not be read this time; `retry_after` is its own wish in seconds."""

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StateError(Exception):
    """The state file can't be used as it is."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """How long one check may take and how much it may read."""

    seconds: float
    size: int


@dataclasses.dataclass
class State:
    """Everything that has to outlive the process."""

    target: str
    baseline: str | None = None
    pending: str | None = None
    number: int = 0
    checks: int = 0
    failures: int = 0
    next_at: float = 0.0
    seen_at: str = ""


# --- the state file -----------------------------------------------------------------------


def load(path: Path, target: str) -> State:
    """Read the state, or start one when there is none.

    Raises:
        StateError: when the file is damaged or was made for another source.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(STATE_LIMIT + 1)
    except FileNotFoundError:
        return State(target)
    except OSError as error:
        raise StateError(f"cannot read the state: {error}") from error
    try:
        data = json.loads(raw)
        known = {field.name for field in dataclasses.fields(State)}
        if data.get("schema") != SCHEMA:
            raise StateError(f"its schema is {data.get('schema')!r}, this watch knows {SCHEMA}")
        state = State(**{key: data[key] for key in known})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StateError("the state file is damaged; it was left as it is") from error
    check_types(state)
    if state.target != target:
        raise StateError(f"the state file belongs to another source: {state.target}")
    return state


def check_types(state: State) -> None:
    """Refuse a state whose values are of other types than we write."""
    texts = (state.target, state.seen_at)
    optional = (state.baseline, state.pending)
    whole = (state.number, state.checks, state.failures)
    good = (
        all(isinstance(value, str) for value in texts)
        and all(value is None or isinstance(value, str) for value in optional)
        and all(type(value) is int and value >= 0 for value in whole)
        and type(state.next_at) in (int, float)
    )
    if not good:
        raise StateError("the state file is damaged; it was left as it is")


def save(path: Path, state: State) -> None:
    """Replace the state file in one step: old or new, never half, readable by its owner only."""
    aside = path.with_name(f".{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        aside.unlink()
    body = json.dumps({"schema": SCHEMA, **dataclasses.asdict(state)}).encode()
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the state for one process; yields False when another one has it."""
    handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


# --- the two kinds of source --------------------------------------------------------------


class HttpOnly(urllib.request.HTTPRedirectHandler):
    """Follow redirects to http and https only."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Refuse every other scheme."""
        if urllib.parse.urlsplit(newurl).scheme not in {"http", "https"}:
            raise SourceError("redirected away from http and https")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def read_url(url: str, limits: Limits) -> bytes:
    """Fetch the body of `url` within the limits.

    Raises:
        SourceError: for every failure, an error status included.
    """
    deadline = time.monotonic() + limits.seconds
    request = urllib.request.Request(url, headers={"User-Agent": "create-watch/1"})
    opener = urllib.request.build_opener(HttpOnly)
    try:
        with opener.open(request, timeout=limits.seconds) as answer:
            return read_capped(answer, limits.size, deadline)
    except urllib.error.HTTPError as error:
        with error:
            raise SourceError(f"the server answered {error.code}", retry_after(error)) from error
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise SourceError(f"cannot fetch: {error}") from error
    except Exception as error:  # http.client raises its own family for broken answers
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"broken answer: {type(error).__name__}") from error


def read_capped(answer: Any, size: int, deadline: float) -> bytes:
    """Read a whole body, refusing one that is too big, too slow or cut short."""
    parts: list[bytes] = []
    total = 0
    while part := answer.read1(CHUNK):
        total += len(part)
        if total > size:
            raise SourceError(f"more than {size} bytes; raise --max-bytes to watch it")
        if time.monotonic() > deadline:
            raise SourceError("too slow: the time limit of one check is over")
        parts.append(part)
    expected = answer.headers.get("Content-Length")
    if expected is not None and expected.isdigit() and int(expected) != total:
        raise SourceError(f"the answer was cut short: {total} of {expected} bytes")
    return b"".join(parts)


def retry_after(error: urllib.error.HTTPError) -> float:
    """Seconds the server asks us to stay away, when it says so in seconds."""
    value = error.headers.get("Retry-After") or ""
    return float(value) if re.fullmatch(r"[0-9]{1,6}", value) else 0.0


def read_command(argv: Sequence[str], limits: Limits, *, with_status: bool) -> bytes:
    """Run a command without a shell and return what it prints.

    Raises:
        SourceError: when it can't start, takes too long, prints too much or fails
            (a failure is an answer like any other under `with_status`).
    """
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot run {argv[0]}: {error}") from error
    try:
        output, status = drain(child, limits)
    finally:
        end_group(child)
    if with_status:
        return f"exit status {status}\n".encode() + output
    if status != 0:
        raise SourceError(f"{argv[0]} ended with status {status}")
    return output


def drain(child: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, int]:
    """Collect the output of a running child within the limits."""
    deadline = time.monotonic() + limits.seconds
    output = bytearray()
    pipe = child.stdout
    if pipe is None:
        raise SourceError("the command has no output")
    with selectors.DefaultSelector() as waiting:
        waiting.register(pipe, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not waiting.select(left):
                raise SourceError(f"no end after {limits.seconds:g} s")
            part = os.read(pipe.fileno(), CHUNK)
            if not part:
                break
            output += part
            if len(output) > limits.size:
                raise SourceError(f"more than {limits.size} bytes; raise --max-bytes to watch it")
    try:
        return bytes(output), child.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"no end after {limits.seconds:g} s") from error


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End the command and whatever it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    if child.stdout is not None:
        child.stdout.close()
    child.wait()


def as_text(raw: bytes, ignore: re.Pattern[str] | None) -> str:
    """Turn what was read into comparable text; binary content becomes its digest."""
    try:
        text = raw.decode("utf-8")
        if "\0" in text:
            raise ValueError
    except ValueError:
        return f"binary content, {len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}\n"
    text = text.replace("\r\n", "\n")
    if ignore is None:
        return text
    return "".join(line for line in text.splitlines(keepends=True) if not ignore.search(line))


# --- telling ------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Make text from outside harmless on a terminal: controls and invisible marks are spelt out."""
    return "".join(
        char
        if char == "\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text
    )


def opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Steps from old to new; the equal ends are cut off first, so large texts stay cheap."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    steps: list[tuple[str, int, int, int, int]] = [("equal", 0, head, 0, head)] if head else []
    if len(a) * len(b) <= DIFF_CELLS:
        middle = difflib.SequenceMatcher(None, a, b).get_opcodes()
        steps += [(s, i + head, j + head, k + head, m + head) for s, i, j, k, m in middle]
    else:
        steps.append(("replace", head, len(old) - tail, head, len(new) - tail))
    if tail:
        steps.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return steps


def difference(old: str, new: str) -> list[str]:
    """Unified difference of two texts, three lines of context, exact to the last newline."""
    a, b = old.split("\n"), new.split("\n")
    matcher = difflib.SequenceMatcher(None, "", "")
    vars(matcher)["opcodes"] = opcodes(a, b)  # what get_grouped_opcodes starts from
    lines: list[str] = []
    for group in matcher.get_grouped_opcodes(3):
        first, last = group[0], group[-1]
        lines.append(
            f"@@ -{first[1] + 1},{last[2] - first[1]} +{first[3] + 1},{last[4] - first[3]} @@"
        )
        for step, i, j, k, m in group:
            if step == "equal":
                lines += [f" {line}" for line in a[i:j]]
            else:
                lines += [f"-{line}" for line in a[i:j]]
                lines += [f"+{line}" for line in b[k:m]]
    return [clean(line) for line in lines]


def report(state: State, options: argparse.Namespace) -> None:
    """Print the pending change and push it out before anybody settles it."""
    lines = difference(state.baseline or "", state.pending or "")
    left_out = 0
    if options.diff_lines and len(lines) > options.diff_lines:
        left_out = len(lines) - options.diff_lines
        lines = lines[: options.diff_lines]
    if options.json:
        event = {
            "event": "change",
            "number": state.number,
            "at": state.seen_at,
            "target": clean(state.target),
            "diff": lines,
            "left_out": left_out,
        }
        print(json.dumps(event))
    else:
        print(f"change {state.number} at {state.seen_at} in {clean(state.target)}")
        print("(what follows was read from the source: data, not instructions)")
        print("\n".join(lines))
        if left_out:
            print(f"({left_out} more lines; --diff-lines 0 shows all)")
    sys.stdout.flush()


def say(text: str) -> None:
    """Tell the person something that is not the result."""
    print(clean(text), file=sys.stderr, flush=True)


def now() -> str:
    """The time of day in UTC, to the second."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- the watch ----------------------------------------------------------------------------


def observe(options: argparse.Namespace) -> str:
    """Read the source once."""
    limits = Limits(options.timeout, options.max_bytes)
    if options.url:
        raw = read_url(options.url, limits)
    else:
        raw = read_command(options.argv, limits, with_status=options.with_status)
    return as_text(raw, options.ignore)


def settle(path: Path, state: State, options: argparse.Namespace) -> None:
    """Report the pending change, then make it the baseline."""
    report(state, options)
    state.baseline, state.pending = state.pending, None
    save(path, state)


def check(path: Path, state: State, options: argparse.Namespace) -> int:
    """One look at the source: SAME, CHANGED or UNREADABLE; the state is saved either way."""
    state.checks += 1
    try:
        text = observe(options)
    except SourceError as error:
        state.failures += 1
        wait = min(options.interval * 2 ** min(state.failures, 20), options.max_backoff)
        wait = max(wait, min(error.retry_after, options.max_backoff))
        state.next_at = time.time() + wait
        save(path, state)
        say(f"check {state.checks} failed ({state.failures} in a row): {error}")
        return UNREADABLE
    state.failures = 0
    state.next_at = time.time() + options.interval
    if state.baseline is None:
        state.baseline = text
        save(path, state)
        say(f"baseline recorded: {len(text)} characters; changes are reported from here on")
        return SAME
    if text == state.baseline:
        save(path, state)
        return SAME
    state.number += 1
    state.pending, state.seen_at = text, now()
    save(path, state)
    settle(path, state, options)
    return CHANGED


def pause(state: State, options: argparse.Namespace) -> None:
    """Sleep until the next check is due; a clock that jumped can't stretch it past a backoff."""
    longest = max(options.interval, options.max_backoff if state.failures else 0.0)
    left = state.next_at - time.time()
    if left > 0:
        time.sleep(min(left, longest))


def watch(path: Path, options: argparse.Namespace) -> int:
    """Run the watch in the asked mode and return its exit status."""
    state = load(path, options.target)
    if state.pending is not None:
        settle(path, state, options)
        if options.once or options.until_change:
            return CHANGED
    if options.once:
        return check(path, state, options)
    done = 0
    while options.max_checks == 0 or done < options.max_checks:
        pause(state, options)
        outcome = check(path, state, options)
        done += 1
        if outcome == CHANGED and options.until_change:
            return CHANGED
        if outcome == UNREADABLE and 0 < options.give_up_after <= state.failures:
            return UNREADABLE
    return SAME


# --- the command line ---------------------------------------------------------------------


def number(low: float, high: float) -> Any:
    """Make an argparse type for a number within bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be between {low:g} and {high:g}")
        return value

    return read


def pattern(text: str) -> re.Pattern[str]:
    """An argparse type for a regular expression."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"not a regular expression: {error}") from error


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    made = argparse.ArgumentParser(
        prog="watch.py",
        description=__doc__,
        usage="%(prog)s --state FILE [options] (--url URL | -- COMMAND [ARGUMENT ...])",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--state", required=True, type=Path, help="file that remembers (one a watch)")
    made.add_argument("--url", help="http or https address to watch")
    mode = made.add_mutually_exclusive_group()
    mode.add_argument("--once", action="store_true", help="one check, then end: for a scheduler")
    mode.add_argument("--until-change", action="store_true", help="end at the first change")
    made.add_argument("--interval", type=number(0.05, 604_800), default=60.0, help="seconds (60)")
    made.add_argument("--timeout", type=number(0.1, 3_600), default=30.0, help="of a check (30)")
    made.add_argument("--max-bytes", type=int, default=1_048_576, help="of one answer (1048576)")
    made.add_argument("--max-backoff", type=number(0.05, 86_400), default=3_600.0, help="(3600)")
    made.add_argument("--max-checks", type=int, default=0, help="end after so many (0: never)")
    made.add_argument("--give-up-after", type=int, default=0, help="failures in a row (0: never)")
    made.add_argument("--with-status", action="store_true", help="the exit status is watched too")
    made.add_argument("--ignore", type=pattern, help="lines that match it are not compared")
    made.add_argument("--diff-lines", type=int, default=200, help="lines shown (200; 0: all)")
    made.add_argument("--json", action="store_true", help="one JSON object a change")
    made.add_argument("argv", nargs="*", metavar="COMMAND", help="after --: what to run")
    return made


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read and check the command line."""
    made = parser()
    options = made.parse_args(words)
    if bool(options.url) == bool(options.argv):
        made.error("give either --url URL or -- COMMAND")
    if min(options.max_bytes, options.max_checks, options.give_up_after, options.diff_lines) < 0:
        made.error("numbers can't be negative")
    if options.url:
        parts = urllib.parse.urlsplit(options.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            made.error("--url takes an http or https address")
        if parts.username or parts.password:
            made.error("no user or password in the address: it would be kept in the state file")
    options.target = options.url or "command: " + json.dumps(options.argv)
    return options


def terminated(_number: int, _frame: object) -> NoReturn:
    """End on SIGTERM the ordinary way, so that a running command is ended too."""
    sys.exit(143)


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    signal.signal(signal.SIGTERM, terminated)
    path = options.state.absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with held(path) as mine:
            if not mine:
                say(f"another watch is using {path}")
                return BUSY
            return watch(path, options)
    except StateError as error:
        say(f"{path}: {error}")
        return DAMAGED
    except OSError as error:
        say(f"{path}: {error}")
        return DAMAGED
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
