"""A watch forgets nothing when it is killed, restarted, or run twice."""

from __future__ import annotations

import json
import signal
import sys
import time
from pathlib import Path

import pytest

from .site import Site
from .tools import run
from .watching import (
    BUSY,
    CHANGED,
    DAMAGED,
    SAME,
    UNREADABLE,
    WATCH,
    gone,
    once,
    started,
    until,
)


def test_until_change_waits_and_ends_with_the_change(site: Site, state: Path) -> None:
    words = ("--state", state, "--until-change", "--interval", "0.05", "--url", site.url)
    with started(*words) as child:
        until(lambda: site.hits >= 3)
        assert child.poll() is None
        site.body = b"new\n"
        out, _ = child.communicate(timeout=10)
        assert child.returncode == CHANGED
        assert "+new" in out


def test_a_loop_reports_every_change_and_ends_after_max_checks(site: Site, state: Path) -> None:
    words = ("--state", state, "--interval", "0.1", "--json", "--url", site.url)
    with started(*words) as child:
        assert child.stdout is not None
        until(lambda: site.hits >= 2)
        for number in (1, 2, 3):
            site.body = b"%d\n" % number
            event = json.loads(child.stdout.readline())
            assert event["number"] == number
            assert f"+{number}" in event["diff"]
            until(lambda: json.loads(state.read_text())["pending"] is None)
    done = run(WATCH, *words, "--max-checks", "2")
    assert (done.returncode, done.stdout) == (SAME, "")


def test_kill_9_at_any_moment_loses_no_change_and_damages_no_state(site: Site, state: Path) -> None:
    """Kill it again and again while the source changes; the reports must chain up."""
    words = ("--state", state, "--interval", "0.05", "--diff-lines", "0", "--json")
    site.body = b"0\n"
    once(state, "--url", site.url)
    told: dict[int, list[str]] = {}
    for round_number in range(12):
        with started(*words, "--url", site.url) as child:
            hits = site.hits
            until(lambda hits=hits: site.hits > hits)  # type: ignore[misc]
            site.body = b"%d\n" % (round_number + 1)
            time.sleep(0.02 + 0.011 * round_number)
            child.send_signal(signal.SIGKILL)
            out, _ = child.communicate(timeout=10)
        collect(out, told)
    last = once(state, "--diff-lines", "0", "--json", "--url", site.url)
    collect(last.stdout, told)
    last = once(state, "--diff-lines", "0", "--json", "--url", site.url)
    collect(last.stdout, told)
    assert sorted(told) == list(range(1, len(told) + 1))
    seen = "0"
    for number in sorted(told):
        removed = next(line[1:] for line in told[number] if line.startswith("-"))
        assert removed == seen
        seen = next(line[1:] for line in told[number] if line.startswith("+"))
    assert seen == "12"


def collect(out: str, told: dict[int, list[str]]) -> None:
    """Take whole reports; a repeated number must say the same again."""
    for line in out.splitlines(keepends=True):
        if line.endswith("\n"):
            event = json.loads(line)
            assert told.setdefault(event["number"], event["diff"]) == event["diff"]


def test_a_change_that_was_seen_but_not_told_is_told_at_the_next_start(
    site: Site, state: Path
) -> None:
    once(state, "--url", site.url)
    data = json.loads(state.read_text())
    data.update(pending="seen\n", number=7, seen_at="2024-05-01T00:00:00Z")
    state.write_text(json.dumps(data))
    site.body = b"seen\n"
    done = once(state, "--url", site.url)
    assert done.returncode == CHANGED
    assert "change 7 at 2024-05-01T00:00:00Z" in done.stdout
    assert once(state, "--url", site.url).returncode == SAME


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "{}", '{"schema": 2}', "\x00\xff", "[" * 100_000, '{"schema":1}'],
)
def test_a_damaged_state_is_said_and_left_as_it_is(site: Site, state: Path, content: str) -> None:
    state.parent.mkdir()
    state.write_bytes(content.encode("latin-1"))
    done = once(state, "--url", site.url)
    assert done.returncode == DAMAGED
    assert "Traceback" not in done.stderr
    assert state.read_bytes() == content.encode("latin-1")
    assert site.hits == 0


def test_a_state_with_values_of_other_types_is_damaged(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    data = json.loads(state.read_text())
    for key, value in (("number", "1"), ("baseline", 3), ("failures", -1), ("next_at", None)):
        state.write_text(json.dumps({**data, key: value}))
        assert once(state, "--url", site.url).returncode == DAMAGED


def test_a_state_belongs_to_one_source(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    done = once(state, "--url", site.url + "other")
    assert done.returncode == DAMAGED
    assert "another source" in done.stderr


def test_two_watches_can_not_use_one_state(site: Site, state: Path) -> None:
    with started("--state", state, "--interval", "5", "--url", site.url):
        until(state.exists)
        assert once(state, "--url", site.url).returncode == BUSY
    assert once(state, "--url", site.url).returncode == SAME


def test_the_state_is_readable_by_its_owner_only(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    assert state.stat().st_mode & 0o777 == 0o600


def test_failures_are_retried_ever_more_rarely_and_the_rhythm_survives_a_restart(
    site: Site, state: Path
) -> None:
    site.status = 503
    words = ("--state", state, "--interval", "0.1", "--url", site.url)
    begun = time.monotonic()
    assert run(WATCH, *words, "--give-up-after", "3").returncode == UNREADABLE
    assert time.monotonic() - begun > 0.2 + 0.4
    assert site.hits == 3
    assert json.loads(state.read_text())["failures"] == 3
    site.status = 200
    begun = time.monotonic()
    assert run(WATCH, *words, "--max-checks", "1").returncode == SAME
    assert time.monotonic() - begun > 0.3


def test_the_wish_of_a_server_to_be_left_alone_is_obeyed(site: Site, state: Path) -> None:
    site.status, site.headers = 429, {"Retry-After": "120"}
    once(state, "--interval", "1", "--url", site.url)
    assert json.loads(state.read_text())["next_at"] > time.time() + 100


def test_terminating_it_ends_its_command_too(state: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = "import os,sys,time; open(sys.argv[1],'w').write(str(os.getpid())); time.sleep(60)"
    with started("--state", state, "--", sys.executable, "-c", code, mark) as child:
        until(lambda: mark.exists() and mark.read_text() != "")
        child.terminate()
        assert child.wait(10) == 143
    pid = int(mark.read_text())
    until(lambda: gone(pid))


def test_a_state_that_can_not_be_written_is_said(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = once(tmp_path / "file" / "state.json", "--url", site.url)
    assert done.returncode == DAMAGED
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
