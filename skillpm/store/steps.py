"""Steps: entries of folders that give way to staged ones, forward or back, as often as wanted.

Each step has a room, a private folder on the disk of the place that it changes: `new` in it is
what was staged, and what gave way ends up beside it. `forward` and `back` look at what stands
where and do what is missing, so a process that died in the middle of one leaves nothing that
either of them could not finish.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from skillpm.edges import disk, folders
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.tree import ENTRY, MAX_BYTES, Tree

UNREADABLE: Final = "unreadable"
_NEW, _OLD, _UNDONE = "new", "old", "undone"
_STAGING, _BESIDE = "staging", ".skill-"
_ROOM: Final = re.compile(r"tmp-[0-9a-f]{16}")

LINK: Final = "link:"
INSIDE: Final = "inside:"


class Link(NamedTuple):
    """A link, as it is written."""

    target: str


class Inside(NamedTuple):
    """A folder that holds nothing but its entry document, which is a link."""

    target: str


Content = Tree | bytes | Link | Inside | None
"""What shall stand in a place: files, one file, a link, a folder with one, or nothing."""


class Step(NamedTuple):
    """One place that changes.

    Attributes:
        place: the folder or file.
        room: the step's own folder.
        old: the mark of what stands there before; "" for nothing.
        new: the mark of what stands there after; "" for nothing.
    """

    place: str
    room: str
    old: str
    new: str

    @property
    def staged(self) -> Path:
        """Where its new entry is made ready."""
        return Path(self.room) / _NEW


def mark(place: Path) -> str:
    """What stands in a place, in one word: the same word for the same files.

    Raises:
        StateError: the disk refuses.
    """
    match disk.entry_kind(place):
        case "":
            return ""
        case "file":
            data = disk.read_file(place, MAX_BYTES)
            return mark_of(data)
        case "folder":
            try:
                return disk.read_tree(place).digest
            except InvalidSkillError:
                return _mark_inside(place)
        case "link":
            with disk.translated(f"read the link {place}"):
                return f"{LINK}{place.readlink()}"
    return UNREADABLE


def _mark_inside(place: Path) -> str:
    with disk.translated(f"read {place}"):
        names = [inner.name for inner in place.iterdir()]
    if names != [ENTRY] or disk.entry_kind(place / ENTRY) != "link":
        return UNREADABLE
    return f"{INSIDE}{mark(place / ENTRY).removeprefix(LINK)}"


def mark_of(content: Content) -> str:
    """The mark of what would stand in a place."""
    if content is None:
        return ""
    if isinstance(content, Tree):
        return content.digest
    if isinstance(content, Link):
        return f"{LINK}{content.target}"
    if isinstance(content, Inside):
        return f"{INSIDE}{content.target}"
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def stage(step: Step, content: Content) -> None:
    """Make a step's room, and its new entry in it, durably.

    Raises:
        StateError: the disk refuses.
    """
    room = Path(step.room)
    folders.private_folder(room)
    if isinstance(content, Tree):
        folders.write_tree(content, step.staged)
    elif isinstance(content, Link):
        folders.link(step.staged, content.target)
    elif isinstance(content, Inside):
        folders.open_folder(step.staged)
        folders.link(step.staged / ENTRY, content.target)
        folders.sync_folder(step.staged)
    elif content is not None:
        folders.write_file(step.staged, content)
    folders.sync_folder(room)


def forward(step: Step) -> None:
    """Put the new entry in its place, or take the old one away.

    Raises:
        StateError: the disk refuses, or something else stands there.
    """
    place, at = Path(step.place), mark(Path(step.place))
    if at == step.new:
        return
    new = _new_entry(step)
    if step.old and at == step.old:
        if step.new and folders.exchange(new, place):
            return
        folders.move_new(place, Path(step.room) / _OLD)
    if step.new:
        folders.move_new(new, place)


def back(step: Step) -> None:
    """Put the old entry back in its place; what stands there and is not ours stays.

    Raises:
        StateError: the disk refuses.
    """
    place, at = Path(step.place), mark(Path(step.place))
    if at == step.old or at not in ("", step.new):
        return
    room = Path(step.room)
    old = next((p for p in (room / _OLD, room / _NEW) if step.old and mark(p) == step.old), None)
    if at and old and folders.exchange(old, place):
        return
    if at:
        folders.move_new(place, room / _UNDONE)
    if old:
        folders.move_new(old, place)


def _new_entry(step: Step) -> Path:
    """Where its new entry lies; elsewhere than staged when taking it back was interrupted."""
    undone = Path(step.room) / _UNDONE
    return undone if disk.entry_kind(undone) and not disk.entry_kind(step.staged) else step.staged


def is_begun(step: Step) -> bool:
    """Whether its place is no longer as it was, and by our doing."""
    at = mark(Path(step.place))
    return at != step.old and (at == step.new or (not at and (Path(step.room) / _OLD).exists()))


def is_open(step: Step) -> bool:
    """Whether `forward` still can do its work without touching what is not ours."""
    at = mark(Path(step.place))
    return at in (step.old, step.new) or (not at and (Path(step.room) / _OLD).exists())


def clear(steps: Iterable[Step]) -> None:
    """Remove the rooms, and what gave way with them.

    Raises:
        StateError: the disk refuses.
    """
    for step in steps:
        folders.remove_entry(Path(step.room))


def as_json(steps: Iterable[Step]) -> str:
    """Steps as JSON text."""
    return json.dumps([list(step) for step in steps])


def from_json(text: str) -> list[Step]:
    """The steps that `as_json` wrote.

    Raises:
        StateError: the text is something else, or names what cannot be ours.
    """
    try:
        found = [Step(*map(str, row)) for row in json.loads(text)]
    except (ValueError, TypeError, RecursionError) as error:
        raise StateError(f"the journal in state.db is damaged: {error}") from None
    strange = [step.room for step in found if not _is_room(step)]
    if strange:
        raise StateError(
            f"the journal in state.db names {strange[0]!r}, which is no work space of ours",
            hint="somebody else wrote there; keep a copy of state.db, and move it aside",
        )
    return found


def _is_room(step: Step) -> bool:
    """Whether a room is called as we call them: everything in it is taken away at the end."""
    room, place = Path(step.room), Path(step.place)
    if ".." in (*room.parts, *place.parts) or not (room.is_absolute() and place.is_absolute()):
        return False
    inside = room.parent.name == _STAGING and _ROOM.fullmatch(room.name)
    beside = room.parent == place.parent and _ROOM.fullmatch(room.name.removeprefix(_BESIDE))
    return bool(inside or (beside and room.name.startswith(_BESIDE)))


def room_for(place: Path, data: Path) -> Path:
    """A new room for a step: in our own folder when the place is in it, else beside the place."""
    name = f"tmp-{os.urandom(8).hex()}"
    ours = place.is_relative_to(data)
    return data / _STAGING / name if ours else place.parent / f"{_BESIDE}{name}"
