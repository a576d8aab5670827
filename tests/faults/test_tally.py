"""Counts are of what was really played, and each failure is counted once, as what it is."""

from __future__ import annotations

import pytest

from faults.__main__ import KINDS, main
from faults.tally import PointError, Tally, demand, spread, table


def raising(error: Exception) -> bool:
    raise error


WRONG = {
    "lost": PointError("lost", "it is gone"),
    "mixed": PointError("mixed", "half of it"),
    "tracebacks": AssertionError("status 70\nTraceback (most recent call last)"),
    "other": OSError(5, "Input/output error"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_went_wrong_is_counted_as_what_it_is(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally("kill")
    tally.play("install", 1, lambda: True)
    tally.play("install", 2, lambda: raising(WRONG[kind]))
    assert (tally.points, tally.failures, dict(tally.wrong)) == (2, 1, {kind: 1})
    assert f"FAILED kill, install, 2: {WRONG[kind]}" in capsys.readouterr().out


def test_a_point_that_was_not_reached_does_not_count() -> None:
    tally = Tally("kill")
    tally.play("install", 1, lambda: False)
    tally.play("install", 2, lambda: None)
    assert tally.points == 1


def test_the_table_has_a_line_for_each_set(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = Tally("power"), Tally("pairs")
    for flow in ("install", "update"):
        good.play(flow, 1, lambda: True)
    bad.play("install/remove", 1, lambda: demand(0, "lost", "a record"))
    head, *lines = table([(good, 61.2), (bad, 0.4)]).split("\n")
    assert head.split() == [
        "set", "flows", "points", "lost", "mixed", "tracebacks", "other", "seconds"
    ]  # fmt: skip
    assert lines[0].split() == ["power", "2", "2", "0", "0", "0", "0", "61"]
    assert lines[1].split() == ["pairs", "1", "1", "1", "0", "0", "0", "0"]


@pytest.mark.parametrize(("words", "status"), [(["--help"], 0), (["--ful"], 2)])
def test_the_program_tells_its_sets(
    words: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    told = capsys.readouterr().out
    assert all(kind in told for kind in KINDS)


@pytest.mark.parametrize(("count", "most", "numbers"), [
    (0, 3, []), (2, 3, [1, 2]), (9, 1, [1]), (9, 2, [1, 9]), (9, 3, [1, 5, 9]),
])  # fmt: skip
def test_numbers_are_spread_from_the_first_to_the_last(
    count: int, most: int, numbers: list[int]
) -> None:
    assert spread(count, most) == numbers
