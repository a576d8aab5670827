"""Row G18: what is installed is known by its digest; a commit or a version only points at it.

Two contents under one SHA-1 cannot be made here, so the record is made to say what it would say:
that the commit which the source stands at is the one that is installed.
"""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import pytest
from journeys.world import World, document
from support.archives import zip_of
from support.gitrepo import GitRepo

SOURCE = "team/tidy-up"


def collide(home: Path, **columns: str) -> None:
    """Write into the record what a collision would have put there."""
    connection = sqlite3.connect(home / "state.db")
    with connection:
        for column, value in columns.items():
            connection.execute(f"UPDATE installs SET {column} = ?", (value,))  # noqa: S608
    connection.close()


@pytest.fixture
def repo(world: World) -> GitRepo:
    """A skill that is installed, and its repository."""
    repo = world.git.repo(SOURCE)
    repo.commit({"SKILL.md": document("tidy-up"), "run.sh": "echo good\n"})
    world.person.skill("install", SOURCE, "--yes")
    return repo


def test_g18_an_update_of_an_equal_commit_takes_nothing(world: World, repo: GitRepo) -> None:
    before = world.person.installed("tidy-up")
    collide(world.person.home, revision=repo.commit({"run.sh": "echo evil\n"}))
    (skill,) = world.person.json("outdated")["skills"]
    assert skill["state"] == "current"
    world.person.skill("update", "tidy-up", "--yes")
    world.person.skill("update", "--all", "--yes")
    assert world.person.installed("tidy-up") == before


def test_g18_an_equal_tree_of_another_commit_takes_nothing_either(
    world: World, repo: GitRepo
) -> None:
    before, digest = world.person.installed("tidy-up"), world.person.record("tidy-up")["digest"]
    sha = repo.commit({"run.sh": "echo evil\n"})
    collide(world.person.home, git_tree=repo.git("rev-parse", f"{sha}^{{tree}}"))
    world.person.skill("update", "tidy-up", "--yes")
    assert world.person.installed("tidy-up") == before
    assert world.person.record("tidy-up")["digest"] == digest
    told = world.person.error("install", SOURCE, "--yes", status=6)
    assert "other files" in told


@pytest.mark.parametrize("missing", [False, True])
def test_g18_an_equal_commit_with_other_files_is_refused_with_both_digests(
    missing: bool, world: World, repo: GitRepo
) -> None:
    old = world.person.record("tidy-up")["digest"]
    collide(world.person.home, revision=repo.commit({"run.sh": "echo evil\n"}))
    if missing:
        (world.person.home / "library/tidy-up").rename(world.person.home.parent / "gone")
    for words in (("install", SOURCE), ("update", "tidy-up", "--replace")):
        told = world.person.error(*words, "--yes", status=6)
        assert "other files" in told
        assert old[:28] in told
    world.person.skill("install", SOURCE, "--yes", "--force")
    assert world.person.installed("tidy-up")["run.sh"][0] == b"echo evil\n"


def test_g18_the_same_commit_again_is_no_change(world: World, repo: GitRepo) -> None:
    assert world.person.json("install", SOURCE, "--yes")["action"] == "keep"
    (world.person.home / "library/tidy-up/run.sh").write_text("echo mine\n")
    world.person.skill("install", SOURCE, "--yes", "--replace")
    assert world.person.installed("tidy-up")["run.sh"][0] == b"echo good\n"


def test_g18_a_version_that_was_published_again_with_other_files_is_refused(world: World) -> None:
    name = "@jhonathas/tidy-up"
    world.hub.publish(name, "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
    world.person.skill("install", name, "--yes")
    world.hub.delete(name)
    world.hub.publish(name, "1.0.0", zip_of({"SKILL.md": document("tidy-up", "Swapped.")}))
    world.person.skill("update", "tidy-up", "--yes")
    assert b"Swapped." not in world.person.installed("tidy-up")["SKILL.md"][0]
    assert "version 1.0.0" in world.person.error("install", name, "--yes", status=6)


def test_g18_a_server_with_other_bytes_under_an_object_id_is_found_out(world: World) -> None:
    repo = world.git.repo(SOURCE)
    repo.commit({"SKILL.md": document("tidy-up"), "run.sh": "echo good\n"})
    oid = repo.git("rev-parse", "main:run.sh")
    place = repo.bare / "objects" / oid[:2] / oid[2:]
    place.chmod(0o644)
    place.write_bytes(zlib.compress(b"blob 10\0echo evil\n"))
    told = world.person.error("install", SOURCE, "--yes", status=7)
    assert SOURCE in told
