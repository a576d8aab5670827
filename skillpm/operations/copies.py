"""The agents' copies of installed skills: whether an agent reads what the library holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.audited import Copy
from skillpm.model.text import safe
from skillpm.operations.agentfolders import agents_of, looked_into
from skillpm.operations.entries import shelf_of, tilde
from skillpm.operations.workspace import Workspace
from skillpm.sources.adoptable import USUAL
from skillpm.store.library import Entry
from skillpm.store.showing import seen
from skillpm.store.steps import INSIDE

FOLDERS: Final = tuple(folder for folder in USUAL if folder.startswith("."))


def copies(workspace: Workspace, entries: Collection[Entry]) -> Mapping[str, tuple[Copy, ...]]:
    """What stands under the names of these skills in agents' folders, by the skill's name.

    The folders are those of the user, or of the project. What skill put there and is gone is told,
    and so is what cannot be read; nothing is written.
    """
    named = {name: entry for entry in entries for name in (entry.place.name, str(entry.name))}
    found: dict[str, list[Copy]] = {}
    for shown, root in _roots(workspace).items():
        for name in _names(root):
            if name in named and root / name != named[name].place:
                entry = named[name]
                found.setdefault(entry.name, []).append(_copy(shown, root / name, entry))
    for row in workspace.store.shown.on(shelf_of(workspace)):
        if row.name in named and not seen(row.place):
            found.setdefault(row.name, []).append(Copy(tilde(workspace, row.place), "missing"))
    return {name: tuple(each) for name, each in found.items()}


def _roots(workspace: Workspace) -> dict[str, Path]:
    """Each folder that an agent reads, or once read, once; by what people call it."""
    if workspace.in_project:
        known = looked_into(workspace, agents_of(workspace))
        return {safe(one.shown): one.path for one in known}
    host = workspace.host
    usual = {f"~/{folder}": host.expand(f"~/{folder}") for folder in FOLDERS}
    taken = {root.resolve() for root in usual.values() if _exists(root)}
    more = (one for one in looked_into(workspace, agents_of(workspace)) if one.path not in taken)
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
