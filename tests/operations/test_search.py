"""Searching: ranking, typos, filters, pages, and what a registry that is silent leaves behind."""

from __future__ import annotations

import json
from typing import Any

from journeys.world import Person, World, document
from support.archives import zip_of
from support.exchange import Reply


def tap_of(world: World, entries: dict[str, dict[str, Any]], place: str = "team/skills") -> None:
    """A tap with those entries, added."""
    for name, entry in entries.items():
        entry.setdefault("source", f"https://github.com/team/{name}")
    world.git.repo(place).commit({"skills_registry.json": json.dumps(entries)})
    world.person.skill("tap", "add", place)


def names(person: Person, *words: str) -> list[str]:
    return [skill["reference"] for skill in person.json("search", *words)["skills"]]


def test_the_name_comes_before_names_with_the_word_and_those_before_descriptions(
    world: World,
) -> None:
    tap_of(
        world,
        {
            "notes": {"description": "Write about a deploy."},
            "deploy": {"description": "Ship it."},
            "quick-deploy": {"description": "Ship it fast."},
        },
    )
    assert names(world.person, "deploy") == ["team/deploy", "team/quick-deploy", "team/notes"]


def test_the_start_of_a_word_is_enough(person: Person) -> None:
    assert "read-pdf" in names(person, "rea", "pd")


def test_a_typo_is_corrected_and_that_is_said(person: Person) -> None:
    done = person.skill("search", "relaese")
    assert "cut-a-release" in done.out
    assert "this is for 'release'" in done.err
    assert person.json("search", "relaese")["corrected"] == "release"


def test_nothing_found_is_an_empty_answer_and_no_error(person: Person) -> None:
    assert person.json("search", "zzzzqqqqxxxx")["skills"] == []
    assert "no skill matches" in person.skill("search", "zzzzqqqqxxxx").err


def test_filters_by_trust_registry_and_tag(world: World) -> None:
    tap_of(
        world,
        {
            "tidy-up": {"description": "A script.", "tags": ["cleaning", "home"]},
            "dust": {"description": "A script.", "tags": "cleaning"},
        },
    )
    person = world.person
    assert names(person, "script", "--trust", "builtin") == ["write-a-script"]
    assert names(person, "script", "--source", "tap") == ["team/dust", "team/tidy-up"]
    assert names(person, "--source", "tap:team", "--tag", "home") == ["team/tidy-up"]
    assert set(names(person, "--tag", "cleaning")) == {"team/dust", "team/tidy-up"}


def test_pages_follow_each_other_and_the_next_one_is_named(person: Person) -> None:
    everything = names(person)
    first = person.skill("search", "--limit", "5")
    assert "--page 2" in first.err
    paged = [n for page in "123" for n in names(person, "--limit", "5", "--page", page)]
    assert paged == everything


def test_a_changed_tap_is_found_by_its_new_entries_and_not_by_its_old(world: World) -> None:
    tap_of(world, {"tidy-up": {"description": "Tidy."}})
    assert names(world.person, "tidy") == ["team/tidy-up"]
    entries = {"sweep": {"source": "https://github.com/team/sweep", "description": "Sweep."}}
    world.git.repo("team/skills").commit({"skills_registry.json": json.dumps(entries)})
    assert names(world.person, "tidy") == []
    assert names(world.person, "sweep") == ["team/sweep"]


def test_a_removed_tap_is_forgotten(world: World) -> None:
    tap_of(world, {"tidy-up": {"description": "Tidy."}})
    assert names(world.person, "tidy") == ["team/tidy-up"]
    world.person.skill("tap", "remove", "team")
    assert names(world.person, "tidy") == []


def test_a_silent_tap_is_said_and_searched_as_it_was(world: World) -> None:
    tap_of(world, {"tidy-up": {"description": "Tidy."}})
    assert names(world.person, "tidy") == ["team/tidy-up"]
    world.git.on_request(lambda _: Reply.text("down", status=500))
    done = world.person.skill("search", "tidy")
    assert "team/tidy-up" in done.out
    assert "the tap team did not answer" in done.err


def test_what_a_hub_said_is_known_when_it_is_silent_and_forgotten_when_it_says_otherwise(
    world: World,
) -> None:
    world.hub.publish("@jane/tidy-up", "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
    assert names(world.person, "tidy") == ["@jane/tidy-up"]
    silent = {"SKILL_HUB": world.hub.url, "SKILL_SEARCH_SECONDS": "0.5"}
    world.hub.on("/api/v1/search", lambda _: Reply.text("down", status=500))
    done = world.person.skill("search", "tidy", env=silent)
    assert "@jane/tidy-up" in done.out
    assert "did not answer" in done.err
    world.hub.on("/api/v1/search", lambda _: Reply.json({"items": [], "nextCursor": None}))
    assert names(world.person, "tidy") == []


def test_a_damaged_index_is_made_anew(person: Person) -> None:
    assert names(person, "release")
    (person.home / "index.db").write_bytes(b"garbage" * 100)
    assert "cut-a-release" in names(person, "release")


def test_odd_words_are_words(person: Person) -> None:
    for words in ('"', "NEAR(a b)", "a* OR b", "^x", "-x", "name:x", "\N{PILE OF POO}", "'"):
        person.skill("search", "--", words)
