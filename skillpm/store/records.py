"""Records of installs, and the added hubs, as rows of `state.db`."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from skillpm.errors import StateError
from skillpm.model.acceptance import Acceptance
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.requirements import NOTHING, requirements_from
from skillpm.model.retention import Retention

if TYPE_CHECKING:
    import sqlite3

    from skillpm.edges.database import Database, Row

_COLUMNS: Final = (
    "name", "requested", "registry_kind", "registry_name", "source", "path", "revision_kind",
    "revision", "ref", "digest", "git_tree", "origin", "package", "version", "summary", "owner",
    "verdict", "findings", "forced", "installed_at", "updated_at", "pinned", "accepted",
    "requirements", "installed_for",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HubState:
    """A hub that the user added."""

    name: str
    kind: str
    url: str
    added_at: str


_STANDING: Final = (
    "SELECT after_digest FROM history WHERE id IN (SELECT MAX(id) FROM history"
    " WHERE place != '' AND operation != 0 GROUP BY name, place)"
)


class Brief(NamedTuple):
    """What `list` tells of an install.

    Attributes:
        registry: kind and name, as one text.
        package: whether it is a folder; 1 or 0.
        pinned: 1 or 0.
        requirements: what it needs, as `Requirements.as_text` writes it.
        installed_for: the skill that brought it; "" when it was asked for itself.
    """

    name: str
    version: str
    origin: str
    summary: str
    source: str
    registry: str
    revision_kind: Literal["commit", "version", "content"]
    revision: str
    ref: str
    digest: str
    verdict: str
    package: int
    pinned: int
    requirements: str
    installed_for: str


class Records:
    """Reading and writing the rows; each write takes the connection of a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[Record, ...]:
        """Every install, by name, without its file lists."""
        rows = self._database.rows("SELECT * FROM installs ORDER BY name")
        return tuple(_record(row) for row in rows)

    def briefs(self) -> list[Brief]:
        """Every install, by name, as `list` tells it."""
        rows = self._database.tuples(
            "SELECT name, version, origin, summary, source, registry_kind ||"
            " CASE registry_name WHEN '' THEN '' ELSE ':' || registry_name END, revision_kind,"
            " revision, ref, digest, verdict, package, pinned, requirements, installed_for"
            " FROM installs ORDER BY name"
        )
        return list(map(Brief._make, rows))

    def whole(self) -> tuple[Record, ...]:
        """Every install, by name, with its file list."""
        listed: dict[str, dict[str, tuple[str, int, str]]] = {}
        for name, path, *facts in self._database.rows("SELECT * FROM files ORDER BY name, path"):
            listed.setdefault(name, {})[path] = (facts[0], facts[1], facts[2])
        rows = self._database.rows("SELECT * FROM installs ORDER BY name")
        return tuple(_record(row, listed.get(row["name"])) for row in rows)

    def get(self, name: str) -> Record | None:
        """One install with its file list, or None."""
        rows = self._database.rows("SELECT * FROM installs WHERE name = ?", (name,))
        if not rows:
            return None
        files = self._database.rows("SELECT * FROM files WHERE name = ? ORDER BY path", (name,))
        listed = {row["path"]: (row["sha256"], row["size"], row["mode"]) for row in files}
        return _record(rows[0], listed)

    def digests(self, keep: Retention, now: str) -> frozenset[str]:
        """Every digest that an install names, or the history as far as it is kept.

        What stands outside the library (in a project) is named by the last that was done there.
        What was remembered because it could not be put back (no operation) belongs to no count.

        Args:
            keep: how much of the history counts.
            now: ISO 8601.
        """
        within, value = "? IS NOT NULL", now
        if keep.days:
            within, value = "at >= ?", _days_before(now, keep.days)
        elif keep.operations:
            within = (
                "(operation = 0 OR operation IN"
                " (SELECT id FROM operations ORDER BY id DESC LIMIT CAST(? AS INTEGER)))"
            )
            value = str(keep.operations)
        before = f"SELECT digest FROM history WHERE {within}"  # noqa: S608 - constants
        after = f"SELECT after_digest FROM history WHERE {within}"  # noqa: S608 - constants
        sql = f"SELECT digest FROM installs UNION {before} UNION {after} UNION {_STANDING}"  # noqa: S608 - constants
        rows = self._database.rows(sql, (value, value))
        return frozenset(row["digest"] for row in rows if row["digest"])

    def put(self, connection: sqlite3.Connection, record: Record) -> None:
        """Write one install, replacing what stood under its name."""
        connection.execute("DELETE FROM installs WHERE name = ?", (record.name,))
        marks = ",".join("?" * len(_COLUMNS))
        connection.execute(
            f"INSERT INTO installs ({','.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 - constants
            _values(record),
        )
        connection.executemany(
            "INSERT INTO files VALUES (?,?,?,?,?)",
            [(record.name, path, *facts) for path, facts in record.files.items()],
        )

    def forget(self, connection: sqlite3.Connection, name: str) -> None:
        """Remove one install's row and file list."""
        connection.execute("DELETE FROM installs WHERE name = ?", (name,))

    def restamp(self, connection: sqlite3.Connection, name: str, revision: Revision) -> None:
        """Write another revision into the row of an install."""
        connection.execute(
            "UPDATE installs SET revision_kind = ?, revision = ?, ref = ? WHERE name = ?",
            (revision.kind, revision.value, revision.ref, name),
        )

    def pin(self, connection: sqlite3.Connection, name: str, *, pinned: bool) -> None:
        """Set or clear the pin of an install."""
        connection.execute("UPDATE installs SET pinned = ? WHERE name = ?", (int(pinned), name))

    def ask_for(self, connection: sqlite3.Connection, name: str) -> None:
        """Forget which skill brought an install."""
        connection.execute("UPDATE installs SET installed_for = '' WHERE name = ?", (name,))

    def hubs(self) -> tuple[HubState, ...]:
        """The added hubs in the order they were added."""
        rows = self._database.rows("SELECT * FROM hubs ORDER BY position")
        return tuple(
            HubState(row["name"], row["kind"], row["url"], row["added_at"]) for row in rows
        )

    def put_hub(self, hub: HubState) -> None:
        """Add a hub at the end, or replace the one of that name where it is."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO hubs VALUES (?,?,?,"
                "(SELECT COALESCE(MAX(position), 0) + 1 FROM hubs),?)"
                " ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, url = excluded.url",
                (hub.name, hub.kind, hub.url, hub.added_at),
            )

    def forget_hub(self, name: str) -> None:
        """Remove a hub; what was installed from it stays."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM hubs WHERE name = ?", (name,))


def _days_before(now: str, days: int) -> str:
    """That many days earlier, ISO 8601; the beginning of all time when there is no such day."""
    try:
        return (date.fromisoformat(now[:10]) - timedelta(days=days)).isoformat() + now[10:]
    except OverflowError:
        return ""


def as_json(record: Record) -> str:
    """A record as JSON text."""
    facts = dataclasses.asdict(dataclasses.replace(record, requirements=NOTHING))
    return json.dumps({**facts, "requirements": record.requirements.as_text()})


def from_json(text: str) -> Record:
    """The record that `as_json` wrote.

    Raises:
        StateError: the text is something else.
    """
    try:
        value = json.loads(text)
        value["registry"] = Registry(**value["registry"])
        value["revision"] = Revision(**value["revision"])
        value["origin"] = Origin(value["origin"])
        value["forced"] = tuple(value["forced"])
        value["accepted"] = _acceptances(value.get("accepted", []))
        value["requirements"] = requirements_from(value.get("requirements", ""))
        value["files"] = {path: tuple(facts) for path, facts in value["files"].items()}
        return Record(**value)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StateError(f"a record in state.db is damaged: {error}") from None


def _acceptances(rows: list[dict[str, str]]) -> tuple[Acceptance, ...]:
    return tuple(Acceptance(**row) for row in rows) if rows else ()


def _record(row: Row, files: dict[str, tuple[str, int, str]] | None = None) -> Record:
    try:
        return Record(
            name=SkillName(row["name"]),
            requested=row["requested"],
            registry=Registry(row["registry_kind"], row["registry_name"]),
            source=row["source"],
            path=row["path"],
            revision=Revision(row["revision_kind"], row["revision"], row["ref"]),
            digest=row["digest"],
            git_tree=row["git_tree"],
            origin=Origin(row["origin"]),
            package=bool(row["package"]),
            version=row["version"],
            summary=row["summary"],
            owner=row["owner"],
            verdict=row["verdict"],
            findings=row["findings"],
            forced=tuple(json.loads(row["forced"])),
            installed_at=row["installed_at"],
            updated_at=row["updated_at"],
            pinned=bool(row["pinned"]),
            accepted=_acceptances(json.loads(row["accepted"])),
            requirements=requirements_from(row["requirements"]),
            installed_for=row["installed_for"],
            files=files or {},
        )
    except (ValueError, TypeError) as error:
        raise StateError(f"the record of {row['name']!r} is damaged: {error}") from None


def _values(record: Record) -> tuple[Any, ...]:
    return (
        record.name, record.requested, record.registry.kind, record.registry.name, record.source,
        record.path, record.revision.kind, record.revision.value, record.revision.ref,
        record.digest, record.git_tree, record.origin.value, int(record.package), record.version,
        record.summary, record.owner, record.verdict, record.findings, json.dumps(record.forced),
        record.installed_at, record.updated_at, int(record.pinned),
        json.dumps([one.as_json() for one in record.accepted]), record.requirements.as_text(),
        record.installed_for,
    )  # fmt: skip
