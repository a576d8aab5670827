"""Offline means offline: nobody is connected to and no name is looked up; proven by strace."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from journeys.world import World, document, index, packages
from support.cli import environment

OFFLINE = {"SKILL_OFFLINE": "1"}

pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="there is no strace")


def settled(world: World) -> None:
    """A tap of each kind, a skill from git, one from the tap; all of it was reached once."""
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.web.serve("/reg.json", index({"x": "https://skills.example/x.md"}))
    world.web.serve("/x.md", document("x"))
    world.tap({"y": "https://skills.example/x.md"})
    world.person.skill("tap", "add", "https://skills.example/reg.json")
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("list",), 0),
        (("search", "release"), 0),
        (("info", "cut-a-release"), 0),
        (("install", "cut-a-release"), 0),
        (("outdated",), 1),
        (("update", "tidy-up", "--yes"), 7),
        (("install", "other", "--source", "jane/other", "--yes"), 7),
    ],
    ids=lambda words: "-".join(words[:1]) if isinstance(words, tuple) else "",
)
def test_nobody_is_connected_to_and_no_name_is_looked_up(
    world: World, tmp_path: Path, words: tuple[str, ...], status: int
) -> None:
    settled(world)
    world.git.forget()
    world.web.forget()
    log = tmp_path / "calls"
    watched = "connect,sendto,sendmsg,sendmmsg,bind"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={watched}", "-o", str(log),
         sys.executable, "-P", "-m", "skillpm", *words],
        env=environment(world.person.home, {**world.person.env, **OFFLINE}),
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert not re.findall(r"AF_INET6?|resolv|nscd|:53", log.read_text())
    assert world.git.requests == world.web.requests == world.hub.requests == []
    if status:
        assert "offline" in done.stderr


def test_the_configuration_says_it_too_and_the_environment_has_the_last_word(
    world: World,
) -> None:
    settled(world)
    with (world.person.home / "config.toml").open("a") as config:
        config.write("[network]\noffline = true\n")
    assert "offline" in world.person.error("update", "tidy-up", status=7)
    world.person.skill("update", "tidy-up", env={"SKILL_OFFLINE": "0"})
