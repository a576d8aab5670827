"""Ctrl-C while something hangs: status 130, nobody left behind, nothing changed."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from journeys.world import Person, World, document, index
from support.cli import environment
from support.exchange import Faults
from support.httpd import LoopbackServer


def survivors(home: Path) -> list[str]:
    """The command lines of processes that still run for this home."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if str(home).encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it ended, or is somebody else's
    return [line for line in found if line]


def assert_nobody_left(home: Path) -> None:
    """Give the last ones two seconds, then look."""
    deadline = time.monotonic() + 2
    while survivors(home) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert survivors(home) == []


@contextmanager
def running(person: Person, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command, started and not waited for."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "skillpm", *words],
        env=environment(person.home, person.env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def asked(server: LoopbackServer) -> None:
    """Wait until a server was asked something."""
    deadline = time.monotonic() + 20
    while not server.requests:
        assert time.monotonic() < deadline, "nobody asked"
        time.sleep(0.02)
    time.sleep(0.2)


@pytest.mark.parametrize("kind", ["a git fetch", "a download", "a tap", "a hub"])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupted_fetch_ends_at_once_and_cleans_up(
    stop: signal.Signals, kind: str, world: World
) -> None:
    server: LoopbackServer
    words, server = {
        "a git fetch": (("install", "x", "--source", "jane/skills"), world.git),
        "a download": (("install", f"{world.web.url}/x.md"), world.web),
        "a tap": (("tap", "add", f"{world.web.url}/x.json"), world.web),
        "a hub": (("install", "@jane/x"), world.hub),
    }[kind]
    server.fault("/*", Faults(delay=math.inf))
    before = world.person.kept()
    with running(world.person, *words) as process:
        asked(server)
        assert survivors(world.person.home)
        process.send_signal(stop)
        _, err = process.communicate(timeout=5)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert_nobody_left(world.person.home)
    assert world.person.kept() == before


def test_a_search_that_gives_up_on_a_tap_leaves_nobody_behind(world: World) -> None:
    world.web.serve("/x.md", document("x"))
    world.tap({"x": "https://skills.example/x.md"})
    world.git.fault("/*", Faults(delay=math.inf))
    done = world.person.skill("search", "x", env={"SKILL_SEARCH_SECONDS": "0.5"})
    assert "did not answer" in done.err
    assert "team/x" in done.out
    assert_nobody_left(world.person.home)


def test_an_interrupted_search_leaves_nobody_behind(world: World) -> None:
    world.git.repo("team/reg").commit({"tap.json": index({"x": "https://skills.example/x.md"})})
    world.person.skill("tap", "add", "team/reg")
    world.git.fault("/*", Faults(delay=math.inf))
    world.git.forget()
    with running(world.person, "search", "x") as process:
        asked(world.git)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=5)
    assert process.returncode == 130
    assert_nobody_left(world.person.home)
