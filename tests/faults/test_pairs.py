"""Several processes on one home: some serial order of them, and nothing lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.pairs import PAIRS, Pair, Round
from faults.scenery import Scenery, scenery

PLAYED = ("install/update", "update/remove", "sync/install", "everybody installs another")
CHOSEN = [pair for pair in PAIRS if pair.name in PLAYED]


@pytest.fixture(scope="module")
def place() -> Iterator[Scenery]:
    with scenery() as found:
        yield found


@pytest.mark.parametrize("pair", CHOSEN, ids=lambda pair: pair.name)
def test_twelve_processes_at_once_lose_nothing(pair: Pair, place: Scenery) -> None:
    Round(pair, place).play(fresh=False)
