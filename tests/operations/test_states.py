"""What is the user's own has a word for how it is so, and a flag that says to go over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from journeys.world import Person, document
from support.cli import ROOT
from support.files import build

NAME = "cut-a-release"
INSTALL = ("install", NAME)
Prepare = Callable[[Person, Path], None]


def by_hand(person: Person, _folder: Path) -> None:
    person.writes(f"{NAME}/SKILL.md", document(NAME, "By hand."))


def from_another_source(person: Person, folder: Path) -> None:
    place = build(folder / NAME, {"SKILL.md": document(NAME, "Another.")})
    person.skill("install", str(place))


def edited(person: Person, _folder: Path) -> None:
    person.skill(*INSTALL)
    person.writes(f"{NAME}/more.md", "mine")


def run_in_place(person: Person, _folder: Path) -> None:
    person.skill(*INSTALL)
    person.writes(f"{NAME}/scripts/__pycache__/tool.cpython-311.pyc", b"\xa7\r\r\n" + b"\0" * 12)


def linked(person: Person, folder: Path) -> None:
    place = build(folder / NAME, {"SKILL.md": document(NAME, "Elsewhere.")})
    (person.home / "library").mkdir(parents=True, exist_ok=True)
    (person.home / "library" / NAME).symlink_to(place)


STATES: dict[str, tuple[Prepare, tuple[str, ...], tuple[str, ...]]] = {
    "local": (by_hand, ("--replace", "--as"), (*INSTALL, "--replace")),
    "elsewhere": (from_another_source, ("--force", "--as"), (*INSTALL, "--force")),
    "edited": (edited, ("--keep-edits", "--replace"), ("update", NAME, "--replace")),
    "ran": (run_in_place, (), ("update", NAME)),
    "linked": (linked, ("--replace", "--as"), (*INSTALL, "--replace")),
}


def listed(person: Person, name: str = NAME) -> dict[str, Any]:
    """What `list` says of one."""
    (found,) = [s for s in person.json("list")["skills"] if s["name"] == name]
    return dict(found)


@pytest.mark.parametrize("state", STATES)
def test_each_state_has_its_word_and_its_flags(state: str, person: Person, tmp_path: Path) -> None:
    prepare, flags, _ = STATES[state]
    prepare(person, tmp_path)
    found = listed(person)
    assert (found["state"], tuple(found["flags"])) == (state, flags)
    shown = person.skill("list")
    assert f"\t{state}\t" in shown.out
    assert f"{state}: " in shown.err
    assert all(flag in shown.err for flag in flags)


@pytest.mark.parametrize("state", STATES)
def test_what_needs_a_flag_is_not_done_without_it_and_it_can_be_taken_back(
    state: str, person: Person, tmp_path: Path
) -> None:
    prepare, flags, words = STATES[state]
    prepare(person, tmp_path)
    before = person.kept()[0]
    if flags:
        assert flags[0] in person.error(*INSTALL, status=5)
    person.skill(*words)
    assert listed(person)["state"] == "ok"
    person.skill("undo")
    assert person.kept()[0] == before


@pytest.mark.parametrize("state", [state for state, row in STATES.items() if "--as" in row[1]])
def test_beside_it_there_is_room_under_another_name(
    state: str, person: Person, tmp_path: Path
) -> None:
    STATES[state][0](person, tmp_path)
    before = listed(person)
    person.skill(*INSTALL, "--as", "another")
    assert listed(person) == before
    assert listed(person, "another")["state"] == "ok"


def test_what_is_no_skill_is_unknown_and_no_flag_touches_it(person: Person) -> None:
    person.writes("notes.txt", "mine")
    found = listed(person, "notes.txt")
    assert (found["state"], found["flags"]) == ("unknown", [])
    person.skill(*INSTALL, "--replace", "--force")
    assert (person.home / "library/notes.txt").read_text() == "mine"


@pytest.mark.parametrize("state", [*STATES, "unknown"])
def test_the_guide_has_a_row_for_each(state: str) -> None:
    rows = (ROOT / "docs/guide.md").read_text("utf-8").splitlines()
    (row,) = [row for row in rows if row.startswith(f"| `{state}` |")]
    for flag in STATES[state][1] if state in STATES else ():
        assert flag in row


def test_what_python_compiled_is_nobodys_edit_and_nothing_that_is_trusted(person: Person) -> None:
    run_in_place(person, person.home)
    assert listed(person)["origin"] == "community"
    (seen,) = person.json("audit", "--no-network", status=6)["skills"]
    assert "compiled" in seen["remarks"][0]
    assert "UNTRUSTED" in person.skill("read", NAME).out
    person.writes(f"{NAME}/scripts/tool.py", "import os\n")
    assert listed(person)["state"] == "edited"
