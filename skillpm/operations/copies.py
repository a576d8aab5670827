"""The agents' copies of installed skills: whether an agent reads what the library holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.audited import Copy
from skillpm.operations.workspace import Workspace
from skillpm.sources.adoptable import USUAL
from skillpm.store.library import Entry

FOLDERS: Final = tuple(folder for folder in USUAL if folder.startswith("."))


def copies(workspace: Workspace, entries: Collection[Entry]) -> Mapping[str, tuple[Copy, ...]]:
    """What stands under the names of these skills in the agents' folders of the user, by name.

    Nothing there is written; what cannot be read is told as that.
    """
    named = {entry.place.name: entry for entry in entries}
    found: dict[str, list[Copy]] = {}
    for folder in FOLDERS:
        root = workspace.host.expand(f"~/{folder}")
        for name in _names(root):
            if name in named and root / name != named[name].place:
                entry = named[name]
                found.setdefault(entry.name, []).append(_copy(f"~/{folder}", root / name, entry))
    return {name: tuple(each) for name, each in found.items()}


def _names(root: Path) -> list[str]:
    try:
        return sorted(place.name for place in root.iterdir())
    except OSError:
        return []  # there is no such folder, or it is not ours to look into


def _copy(folder: str, place: Path, entry: Entry) -> Copy:
    shown = f"{folder}/{place.name}"
    try:
        kind = disk.entry_kind(place)
        if kind == "link":
            ours = place.resolve(strict=True) == entry.place.resolve()
            return Copy(shown, "linked" if ours else "linked elsewhere")
        if kind != "folder":
            return Copy(shown, "differs")
        digest = disk.read_tree(place).digest
    except (InvalidSkillError, StateError, OSError, RuntimeError):
        return Copy(shown, "unreadable")
    return Copy(shown, "same" if digest == entry.digest else "differs", digest)
