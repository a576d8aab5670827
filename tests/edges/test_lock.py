"""One lock for everything that changes state: real processes wait for each other."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.cli import ROOT

from skillpm.edges.lock import exclusive
from skillpm.errors import LockedError, StateError

HOLDER = """
import sys, time
from pathlib import Path
from skillpm.edges.lock import exclusive
with exclusive(Path(sys.argv[1]), print):
    print("held", flush=True)
    sys.stdin.read()
"""
ADDER = """
import sys, time
from pathlib import Path
from skillpm.edges.lock import exclusive
count = Path(sys.argv[2])
for _ in range(20):
    with exclusive(Path(sys.argv[1]), print):
        number = int(count.read_text())
        time.sleep(0.001)
        count.write_text(str(number + 1))
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is known to hold the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def quiet(text: str) -> None:
    """Nothing is expected to be said."""
    pytest.fail(f"said {text!r}")


def test_processes_take_turns_and_lose_nothing(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.write_text("0")
    argv = [sys.executable, "-c", ADDER, str(tmp_path / "lock"), str(count)]
    running = [subprocess.Popen(argv, cwd=ROOT) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert count.read_text() == "80"


def test_a_killed_holder_frees_the_lock_at_once(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        process.kill()
        process.wait()
        start = time.monotonic()
        with exclusive(tmp_path / "lock", quiet):
            assert time.monotonic() - start < 0.5


def test_a_wait_is_said_once_after_two_seconds_with_the_process(tmp_path: Path) -> None:
    said: list[str] = []
    with holder(tmp_path / "lock") as process:
        start = time.monotonic()
        with (
            pytest.raises(LockedError, match=str(process.pid)) as caught,
            exclusive(tmp_path / "lock", said.append, deadline=2.6),
        ):
            pytest.fail("two hold it")
        assert 2.5 < time.monotonic() - start < 4
        assert said == [f"waiting for another skill command (process {process.pid})"]
        assert caught.value.status == 8


def test_a_short_wait_says_nothing_and_ends_when_the_lock_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        assert process.stdin is not None
        process.stdin.close()
        with exclusive(tmp_path / "lock", quiet, deadline=5):
            pass


def test_what_stands_in_an_old_lock_file_does_not_matter(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    for content in (b"", b"999999", b"\xff\x1b[2J" * 100, b"x" * 100_000):
        lock.write_bytes(content)
        with exclusive(lock, quiet):
            assert lock.read_bytes().isdigit()


def test_an_error_inside_frees_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(tmp_path / "lock", quiet):
        _ = 1 / 0
    with exclusive(tmp_path / "lock", quiet, deadline=0):
        pass


def test_a_lock_that_is_a_link_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "lock").symlink_to(victim)
    with pytest.raises(StateError), exclusive(tmp_path / "lock", quiet):
        pytest.fail("a link was followed")
    assert victim.read_text() == "precious"


def test_a_lock_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError), exclusive(tmp_path, quiet):
        pytest.fail("a folder was locked")
