"""The one door to SQLite: durable, migrated, and never read as empty when it is damaged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from skillpm.edges import disk, folders
from skillpm.errors import LockedError, StateError

WAIT_MS: Final = 60_000
_BRIEFLY_MS: Final = 50

_LEAST: Final = 512

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

    def tuples(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query that gives thousands, without the names of their columns.

        Raises:
            StateError: the database is damaged.
        """
        with self._translated():
            cursor = self._connection.cursor()
            cursor.row_factory = None
            return list(cursor.execute(sql, values))

    def faults(self) -> list[str]:
        """What SQLite finds wrong when it reads the whole file; [] for nothing.

        Raises:
            StateError: it cannot be read at all.
        """
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check(20)")]
        loose = {str(row[0]) for row in self.rows("PRAGMA foreign_key_check")}
        found += [f"rows of {table} belong to nothing" for table in sorted(loose)]
        return [fault for fault in found if fault != "ok"]

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
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # SQLite may have rolled back by itself
                    self._connection.execute("ROLLBACK")
                raise

    def jot(self, sql: str, values: Sequence[Any] = ()) -> bool:
        """Write what may be lost, without waiting: not long for another process, not for the disk.

        False when it was not written: somebody else writes, the disk refuses, or the file may only
        be read.
        """
        try:
            self._connection.execute(f"PRAGMA busy_timeout={_BRIEFLY_MS}")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(sql, values)
        except sqlite3.Error:
            return False
        finally:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute(f"PRAGMA busy_timeout={WAIT_MS}")
                self._connection.execute("PRAGMA synchronous=FULL")
        return True

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        folders.private_folder(self.path.parent)
        kind = disk.entry_kind(self.path)
        if kind not in ("", "file"):
            raise StateError(f"{self.path} is not a file")
        if not kind:
            self._create()
        elif self._is_cut() and self._is_cut():  # twice: another process may just have closed it
            raise sqlite3.DatabaseError("it is empty or cut off")
        connection = sqlite3.connect(
            self._uri(), uri=True, isolation_level=None, timeout=WAIT_MS / 1000
        )
        connection.row_factory = sqlite3.Row
        try:
            self.path.chmod(0o600)
            _use_wal(connection)
        except (OSError, sqlite3.OperationalError):
            connection.execute("PRAGMA query_only=ON")  # a read-only home can still be read
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _create(self) -> None:
        """Let a new file appear whole, in one step: an empty one is then always damage."""
        folder = folders.new_folder(self.path.parent / "staging")
        try:
            with contextlib.closing(sqlite3.connect(folder / self.path.name)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
            folders.place(folder / self.path.name, self.path)
        except (StateError, sqlite3.Error):
            if not disk.entry_kind(self.path):  # else another process was faster
                raise
        folders.remove_entry(folder)

    def _is_cut(self) -> bool:
        """Whether the end is missing: SQLite reads such a file as new, or as zeros.

        Format: <https://www.sqlite.org/fileformat2.html>, the database header.
        """
        log = self.path.with_name(f"{self.path.name}-wal")
        if disk.entry_kind(log):
            return False  # what is missing may stand in the log
        with disk.translated(f"read {self.path}"), self.path.open("rb") as file:
            head, size = file.read(100), os.fstat(file.fileno()).st_size
        page = int.from_bytes(head[16:18], "big")
        pages = int.from_bytes(head[28:32], "big") if head[24:28] == head[92:96] else 0
        return size < _LEAST or (page >= _LEAST and bool(size % page or size < page * pages))

    def _uri(self) -> str:
        """The file; in a folder that only may be read, without the helpers SQLite would make."""
        uri = self.path.absolute().as_uri()
        helper = self.path.with_name(f"{self.path.name}-wal")
        if os.access(self.path.parent, os.W_OK) or disk.entry_kind(helper):
            return uri
        return f"{uri}?mode=ro&immutable=1"

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


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; here SQLite does not wait for another process by itself."""
    deadline = time.monotonic() + WAIT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
