"""A tap's index only moves forward: its version, its removals, the sources of its names."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import Any

import pytest
from journeys.world import GITHUB, SITE, World, document, packages

from operations.tapped import EVIL, FUTURE, GOOD, PAST, a_tap, tap_json, the_tap


def test_adding_pins_where_the_history_begins_and_the_first_head_and_prints_them(
    world: World,
) -> None:
    repo = world.git.repo("team/skills")
    root = repo.commit(tap_json())
    head = repo.commit(tap_json(version=3, expires=FUTURE))
    told = world.person.skill("tap", "add", "team/skills").out
    for word in (root, head, "version     3", FUTURE, f"{GITHUB}/team/skills"):
        assert word in told
    tap = the_tap(world)
    assert (tap["roots"], tap["first_commit"], tap["version"]) == ([root], head, 3)
    assert (tap["expires"], tap["stale"], tap["signers"]) == (FUTURE, False, [])


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an older version": ({"version": 6}, "goes back"),
    "version zero": ({"version": 0}, "goes back"),
    "no version any more": ({}, "none any more"),
    "a null as version": ({"version": None}, "none any more"),
    "other entries under the same version": (
        {"version": 7, "skills": {"tidy-up": {"source": EVIL}}}, "other entries"),
    "a removal under the same version": ({"version": 7, "removed": {"x": "y"}}, "other entries"),
    "a later end under the same version": ({"version": 7, "expires": FUTURE}, "other entries"),
    "a version that jumps": ({"version": 10_008}, "jumps"),
    "the largest version there is": ({"version": 2**53}, "jumps"),
}  # fmt: skip
NONSENSE: dict[str, dict[str, Any]] = {
    "a version past the largest": {"version": 2**53 + 1},
    "an enormous version": {"version": 2**63},
    "a negative version": {"version": -1},
    "text as version": {"version": "8"},
    "a fraction as version": {"version": 8.5},
    "true as version": {"version": True},
    "a list as version": {"version": [8]},
    "control characters as version": {"version": "\x1b[2J8"},
    "a date without a time as end": {"version": 8, "expires": "2999-01-01"},
    "a time without a zone as end": {"version": 8, "expires": "2999-01-01T00:00:00"},
    "a month that is none as end": {"version": 8, "expires": "2999-13-01T00:00:00Z"},
    "a number as end": {"version": 8, "expires": 32472144000},
    "words as end": {"version": 8, "expires": "tomorrow\x1b[2J"},
    "the end before all time": {"version": 8, "expires": "0001-01-01T00:00:00+23:00"},
    "a list as removals": {"version": 8, "removed": ["tidy-up"]},
    "text as removals": {"version": 8, "removed": "tidy-up"},
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_index_that_goes_back_is_refused_and_the_old_one_stays(case: str, world: World) -> None:
    told, reason = REFUSED[case]
    repo = a_tap(world, version=7)
    before = the_tap(world)
    repo.commit(tap_json(**told))
    done = world.person.skill("tap", "update", status=6)
    assert reason in done.err
    assert "skill tap reset team" in done.err
    assert the_tap(world) == before
    (found,) = world.person.json("search", "tidy")["skills"]
    assert found["source"] == GOOD
    assert world.person.json("log", "team")["events"][-1]["action"] == "tap refuse"


@pytest.mark.parametrize("case", NONSENSE)
def test_an_index_that_makes_no_sense_is_broken_and_the_old_one_stays(
    case: str, world: World
) -> None:
    repo = a_tap(world, version=7)
    before = the_tap(world)
    repo.commit(tap_json(**NONSENSE[case]))
    done = world.person.skill("tap", "update", status=7)
    assert "\x1b" not in done.err
    assert the_tap(world) == before


ACCEPTED: dict[str, dict[str, Any]] = {
    "the next version": {"version": 8},
    "a version far ahead": {"version": 10_007},
    "the same version with the same entries": {"version": 7, "note": "a remark is no entry"},
    "a next version with a removal": {"version": 8, "removed": {"dust": {"reason": "gone"}}},
    "a next version that ends": {"version": 8, "expires": "2999-01-01t00:00:00.5+01:00"},
    "a next version without entries": {"version": 8, "skills": {}},
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_an_index_that_moves_forward_is_taken(case: str, world: World) -> None:
    repo = a_tap(world, version=7)
    head = repo.commit(tap_json(**ACCEPTED[case]))
    world.person.skill("tap", "update")
    tap = the_tap(world)
    assert tap["commit"] == head
    assert tap["version"] == ACCEPTED[case]["version"]


def test_an_index_at_a_url_never_goes_back_either(world: World) -> None:
    world.web.serve("/tap.json", json.dumps({"version": 7, "skills": {"a": {"source": GOOD}}}))
    world.person.skill("tap", "add", f"{SITE}/tap.json", "--name", "site")
    world.web.serve("/tap.json", json.dumps({"version": 6, "skills": {"b": {"source": GOOD}}}))
    assert "goes back" in world.person.skill("tap", "update", status=6).err
    assert the_tap(world)["version"] == 7


def test_the_highest_version_is_kept_not_the_last_one(world: World) -> None:
    repo = a_tap(world, version=7)
    for version, status in ((9, 0), (8, 6), (7, 6), (10, 0)):
        repo.commit(tap_json(version=version))
        world.person.skill("tap", "update", status=status)
    assert the_tap(world)["version"] == 10


def test_a_tap_past_its_end_says_so_in_every_answer_and_still_works(world: World) -> None:
    world.git.repo("team/tidy-up").commit({"SKILL.md": document("tidy-up")})
    repo = a_tap(world, version=1, expires=PAST)
    for words, status in (
        (("search", "tidy"), 0), (("info", "tidy-up"), 0), (("install", "tidy-up", "--yes"), 0),
        (("outdated",), 0), (("update", "--all"), 0), (("tap", "update"), 0),
    ):  # fmt: skip
        assert f"holds until {PAST}" in world.person.skill(*words, status=status).err, words
    assert the_tap(world)["stale"] is True
    repo.commit(tap_json(version=2, expires=FUTURE))
    assert "stale" not in world.person.skill("tap", "update").err
    assert the_tap(world)["stale"] is False


def test_the_first_commits_of_a_tap_may_not_change(world: World) -> None:
    repo = a_tap(world)
    before = the_tap(world)
    other = repo.commit({"README.md": "joined"}, branch="other", parents=())
    repo.commit(tap_json(version=9), parents=(repo.head(), other))
    done = world.person.skill("tap", "update", status=6)
    assert "another history was joined" in done.err
    assert the_tap(world) == before


def test_a_repository_that_was_made_anew_at_the_same_address_is_refused(world: World) -> None:
    repo = a_tap(world)
    before = the_tap(world)
    repo.commit(tap_json({"tidy-up": {"source": EVIL}}), parents=())
    assert "rewritten" in world.person.skill("tap", "update", status=6).err
    assert "rewritten" in world.person.error("tap", "add", "team/skills", status=6)
    assert the_tap(world) == before


def test_a_server_that_offers_an_older_commit_is_told_apart_from_rewriting(world: World) -> None:
    repo = world.git.repo("team/skills")
    old = repo.commit(tap_json())
    repo.commit(tap_json(version=2))
    world.person.skill("tap", "add", "team/skills")
    repo.force("main", old)
    assert "goes back from" in world.person.skill("tap", "update", status=6).err


def test_reset_takes_a_tap_as_it_is_now_and_shows_what_that_changes(world: World) -> None:
    repo = a_tap(world, version=7)
    head = repo.commit(tap_json({"tidy-up": {"source": EVIL}}, version=1), parents=())
    world.person.skill("tap", "update", status=6)
    before = the_tap(world)
    shown = world.person.json("tap", "reset", "team", "--dry-run")
    assert shown["changes"] == [{"name": "tidy-up", "from": GOOD, "to": EVIL}]
    assert the_tap(world) == before
    world.person.skill("tap", "reset", "team")
    tap = the_tap(world)
    assert (tap["commit"], tap["version"], tap["roots"]) == (head, 1, [head])
    world.person.error("tap", "reset", "nobody", status=3)


def test_what_befell_a_tap_stands_in_the_log_and_a_refusal_once(world: World) -> None:
    repo = a_tap(world, version=1)
    repo.commit(tap_json(version=2))
    world.person.skill("tap", "update")
    repo.commit(tap_json(version=1))
    for _ in range(3):
        world.person.skill("tap", "update", status=6)
    world.person.skill("tap", "remove", "team")
    log = world.person.json("log", "team")
    actions = [event["action"] for event in log["events"]]
    assert actions == ["tap add", "tap update", "tap refuse", "tap remove"]
    assert log["intact"]


def test_a_tap_of_folders_may_not_move_one_of_them_in_silence(world: World) -> None:
    repo = world.git.repo("team/skills")
    repo.commit(packages("tidy-up"))
    world.person.skill("tap", "add", "team/skills")
    moved = {**packages("tidy-up", below="other"), "skills/tidy-up/SKILL.md": None}
    repo.commit({**moved, "skills/tidy-up/scripts/run.sh": None})
    assert "tap accept team tidy-up" in world.person.skill("tap", "update").err


def test_a_repository_that_turns_into_a_web_page_is_no_longer_that_tap(world: World) -> None:
    address = f"{SITE}/tap"
    world.git.repo("tap").commit(tap_json())
    (world.person.home / "config.toml").write_text(f'[mirrors]\n"{SITE}/" = "{world.git.url}/"\n')
    world.person.skill("tap", "add", address, "--name", "site")
    (world.person.home / "config.toml").write_text(f'[mirrors]\n"{SITE}/" = "{world.web.url}/"\n')
    world.web.serve("/tap", json.dumps({"tidy-up": {"source": EVIL}}))
    world.person.skill("tap", "update", status=7)
    (found,) = world.person.json("search", "tidy")["skills"]
    assert found["source"] == GOOD


def test_what_a_tap_keeps_itself_is_taken_from_the_commit_its_index_was_read_at(
    world: World,
) -> None:
    repo = world.git.repo("team/skills")
    own = tap_json({"tidy-up": {"source": "./skills/tidy-up"}}, version=2)
    repo.commit({**packages("tidy-up"), **own})
    world.person.skill("tap", "add", "team/skills")
    world.person.skill("install", "tidy-up", "--yes")
    newer = {"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")}
    repo.commit({**newer, **tap_json({"tidy-up": {"source": "./skills/tidy-up"}}, version=1)})
    world.person.skill("update", "tidy-up", "--yes")
    world.person.skill("remove", "tidy-up")
    world.person.skill("install", "tidy-up", "--yes")
    assert b"Newer." not in world.person.installed("tidy-up")["SKILL.md"][0]
    repo.commit(tap_json({"tidy-up": {"source": "./skills/tidy-up"}}, version=3))
    world.person.skill("update", "tidy-up", "--yes")
    assert b"Newer." in world.person.installed("tidy-up")["SKILL.md"][0]


def pins_become(world: World, text: str) -> None:
    """Write into the state what an older program, or a disk that fails, would leave there."""
    with contextlib.closing(sqlite3.connect(world.person.home / "state.db")) as connection:
        connection.execute("UPDATE taps SET pins = ?", (text,))
        connection.commit()


def test_a_tap_of_an_older_program_is_pinned_by_its_next_change(world: World) -> None:
    repo = a_tap(world)
    pins_become(world, "{}")
    assert the_tap(world)["roots"] == []
    repo.commit(tap_json(version=4))
    world.person.skill("tap", "update")
    tap = the_tap(world)
    assert (len(tap["roots"]), tap["version"]) == (1, 4)


def test_pins_that_are_damaged_stop_what_needs_them(world: World) -> None:
    a_tap(world)
    pins_become(world, '{"known": 7}')
    for words in (("tap", "list"), ("tap", "update"), ("install", "tidy-up", "--yes")):
        assert "damaged" in world.person.skill(*words, status=8).err
    world.person.skill("list")
