"""What was seen when files were last read: derived, and made anew whenever it is not right.

Two things are kept. A scan's report, under the digest of the files and the rules that were used:
whoever asks has just computed that digest from the bytes, and a row that was damaged or put under
another digest does not carry its own sum. And for `list` alone a stamp, what the system says of
each file without reading it (size, times, mode, inode), with the digest that the bytes had then.
Nothing that decides about trust asks for stamps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from skillpm.edges import folders
from skillpm.edges.database import Database
from skillpm.errors import StateError

if TYPE_CHECKING:
    from skillpm.model.finding import ScanReport

NAME: Final = "looked.db"
MIGRATIONS: Final = (
    """
    CREATE TABLE reports (
        digest TEXT NOT NULL,
        rules TEXT NOT NULL,
        body TEXT NOT NULL,
        sum TEXT NOT NULL,
        PRIMARY KEY (digest, rules)
    ) STRICT;
    CREATE TABLE stamps (
        name TEXT PRIMARY KEY,
        digest TEXT NOT NULL,
        paths TEXT NOT NULL,
        stamp TEXT NOT NULL,
        summary TEXT NOT NULL
    ) STRICT
    """,
    """
    DELETE FROM stamps;
    ALTER TABLE stamps ADD COLUMN requirements TEXT NOT NULL DEFAULT ''
    """,
)


class Stamp(NamedTuple):
    """A place of the library as it was when its bytes were last read.

    Attributes:
        paths: of the place itself, its folders and files, below the library; a line each.
        stamp: what the system said of each of them.
        summary: what the document said of itself.
        requirements: what it said that it needs, as `Requirements.as_text` writes it.
    """

    digest: str
    paths: str
    stamp: str
    summary: str
    requirements: str = ""


class Looked:
    """The file of it; a damaged one is made anew, and one that cannot be written is done without.

    Args:
        data: the folder of our state.
    """

    def __init__(self, data: Path) -> None:
        self._path = data / NAME

    def reports(self, rules: str) -> dict[str, tuple[str, str]]:
        """Every kept row of those rules, for `report_of`, by digest."""
        found = self._rows("SELECT digest, body, sum FROM reports WHERE rules = ?", rules)
        return {digest: (body, total) for digest, body, total in found}

    def keep_reports(self, rules: str, reports: Mapping[str, ScanReport]) -> None:
        """Keep reports by digest; those of other rules are let go of."""
        from skillpm.formats.report import report_text  # who lists skills scans nothing

        bodies = {digest: report_text(report) for digest, report in reports.items()}
        self._write(
            "DELETE FROM reports WHERE rules != ?", [(rules,)] if bodies else [],
            "INSERT OR REPLACE INTO reports VALUES (?,?,?,?)",
            [(digest, rules, body, _sum(digest, rules, body)) for digest, body in bodies.items()],
        )  # fmt: skip

    def stamps(self) -> dict[str, Stamp]:
        """Every kept stamp, by the name of the skill."""
        found = self._rows("SELECT name, digest, paths, stamp, summary, requirements FROM stamps")
        return {name: Stamp(*rest) for name, *rest in found}

    def keep_stamps(self, stamps: Mapping[str, Stamp], gone: Iterable[str] = ()) -> None:
        """Keep stamps by name, and let go of those of skills that are no more."""
        self._write(
            "DELETE FROM stamps WHERE name = ?", [(name,) for name in gone],
            "INSERT OR REPLACE INTO stamps VALUES (?,?,?,?,?,?)",
            [(name, *stamp) for name, stamp in stamps.items()],
        )  # fmt: skip

    @cached_property
    def _database(self) -> Database | None:
        """Opened when it is asked: where our state is damaged, nothing is made beside it."""
        try:
            return Database(self._path, MIGRATIONS)
        except StateError:
            return self._anew()

    def _anew(self) -> Database | None:
        try:
            for tail in ("", "-wal", "-shm"):
                folders.remove_entry(self._path.with_name(NAME + tail))
            return Database(self._path, MIGRATIONS)
        except StateError:
            return None

    def _rows(self, sql: str, *values: str) -> list[tuple[str, ...]]:
        if self._database is None:
            return []
        try:
            return self._database.tuples(sql, values)
        except StateError:
            self._database.close()
            self._database = self._anew()
            return []

    def _write(
        self, drop: str, gone: list[tuple[str]], put: str, new: list[tuple[str, ...]]
    ) -> None:
        if self._database is None or not (gone or new):
            return
        try:
            with self._database.transaction() as connection:
                connection.executemany(drop, gone)
                connection.executemany(put, new)
        except StateError:
            return  # the next command reads the bytes again


def report_of(digest: str, rules: str, row: tuple[str, str] | None) -> ScanReport | None:
    """The report in a row of `Looked.reports`; None when it is not what was kept for that digest.

    Args:
        digest: of the bytes as they are now.
        rules: what they would be scanned with.
        row: the body and its sum; None for no row.
    """
    if row is None or row[1] != _sum(digest, rules, row[0]):
        return None
    from skillpm.formats.report import report_from

    try:
        return report_from(row[0])
    except ValueError:
        return None


def _sum(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
