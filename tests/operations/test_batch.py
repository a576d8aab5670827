"""Several skills in one command: fetched together, each installed for itself."""

from __future__ import annotations

from journeys.world import World, packages

NAMES = [f"skill-{number}" for number in range(12)]


def test_skills_of_one_repository_come_in_one_fetch(world: World) -> None:
    world.git.repo("jane/skills").commit(packages(*NAMES))
    world.git.forget()
    done = world.person.json("install", *NAMES, "--source", "jane/skills", "--yes")
    assert [skill["action"] for skill in done["skills"]] == ["install"] * len(NAMES)
    uploads = [r for r in world.git.requests if r.method == "POST"]
    assert len(uploads) <= 3  # the refs, the commit with its trees, all the files


def test_one_that_fails_does_not_stop_the_others(world: World) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up", "dust"))
    words = ("install", "tidy-up", "nothing", "dust", "--source", "jane/skills", "--yes")
    done = world.person.json(*words, status=9)
    assert [skill["action"] for skill in done["skills"]] == ["install", "failed", "install"]
    assert "has no skill nothing" in done["skills"][1]["error"]["message"]
    assert world.person.installed("dust")


def test_several_bundled_skills_install_without_a_network(world: World) -> None:
    world.person.skill("install", "read-pdf", "cut-a-release", env={"SKILL_HUB": "off"})
    assert world.person.installed("read-pdf")


def test_one_name_is_for_one_skill(world: World) -> None:
    assert "several were given" in world.person.error("install", "a", "b", "--as", "c", status=2)
