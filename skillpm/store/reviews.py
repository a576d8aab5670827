"""Who reviewed which files, which sources are trusted, and when a revision was first seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skillpm.edges.database import Database, Row
    from skillpm.store.history import History


class Review(NamedTuple):
    """One person's word that they looked at exactly these files."""

    name: str
    digest: str
    by: str
    at: str


class Trusted(NamedTuple):
    """A source whose skills come in without a question."""

    source: str
    by: str
    at: str


class Reviews:
    """Reading and writing them; each change stands in the log, in the same step.

    Args:
        database: the state.
        history: whose log it is.
        now: the time as ISO 8601.
    """

    def __init__(self, database: Database, history: History, now: Callable[[], str]) -> None:
        self._database = database
        self._history = history
        self._now = now

    def of(self, digest: str) -> Review | None:
        """The newest review of these very files, under whatever name, or None."""
        return review_of(self._database, digest)

    def last(self, name: str) -> Review | None:
        """The newest review of any files of a skill, or None."""
        rows = self._database.rows(
            "SELECT * FROM reviews WHERE name = ? ORDER BY id DESC LIMIT 1", (name,)
        )
        return _review(rows[0]) if rows else None

    def digests(self) -> frozenset[str]:
        """Of all files that were reviewed."""
        return reviewed(self._database)

    def newest(self) -> dict[str, Review]:
        """The newest review of all files that were reviewed, by their digest."""
        rows = self._database.rows("SELECT * FROM reviews ORDER BY id")
        return {row["digest"]: _review(row) for row in rows}

    def mark(self, name: str, digest: str, by: str) -> None:
        """Write down that somebody reviewed these files.

        Raises:
            StateError: the disk refuses.
        """
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM reviews WHERE name = ? AND digest = ?", (name, digest))
            connection.execute(
                "INSERT INTO reviews (name, digest, by, at) VALUES (?,?,?,?)",
                (name, digest, by, self._now()),
            )
            self._history.event(
                connection, "review", name, {"digest": digest, "by": by}, self._now()
            )

    def trusted(self) -> tuple[Trusted, ...]:
        """The trusted sources, by name."""
        rows = self._database.rows("SELECT * FROM trusted ORDER BY source")
        return tuple(Trusted(row["source"], row["by"], row["at"]) for row in rows)

    def trust(self, source: str, by: str) -> None:
        """Trust a source from now on.

        Raises:
            StateError: the disk refuses.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO trusted (source, by, at) VALUES (?,?,?)",
                (source, by, self._now()),
            )
            self._history.event(connection, "trust", source, {"by": by}, self._now())

    def distrust(self, source: str) -> None:
        """Trust a source no longer.

        Raises:
            StateError: the disk refuses.
        """
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM trusted WHERE source = ?", (source,))
            self._history.event(connection, "distrust", source, {}, self._now())

    def first_seen(self, source: str, revision: str) -> str:
        """When this machine first saw a revision of a source; now, when it never did.

        Raises:
            StateError: the disk refuses.
        """
        key = (source, revision)
        query = "SELECT at FROM seen WHERE source = ? AND revision = ?"
        rows = self._database.rows(query, key)
        if rows:
            return str(rows[0]["at"])
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO seen (source, revision, at) VALUES (?,?,?)",
                (*key, self._now()),
            )
        return str(self._database.rows(query, key)[0]["at"])


def review_of(database: Database, digest: str) -> Review | None:
    """The newest review of these very files, under whatever name, or None."""
    query = "SELECT * FROM reviews WHERE digest = ? ORDER BY id DESC LIMIT 1"
    rows = database.rows(query, (digest,))
    return _review(rows[0]) if rows else None


def reviewed(database: Database) -> frozenset[str]:
    """The digests of all files that were reviewed."""
    return frozenset(row["digest"] for row in database.rows("SELECT digest FROM reviews"))


def _review(row: Row) -> Review:
    return Review(row["name"], row["digest"], row["by"], row["at"])
