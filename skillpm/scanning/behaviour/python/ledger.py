"""The acts that were met so far: what is met twice at one place is one act."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from skillpm.scanning.behaviour.acts import HOLE, MAX_ACTS, MAX_TEXT, Act, Carries, Deed
from skillpm.scanning.behaviour.python.values import (
    BUILT,
    CODES,
    DECODED,
    JOINED,
    PLAIN,
    UNPACKED,
    Flow,
    both,
)

_MAX_TARGETS: Final = 200
_CODE: Final = frozenset({Deed.INTERPRET, Deed.RUN, Deed.LOAD})

Key: TypeAlias = tuple[int, Deed, int, int, str, str]
"""Number of the source, deed, start, end, target, language."""


class Ledger:
    """Collects acts; what flows into the same act on different ways is joined."""

    def __init__(self) -> None:
        self.notes = 0
        self._noted: dict[Key, tuple[Flow, frozenset[str]]] = {}
        self._per_source: Counter[tuple[int, Deed]] = Counter()
        self._per_place: Counter[tuple[int, Deed, int]] = Counter()

    def note(self, key: Key, flow: Flow, how: frozenset[str]) -> None:
        """Adds an act, or what flows into one that is known."""
        self.notes += 1
        before = self._noted.get(key)
        if before is not None:
            self._noted[key] = (both(before[0], flow), before[1] | how)
            return
        number, deed, start, _, _, _ = key
        place = (number, deed, start)
        if self._per_source[number, deed] < MAX_ACTS and self._per_place[place] < _MAX_TARGETS:
            self._per_source[number, deed] += 1
            self._per_place[place] += 1
            self._noted[key] = (flow, how)

    def acts(self, paths: list[str]) -> Iterator[tuple[int, Act]]:
        """Every act in the order of the sources and of their text."""
        noted = sorted(self._noted.items(), key=lambda item: (item[0][0], *item[0][2:4], *item[0]))
        for (number, deed, start, end, target, language), (flow, how) in noted:
            labels = flow.labels
            if deed in _CODE:
                labels |= BUILT if labels & (CODES | JOINED) else 0
                labels |= DECODED if labels & UNPACKED else 0
            here = paths[number]
            trail = tuple(replace(h, path="") if h.path == here else h for h in flow.trail)
            text = target if len(target) <= MAX_TEXT else target[: MAX_TEXT - 1] + HOLE
            yield (
                number,
                Act(
                    deed,
                    start,
                    end,
                    text,
                    Carries(labels & PLAIN),
                    flow.variables,
                    trail,
                    language,
                    how,
                ),
            )
