"""Changing the library: staged aside, visible in one step, recorded with it, healed after a crash.

The order for an install: the tree goes to the store (immutable, by digest) and to a private
stage; a journal row says what is about to happen; one rename or exchange makes it visible; one
database transaction writes the record and takes the journal row away. Whatever moment the
process dies at, `heal` can tell from the library which side of the rename it died on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from skillpm.edges import disk
from skillpm.edges.database import Database, Row
from skillpm.edges.lock import exclusive
from skillpm.errors import ConflictError, InvalidSkillError, StateError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Record, Revision
from skillpm.model.tree import DIGEST_PREFIX, ENTRY, Tree
from skillpm.store import records as rows
from skillpm.store.library import Library
from skillpm.store.records import Records

UNREADABLE: Final = "unreadable"
"""What `Change.expected` says of an entry that cannot be read as a skill."""


class Change(NamedTuple):
    """One install or update that was decided.

    Attributes:
        expected: digest of what stands in the library now, as the decision saw it; "" for
            nothing. When something else stands there by then, nothing is changed.
    """

    record: Record
    tree: Tree
    expected: str
    reason: str


class Store:
    """The state of one user: library, immutable trees, records, journal.

    Args:
        data: the folder that holds all of it.
        now: the time as ISO 8601.
        say: told when another process is waited for.
    """

    def __init__(
        self, data: Path, database: Database, now: Callable[[], str], say: Callable[[str], None]
    ) -> None:
        self._data = data
        self._database = database
        self._now = now
        self._say = say
        self.records = Records(database)
        self.library = Library(data / "library", self.records)
        self._healed = False

    def install(self, change: Change) -> None:
        """Make a decided change visible, with its record.

        Raises:
            ConflictError: the library is no longer what the decision saw.
            StateError: the disk refuses; the old state is then whole.
        """
        with self._exclusive():
            name = change.record.name
            self._check_unchanged(name, change.expected)
            self._check_no_twin(name, package=change.record.package)
            self._keep_edits(name)
            self.keep(change.tree)
            stage = self._stage(change)
            journal = self._begin("install", name, stage, change)
            self._swap(stage, name, package=change.record.package)
            self._finish_install(journal, change.record, change.reason)
            disk.remove_entry(stage.parent)

    def remove(self, name: SkillName, expected: str) -> None:
        """Take a skill out of the library, with its record; its tree stays in the store.

        Raises:
            ConflictError, StateError: as `install`.
        """
        with self._exclusive():
            self._check_unchanged(name, expected)
            self._keep_edits(name)
            place = self.library.occupied(name)
            stage = disk.new_folder(self._data / "staging") / "removed"
            journal = self._begin("remove", name, stage, None)
            if place:
                disk.move_new(place, stage)
            self._finish_remove(journal, name)
            disk.remove_entry(stage.parent)

    def restamp(self, name: SkillName, revision: Revision) -> None:
        """Write down that the same files stand at another revision of their source.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive(), self._database.transaction() as connection:
            self.records.restamp(connection, name, revision)
            self.records.event(connection, "restamp", name, revision.value, self._now())

    def keep(self, tree: Tree) -> Path:
        """Put a tree into the store, read-only, unless it is there; returns its folder.

        Raises:
            StateError: the disk refuses.
        """
        place = self._data / "store" / tree.digest.removeprefix(DIGEST_PREFIX)
        if disk.entry_kind(place) == "folder" and self._is_whole(place, tree.digest):
            return place
        if disk.entry_kind(place):
            disk.remove_entry(place)
        stage = disk.new_folder(self._data / "staging")
        disk.write_tree(tree, stage / "tree")
        disk.private_folder(place.parent)
        disk.move_new(stage / "tree", place)
        disk.remove_entry(stage)
        return place

    def unnamed(self) -> tuple[Path, ...]:
        """The trees that no install, no line of the history and no unfinished operation names.

        Raises:
            StateError: the disk refuses.
        """
        root = self._data / "store"
        if disk.entry_kind(root) != "folder":
            return ()
        named = {digest.removeprefix(DIGEST_PREFIX) for digest in self.records.digests()}
        with disk.translated(f"read {root}"):
            return tuple(sorted(path for path in root.iterdir() if path.name not in named))

    def prune(self) -> None:
        """Remove the trees that are not named.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive():
            for place in self.unnamed():
                disk.remove_entry(place)

    def heal(self) -> tuple[str, ...]:
        """Finish or undo what a process that died left over; says what was done.

        Raises:
            StateError: the disk refuses.
        """
        pending = bool(self._database.rows("SELECT 1 FROM journal LIMIT 1"))
        if self._healed or not (pending or self._leftovers()):
            return ()
        try:
            with exclusive(self._data / "lock", self._say):
                return self._heal_locked()
        except StateError:
            if pending:
                raise
            return ()  # only litter, on a disk that cannot be written

    def _heal_locked(self) -> tuple[str, ...]:
        self._healed = True
        pending = self._database.rows("SELECT * FROM journal ORDER BY id")
        said = tuple(self._heal_one(row) for row in pending)
        for leftover in self._leftovers():
            disk.remove_entry(leftover)
        return said

    def _leftovers(self) -> list[Path]:
        """What lies in the private work space; without the lock, perhaps another's work."""
        staging = self._data / "staging"
        if disk.entry_kind(staging) != "folder":
            return []
        with disk.translated(f"read {staging}"):
            return list(staging.iterdir())

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """The lock of the store; whoever changes anything starts from a healed state."""
        with exclusive(self._data / "lock", self._say):
            self._heal_locked()
            yield

    def _check_unchanged(self, name: SkillName, expected: str) -> None:
        place = self.library.occupied(name)
        try:
            actual = self.library.read(place).digest if place else ""
        except (InvalidSkillError, StateError):
            actual = UNREADABLE
        if actual != expected:
            raise ConflictError(
                f"{name} changed in the library while we were working", hint="run it again"
            )

    def _check_no_twin(self, name: SkillName, *, package: bool) -> None:
        """Refuse when the other shape of the name is somebody else's."""
        target, old = self.library.place(name, package=package), self.library.occupied(name)
        if old not in (None, target) and disk.entry_kind(target):
            raise ConflictError(
                f"{target} stands in the way and was not installed by skill",
                hint="move it away yourself",
            )

    def _keep_edits(self, name: SkillName) -> None:
        """Put what stands in the library and is not what we wrote into the store, for history."""
        place = self.library.occupied(name)
        record = self.records.get(name)
        if place is None:
            return
        tree = self.library.read(place)
        if record is None or record.digest != tree.digest:
            self.keep(tree)
            with self._database.transaction() as connection:
                self.records.remember_edits(connection, name, tree.digest, self._now())

    def _stage(self, change: Change) -> Path:
        folder = disk.new_folder(self._data / "staging")
        if change.record.package:
            disk.write_tree(change.tree, folder / change.record.name)
            return folder / change.record.name
        disk.write_file(folder / ENTRY, change.tree.entry)
        return folder / ENTRY

    def _begin(self, action: str, name: str, stage: Path, change: Change | None) -> int:
        digest, payload = ("", "")
        if change:
            digest, payload = change.record.digest, rows.as_json(change.record)
        with self._database.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO journal (action, name, stage, digest, payload) VALUES (?,?,?,?,?)",
                (action, name, str(stage), digest, payload),
            )
            return int(cursor.lastrowid or 0)

    def _swap(self, stage: Path, name: SkillName, *, package: bool) -> None:
        """Put the staged entry in its place; what stood there ends up beside the stage."""
        disk.private_folder(self.library.root)
        target = self.library.place(name, package=package)
        old = self.library.occupied(name)
        if old == target and disk.exchange(stage, target):
            return
        if old is not None:
            disk.move_new(old, stage.parent / "old")
        disk.move_new(stage, target)

    def _finish_install(self, journal: int, record: Record, reason: str) -> None:
        previous = self.records.get(record.name)
        with self._database.transaction() as connection:
            if previous:
                self.records.remember(connection, previous, reason, self._now())
            self.records.put(connection, record)
            detail = {
                "digest": record.digest,
                "source": record.source,
                "forced": record.forced,
                "accepted": [one.as_json() for one in record.accepted],
            }
            self.records.event(connection, reason, record.name, detail, self._now())
            connection.execute("DELETE FROM journal WHERE id = ?", (journal,))

    def _finish_remove(self, journal: int, name: str) -> None:
        previous = self.records.get(name)
        with self._database.transaction() as connection:
            if previous:
                self.records.remember(connection, previous, "remove", self._now())
            self.records.forget(connection, name)
            self.records.event(connection, "remove", name, {}, self._now())
            connection.execute("DELETE FROM journal WHERE id = ?", (journal,))

    def _heal_one(self, row: Row) -> str:
        name, stage = SkillName(row["name"]), Path(row["stage"])
        if row["action"] == "remove":
            if self.library.occupied(name) is None:
                self._finish_remove(row["id"], name)
                return f"finished the removal of {name} that was interrupted"
        elif self._holds(name, row["digest"]):
            self._finish_install(row["id"], rows.from_json(row["payload"]), "install")
            return f"finished the install of {name} that was interrupted"
        old = stage.parent / "old"
        if self.library.occupied(name) is None and disk.entry_kind(old):
            package = disk.entry_kind(old) == "folder"
            disk.move_new(old, self.library.place(name, package=package))
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM journal WHERE id = ?", (row["id"],))
        return f"undid a change of {name} that was interrupted"

    def _holds(self, name: SkillName, digest: str) -> bool:
        place = self.library.occupied(name)
        return place is not None and self._is_whole(place, digest)

    def _is_whole(self, place: Path, digest: str) -> bool:
        try:
            return self.library.read(place).digest == digest
        except (InvalidSkillError, StateError):
            return False
