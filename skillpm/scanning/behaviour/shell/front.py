"""The front end for shells."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from skillpm.scanning.behaviour.acts import MAX_SOURCE, Act, Source
from skillpm.scanning.behaviour.shell.machine import Machine
from skillpm.scanning.behaviour.shell.scripts import Library


class ShellFrontEnd:
    """Says what scripts and command lines for `sh`, `bash`, `zsh` and their kin do."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in; see `FrontEnd`."""
        library = Library(sources)
        for number, source in enumerate(sources):
            if len(source.text) > MAX_SOURCE:
                continue
            library.begin(number)
            with contextlib.suppress(RecursionError):
                Machine(library.script(number), library).main()
        return library.acts()
