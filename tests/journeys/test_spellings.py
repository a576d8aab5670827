"""Every spelling that people paste leads to the same skill, through the real command."""

from __future__ import annotations

import pytest

from journeys.world import World, document, packages


@pytest.fixture
def collection(world: World) -> str:
    """A repository on GitHub with two skills on main, and a branch that holds a slash."""
    repo = world.git.repo("jane/skills")
    first = repo.commit(packages("tidy-up", "dust"))
    repo.branch("feature/x", first)
    repo.commit(
        {"skills/tidy-up/SKILL.md": document("tidy-up", "On a branch.")}, branch="feature/x"
    )
    repo.tag("v1", first, annotated=True)
    return first


SPELLINGS = {
    "jane/skills/skills/tidy-up": "Do the work.",
    "jane/skills@tidy-up": "Do the work.",
    "jane/skills#feature/x:skills/tidy-up": "On a branch.",
    "jane/skills#v1:skills/tidy-up": "Do the work.",
    "jane/skills/skills/tidy-up#refs/heads/feature/x": "On a branch.",
    "https://github.com/jane/skills/tree/feature/x/skills/tidy-up": "On a branch.",
    "https://github.com/jane/skills/blob/feature/x/skills/tidy-up/SKILL.md": "On a branch.",
    "https://raw.githubusercontent.com/jane/skills/v1/skills/tidy-up/SKILL.md": "Do the work.",
    "git+https://github.com/jane/skills#:skills/tidy-up": "Do the work.",
}


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_spelling_leads_to_the_skill_and_its_record_can_be_typed_again(
    spelling: str, world: World
) -> None:
    world.person.skill("install", spelling, "--yes")
    text = world.person.installed("tidy-up")["SKILL.md"][0].decode()
    assert SPELLINGS[spelling] in text
    source = world.person.record("tidy-up")["source"]
    world.person.skill("remove", "tidy-up")
    world.person.skill("install", "tidy-up", "--source", source, "--yes")
    assert world.person.installed("tidy-up")["SKILL.md"][0].decode() == text


@pytest.mark.usefixtures("collection")
def test_an_at_sign_is_a_skill_first_and_then_a_ref_and_which_it_was_is_said(
    world: World,
) -> None:
    done = world.person.skill("install", "jane/skills@tidy-up", "--yes")
    assert "taken as the skill of that name" in done.out
    done = world.person.skill("install", "dust", "--source", "jane/skills@feature/x", "--yes")
    assert "taken as a branch or tag" in done.out
    record = world.person.record("dust")
    assert record["revision"]["ref"] == "refs/heads/feature/x"
    assert "neither a skill nor a branch" in world.person.error(
        "install", "jane/skills@nothing", "--yes", status=3
    )


def test_a_commit_is_only_ever_a_commit(world: World, collection: str) -> None:
    world.git.repo("jane/skills").branch(collection, "feature/x")
    world.person.skill("install", "tidy-up", "--source", f"jane/skills#{collection}", "--yes")
    assert world.person.record("tidy-up")["revision"]["value"] == collection


@pytest.mark.usefixtures("collection")
def test_updates_follow_the_branch_that_was_asked_for(world: World) -> None:
    repo = world.git.repo("jane/skills")
    world.person.skill("install", "jane/skills#feature/x:skills/tidy-up", "--yes")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Main moved.")})
    assert world.person.skill("outdated").out.split("\t")[1] == "current"
    repo.commit(
        {"skills/tidy-up/SKILL.md": document("tidy-up", "Branch moved.")}, branch="feature/x"
    )
    world.person.skill("update", "tidy-up", "--yes")
    assert "Branch moved." in world.person.installed("tidy-up")["SKILL.md"][0].decode()
