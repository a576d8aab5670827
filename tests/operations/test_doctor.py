"""What is wrong is found, with what to do; what is right is not complained about."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable

import pytest
from journeys.world import Person, document
from support.cli import environment, user_home
from support.files import build


def signs(person: Person, status: int, **how: object) -> list[dict[str, str]]:
    """What `doctor` finds beyond what is as it should be."""
    found = person.json("doctor", status=status, **how)["signs"]
    return [sign for sign in found if sign["state"] == "wrong"]


def test_a_fresh_machine_is_well(person: Person) -> None:
    assert signs(person, 0) == []
    person.skill("install", "cut-a-release")
    assert signs(person, 0) == []


def edited(person: Person) -> None:
    person.writes("cut-a-release/SKILL.md", document("cut-a-release", "Mine."))


def open_to_others(person: Person) -> None:
    person.home.chmod(0o755)


def without_store(person: Person) -> None:
    shutil.rmtree(person.home / "store")


def altered_log(person: Person) -> None:
    with sqlite3.connect(person.home / "state.db") as connection:
        connection.execute("UPDATE events SET name = 'another'")


def loose_rows(person: Person) -> None:
    with sqlite3.connect(person.home / "state.db") as connection:
        connection.execute("INSERT INTO files VALUES ('nobody', 'a', 'b', 1, '100644')")


def no_settings(person: Person) -> None:
    (person.home / "config.toml").write_text("[search]\nseconds = 'long'\n")


def unknown_agent(person: Person) -> None:
    (person.home / "config.toml").write_text('[agents]\nlink = ["nobody-knows"]\n')


CASES: dict[str, tuple[Callable[[Person], None], str, str]] = {
    "an edited skill": (edited, "library", "skill diff cut-a-release"),
    "a folder open to others": (open_to_others, "folders", "chmod 700"),
    "a store without a tree": (without_store, "state", "--replace"),
    "an altered log": (altered_log, "state", "skill log"),
    "rows that belong to nothing": (loose_rows, "state", "backup"),
    "settings that cannot be": (no_settings, "settings", ""),
    "an agent that is none": (unknown_agent, "settings", "skill agents list"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_told_with_the_way_out(case: str, person: Person) -> None:
    spoil, what, remedy = CASES[case]
    person.skill("install", "cut-a-release")
    spoil(person)
    found = signs(person, 1)
    assert [sign for sign in found if sign["what"] == what and remedy in sign["remedy"]], found


def test_a_damaged_state_spoils_no_other_finding(person: Person) -> None:
    person.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    (person.home / "state.db").write_bytes(b"no database" * 500)
    found = person.json("doctor", status=1)["signs"]
    assert {"program", "git", "folders"} <= {s["what"] for s in found if s["state"] != "wrong"}
    assert any(s["what"] == "state" and s["state"] == "wrong" for s in found)


def test_another_program_of_that_name_is_told(person: Person) -> None:
    folder = build(user_home(person.home) / "bin", {"skill": "#!/bin/sh\n"})
    (folder / "skill").chmod(0o755)
    path = environment(person.home, {})["PATH"]
    (sign,) = signs(person, 1, env={"PATH": f"{folder}:{path}"})
    assert str(folder) in sign["told"]
    assert "skillpm" in sign["remedy"]


def test_what_a_skill_needs_is_a_note(person: Person) -> None:
    person.home.mkdir(parents=True, mode=0o700)
    head, body = document("deploy").split("\n---\n", 1)
    needs = "\nmetadata:\n  requires:\n    env: [A_KEY_THAT_IS_NOT_SET]\n---\n"
    person.writes("deploy/SKILL.md", head + needs + body)
    found = person.json("doctor")["signs"]
    assert [s["told"] for s in found if s["what"] == "needs"] == [
        "deploy needs A_KEY_THAT_IS_NOT_SET"
    ]
