"""The taps, the last good index of each with what is held of it, and what befell them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillpm.formats.pins import pins_text, read_pins
from skillpm.model.pins import Pins
from skillpm.store.history import History

if TYPE_CHECKING:
    from skillpm.edges.database import Database, Row


@dataclass(frozen=True, slots=True)
class TapState:
    """A tap, the last index of it that was good, and what is held of it."""

    name: str
    url: str
    commit: str
    body: bytes
    added_at: str
    fetched_at: str
    pins: Pins = field(default_factory=Pins)


class Taps:
    """Reading and writing taps; each change stands in the log, in the same step.

    Args:
        database: the state.
        history: whose log it is.
        now: the time as ISO 8601.
    """

    def __init__(self, database: Database, history: History, now: Callable[[], str]) -> None:
        self._database = database
        self._history = history
        self._now = now

    def all(self) -> tuple[TapState, ...]:
        """The taps in the order they were added.

        Raises:
            StateError: what is held of one is damaged.
        """
        return tuple(map(_state, self._database.rows("SELECT * FROM taps ORDER BY position")))

    def get(self, name: str) -> TapState | None:
        """One tap by its short name, or None.

        Raises:
            StateError: as `all`.
        """
        rows = self._database.rows("SELECT * FROM taps WHERE name = ?", (name,))
        return _state(rows[0]) if rows else None

    def add(self, tap: TapState, action: str, detail: Mapping[str, Any]) -> None:
        """Add a tap at the end, or put another state in the place of one that is there.

        Raises:
            StateError: the disk refuses.
        """
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO taps"
                " (name, url, position, commit_id, body, added_at, fetched_at, pins) VALUES"
                " (?,?,(SELECT COALESCE(MAX(position), 0) + 1 FROM taps),?,?,?,?,?)"
                " ON CONFLICT(name) DO UPDATE SET commit_id = excluded.commit_id,"
                " body = excluded.body, fetched_at = excluded.fetched_at, pins = excluded.pins",
                (tap.name, tap.url, tap.commit, tap.body, tap.added_at, tap.fetched_at,
                 pins_text(tap.pins)),
            )  # fmt: skip
            self._history.event(connection, action, tap.name, dict(detail), self._now())

    def follow(self, old: TapState, new: TapState, action: str, detail: Mapping[str, Any]) -> bool:
        """Put a newer state in the place of the one it was judged against; False when gone.

        Another process may have followed the tap further meanwhile: then its state stays.

        Raises:
            StateError: the disk refuses.
        """
        with self._database.transaction() as connection:
            row = connection.execute("SELECT * FROM taps WHERE name = ?", (old.name,)).fetchone()
            if row is None or _state(row) != old:
                return False
            connection.execute(
                "UPDATE taps SET commit_id = ?, body = ?, fetched_at = ?, pins = ? WHERE name = ?",
                (new.commit, new.body, new.fetched_at, pins_text(new.pins), old.name),
            )
            self._history.event(connection, action, new.name, dict(detail), self._now())
        return True

    def refused(self, tap: TapState, reason: str) -> None:
        """Write down that a tap's news were refused; once for each reason in a row.

        Raises:
            StateError: the disk refuses.
        """
        detail = {"source": tap.url, "commit": tap.commit, "reason": reason}
        last = self._database.rows(
            "SELECT action, detail FROM events WHERE name = ? AND action LIKE 'tap %'"
            " ORDER BY id DESC LIMIT 1",
            (tap.name,),
        )
        if last and tuple(last[0]) == ("tap refuse", json.dumps(detail)):
            return
        with self._database.transaction() as connection:
            self._history.event(connection, "tap refuse", tap.name, detail, self._now())

    def forget(self, tap: TapState) -> None:
        """Remove a tap; what was installed from it stays.

        Raises:
            StateError: the disk refuses.
        """
        detail = {"source": tap.url, "commit": tap.commit}
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM taps WHERE name = ?", (tap.name,))
            # Another tap of this name is another tap.
            connection.execute("DELETE FROM trusted WHERE source = ?", (f"tap:{tap.name}",))
            self._history.event(connection, "tap remove", tap.name, detail, self._now())


def _state(row: Row) -> TapState:
    return TapState(
        row["name"], row["url"], row["commit_id"], row["body"],
        row["added_at"], row["fetched_at"], read_pins(row["pins"]),
    )  # fmt: skip
