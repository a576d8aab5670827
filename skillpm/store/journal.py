"""The journal: which places an operation changes, until it is done and cleared away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from skillpm.store import steps
from skillpm.store.history import Effect, effects_text
from skillpm.store.steps import Step

if TYPE_CHECKING:
    import sqlite3

    from skillpm.edges.database import Database, Row

DONE: Final = 2
"""What `ready` says of a row that only waits for its rooms to be cleared; 1 is staged, 0 begun."""


class Journal:
    """Reading and writing the rows of unfinished operations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(self) -> list[Row]:
        """Every row, the oldest first."""
        return list(self._database.rows("SELECT * FROM journal ORDER BY id"))

    def begin(
        self, command: str, at: str, todo: Sequence[Step], effects: Sequence[Effect], undoes: int
    ) -> int:
        """Say what will change, before anything does; returns the number of the row."""
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO journal (at, command, ready, steps, effects, undoes)"
                " VALUES (?,?,0,?,?,?)",
                (at, command, steps.as_json(todo), effects_text(effects), undoes),
            )
            return int(cursor.lastrowid or 0)

    def ready(self, row: int) -> None:
        """Say that everything is staged."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE journal SET ready = 1 WHERE id = ?", (row,))

    def waits(self, row: int) -> bool:
        """Whether an operation is neither recorded nor taken back."""
        query = "SELECT 1 FROM journal WHERE id = ? AND ready <> ?"
        return bool(self._database.rows(query, (row, DONE)))

    def close(self, connection: sqlite3.Connection, row: int, effects: Sequence[Effect]) -> None:
        """Say that it is done, with the connection that records it.

        A row whose rooms may lie outside our own folder stays until they are gone: nothing else
        tells where they are.
        """
        if any(effect.place for effect in effects):
            connection.execute("UPDATE journal SET ready = ? WHERE id = ?", (DONE, row))
        else:
            connection.execute("DELETE FROM journal WHERE id = ?", (row,))

    def clear(self, row: int, todo: Sequence[Step]) -> None:
        """Take the rooms away, and then the row.

        Raises:
            StateError: the disk refuses.
        """
        steps.clear(todo)
        if self._database.rows("SELECT 1 FROM journal WHERE id = ?", (row,)):
            with self._database.transaction() as connection:
                connection.execute("DELETE FROM journal WHERE id = ?", (row,))
