"""The names of a tap: what moves is listed and not followed, what was taken out stays out."""

from __future__ import annotations

from typing import Any

import pytest
from journeys.world import SITE, World, document

from operations.tapped import DUST, EVIL, GOOD, a_tap, tap_json, the_tap

MOVES = {
    "another repository": EVIL,
    "another path": "https://github.com/team/tidy-up/tree/main/new",
    "another kind of source": f"{SITE}/tidy-up.md",
    "a look-alike": "https://github.com/tearn/tidy-up",
}


@pytest.mark.parametrize("case", MOVES)
def test_a_name_that_moves_is_listed_and_not_followed_until_a_command_decides(
    case: str, world: World
) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({"tidy-up": {"source": MOVES[case]}, "dust": {"source": DUST}}))
    done = world.person.skill("tap", "update")
    assert "skill tap accept team tidy-up" in done.err
    found = {s["name"]: s["source"] for s in world.person.json("search", "")["skills"]}
    assert (found["tidy-up"], found["dust"]) == (GOOD, DUST)
    (moved,) = the_tap(world)["moved"]
    assert moved["from"] == GOOD
    for words in ("tidy-up", "team/tidy-up"):
        told = world.person.error("install", words, "--yes", status=5)
        assert GOOD in told
        assert moved["to"] in told
    world.person.skill("tap", "accept", "team", "tidy-up")
    assert the_tap(world)["moved"] == []
    found = {s["name"]: s["source"] for s in world.person.json("search", "")["skills"]}
    assert found["tidy-up"] == moved["to"]
    world.person.error("tap", "accept", "team", "tidy-up", status=3)
    world.person.error("tap", "accept", "team", "dust", status=3)


def test_a_name_that_goes_and_comes_back_elsewhere_has_moved(world: World) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({"dust": {"source": DUST}}))
    world.person.skill("tap", "update")
    world.person.error("install", "tidy-up", "--yes", status=3)
    repo.commit(tap_json({"tidy-up": {"source": EVIL}}))
    world.person.skill("tap", "update")
    assert GOOD in world.person.error("install", "tidy-up", "--yes", status=5)


def test_a_name_that_follows_another_tag_of_its_repository_has_not_moved(world: World) -> None:
    repo = a_tap(world, skills={"tidy-up": {"source": f"{GOOD}#v1"}})
    repo.commit(tap_json({"tidy-up": {"source": f"{GOOD}#v2"}}))
    assert world.person.skill("tap", "update").err == ""
    (found,) = world.person.json("search", "tidy")["skills"]
    assert found["source"] == f"{GOOD}#v2"


REMOVALS: dict[str, dict[str, Any]] = {
    "in a list of removals": {"skills": {}, "removed": {"tidy-up": "it stole tokens"}},
    "with a date": {
        "skills": {}, "removed": {"tidy-up": {"reason": "it stole tokens", "date": "2026-01-01"}}},
    "in the entry": {"skills": {"tidy-up": {"removed": "it stole tokens"}}},
    "as yanked, with its source": {
        "skills": {"tidy-up": {"source": GOOD, "yanked": "it stole tokens"}}},
    "listed and removed at once": {
        "skills": {"tidy-up": {"source": GOOD}}, "removed": {"tidy-up": "it stole tokens"}},
}  # fmt: skip


@pytest.mark.parametrize("case", REMOVALS)
def test_a_name_that_a_tap_took_out_is_refused_with_its_reason(case: str, world: World) -> None:
    home = world.git.repo("team/tidy-up")
    home.commit({"SKILL.md": document("tidy-up")})
    repo = a_tap(world)
    world.person.skill("install", "tidy-up", "--yes")
    home.commit({"SKILL.md": document("tidy-up", "Newer.")})
    repo.commit(tap_json(**REMOVALS[case]))
    assert "took tidy-up out: it stole tokens" in world.person.skill("tap", "update").err
    told = world.person.error("update", "tidy-up", "--yes", status=5)
    assert "it stole tokens" in told
    assert "skill remove tidy-up" in told
    (state,) = world.person.json("outdated", status=1)["skills"]
    assert state["state"] == "taken out"
    world.person.skill("remove", "tidy-up")
    for words in (("install", "tidy-up", "--yes"), ("install", "team/tidy-up", "--yes", "--force"),
                  ("info", "tidy-up")):  # fmt: skip
        assert "it stole tokens" in world.person.error(*words, status=5)
    assert the_tap(world)["removed"] == {"tidy-up": "it stole tokens"}
    assert world.person.json("search", "tidy")["skills"] == []


@pytest.mark.parametrize("reason", [True, 7, ["x"], "", "\x1b[2Jbye\u202e", "x" * 5_000])
def test_a_reason_may_be_anything_and_the_name_stays_out(reason: Any, world: World) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({"tidy-up": {"source": GOOD}}, removed={"tidy-up": reason}))
    world.person.skill("tap", "update")
    told = world.person.skill("install", "tidy-up", "--yes", status=5).err
    assert len(told) < 1_000


def test_a_name_that_was_taken_out_never_comes_back_under_another_source(world: World) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({}, removed={"tidy-up": "bad"}))
    world.person.skill("tap", "update")
    before = the_tap(world)
    repo.commit(tap_json({"tidy-up": {"source": EVIL}, "dust": {"source": DUST}}))
    done = world.person.skill("tap", "update", status=6)
    assert EVIL in done.err
    assert the_tap(world) == before
    assert world.person.json("search", "dust")["skills"] == []


def test_a_name_that_was_taken_out_before_the_tap_was_added_stays_out(world: World) -> None:
    repo = a_tap(world, skills={}, removed={"tidy-up": "bad"})
    repo.commit(tap_json({"tidy-up": {"source": EVIL}}))
    world.person.skill("tap", "update", status=6)
    world.person.error("install", "tidy-up", "--yes", status=5)


def test_a_name_that_was_taken_out_may_come_back_where_it_was(world: World) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({}, removed={"tidy-up": "by mistake"}))
    world.person.skill("tap", "update")
    repo.commit(tap_json())
    world.person.skill("tap", "update")
    assert the_tap(world)["removed"] == {}
    assert world.person.json("search", "tidy")["skills"]


def test_a_removal_stays_when_the_tap_stops_telling_of_it(world: World) -> None:
    repo = a_tap(world)
    repo.commit(tap_json({}, removed={"tidy-up": "bad"}))
    world.person.skill("tap", "update")
    repo.commit(tap_json({"dust": {"source": DUST}}))
    world.person.skill("tap", "update")
    assert "bad" in world.person.error("install", "tidy-up", "--yes", status=5)
