"""The front end for shells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillpm.scanning.behaviour.acts import MAX_SOURCE, UNREAD, Act, Source
from skillpm.scanning.behaviour.shell.ledger import Ledger
from skillpm.scanning.behaviour.shell.machine import Machine
from skillpm.scanning.behaviour.shell.scripts import Library, Script
from skillpm.scanning.behaviour.shell.words import Value


class ShellFrontEnd:
    """Says what scripts and command lines for `sh`, `bash`, `zsh` and their kin do."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in; see `FrontEnd`."""
        library = Library(sources)
        for number, source in enumerate(sources):
            if len(source.text) > MAX_SOURCE:
                continue
            library.begin(number)
            try:
                Machine(library.script(number), library).main()
            except RecursionError:
                yield number, UNREAD
        yield from library.ledger.acts()


def play(text: Value, place: Script, ledger: Ledger, files: dict[str, Value]) -> Value:
    """Notes what a text does that code of another language hands to a shell.

    What it prints goes to that code, and is returned.

    Args:
        text: the commands, with what flowed into their unknown parts.
        place: where all acts are noted.
        ledger: for the acts.
        files: what the code wrote to files before.
    """
    library = Library([], ledger)
    library.allow(len(text.text))
    body = library.statements(text.text)
    machine = Machine(Script(place.number, place.path, body, place.span, text), library)
    machine.state.files.update(files)
    return machine.captured()
