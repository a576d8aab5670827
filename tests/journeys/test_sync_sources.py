"""Syncing from every kind of source: hubs and taps, official or not, known here or not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from support.archives import zip_of
from support.cli import environment

from journeys.team import Team, install
from journeys.world import document, packages

NAME = "@jane/tidy-up"


def publish(team: Team, version: str = "1.0.0", **facts: Any) -> None:
    """Publish a version on the hub."""
    data = zip_of({"SKILL.md": document("tidy-up", f"Version {version}.")})
    team.world.hub.publish(NAME, version, data, **facts)


@pytest.mark.parametrize("official", [True, False])
def test_the_pinned_version_comes_from_the_hub(official: bool, team: Team) -> None:
    publish(team, official=official)
    team.ann.skill("install", NAME, "--yes", "--project")
    publish(team, "2.0.0", official=official)
    team.ann.hands_lock_to(team.bob)
    if official:
        team.bob.skill("sync")
    else:
        team.bob.refused("sync", status=5)
        team.bob.skill("sync", "--yes")
    assert team.bob.skills == team.ann.skills
    assert b"Version 1.0.0." in team.bob.skills["tidy-up/SKILL.md"][0]


def test_a_lock_makes_no_skill_of_a_hub_official(team: Team) -> None:
    publish(team)
    team.ann.skill("install", NAME, "--yes", "--project")
    lock = team.ann.lock.read_text().replace('"community"', '"official"')
    team.bob.lock.write_text(lock)
    assert "line 4: tidy-up: it is said to be official" in team.bob.refused("sync", status=5)


def test_a_hub_of_somebody_elses_is_refused_with_its_line(team: Team) -> None:
    publish(team)
    team.ann.skill("install", NAME, "--yes", "--project")
    team.ann.hands_lock_to(team.bob)
    said = team.bob.refused("sync", "--yes", status=5, env={"SKILL_HUB": "https://hub.example"})
    assert "line 4: tidy-up" in said


def test_a_package_that_changed_hands_is_refused(team: Team) -> None:
    publish(team)
    team.ann.skill("install", NAME, "--yes", "--project")
    publish(team, "1.0.1", owner="eve")
    team.ann.hands_lock_to(team.bob)
    said = team.bob.refused("sync", "--yes", status=5)
    assert "line 4: tidy-up" in said
    assert "eve" in said


def test_a_tap_that_the_other_does_not_have_is_no_hindrance(team: Team) -> None:
    team.world.tap({"tidy-up": "https://github.com/jane/skills"})
    team.ann.skill("install", "team/tidy-up", "--yes", "--project")
    team.ann.hands_lock_to(team.bob)
    team.bob.skill("sync", "--yes")
    assert team.bob.skills == team.ann.skills
    team.bob.skill("update", "--all", "--yes", "--project")


def test_many_skills_of_one_commit_come_in_one_request(team: Team) -> None:
    names = [f"skill-{number}" for number in range(8)]
    team.world.git.repo("jane/many").commit(packages(*names))
    for name in names:
        team.ann.skill("install", name, "--source", "jane/many", "--yes", "--project")
    team.ann.hands_lock_to(team.bob)
    team.world.git.forget()
    team.bob.skill("sync", "--yes")
    assert team.bob.skills == team.ann.skills
    fetches = [one for one in team.world.git.requests if b"command=fetch" in one.body]
    assert len(fetches) <= 2, "the commit, and all files"


def test_a_commit_that_no_branch_has_any_more_is_refused(team: Team) -> None:
    install(team.ann, "tidy-up")
    repo = team.world.git.repo("jane/skills")
    team.ann.hands_lock_to(team.bob)
    lost = repo.git("commit-tree", "-m", "alone", repo.git("rev-parse", "main^{tree}"))
    repo.force("refs/heads/main", lost)
    said = team.bob.refused("sync", "--yes", status=6)
    assert "line 4: tidy-up" in said


def test_two_syncs_at_once_leave_what_one_would(team: Team) -> None:
    install(team.ann, "tidy-up", "sweep")
    team.ann.hands_lock_to(team.bob)
    env = environment(team.bob.person.home, team.bob.person.env)
    command = [sys.executable, "-P", "-m", "skillpm", "sync", "--yes"]
    running = [
        subprocess.Popen(command, env=env, cwd=team.bob.project, stdout=-3, stderr=-1)
        for _ in range(3)
    ]
    ended = {(one.communicate()[1], one.returncode)[1] for one in running}
    assert ended == {0}
    assert team.bob.skills == team.ann.skills
    team.bob.skill("sync", "--frozen")
