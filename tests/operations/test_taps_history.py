"""A tap may only ever grow: what was read from it once stays part of its history."""

from __future__ import annotations

import shlex

from journeys.world import World, document, index
from support.gitrepo import GitRepo

GOOD = "https://github.com/team/tidy-up"


def rewritten(world: World) -> GitRepo:
    """A tap that was added, and then got a history without the commit that was read."""
    repo = world.tap({"tidy-up": GOOD})
    evil = {"skills_registry.json": index({"tidy-up": "https://github.com/evil/tidy-up"})}
    repo.force("refs/heads/main", repo.commit(evil, branch="other", parents=()))
    return repo


def test_a_rewritten_tap_is_refused_and_its_last_good_index_stays(world: World) -> None:
    rewritten(world)
    done = world.person.skill("tap", "update", status=6)
    assert "history was rewritten" in done.err
    assert "skill tap reset team" in done.err
    found = world.person.json("search", "tidy")["skills"]
    assert [skill["source"] for skill in found] == [GOOD]


def test_an_older_commit_of_the_true_history_is_refused_as_well(world: World) -> None:
    repo = world.git.repo("team/skills")
    old = repo.commit({"skills_registry.json": index({"tidy-up": GOOD})})
    repo.commit({"skills_registry.json": index({"tidy-up": GOOD, "dust": GOOD})})
    world.person.skill("tap", "add", "team/skills")
    repo.force("refs/heads/main", old)
    world.person.skill("tap", "update", status=6)
    assert world.person.json("search", "dust")["skills"]


def test_removing_and_adding_it_accepts_the_new_history(world: World) -> None:
    rewritten(world)
    world.person.skill("tap", "remove", "team")
    world.person.skill("tap", "add", "team/skills")
    found = world.person.json("search", "tidy")["skills"]
    assert [skill["source"] for skill in found] == ["https://github.com/evil/tidy-up"]


def test_a_tap_that_grows_is_followed(world: World) -> None:
    repo = world.tap({"tidy-up": GOOD})
    repo.commit({"skills_registry.json": index({"tidy-up": GOOD, "dust": GOOD})})
    world.person.skill("tap", "update")
    assert world.person.json("search", "dust")["skills"]


def test_an_index_for_a_newer_program_keeps_the_old_one(world: World) -> None:
    repo = world.tap({"tidy-up": GOOD})
    newer = '{"schema": 3, "skills": {"dust": {"source": "https://github.com/team/dust"}}}'
    repo.commit({"skills_registry.json": newer})
    assert "schema" in world.person.skill("tap", "update", status=7).err
    assert world.person.json("search", "tidy")["skills"]


def test_what_was_installed_from_a_removed_tap_stays_and_follows_its_source(world: World) -> None:
    repo = world.git.repo("team/tidy-up")
    repo.commit({"SKILL.md": document("tidy-up")})
    world.tap({"tidy-up": GOOD})
    world.person.skill("install", "tidy-up", "--yes")
    world.person.skill("tap", "remove", "team")
    repo.commit({"SKILL.md": document("tidy-up", "Newer.")})
    world.person.skill("update", "tidy-up", "--yes")
    assert b"Newer." in world.person.installed("tidy-up")["SKILL.md"][0]


def test_a_moved_tag_is_refused_and_the_command_that_accepts_it_works(world: World) -> None:
    repo = world.git.repo("team/tidy-up")
    repo.tag("v1", repo.commit({"SKILL.md": document("tidy-up")}))
    world.person.skill("install", "team/tidy-up#v1", "--yes")
    moved = repo.commit({"SKILL.md": document("tidy-up", "Moved.")})
    repo.force("refs/tags/v1", moved)
    told = world.person.error("update", "tidy-up", "--yes", status=6)
    assert "the tag v1" in told
    command = shlex.split(told.partition("if you trust it: skill ")[2])
    world.person.skill(*command, "--yes")
    assert b"Moved." in world.person.installed("tidy-up")["SKILL.md"][0]


def test_a_commit_that_only_a_pull_request_has_is_refused(world: World) -> None:
    repo = world.git.repo("team/tidy-up")
    repo.commit({"SKILL.md": document("tidy-up")})
    impostor = repo.commit({"SKILL.md": document("tidy-up", "Evil.")}, branch="stray")
    repo.force("refs/pull/9/head", impostor)
    repo.delete("refs/heads/stray")
    told = world.person.error("install", f"team/tidy-up#{impostor}", "--yes", status=6)
    assert "no branch or tag" in told


def test_a_pointer_to_a_large_file_elsewhere_is_said_for_what_it_is(world: World) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    files = {"SKILL.md": document("tidy-up"), "model.bin": pointer}
    world.git.repo("team/tidy-up").commit(files)
    assert "Git LFS" in world.person.error("install", "team/tidy-up", "--yes", status=4)
