"""A file of ours that was cut off is told, fetched again or mended; it is never read as empty."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from journeys.world import document

from faults.scenery import scenery
from faults.truncate import Desk, cuts_of, kind_of

CUT = {
    "skillhome/state.db": (2,),
    "skillhome/library/tidy-up/SKILL.md": (2,),
    "skillhome/cache/git/objects/pack": (2,),
    "user/app/skills.lock": (0,),
}
"""Kinds of files, and by how much they are cut: to nothing, to one byte, in half, but one."""


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with scenery() as place:
        yield Desk(place, place.leaflet("leaflet", document("leaflet")))


@pytest.mark.parametrize("kind", CUT)
def test_what_was_cut_off_is_never_read_as_empty(kind: str, desk: Desk) -> None:
    file = next(file for file in desk.files("settled") if kind_of(file) == kind)
    sizes = (0, 1, desk.size(file) // 2, desk.size(file) - 1)
    for number in CUT[kind]:
        desk.play("settled", file, sizes[number])


def test_a_log_that_was_cut_off_leaves_every_skill(desk: Desk) -> None:
    file = "skillhome/state.db-wal"
    assert file in desk.files("with a log")
    desk.play("with a log", file, desk.size(file) // 2)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_cuts_are_shorter_than_the_file_and_include_nothing(size: int) -> None:
    cuts = cuts_of(size, random.Random(1), 3)  # noqa: S311 - a game of chance
    assert 0 in cuts
    assert size - 1 in cuts
    assert max(cuts) < size
