"""How often skills are looked at and used, for whoever tidies up; counted when it costs nothing.

A count may be lost: nobody waits for another process or for the disk to keep one, and where
nothing can be written nothing is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from skillpm.edges.database import Database

_VIEW = ("views = views + 1, last_viewed_at = excluded.first_at", "views, last_viewed_at")
_USE = ("uses = uses + 1, last_used_at = excluded.first_at", "uses, last_used_at")
_FAIL = ("failures = failures + 1, last_failed_at = excluded.first_at", "failures, last_failed_at")


class Used(NamedTuple):
    """What is known of one skill's use; times are ISO 8601, "" for never.

    Attributes:
        views: how often its document was read.
        uses: how often one of its files was asked for, or a script of it ran.
        failures: how often a script of it failed.
    """

    name: str
    views: int = 0
    uses: int = 0
    failures: int = 0
    first_at: str = ""
    last_viewed_at: str = ""
    last_used_at: str = ""
    last_failed_at: str = ""

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, without the name."""
        return {key: value for key, value in self._asdict().items() if key != "name"}


class Usage:
    """Reading and counting.

    Args:
        database: the state.
        now: the time as ISO 8601.
    """

    def __init__(self, database: Database, now: Callable[[], str]) -> None:
        self._database = database
        self._now = now

    def all(self) -> dict[str, Used]:
        """Every skill that was ever looked at or used, by name."""
        rows = self._database.tuples("SELECT * FROM usage ORDER BY name")
        return {row[0]: Used(*row) for row in rows}

    def viewed(self, name: str) -> None:
        """Count that the document of a skill was read."""
        self._count(name, _VIEW)

    def used(self, name: str) -> None:
        """Count that a file of a skill was asked for, or a script of it ran."""
        self._count(name, _USE)

    def failed(self, name: str) -> None:
        """Count that a script of a skill failed."""
        self._count(name, _FAIL)

    def _count(self, name: str, what: tuple[str, str]) -> None:
        change, columns = what
        now = self._now()
        self._database.jot(
            f"INSERT INTO usage (name, first_at, {columns}) VALUES (?, ?, 1, ?)"  # noqa: S608 - constants
            f" ON CONFLICT (name) DO UPDATE SET {change}",
            (name, now, now),
        )
