"""Whoever swaps our folders for links while we work gets nothing written outside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.links import ATTACKS, Attack, Duel, canary, reason, seen_of
from faults.scenery import Scenery, scenery

PLAYED = ("install", "update", "remove", "sync")
CHOSEN = [attack for attack in ATTACKS if attack.name in PLAYED]
pytestmark = pytest.mark.skipif(bool(reason()), reason=reason() or "entries can be exchanged")


@pytest.fixture(scope="module")
def place() -> Iterator[Scenery]:
    with scenery() as found:
        yield found


@pytest.mark.parametrize("attack", CHOSEN, ids=lambda attack: attack.name)
def test_nothing_outside_changes_while_entries_are_swapped_for_links(
    attack: Attack, place: Scenery
) -> None:
    duel = Duel(attack, place)
    swaps = [duel.play(seed)[0] for seed in range(3)]
    assert sum(swaps) > 0


def test_the_canary_sings_for_content_mode_and_time(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    outside = canary(tmp_path_factory.mktemp("canary"))
    file = outside / "SKILL.md"
    for change in (lambda: file.chmod(0o600), file.touch, lambda: file.write_text("x")):
        before = seen_of(outside)
        change()
        assert seen_of(outside) != before
