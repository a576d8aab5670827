"""What is kept of one user's skills, to be looked at: reading a skill loads nothing more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from skillpm.edges import disk
from skillpm.store import reviews
from skillpm.store.library import Library
from skillpm.store.records import Records
from skillpm.store.usage import Usage

if TYPE_CHECKING:
    from skillpm.edges.database import Database


class Kept:
    """Library, records, reviews and usage; `store.transaction` is what changes skills.

    Args:
        data: the folder that holds all of it.
        database: the state.
        now: the time as ISO 8601.
    """

    def __init__(self, data: Path, database: Database, now: Callable[[], str]) -> None:
        self._data = data
        self._database = database
        self.records = Records(database)
        self.library = Library(data / "library", self.records)
        self.usage = Usage(database, now)

    def is_reviewed(self, digest: str) -> bool:
        """Whether a person looked at exactly these files."""
        return reviews.review_of(self._database, digest) is not None

    def reviewed(self) -> frozenset[str]:
        """The digests of all files that were reviewed."""
        return reviews.reviewed(self._database)

    def is_unsettled(self) -> bool:
        """Whether something was interrupted here, and must be healed before anybody looks."""
        return bool(self._database.rows("SELECT 1 FROM journal LIMIT 1") or leftovers(self._data))


def leftovers(data: Path) -> list[Path]:
    """What lies in the private work space; without the lock, perhaps another's work.

    Raises:
        StateError: the disk refuses.
    """
    staging = data / "staging"
    if disk.entry_kind(staging) != "folder":
        return []
    with disk.translated(f"read {staging}"):
        return list(staging.iterdir())
