"""Whatever bytes stand where we read: a status from the table, words, and nothing else touched."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.bending import WRITTEN, bent
from faults.malformed import JOURNAL, Bench, bench, of_rows

GOOD = b'{"version": 1, "skills": {"x": {"source": "o/r"}}}\n'
PLAYED = ("state.db", "skills.lock", "SKILL.md", "x.zip", "tap.json", "registry.json")
STATEMENTS = (
    "UPDATE installs SET source = char(27) || '[31m'",
    f"""{JOURNAL} VALUES ('', '', 2, '[["OTHER/a","OTHER/b","",""]]', '[]', 0)""",
)


@pytest.fixture(scope="module")
def place() -> Iterator[Bench]:
    with bench() as found:
        yield found


def test_malformed_input_ends_as_documented(place: Bench) -> None:
    played = 0
    for kind in place.kinds():
        if kind.name in PLAYED:
            place.play(kind, WRITTEN["an escape"])
            place.play(kind, bent(kind.good, played))
            played += 1
    assert played == len(PLAYED)


@pytest.mark.parametrize("statement", STATEMENTS, ids=["an escape", "a room of somebody else's"])
def test_a_hostile_row_ends_as_documented(statement: str, place: Bench) -> None:
    place.play(of_rows(place, statement), b"")


def test_the_same_seed_bends_the_same_way_and_most_seeds_bend() -> None:
    bends = {seed: bent(GOOD, seed) for seed in range(200)}
    assert bends == {seed: bent(GOOD, seed) for seed in range(200)}
    assert sum(data != GOOD for data in bends.values()) > 180
    assert len(set(bends.values())) > 150


def test_nothing_at_all_can_be_bent_too() -> None:
    for seed in range(200):
        bent(b"", seed)
