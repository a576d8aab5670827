"""The folder of a project: where it is, whose files it holds, and what is never touched."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli import environment, user_home
from support.files import build, tree_of

from journeys.team import SKILLS, Team, install
from journeys.world import document


def test_a_skill_of_one_document_is_a_folder_in_a_project(team: Team) -> None:
    team.world.web.serve("/note.md", document("note"))
    site = "https://skills.example/note.md"
    team.ann.skill("install", "note", "--source", site, "--yes", "--project")
    assert list(team.ann.skills) == ["note/SKILL.md"]
    assert b"package = false" in team.ann.lock.read_bytes()
    team.ann.skill("sync", "--frozen")
    team.ann.skill("remove", "note", "--project")
    assert team.ann.skills == {}


def test_a_folder_of_the_project_is_written_relative_to_it(team: Team) -> None:
    for member in (team.ann, team.bob):
        build(member.project / "tools/lint", {"SKILL.md": document("lint")})
    team.ann.skill("install", "./tools/lint", "--project")
    assert b'source = "./tools/lint"' in team.ann.lock.read_bytes()
    assert str(team.ann.project).encode() not in team.ann.lock.read_bytes()
    team.ann.hands_lock_to(team.bob)
    team.bob.skill("sync")
    assert team.bob.skills == team.ann.skills


def test_a_skill_from_elsewhere_on_this_machine_is_said_to_be_so(team: Team) -> None:
    place = build(user_home(team.ann.person.home) / "mine", {"SKILL.md": document("mine")})
    done = team.ann.skill("install", str(place), "--project")
    assert "nobody else can sync it" in done.err


def test_files_are_for_everybody_as_the_umask_says(team: Team) -> None:
    install(team.ann, "tidy-up")
    mask = os.umask(0)
    os.umask(mask)
    for place in (team.ann.project / ".agents").rglob("*"):
        mode = stat.S_IMODE(place.stat().st_mode)
        assert mode in ({0o777 & ~mask, 0o755} if place.is_dir() else {0o644}), place


@pytest.mark.parametrize("where", ["docs/deep", "."])
def test_the_project_is_the_nearest_folder_above_with_a_lock(where: str, team: Team) -> None:
    install(team.ann, "tidy-up")
    below = build(team.ann.project / where, {})
    team.ann.person.skill("sync", "--frozen", cwd=below)
    team.ann.person.skill("remove", "tidy-up", "--project", cwd=below)
    assert team.ann.skills == {}


def test_without_a_lock_it_is_the_repository(team: Team) -> None:
    below = build(team.ann.project / "docs", {})
    team.ann.person.skill("install", "cut-a-release", "--project", cwd=below)
    assert team.ann.lock.exists()


def test_without_a_lock_there_is_nothing_to_sync(team: Team) -> None:
    assert "skills.lock" in team.ann.refused("sync", status=3)


@pytest.mark.parametrize("link", [".agents", SKILLS])
def test_nothing_is_written_through_a_link(link: str, team: Team, tmp_path: Path) -> None:
    outside = build(tmp_path / "outside", {"keep.md": "mine"})
    place = team.bob.project / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside)
    install(team.ann, "tidy-up")
    team.ann.hands_lock_to(team.bob)
    for words in (
        ("sync", "--yes"), ("sync", "--frozen"), ("install", "cut-a-release", "--project"),
        ("remove", "tidy-up", "--project"), ("list", "--project"),
    ):  # fmt: skip
        assert "link" in team.bob.refused(*words, status=5)
    assert list(tree_of(outside)) == ["keep.md"]


def test_a_lock_that_is_a_link_is_not_followed(team: Team, tmp_path: Path) -> None:
    install(team.ann, "tidy-up")
    shutil.move(team.ann.lock, tmp_path / "other.lock")
    team.ann.lock.symlink_to(tmp_path / "other.lock")
    team.ann.refused("sync", "--yes", status=8)
    team.ann.refused("install", "cut-a-release", "--project", status=8)


def test_undo_takes_back_folder_and_lock_together(team: Team) -> None:
    install(team.ann, "tidy-up")
    before = tree_of(team.ann.project)
    install(team.ann, "sweep")
    team.ann.skill("undo")
    assert tree_of(team.ann.project) == before
    team.ann.skill("undo")
    assert not team.ann.lock.exists()
    assert team.ann.skills == {}


def test_two_at_once_both_end_up_in_the_lock(team: Team) -> None:
    install(team.ann, "tidy-up")
    names = ("cut-a-release", "read-pdf", "handle-media")
    env = environment(team.ann.person.home, team.ann.person.env)
    running = [
        subprocess.Popen(
            [sys.executable, "-P", "-m", "skillpm", "install", name, "--project"],
            env=env, cwd=team.ann.project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for name in names
    ]  # fmt: skip
    assert [(one.communicate()[1], one.returncode)[1] for one in running] == [0, 0, 0]
    text = team.ann.lock.read_text()
    assert all(f'name = "{name}"' in text for name in (*names, "tidy-up"))
    team.ann.skill("sync", "--frozen")


def test_what_others_added_to_the_lock_stays_in_it(team: Team) -> None:
    install(team.ann, "tidy-up")
    later = team.ann.lock.read_text().replace("version = 1\n", 'version = 1\nteam = "blue"\n', 1)
    team.ann.lock.write_text(later.replace("agents = []", 'agents = ["codex"]\nlabel = "x"'))
    install(team.ann, "sweep")
    text = team.ann.lock.read_text()
    for line in ('team = "blue"', 'agents = ["codex"]', 'label = "x"'):
        assert line in text


def test_whoever_asks_of_the_project_is_advised_about_it(team: Team) -> None:
    team.ann.writes("mine/SKILL.md", document("mine"))
    said = team.ann.refused("remove", "mine", "--project", status=5)
    assert "skill remove --project mine --discard" in said
    team.ann.skill("remove", "--project", "mine", "--discard")
    assert team.ann.skills == {}


def test_a_repository_on_this_machine_can_be_synced_here(team: Team) -> None:
    source = team.world.git.repo("jane/skills").url
    team.ann.skill("install", "sweep", "--source", source, "--yes", "--project")
    shutil.rmtree(team.ann.project / ".agents")
    shutil.rmtree(team.ann.person.home / "store")
    assert "skill sync" in team.ann.skill("list", "--project").err
    team.ann.skill("sync", "--yes")
    team.ann.skill("sync", "--frozen")
