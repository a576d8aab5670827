"""How the entries that skill put into agents' folders stand there: at a glance, or closely."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from skillpm.model.audited import Copy
from skillpm.model.text import safe
from skillpm.operations.workspace import Workspace
from skillpm.store.showing import Shown, seen
from skillpm.store.steps import INSIDE, LINK


def shelf_of(workspace: Workspace) -> str:
    """How records name the shelf in use."""
    return str(workspace.project.library.root) if workspace.in_project else ""


def standing(workspace: Workspace, *, closely: bool) -> Mapping[str, tuple[Copy, ...]]:
    """How the entries that skill put into agents' folders stand there, by the skill's name.

    Args:
        workspace: the ports and the state.
        closely: read the files of copies, rather than only look whether they are there.
    """
    found: dict[str, list[Copy]] = {}
    for row in workspace.store.shown.on(shelf_of(workspace)):
        state = _state(row, closely=closely)
        found.setdefault(row.name, []).append(Copy(tilde(workspace, row.place), state))
    return {name: tuple(each) for name, each in found.items()}


def disturbed(found: Mapping[str, tuple[Copy, ...]]) -> Iterator[str]:
    """A line for each entry that is not as skill put it there."""
    for name, each in found.items():
        for copy in each:
            if copy.has_drifted:
                yield f"{name} in {copy.place}: {copy.state} (skill agents doctor)"


def tilde(workspace: Workspace, place: Path) -> str:
    """A place as people call it."""
    home = workspace.host.home().resolve()
    return safe(f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place))


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
