"""The library: what is installed, what a person put there, and whether it is what was recorded."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.provenance import Record
from skillpm.model.tree import ENTRY, MAX_BYTES, Tree

SUFFIX: Final = ".md"

_COMPILED: Final = re.compile(r"(?:.+/)?__pycache__/[^/]+\.pyc")

_KINDS: Final = {"": "missing", "link": "a link", "file": "a file", "folder": "a folder"}


Wrote = Callable[[SkillName, str], bool]
"""Whether the files of that digest, under that name, are as skill put them there."""


class State(StrEnum):
    """How an entry of the library relates to its record.

    `local` was put there by a person, `linked` is a person's link to a skill elsewhere, `unknown`
    is no skill at all. `older` is what we put there ourselves, before a project's lock moved on.
    `ran` is what was installed with Python's compiled files beside it: its scripts were run in
    place. Nobody looked at those files, so it is disturbed; but nobody edited it either.
    """

    OK = "ok"
    EDITED = "edited"
    OLDER = "older"
    RAN = "ran"
    MISSING = "missing"
    LOCAL = "local"
    LINKED = "linked"
    UNREADABLE = "unreadable"
    UNKNOWN = "unknown"


class Entry(NamedTuple):
    """One skill of the library.

    Attributes:
        place: the folder, or the `.md` file.
        record: what was written down at install; None for what a person put there.
        digest: of the files as they are now; "" when they are missing or unreadable.
    """

    name: SkillName
    place: Path
    state: State
    record: Record | None
    digest: str = ""
    problem: str = ""

    @property
    def is_disturbed(self) -> bool:
        """Whether what was installed is not what stands there, or nobody can tell."""
        if self.state is State.LINKED:
            return self.record is not None
        return self.state in (State.EDITED, State.RAN, State.MISSING, State.UNREADABLE)


class Recorded(Protocol):
    """What is recorded of the skills of a library."""

    def get(self, name: str) -> Record | None:
        """One record with its file list, or None."""

    def all(self) -> tuple[Record, ...]:
        """Every record, by name."""

    def whole(self) -> tuple[Record, ...]:
        """Every record with its file list, by name."""


class Library:
    """Looking at a library; changing it is the business of `store.transaction`.

    Args:
        root: the folder of the skills.
        records: what is recorded of them; None where nothing is.
        folders: whether every skill is a folder, those of one document too.
        wrote: tells whether the files of a digest, under a name, are of our making; where records
            change without us.
    """

    def __init__(
        self,
        root: Path,
        records: Recorded | None,
        *,
        folders: bool = False,
        wrote: Wrote | None = None,
    ) -> None:
        self.root = root
        self._records = records
        self._folders = folders
        self._wrote = wrote

    def place(self, name: SkillName, *, package: bool) -> Path:
        """Where a skill of that name and shape stands."""
        return self.root / (name if package or self._folders else f"{name}{SUFFIX}")

    def occupied(self, name: SkillName) -> Path | None:
        """What stands under a name now, whoever put it there; ours before a twin of it."""
        return self._occupied(name, self._record(name))

    def _occupied(self, name: SkillName, record: Record | None) -> Path | None:
        ours = record.package if record else True
        for package in (ours, not ours):
            place = self.place(name, package=package)
            if disk.entry_kind(place):
                return place
        return None

    def entry(self, name: SkillName) -> Entry | None:
        """One skill, or None when neither the library nor the records know it."""
        found = self.look(name)
        return found[0] if found else None

    def look(self, name: SkillName) -> tuple[Entry, Tree | None] | None:
        """The same with the bytes that were read; None for what cannot be."""
        record = self._record(name)
        place = self._occupied(name, record)
        if place is None and record:
            place = self.place(name, package=record.package)
        return self._look(name, place, record) if place else None

    def entries(self) -> tuple[Entry, ...]:
        """Every skill, by name: those recorded and those found."""
        return tuple(entry for entry, _ in self.reads())

    def reads(self) -> Iterator[tuple[Entry, Tree | None]]:
        """Every skill, by name, with the bytes that were read; None for what cannot be."""
        known = self._records.whole() if self._records else ()
        records = {record.name: record for record in known}
        places = dict(self._names(records))
        for name, record in records.items():
            place = self._occupied(name, record) or self.place(name, package=record.package)
            places[name] = place
        for name, place in sorted(places.items()):
            yield self._look(name, place, records.get(name))

    def there(self) -> frozenset[str]:
        """The name of everything that lies in the library."""
        return frozenset(self._there())

    def found(self, but: Container[str] = ()) -> tuple[SkillName, ...]:
        """The names of skills that lie there, recorded or not, but for some."""
        return tuple(name for name, _ in self._names(but))

    def strangers(self, names: Container[str]) -> tuple[Path, ...]:
        """What lies in the library beside those skills and is no skill; it is never touched.

        What is hidden is the system's (`.DS_Store`), and not told.
        """
        return tuple(
            self.root / there
            for there in self._there()
            if there.removesuffix(SUFFIX) not in names and not there.startswith(".")
        )

    def read(self, place: Path) -> Tree:
        """The files of a skill as they are now; a link of the user's own leads to them.

        Raises:
            InvalidSkillError: links, unsafe names, too much of anything, nothing there.
            StateError: the disk refuses.
        """
        single, place = place.name.endswith(SUFFIX), _followed(place)
        return _tree(place, disk.entry_kind(place), single=single)

    def _record(self, name: SkillName) -> Record | None:
        return self._records.get(name) if self._records else None

    def _names(self, but: Container[str] = ()) -> Iterator[tuple[SkillName, Path]]:
        for there in self._there():
            stem = there.removesuffix(SUFFIX)
            if stem in but:
                continue
            place = self.root / there
            leads = _followed(place)
            kind = disk.entry_kind(leads)
            single = place.name.endswith(SUFFIX) and kind == "file" and not self._folders
            folder = kind == "folder" and disk.entry_kind(leads / ENTRY) == "file"
            if (single or (folder and stem == place.name)) and is_skill_name(stem):
                yield SkillName(stem), place

    def _there(self) -> list[str]:
        if disk.entry_kind(self.root) != "folder":
            return []
        with disk.translated(f"read {self.root}"):
            return sorted(os.listdir(self.root))  # noqa: PTH208 - a Path each is slow for thousands

    def _look(
        self, name: SkillName, place: Path, record: Record | None
    ) -> tuple[Entry, Tree | None]:
        kind = disk.entry_kind(place)
        if not kind:
            return Entry(name, place, State.MISSING, record), None
        try:
            linked, single = kind == "link", place.name.endswith(SUFFIX)
            tree = self.read(place) if linked else _tree(place, kind, single=single)
        except (InvalidSkillError, StateError) as error:
            return Entry(name, place, State.UNREADABLE, record, problem=error.message), None
        state = State.LINKED if linked else self._state(name, record, tree)
        return Entry(name, place, state, record, tree.digest), tree

    def _state(self, name: SkillName, record: Record | None, tree: Tree) -> State:
        if record is None:
            return State.LOCAL
        if tree.digest == record.digest:
            return State.OK
        if _uncompiled(tree).digest == record.digest:
            return State.RAN
        ours = self._wrote is not None and self._wrote(name, tree.digest)
        return State.OLDER if ours else State.EDITED


def _tree(place: Path, kind: str, *, single: bool) -> Tree:
    """The files of what stands there, which is of that kind."""
    if kind == "folder" and not single:
        return disk.read_tree(place)
    data = disk.read_file(place, MAX_BYTES) if kind == "file" and single else None
    if data is None:
        raise InvalidSkillError(f"{place} is {_KINDS.get(kind, 'a device, socket or pipe')}")
    return Tree.single(data)


def _uncompiled(tree: Tree) -> Tree:
    """The tree without what Python leaves behind when it runs the scripts of a folder."""
    return Tree(tuple(file for file in tree.files if not _COMPILED.fullmatch(file.path)))


def _followed(place: Path) -> Path:
    """What a link of the user's leads to, when that looks like a skill; else the place itself."""
    if disk.entry_kind(place) != "link":
        return place
    try:
        target = place.resolve()
    except (OSError, RuntimeError):
        return place  # it goes round in circles
    kind = disk.entry_kind(target)
    document = kind == "file" and target.name.endswith(SUFFIX)
    package = kind == "folder" and disk.entry_kind(target / ENTRY) == "file"
    return target if document or package else place
