"""A project's skills: the folder in which agents look for them, and `skills.lock` beside it.

The lock is the record: nothing of a project is in the user's own records but its history. Folder
and lock change in one journaled step. Both came with somebody's repository, so nothing that the
lock says of trust is believed, and nothing is reached through a link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import ConflictError
from skillpm.formats.address import parse_source
from skillpm.formats.lockfile import MAX_LOCK, lines_of, read_lock, write_lock
from skillpm.model.address import Bundled, Local
from skillpm.model.lock import LOCK_NAME, Lock, Locked, is_local, locked, unlocked
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Revision
from skillpm.model.text import safe
from skillpm.sources import bundled
from skillpm.store.change import FOLDER, Change, Writing
from skillpm.store.library import Library
from skillpm.store.transaction import Store

SKILLS: Final = (".agents", "skills")

_TRIES: Final = 20

Trust = Callable[[Locked], Origin]
"""How far an entry of a lock is to be trusted, whatever it says of itself."""


def trust(entry: Locked) -> Origin:
    """How far an entry is trusted without asking anybody: what ships with us, or a stranger's."""
    source = parse_source(entry.source)
    if isinstance(source, Local):
        return Origin.LOCAL
    shipped = bundled.get(source.name) if isinstance(source, Bundled) else None
    return shipped.origin if shipped and shipped.digest == entry.digest else Origin.COMMUNITY


def find_root(here: Path) -> Path:
    """The project that a folder lies in: the nearest parent with a lock, else with `.git`."""
    places = (here, *here.parents)
    for mark in (LOCK_NAME, ".git"):
        for place in places:
            if disk.entry_kind(place / mark):
                return place
    return here


class Project:
    """The shelf of a project.

    Args:
        root: its folder, without links on the way.
        store: the user's, which keeps the trees, the journal and the history.
        now: the time as ISO 8601.
        trust: how far an entry of the lock is trusted.
    """

    def __init__(self, root: Path, store: Store, now: Callable[[], str], trust: Trust) -> None:
        self.root = root
        self.path = root / LOCK_NAME
        self._store = store
        self._now = now
        self._trust = trust
        self._read: tuple[bytes, Lock] = (b"", Lock())
        self.records = LockRecords(self)
        place = root.joinpath(*SKILLS)
        self.library = Library(place, self.records, folders=True, wrote=self.wrote)

    def check_folders(self) -> None:
        """Refuse to work through a link, or through what is no folder.

        Raises:
            ConflictError: naming what stands in the way.
        """
        for count in range(1, len(SKILLS) + 1):
            place = self.root.joinpath(*SKILLS[:count])
            if disk.entry_kind(place) not in ("", "folder"):
                raise ConflictError(
                    f"{safe(str(place))} is no folder of the project's own: a link or a file",
                    hint="move it away yourself; nothing is read or written through a link",
                )

    def bytes(self) -> bytes | None:
        """What `skills.lock` holds; None when there is none.

        Raises:
            StateError: it is a link, too large, or cannot be read.
        """
        return disk.read_file(self.path, MAX_LOCK)

    def lock(self) -> Lock:
        """The lock as it is now.

        Raises:
            StateError: it cannot be read, or is no lock; with the line.
        """
        data = self.bytes() or b""
        if data != self._read[0]:
            self._read = data, read_lock(data, str(self.path))
        return self._read[1]

    def where(self, name: str) -> str:
        """How messages name the entry of a skill: the file, and the line."""
        line = lines_of(self._read[0]).get(name, 0)
        return f"{safe(str(self.path))}, line {line}" if line else safe(str(self.path))

    def record(self, entry: Locked) -> Record:
        """The record of a skill that stands there as the lock says."""
        record = unlocked(entry, self._now(), str(self.root))
        return replace(record, origin=self._trust(entry))

    def wrote(self, name: SkillName, digest: str) -> bool:
        """Whether skill once put exactly these files there, as they came from their source."""
        effects = (done.effect for done in self._store.history.of(name, str(self.library.root)))
        return any(one.becomes and one.becomes.digest == one.after == digest for one in effects)

    def is_elsewhere(self, record: Record) -> bool:
        """Whether a skill comes from a place on this machine that is not the project's."""
        source = locked(record, (), str(self.root)).source
        return is_local(source) and source != "." and not source.startswith("./")

    def install(self, change: Change) -> None:
        """Make one decided change, and write it into the lock.

        Raises:
            ConflictError, StateError: as `Shelf.install`.
        """
        words = f"{change.reason} {change.name} in {self.root}"
        self._apply(words, [self._placed(change)], lambda lock: self._with(lock, change))

    def remove(self, name: SkillName, expected: str) -> None:
        """Take a skill out of the folder and of the lock.

        Raises:
            ConflictError, StateError: as `Shelf.remove`.
        """
        self.install(Change(name, None, None, expected, "remove"))

    def restamp(self, name: SkillName, revision: Revision) -> None:
        """Write another revision of the same files into the lock.

        Raises:
            StateError: as `Shelf.restamp`.
        """
        self._amend(f"restamp {name}", name, lambda one: replace(one, revision=revision))

    def pin(self, name: SkillName, *, pinned: bool) -> None:
        """Write into the lock that a skill stays where it is, or that it does not.

        Raises:
            StateError: as `Shelf.pin`.
        """
        self._amend(
            f"{'pin' if pinned else 'unpin'} {name}", name, lambda one: replace(one, pinned=pinned)
        )

    def ask_for(self, name: SkillName) -> None:
        """Write into the lock that somebody asked for a skill itself.

        Raises:
            StateError: as `Shelf.ask_for`.
        """
        self._amend(f"ask for {name}", name, lambda one: replace(one, installed_for=""))

    def match(self, changes: Iterable[Change]) -> None:
        """Make the folder what the lock says, which must be the one that was read.

        Raises:
            ConflictError, StateError: as `Shelf.install`.
        """
        data = self._read[0]
        words = f"sync {self.root}"
        guard = Writing(self.path, data, data)
        self._store.apply(words, [self._placed(change) for change in changes], [guard])

    def _amend(self, words: str, name: SkillName, edit: Callable[[Locked], Locked]) -> None:
        """Change what the lock says of one skill, and nothing else."""

        def amended(lock: Lock) -> Lock:
            return lock.with_skills(edit(s) if s.name == name else s for s in lock.skills)

        self._apply(f"{words} in {self.root}", [], amended)

    def _placed(self, change: Change) -> Change:
        return change._replace(shelf=self.library.root, shape=FOLDER)

    def _with(self, lock: Lock, change: Change) -> Lock:
        """The lock after a change."""
        others = [one for one in lock.skills if one.name != change.name]
        if change.record is None:
            return lock.with_skills(others)
        known = lock.get(change.name)
        entry = locked(change.record, known.agents if known else (), str(self.root))
        return lock.with_skills([*others, entry])

    def _apply(self, words: str, changes: list[Change], edit: Callable[[Lock], Lock]) -> None:
        """Change folder and lock together; who comes second edits what the first one wrote."""
        for last in range(_TRIES - 1, -1, -1):
            self.check_folders()
            before = self.bytes()
            after = write_lock(edit(self.lock()))
            try:
                self._store.apply(words, changes, [Writing(self.path, after, before)])
            except ConflictError:
                if not last or self.bytes() == before:
                    raise
            else:
                return


class LockRecords:
    """What a project's lock records."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def get(self, name: str) -> Record | None:
        """One record with its file list, or None."""
        entry = self._project.lock().get(name)
        return self._project.record(entry) if entry else None

    def all(self) -> tuple[Record, ...]:
        """Every record, by name."""
        return tuple(map(self._project.record, self._project.lock().skills))

    def whole(self) -> tuple[Record, ...]:
        """Every record with its file list, by name."""
        return self.all()
