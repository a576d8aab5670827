"""What happened: operations, what each of them replaced, and a log whose lines are chained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from skillpm.errors import StateError
from skillpm.model.provenance import Record
from skillpm.store import records as rows

if TYPE_CHECKING:
    import sqlite3

    from skillpm.edges.database import Database, Row

START: Final = "0" * 64


class Effect(NamedTuple):
    """What an operation does to one skill.

    Attributes:
        name: "" for a file beside the skills.
        place: the folder in which it stands, when that is not the library; the file itself.
        before: the digest of what stood there; "" for nothing.
        was: what was recorded of it then.
        after: the digest of what stands there now; "" for nothing.
        becomes: what is recorded of it now.
        reason: `install`, `update`, `replace`, `remove`, `rollback`, `undo`, …; of an entry in an
            agent's folder, which has no name and marks for digests, `link`, `link over`, `unlink`,
            `give back` or `leave`.
        shape: of what stood there: `folder`, `file`, or `link:` and what the link says; of an
            entry in an agent's folder, where its skill stands.
    """

    name: str
    place: str
    before: str
    was: Record | None
    after: str
    becomes: Record | None
    reason: str
    shape: str = "folder"


class Operation(NamedTuple):
    """One command that changed something.

    Attributes:
        undoes: the operation that it took back; 0 for none.
    """

    id: int
    at: str
    command: str
    undoes: int


class Done(NamedTuple):
    """An effect, and the operation that it belongs to."""

    id: int
    operation: int
    at: str
    effect: Effect


class Event(NamedTuple):
    """One line of the log."""

    id: int
    at: str
    action: str
    name: str
    detail: str
    chain: str


class History:
    """Reading and writing what happened; each write takes the connection of a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, connection: sqlite3.Connection, command: str, at: str, undoes: int = 0) -> int:
        """A new operation."""
        cursor = connection.execute(
            "INSERT INTO operations (at, command, undoes) VALUES (?,?,?)", (at, command, undoes)
        )
        return int(cursor.lastrowid or 0)

    def add(self, connection: sqlite3.Connection, operation: int, effect: Effect, at: str) -> None:
        """Keep what an operation did to a skill."""
        connection.execute(
            "INSERT INTO history (name, digest, reason, record, at, operation, place,"
            " after_digest, after_record, shape) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                effect.name, effect.before, effect.reason, _text(effect.was), at, operation,
                effect.place, effect.after, _text(effect.becomes), effect.shape,
            ),
        )  # fmt: skip

    def of(self, name: str, place: str = "") -> tuple[Done, ...]:
        """What happened to one skill, the oldest first."""
        found = self._database.rows(
            "SELECT * FROM history WHERE name = ? AND place = ? ORDER BY id", (name, place)
        )
        return tuple(map(_done, found))

    def within(self, operation: int) -> tuple[Done, ...]:
        """What one operation did."""
        found = self._database.rows(
            "SELECT * FROM history WHERE operation = ? ORDER BY id", (operation,)
        )
        return tuple(map(_done, found))

    def last(self) -> Operation | None:
        """The last operation that was not taken back and took nothing back."""
        found = self._database.rows(
            "SELECT * FROM operations WHERE undoes = 0 AND id NOT IN"
            " (SELECT undoes FROM operations) ORDER BY id DESC LIMIT 1"
        )
        return Operation(*found[0]) if found else None

    def event(
        self, connection: sqlite3.Connection, action: str, name: str, detail: Any, at: str
    ) -> None:
        """Append one line to the log; its chain covers it and every line before it."""
        last = connection.execute("SELECT chain FROM events ORDER BY id DESC LIMIT 1").fetchone()
        line = (at, action, name, json.dumps(detail))
        connection.execute(
            "INSERT INTO events (at, action, name, detail, chain) VALUES (?,?,?,?,?)",
            (*line, _chain(last[0] if last else "", *line)),
        )

    def events(self) -> tuple[Event, ...]:
        """The log, the oldest line first."""
        return tuple(Event(*row) for row in self._database.rows("SELECT * FROM events ORDER BY id"))

    def issued(self) -> int:
        """How many lines the log ever had."""
        found = self._database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
        return int(found[0][0]) if found else 0


def broken(events: tuple[Event, ...], issued: int) -> str:
    """Where the log is not what was written; "" when it is.

    A line that was changed, put in or taken out shows; so does a missing end.
    """
    before = ""
    for number, event in enumerate(events, 1):
        if event.id != number:
            return f"line {number} is missing"
        if event.chain and event.chain != _chain(before, *event[1:5]):
            return f"line {number} is not what was written"
        if before and not event.chain:
            return f"line {number} has no chain"
        before = event.chain
    return "" if issued == len(events) else f"line {len(events) + 1} is missing"


def detail_of(effect: Effect) -> dict[str, object]:
    """What the log says of an effect."""
    record = effect.becomes
    return {
        "before": effect.before,
        "after": effect.after,
        **({"place": effect.place} if effect.place else {}),
        **(
            {
                "source": record.source,
                "revision": record.revision.value,
                "forced": list(record.forced),
                "accepted": [one.as_json() for one in record.accepted],
            }
            if record
            else {}
        ),
    }


def effects_text(effects: Iterable[Effect]) -> str:
    """Effects as JSON text."""
    return json.dumps(
        [[e.name, e.place, e.before, _text(e.was), e.after, _text(e.becomes), e.reason, e.shape]
         for e in effects]
    )  # fmt: skip


def effects_from(text: str) -> list[Effect]:
    """The effects that `effects_text` wrote.

    Raises:
        StateError: the text is something else.
    """
    try:
        return [
            Effect(name, place, before, _record(was), after, _record(becomes), reason, shape)
            for name, place, before, was, after, becomes, reason, shape in json.loads(text)
        ]
    except (ValueError, TypeError) as error:
        raise StateError(f"the journal in state.db is damaged: {error}") from None


def _chain(before: str, *line: str) -> str:
    return hashlib.sha256(json.dumps([before or START, *line]).encode()).hexdigest()


def _text(record: Record | None) -> str:
    return rows.as_json(record) if record else ""


def _done(row: Row) -> Done:
    effect = Effect(
        row["name"], row["place"], row["digest"], _record(row["record"]),
        row["after_digest"], _record(row["after_record"]), row["reason"], row["shape"],
    )  # fmt: skip
    return Done(row["id"], row["operation"], row["at"], effect)


def _record(text: str) -> Record | None:
    return rows.from_json(text) if text else None
