"""The front end of Python: from its sources to what they do, by the standard library's `ast`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillpm.scanning.behaviour.acts import UNREAD, Act, Source
from skillpm.scanning.behaviour.python.program import Program


class PythonFrontEnd:
    """Turns Python into acts. Nothing is executed, imported or fetched."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in; never raises, bounded in time."""
        program = Program(sources)
        program.run()
        for number in sorted(program.unread):
            yield number, UNREAD
        yield from program.machine.ledger.acts([source.path for source in sources])
