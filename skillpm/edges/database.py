"""The one door to SQLite: durable, migrated, and never read as empty when it is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from skillpm.edges import disk
from skillpm.errors import LockedError, StateError

WAIT_MS: Final = 60_000

Row = sqlite3.Row


class Database:
    """One SQLite file: WAL, `synchronous=FULL`, foreign keys, `user_version` migrations.

    Args:
        path: the file; made with mode 0600 in a private folder.
        migrations: scripts; the file's `user_version` says how many were applied.

    Raises:
        StateError: damaged, from a newer program, or not writable.
    """

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path = path
        with self._translated():
            self._connection = self._connect()
            self._migrate(migrations)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query.

        Raises:
            StateError: the database is damaged.
        """
        with self._translated():
            return list(self._connection.execute(sql, values))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A write transaction, taken at once so that it never fails half way.

        Raises:
            LockedError: another process writes for longer than a minute.
            StateError: damaged, full or read-only.
        """
        with self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        disk.private_folder(self.path.parent)
        if disk.entry_kind(self.path) not in ("", "file"):
            raise StateError(f"{self.path} is not a file")
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=WAIT_MS / 1000)
        connection.row_factory = sqlite3.Row
        try:
            self.path.chmod(0o600)
            connection.execute("PRAGMA journal_mode=WAL")
        except (OSError, sqlite3.OperationalError):
            connection.execute("PRAGMA query_only=ON")  # a read-only home can still be read
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _migrate(self, migrations: Sequence[str]) -> None:
        version = self._version()
        if version > len(migrations):
            raise StateError(
                f"{self.path} was written by a newer skillpm (schema {version})",
                hint="update skillpm, or set SKILL_HOME to another folder",
            )
        if version == len(migrations):
            return
        with self.transaction() as connection:
            for number in range(self._version(), len(migrations)):
                for statement in migrations[number].split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={number + 1}")

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                raise LockedError(f"another process writes {self.path}") from error
            raise StateError(f"cannot use {self.path}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise StateError(
                f"{self.path} is damaged: {error}",
                hint=f"keep a copy, move it aside, and run: skill list; the skills themselves"
                f" are in {self.path.parent / 'library'}",
            ) from error
