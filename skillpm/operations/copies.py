"""The agents' copies of installed skills: whether an agent reads what the library holds."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.audited import Copy
from skillpm.model.text import safe
from skillpm.operations.agentfolders import agents_of, looked_into
from skillpm.operations.showing import shelf_of
from skillpm.operations.workspace import Workspace
from skillpm.sources.adoptable import USUAL
from skillpm.store.library import Entry
from skillpm.store.showing import Shown, seen
from skillpm.store.steps import INSIDE, LINK

FOLDERS: Final = tuple(folder for folder in USUAL if folder.startswith("."))


def copies(workspace: Workspace, entries: Collection[Entry]) -> Mapping[str, tuple[Copy, ...]]:
    """What stands under the names of these skills in the agents' folders of the user, by name.

    What skill put there and is gone is told too. Nothing is written; what cannot be read is told
    as that.
    """
    named = {name: entry for entry in entries for name in (entry.place.name, str(entry.name))}
    found: dict[str, list[Copy]] = {}
    for shown, root in _roots(workspace).items():
        for name in _names(root):
            if name in named and root / name != named[name].place:
                entry = named[name]
                found.setdefault(entry.name, []).append(_copy(shown, root / name, entry))
    for row in workspace.store.shown.on(""):
        if row.name in named and not seen(row.place):
            found.setdefault(row.name, []).append(Copy(_tilde(workspace, row.place), "missing"))
    return {name: tuple(each) for name, each in found.items()}


def standing(workspace: Workspace, *, closely: bool) -> Mapping[str, tuple[Copy, ...]]:
    """How the entries that skill put into agents' folders stand there, by the skill's name.

    Args:
        workspace: the ports and the state.
        closely: read the files of copies, rather than only look whether they are there.
    """
    found: dict[str, list[Copy]] = {}
    for row in workspace.store.shown.on(shelf_of(workspace)):
        state = _state(row, closely=closely)
        found.setdefault(row.name, []).append(Copy(_tilde(workspace, row.place), state))
    return {name: tuple(each) for name, each in found.items()}


def _roots(workspace: Workspace) -> dict[str, Path]:
    """Each folder that an agent reads, or once read, once; by what people call it."""
    host = workspace.host
    usual = {f"~/{folder}": host.expand(f"~/{folder}") for folder in FOLDERS}
    known = {root.resolve() for root in usual.values() if _exists(root)}
    more = (one for one in looked_into(workspace, agents_of(workspace)) if one.path not in known)
    return usual | {safe(one.shown): one.path for one in more}


def _exists(root: Path) -> bool:
    try:
        return root.is_dir()
    except (OSError, RuntimeError):
        return False


def _names(root: Path) -> list[str]:
    try:
        return sorted(place.name for place in root.iterdir())
    except OSError:
        return []  # there is no such folder, or it is not ours to look into


def _copy(folder: str, place: Path, entry: Entry) -> Copy:
    shown = f"{folder}/{place.name}"
    try:
        kind = disk.entry_kind(place)
        if kind == "link" or (kind == "folder" and seen(place).startswith(INSIDE)):
            leads = place if kind == "link" else next(place.iterdir())
            ours = leads.resolve(strict=True) == entry.place.resolve()
            return Copy(shown, "linked" if ours else "linked elsewhere")
        if kind != "folder":
            return Copy(shown, "differs")
        digest = disk.read_tree(place).digest
    except (InvalidSkillError, StateError, OSError, RuntimeError):
        return Copy(shown, "unreadable")
    return Copy(shown, "same" if digest == entry.digest else "differs", digest)


def _state(row: Shown, *, closely: bool) -> str:
    target = row.mark.removeprefix(LINK)
    if target != row.mark:
        return "linked" if _reads(row.place) == target else _other(row.place, "linked elsewhere")
    if not closely:
        return "same" if os.path.lexists(row.place) else "missing"
    at = seen(row.place)
    if not row.holds(at):
        return _other(row.place, "differs")
    return "linked" if at.startswith(INSIDE) else "same"


def _other(place: Path, state: str) -> str:
    return state if os.path.lexists(place) else "missing"


def _reads(place: Path) -> str:
    try:
        return os.readlink(place)  # noqa: PTH115 - a Path each is slow for thousands
    except OSError:
        return ""


def _tilde(workspace: Workspace, place: Path) -> str:
    home = workspace.host.home().resolve()
    return safe(f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place))


def disturbed(found: Mapping[str, tuple[Copy, ...]]) -> Iterator[str]:
    """A line for each entry that is not as skill put it there."""
    for name, each in found.items():
        for copy in each:
            if copy.has_drifted:
                yield f"{name} in {copy.place}: {copy.state} (skill agents doctor)"
