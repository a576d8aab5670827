"""The acts that were found, each once, with all that flows into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from skillpm.scanning.behaviour.acts import MAX_ACTS, Act, Deed, Hop

MAX_TRAIL: Final = 8


class Ledger:
    """The acts of several sources."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._found: dict[tuple[int, str, int, str, str], Act] = {}
        self._counts: Counter[tuple[int, Deed]] = Counter()

    def record(self, number: int, act: Act) -> None:
        """Notes an act of a source; one that is there already takes up what else flows into it."""
        key = (number, act.deed.value, act.start, act.target, act.language)
        known = self._found.get(key)
        if known is None:
            self._counts[number, act.deed] += 1
            if self._counts[number, act.deed] <= MAX_ACTS:
                trail = self._here(act.trail, number)
                self._found[key] = replace(act, trail=trail) if trail != act.trail else act
        elif (known.carries, known.how, known.variables) != (act.carries, act.how, act.variables):
            self._found[key] = replace(
                known,
                carries=known.carries | act.carries,
                variables=known.variables | act.variables,
                how=known.how | act.how,
                trail=max(known.trail, self._here(act.trail, number), key=len),
            )

    def acts(self) -> Iterator[tuple[int, Act]]:
        """All acts, in the order of the sources and of their places."""
        order = sorted(self._found.items(), key=lambda item: (item[0][0], item[1].start))
        return ((key[0], act) for key, act in order)

    def _here(self, trail: tuple[Hop, ...], number: int) -> tuple[Hop, ...]:
        """A trail without the name of the file that the act itself is in."""
        if not trail:
            return trail
        own = self._paths[number]
        hops = (Hop(hop.start, hop.words) if hop.path == own else hop for hop in trail)
        return tuple(dict.fromkeys(hops))[-MAX_TRAIL:]
