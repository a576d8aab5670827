"""The scripts of a skill, what they share, and the acts that were found in them."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, MAX_SOURCE, Source
from skillpm.scanning.behaviour.shell.grammar import Statement
from skillpm.scanning.behaviour.shell.ledger import Ledger
from skillpm.scanning.behaviour.shell.reading import read
from skillpm.scanning.behaviour.shell.words import EMPTY, Value

REPEATS: Final = 4_000
REPEATS_PER_KILOBYTE: Final = 100
"""How many statements of a script are run that were run before; first runs are not counted."""

MAX_VISITS: Final = 16
"""A statement is run so often, and four times that when data flows into the function it is in."""

PLAYED: Final = 200_000
"""So many characters of texts are run that a script puts together or decodes."""


@dataclass(frozen=True, slots=True)
class Script:
    """A text that is run.

    Attributes:
        number: of the source that its acts are noted for.
        path: of that source.
        body: its statements.
        span: where in the source all acts lie, for a text that does not stand there itself.
        holes: what flowed into the unknown parts of such a text.
    """

    number: int
    path: str
    body: Sequence[Statement] = ()
    span: tuple[int, int] | None = None
    holes: Value = EMPTY


class Library:
    """All scripts of a skill."""

    def __init__(self, sources: Sequence[Source], ledger: Ledger | None = None) -> None:
        self._sources = sources
        self._scripts: dict[int, Script] = {}
        self._texts: dict[str, Sequence[Statement]] = {}
        self.ledger = ledger or Ledger([source.path for source in sources])
        self._visits: dict[int, int] = {}
        self._repeats = 0
        self._played = 0
        self._paths = {
            posixpath.normpath(source.path): number
            for number, source in enumerate(sources)
            if source.whole and source.path
        }

    def script(self, number: int) -> Script:
        """The script of a source."""
        if number not in self._scripts:
            source = self._sources[number]
            body = read(source.text) if len(source.text) <= MAX_SOURCE else []
            self._scripts[number] = Script(number, source.path, body)
        return self._scripts[number]

    def begin(self, number: int) -> None:
        """Gives a script what it may spend."""
        self.allow(len(self._sources[number].text))

    def allow(self, size: int) -> None:
        """Gives a text of that size what it may spend."""
        self._visits = {}
        self._repeats = REPEATS + size * REPEATS_PER_KILOBYTE // 1000
        self._played = PLAYED + size

    def visit(self, statement: Statement, *, urgent: bool) -> bool:
        """Whether a statement may be run, which its first time it always may."""
        visits = self._visits.get(id(statement), 0)
        self._visits[id(statement)] = visits + 1
        if not visits:
            return True
        self._repeats -= 1
        return self._repeats >= 0 and visits < (MAX_VISITS * 4 if urgent else MAX_VISITS)

    def statements(self, text: str) -> Sequence[Statement]:
        """The statements of a text that is not a source; none when too much was played."""
        self._played -= len(text)
        if self._played < 0:
            return ()
        if text not in self._texts:
            self._texts[text] = read(text)
        return self._texts[text]

    def find(self, path: str, near: str) -> Script | None:
        """The script that a path names, seen from the folder of another or from the top."""
        if not self._paths or not path:
            return None
        tail = path.rpartition(HOLE)[2].lstrip("/")
        for name in (posixpath.join(posixpath.dirname(near), path), path):
            number = self._paths.get(posixpath.normpath(name))
            if number is not None:
                return self.script(number)
        if HOLE in path and tail:
            ends = [n for p, n in self._paths.items() if p == tail or p.endswith("/" + tail)]
            if len(ends) == 1:
                return self.script(ends[0])
        return None
