"""A tap may only ever grow: what was read from it once stays part of its history."""

from __future__ import annotations

from journeys.world import World, index
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
    assert "skill tap remove team" in done.err
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
