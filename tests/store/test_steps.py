"""A step goes forward and back as often as wanted, whatever an earlier try has left where."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

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
