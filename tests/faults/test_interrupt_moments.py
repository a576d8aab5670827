"""Ctrl-C at any moment: over within 200 ms, no process and no half-written file stays."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.world import World, packages
from support.exchange import Faults, Request

from .test_interrupts import asked, assert_nobody_left, running

SOON = 0.2
TRIES = 4


def litter(home: Path) -> list[str]:
    """Files that a killed git or a killed write of ours would leave."""
    found = [path for path in (home / "cache").rglob("*") if path.is_file()]
    return [
        path.name
        for path in found
        if path.name.startswith((".", "tmp_")) or (path.suffix == ".lock" and path.parent.suffix)
    ]


def hanging(part: str) -> Callable[[Request], Faults | None]:
    """Let the requests that have that part in their body or address hang."""

    def hook(request: Request) -> Faults | None:
        there = part in request.target or part.encode() in request.body
        return Faults(delay=math.inf) if there else None

    return hook


def dripping(part: str) -> Callable[[Request], Faults | None]:
    """Let the answers to such requests come a byte at a time."""
    return lambda request: Faults(drip=0.02) if part.encode() in request.body else None


MOMENTS = {
    "while refs are asked": (hanging("info/refs"), "jane/skills"),
    "while a pack is awaited": (hanging("command=fetch"), "jane/skills"),
    "while a pack arrives": (dripping("command=fetch"), "jane/skills"),
    "while a body arrives": (lambda _: Faults(drip=0.02), "web"),
    "while a body is awaited": (lambda _: Faults(delay=math.inf), "web"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_is_over_at_once_and_leaves_nothing(moment: str, world: World) -> None:
    hook, where = MOMENTS[moment]
    files = packages("tidy-up") | {"big.bin": os.urandom(50_000)}
    world.git.repo("jane/skills").commit(files)
    world.web.serve("/x.md", b"x" * 100_000)
    server = world.web if where == "web" else world.git
    server.on_request(hook)
    source = f"{world.web.url}/x.md" if where == "web" else where
    before = world.person.kept()
    took: list[float] = []
    while len(took) < TRIES and not (took and min(took) < SOON):
        server.forget()
        with running(world.person, "install", "tidy-up", "--source", source, "--yes") as process:
            asked(server)
            time.sleep(0.3)
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(5)
            took.append(time.monotonic() - start)
        assert process.returncode == 130
    assert_nobody_left(world.person.home)
    assert min(took) < SOON, took
    assert world.person.kept() == before
    assert litter(world.person.home) == []


def test_many_questions_at_once_end_together(world: World) -> None:
    for number in range(6):
        world.git.repo(f"jane/r{number}").commit(packages(f"s-{number}"))
        words = ("install", f"s-{number}", "--source", f"jane/r{number}", "--yes")
        world.person.skill(*words)
    world.git.forget()
    world.git.fault("/*", Faults(delay=math.inf))
    took: list[float] = []
    while len(took) < TRIES and not (took and min(took) < SOON):
        world.git.forget()
        with running(world.person, "outdated") as process:
            until = time.monotonic() + 10
            while len(world.git.requests) < 6 and time.monotonic() < until:
                time.sleep(0.02)
            assert len(world.git.requests) == 6, "all are asked side by side"
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait(5)
            took.append(time.monotonic() - start)
        assert process.returncode == 130
        assert_nobody_left(world.person.home)
    assert min(took) < SOON, took
