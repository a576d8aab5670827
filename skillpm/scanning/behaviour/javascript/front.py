"""The front end for JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillpm.scanning.behaviour.acts import UNREAD, Act, Source
from skillpm.scanning.behaviour.javascript.machine import Machine


class JavaScriptFrontEnd:
    """Says what JavaScript and TypeScript do, for Node, Deno, Bun and browsers."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in; see `FrontEnd`."""
        machine = Machine(sources)
        try:
            machine.main()
        except RecursionError:
            machine.unread.update(range(len(sources)))
        for number in sorted(machine.unread):
            yield number, UNREAD
        yield from machine.ledger.acts()
