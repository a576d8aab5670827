"""A step goes forward and back as often as wanted, whatever an earlier try has left where."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from skillpm.errors import StateError
from skillpm.model.tree import Tree
from skillpm.store import steps
from skillpm.store.steps import Content, Step

ONE, TWO = Tree.single(b"one"), Tree.single(b"two")
CONTENTS: tuple[Content, ...] = (None, ONE, TWO, b"a file")


@pytest.mark.parametrize(("old", "new"), [p for p in product(CONTENTS, repeat=2) if p[0] != p[1]])
def test_a_step_that_was_taken_back_can_be_done_again(
    old: Content, new: Content, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    first = Step(str(place), str(tmp_path / "first"), "", steps.mark_of(old))
    steps.stage(first, old)
    steps.forward(first)
    step = Step(str(place), str(tmp_path / "room"), steps.mark_of(old), steps.mark_of(new))
    steps.stage(step, new)
    for _ in range(3):
        steps.forward(step)
        assert steps.mark(place) == step.new
        steps.back(step)
        assert steps.mark(place) == step.old


ROOM = "tmp-0123456789abcdef"


@pytest.mark.parametrize("room", [f"/h/staging/{ROOM}", f"/p/.skill-{ROOM}"])
def test_rooms_of_ours_are_read_back_from_the_journal(room: str) -> None:
    step = Step("/p/x", room, "", "sha256:0")
    assert steps.from_json(steps.as_json([step])) == [step]


@pytest.mark.parametrize(
    "room",
    [
        "/home/me", f"/h/{ROOM}", f"/elsewhere/.skill-{ROOM}", f"/p/{ROOM}", "/h/staging/tmp-1", "",
        f"staging/{ROOM}", f"/h/../staging/{ROOM}", "/h/staging", f"/h/staging/{ROOM}/..",
    ],
)  # fmt: skip
def test_a_room_that_we_never_made_is_damage_and_is_not_cleared(room: str) -> None:
    with pytest.raises(StateError, match="no work space of ours"):
        steps.from_json(steps.as_json([Step("/p/x", room, "", "")]))


def test_the_rooms_that_are_made_are_ours(tmp_path: Path) -> None:
    for place in (tmp_path / "library" / "x", tmp_path.parent / "project" / "skills.lock"):
        room = steps.room_for(place, tmp_path)
        step = Step(str(place), str(room), "", "")
        assert steps.from_json(steps.as_json([step])) == [step]
