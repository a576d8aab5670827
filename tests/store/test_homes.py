"""Homes that cannot be written, and several commands at once in one that can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from journeys.world import Person, document, rows
from support.cli import Result, environment, run_skill
from support.files import build, tree_of

NOBODY = 1000
CAN_BE_NOBODY = os.geteuid() == 0 and shutil.which("setpriv") is not None
as_nobody = pytest.mark.skipif(not CAN_BE_NOBODY, reason="needs root and setpriv")


def run_as_nobody(person: Person, *words: str) -> Result:
    """Run the command as a user to whom nothing belongs, who may read what is not theirs."""
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    command += [sys.executable, "-P", "-m", "skillpm", *words]
    env = environment(person.home, person.env)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return Result(words, done.returncode, done.stdout, done.stderr)


@pytest.fixture
def readable(person: Person) -> Person:
    """A person whose home everybody may enter and nobody else may write."""
    place = person.home.parent
    place.mkdir(parents=True, exist_ok=True)
    for folder in (place, *place.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    return person


@as_nobody
def test_an_unwritable_home_is_named_with_a_way_out(readable: Person) -> None:
    if run_as_nobody(readable, "--version").status:
        pytest.skip("another user cannot run this Python")
    done = run_as_nobody(readable, "install", "cut-a-release").ended(8)
    assert str(readable.home) in done.err
    assert "SKILL_HOME" in done.err
    assert not readable.home.exists()


@as_nobody
def test_a_home_that_may_only_be_read_can_still_be_listed(readable: Person) -> None:
    if run_as_nobody(readable, "--version").status:
        pytest.skip("another user cannot run this Python")
    readable.skill("install", "cut-a-release")
    for place in (readable.home, *readable.home.rglob("*")):
        place.chmod(place.stat().st_mode | (0o555 if place.is_dir() else 0o444))
    before = tree_of(readable.home)
    listed = run_as_nobody(readable, "list").ended(0)
    assert "cut-a-release" in listed.out
    run_as_nobody(readable, "read", "cut-a-release").ended(0)
    run_as_nobody(readable, "audit").ended(0)
    run_as_nobody(readable, "install", "read-pdf").ended(8)
    run_as_nobody(readable, "remove", "cut-a-release").ended(8)
    after = tree_of(readable.home)
    assert {k: v for k, v in after.items() if "state.db" not in k} == {
        k: v for k, v in before.items() if "state.db" not in k
    }


def test_two_commands_at_once_both_finish_and_one_record_is_there(person: Person) -> None:
    folder = build(person.home.parent / "work" / "tidy-up", {"SKILL.md": document("tidy-up")})

    def install(_number: int) -> Result:
        return run_skill("install", str(folder), home=person.home, env=person.env)

    for _ in range(2):
        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(install, range(4)))
        assert {result.status for result in done} <= {0, 5}, [str(result) for result in done]
        assert any(result.status == 0 for result in done)
        for result in done:
            assert result.status == 0 or "run it again" in result.err
    assert len(rows(person.home, "installs")) == 1
    person.skill("audit", "tidy-up")


def test_different_skills_installed_at_once_are_all_recorded(person: Person) -> None:
    names = [f"skill-{number}" for number in range(6)]
    for name in names:
        build(person.home.parent / "work" / name, {"SKILL.md": document(name)})

    def install(name: str) -> Result:
        source = str(person.home.parent / "work" / name)
        return run_skill("install", source, home=person.home, env=person.env)

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(install, names))
    assert [str(result) for result in done if result.status] == []
    shown = {s["name"]: s["state"] for s in person.json("list")["skills"]}
    assert [shown[name] for name in names] == ["ok"] * 6


def test_an_install_and_a_removal_at_once_end_in_one_of_the_two(person: Person) -> None:
    folder = build(person.home.parent / "work" / "tidy-up", {"SKILL.md": document("tidy-up")})
    person.skill("install", str(folder))
    build(folder, {"more.md": "# More\n"})
    words = [("update", "tidy-up"), ("remove", "tidy-up")] * 2

    def run(command: tuple[str, ...]) -> Result:
        return run_skill(*command, home=person.home, env=person.env)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, words))
    assert {result.status for result in done} <= {0, 3, 5}
    recorded = bool(rows(person.home, "installs"))
    assert recorded == (person.home / "library" / "tidy-up").exists()
    if recorded:
        person.skill("audit", "tidy-up")


def test_the_home_is_private_and_so_is_its_database(person: Person) -> None:
    person.skill("install", "cut-a-release")
    assert person.home.stat().st_mode & 0o777 == 0o700
    assert (person.home / "state.db").stat().st_mode & 0o777 == 0o600
    skill = person.home / "library" / "cut-a-release"
    assert {p.stat().st_mode & 0o022 for p in skill.rglob("*")} == {0}


def test_a_hand_written_skill_is_listed_at_once(person: Person) -> None:
    person.writes("mine/SKILL.md", document("mine"))
    person.writes("other.md", document("other"))
    person.writes("Not A Skill.md", "x")
    person.writes(".DS_Store", "x")
    person.writes("folder-without-entry/readme.txt", "x")
    shown = {s["name"]: s for s in person.json("list")["skills"] if s["state"] != "builtin"}
    states = {name: s["state"] for name, s in shown.items()}
    unknown = {"Not A Skill.md": "unknown", "folder-without-entry": "unknown"}
    assert states == {"mine": "local", "other": "local", **unknown}
    assert {s["origin"] for s in shown.values()} == {"local"}
