"""A program that is run ends, says little, and its group ends with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from skillpm.edges.process import MOST, Ended, Job, Stream, run
from skillpm.errors import StateError


def sh(script: str, cwd: Path, seconds: float = 10.0) -> Ended:
    return run(Job(["/bin/sh", "-c", script], {"PATH": os.environ["PATH"]}, cwd, seconds))


def is_gone(pid: int) -> bool:
    """Whether a process is no more; one that nobody waited for yet counts as gone."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_both_streams_and_the_status_come_back(tmp_path: Path) -> None:
    ended = sh("echo out; echo err >&2; pwd; cat; exit 3", tmp_path)
    assert ended.status == 3
    assert ended.out.text() == f"out\n{tmp_path}\n"
    assert ended.err.text() == "err\n"
    assert not ended.timed_out


def test_a_signal_is_told(tmp_path: Path) -> None:
    assert sh("kill -SEGV $$", tmp_path).status == -signal.SIGSEGV


def test_the_whole_group_is_killed_when_the_time_is_up(tmp_path: Path) -> None:
    ended = sh("trap '' TERM; sleep 60 & echo $!; sleep 60", tmp_path, 0.3)
    assert ended.timed_out
    assert ended.seconds < 10
    assert is_gone(int(ended.out.text()))


def test_what_it_leaves_running_is_killed_when_it_ends(tmp_path: Path) -> None:
    ended = sh("sleep 60 & echo $!", tmp_path)
    assert ended.status == 0
    assert ended.seconds < 10
    assert is_gone(int(ended.out.text()))


def test_one_that_leaves_the_group_does_not_make_us_wait(tmp_path: Path) -> None:
    ended = sh("setsid sleep 60 & echo $!; exit 0", tmp_path)
    assert ended.seconds < 10
    os.kill(int(ended.out.text()), signal.SIGKILL)


def test_it_ends_when_whoever_asked_goes_away(tmp_path: Path) -> None:
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    job = Job(["/bin/sh", "-c", "sleep 60"], {"PATH": os.environ["PATH"]}, tmp_path, 30)
    ended = run(job, stopped.is_set)
    assert ended.stopped
    assert ended.seconds < 10


def test_an_interrupt_kills_the_group_and_goes_on(tmp_path: Path) -> None:
    def interrupted() -> bool:
        if (tmp_path / "pid").exists():
            raise KeyboardInterrupt
        return False

    job = Job(
        ["/bin/sh", "-c", "sleep 60 & echo $! > part; mv part pid; wait"],
        {"PATH": os.environ["PATH"]}, tmp_path, 30,
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        run(job, interrupted)
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_endless_output_is_cut_in_its_middle(tmp_path: Path) -> None:
    ended = sh("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last", tmp_path)
    text = ended.out.text()
    assert text.startswith("first\nxxx")
    assert text.endswith("xxx\nlast\n")
    assert f"[{ended.out.size - 2 * MOST} bytes left out]" in text
    assert len(text) < 2 * MOST + 100


@pytest.mark.parametrize("size", [0, 1, MOST, MOST + 1, 2 * MOST, 2 * MOST + 1, 5 * MOST])
def test_nothing_is_left_out_uncounted(size: int) -> None:
    stream = Stream()
    for start in range(0, size, 50_000):
        stream.add(b"a" * min(50_000, size - start))
    assert stream.text().count("a") - (" bytes" in stream.text()) <= 2 * MOST + 1
    assert stream.left_out == max(0, size - 2 * MOST)


def test_what_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="cannot be started"):
        run(Job([str(tmp_path / "none")], {}, tmp_path, 1))
