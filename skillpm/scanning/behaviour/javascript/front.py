"""The front end for JavaScript and TypeScript."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from skillpm.scanning.behaviour.acts import Act, Source
from skillpm.scanning.behaviour.javascript.machine import Machine


class JavaScriptFrontEnd:
    """Says what JavaScript and TypeScript do, for Node, Deno, Bun and browsers."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in; see `FrontEnd`."""
        machine = Machine(sources)
        with contextlib.suppress(RecursionError):
            machine.main()
        return machine.ledger.acts()
