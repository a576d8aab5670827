"""Skills that another tool, or a person, put into a folder that agents read: looked at only.

Nothing below the given place is written, and no link below it is followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, StateError
from skillpm.formats.foreign import gh
from skillpm.formats.foreign.entry import Foreign, Reading
from skillpm.formats.foreign.readers import MAX_RECORD, NOT_OF_THE_SKILL, ROWS, Row
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Tree
from skillpm.sources.collection import Choice, to_tree
from skillpm.sources.files import Folder

USUAL: Final = (
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".hermes/skills",
    "skills",
)
"""Where agents look for skills, from a project or a home on."""

MAX_ENTRIES: Final = 50_000

_SHARED: Final = ".agents"
_DEPTH: Final = 3
_ABOVE: Final = 5


class Adoptable(NamedTuple):
    """One skill's folder, and what another tool says of it.

    Attributes:
        shown: the folder from the place that was looked at; "." for that place itself.
        foreign: the record; None when there is none.
        base: what a local address in the record is relative to.
        unread: a record that cannot be read and may be about the skill; "" for none.
    """

    folder: Path
    shown: str
    foreign: Foreign | None
    base: Path
    unread: str = ""


@dataclass(slots=True)
class Found:
    """What lies at a place; grows while it is looked at.

    Attributes:
        problems: what could not be used, one line each.
        unread: records of the whole place that cannot be read.
        links: what would be a skill if links were followed.
        seen: how many entries of folders were looked at.
    """

    skills: list[Adoptable] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    links: list[Path] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    seen: int = 0


def look(root: Path, library: Path, records: Iterable[Path] = ()) -> Found:
    """The skills at a place: a skill's own folder, a folder of them, or a project or a home.

    Args:
        root: the place; itself no link.
        library: where our own skills lie; a link that leads there is ours.
        records: records that lie elsewhere and speak of what is in `.agents` here.

    Raises:
        StateError: the place cannot be read.
    """
    found = Found()
    recorded = _recorded(root, records, found)
    if disk.entry_kind(root / ENTRY) == "file":
        folders = [root]
    else:
        folders = list(_folders(root, recorded, found))
    for folder in dict.fromkeys(folders):
        outer = recorded.pop(folder, None)
        found.skills.append(_adoptable(root, folder, outer, found))
    taken = {folder.resolve() for folder in folders}
    for link in found.links:
        target = link.resolve()
        if target not in taken and not target.is_relative_to(library.resolve()):
            found.problems.append(f"{_shown(root, link)} is a link, which is not followed")
    for folder, (foreign, _) in recorded.items():
        if folder.is_relative_to(root):
            found.problems.append(
                f"{foreign.tool} lists {safe(foreign.name, 80)}, and there is no skill in"
                f" {safe(folder.relative_to(root).as_posix())}"
            )
    return found


def read(folder: Path) -> Tree:
    """The files of a skill in another tool's folder, without what that tool put among them.

    Raises:
        InvalidSkillError: a link, a device, an unsafe path, or too much of anything.
        StateError: it cannot be read.
    """
    place = Folder(folder)
    own = (node for node in place.nodes if node.path.partition("/")[0] not in NOT_OF_THE_SKILL)
    return to_tree(place, Choice("", tuple(own), package=True))


_Recorded = dict[Path, tuple[Foreign, Path]]


def _recorded(root: Path, records: Iterable[Path], found: Found) -> _Recorded:
    """Every record of the place and of what it is a part of, by the folder that it speaks of."""
    rows = [row for row in ROWS if not row.inside]
    bases = [
        (home, home / inner)
        for home in (root, *_whole(root))
        for inner in ("", _SHARED, *USUAL)
        if _reached(home, home / inner)
    ]
    asked = [(home, base, base / row.pattern, row) for home, base in bases for row in rows]
    by_name = {row.pattern: row for row in rows}
    asked += [(root, root / _SHARED, path, by_name[path.name]) for path in records]
    known: _Recorded = {}
    for home, base, path, row in asked:
        reading = _read(base, path, row)
        _tell(_shown(root, path), reading, found.problems, found.unread)
        for foreign in reading.found:
            folder = _where(home, base, foreign)
            known.setdefault(folder, (foreign, base))
    return known


def _whole(root: Path) -> list[Path]:
    """The projects or homes whose agents' folders a place lies in.

    No other folder above is asked: what lies there may be somebody else's.
    """
    return [
        above
        for above in root.parents[:_ABOVE]
        if any(root.is_relative_to(above / usual) for usual in USUAL)
    ]


def _where(home: Path, base: Path, foreign: Foreign) -> Path:
    """The folder of a recorded skill; another agent's, when it is not where it usually is."""
    last = foreign.folder.rpartition("/")[2]
    places = (base / foreign.folder, *(home / folder / last for folder in USUAL))
    return next((place for place in places if _is_skill(home, place)), places[0])


def _is_skill(base: Path, folder: Path) -> bool:
    """Whether a folder holds a skill and no link leads to it."""
    return _reached(base, folder) and disk.entry_kind(folder / ENTRY) == "file"


def _reached(base: Path, folder: Path) -> bool:
    """Whether a folder is there and no link lies between it and a folder above it."""
    if folder == base:
        return True
    between = [folder, *(up for up in folder.parents if up != base and up.is_relative_to(base))]
    return all(disk.entry_kind(place) == "folder" for place in between)


def _read(base: Path, path: Path, row: Row) -> Reading:
    """One record; nothing when it is not there."""
    inside = path.relative_to(base).as_posix() if path.is_relative_to(base) else ""
    try:
        if not disk.entry_kind(path):
            return Reading()
        if inside:
            data = disk.read_below(base, inside, MAX_RECORD)
        else:
            data = disk.read_file(path, MAX_RECORD) or b""
    except (StateError, InvalidSkillError) as error:
        return Reading((), (safe(error.message),), readable=False)
    return row.read(data)


def _folders(root: Path, recorded: _Recorded, found: Found) -> Iterator[Path]:
    """The folders of skills: those recorded, those in agents' folders, those right here."""
    yield from (
        folder for folder in recorded if folder.is_relative_to(root) and _is_skill(root, folder)
    )
    for usual in USUAL:
        place = root / usual
        kinds = [disk.entry_kind(up) for up in (place.parent, place) if up != root]
        if "link" in kinds:
            found.problems.append(
                f"{usual} is behind a link, which is not followed: name its place"
            )
        elif kinds[-1] == "folder":
            yield from _walk(root, place, _DEPTH, found)
    yield from _walk(root, root, _DEPTH if _whole(root) else 1, found)


def _walk(root: Path, place: Path, depth: int, found: Found) -> Iterator[Path]:
    with disk.translated(f"read {place}"), os.scandir(place) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    found.seen += len(listed)
    if found.seen > MAX_ENTRIES:
        raise StateError(f"{root} holds more than {MAX_ENTRIES} files and folders to look at")
    for entry in listed:
        inner = place / entry.name
        if entry.is_symlink():
            if entry.is_dir() and (place != root or _whole(root)):
                found.links.append(inner)
        elif not entry.is_dir(follow_symlinks=False) or entry.name.startswith("."):
            continue
        elif disk.entry_kind(inner / ENTRY) == "file":
            yield inner
        elif depth > 1:
            yield from _walk(root, inner, depth - 1, found)


def _adoptable(
    root: Path, folder: Path, outer: tuple[Foreign, Path] | None, found: Found
) -> Adoptable:
    """A folder with what is recorded of it, outside of it before inside."""
    shown = _shown(root, folder)
    unread = list(found.unread)
    inner: Foreign | None = None
    for row in ROWS:
        if row.inside and inner is None:
            reading = _read(folder, folder / row.pattern, row)
            _tell(f"{shown}/{row.pattern}", reading, found.problems, unread)
            inner = next(iter(reading.found), None)
    if outer is None:
        told = "" if inner else next(iter(unread), "")
        return Adoptable(folder, shown, inner, folder, told)
    foreign, base = outer
    return Adoptable(folder, shown, _merged(foreign, inner), base)


def _tell(record: str, reading: Reading, problems: list[str], unread: list[str]) -> None:
    problems += [f"{record}: {text}" for text in reading.problems]
    if not reading.readable:
        unread.append(record)


def _merged(outer: Foreign, inner: Foreign | None) -> Foreign:
    """What a tool's list says, with what the same tool or `gh` wrote into the folder.

    `gh skill` writes into the list of `npx skills`, and changes the files that the hash is over.
    """
    if inner is None:
        return outer
    if inner.tool == outer.tool:
        hashed, pinned = outer if outer.hash else inner, outer.pinned or inner.pinned
        return replace(outer, hash=hashed.hash, algorithm=hashed.algorithm, pinned=pinned)
    if inner.tool == gh.TOOL and outer.algorithm == "git-tree":
        same = _plain(inner.source) == _plain(outer.source)
        return inner if same else replace(outer, hash="", algorithm="")
    return outer


def _plain(source: str) -> str:
    """A repository of GitHub in its shortest spelling."""
    return source.lower().removeprefix("https://github.com/").removesuffix(".git")


def _shown(root: Path, path: Path) -> str:
    return safe(path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path))
