"""Fixing documents of the user's own: the change is shown first, and written after a yes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillpm.errors import ConflictError, RefusedError
from skillpm.formats.fixing import Fixed, fix
from skillpm.formats.unified import unified
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Agree, Notes
from skillpm.model.text import safe
from skillpm.operations.checking import Asked, Checked, place_on_disk
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Writing
from skillpm.store.library import State


def fix_all(
    workspace: Workspace,
    asked: Asked,
    checked: Sequence[Checked],
    agree: Agree,
    notes: Notes,
) -> tuple[list[dict[str, Any]], str]:
    """Fix what can be; gives back what would change, for programs and as the text of a diff.

    All documents change in one step, which `skill undo` takes back.

    Raises:
        RefusedError: a skill is not the user's to change: installed, or not on this machine.
        StateError: the disk refuses; nothing was changed.
    """
    found = [
        (_place(workspace, asked.words, one, fixed.path), fixed)
        for one in checked
        if one.subject.tree and (fixed := fix(one.subject.tree, one.expected, asked.wanted))
    ]
    if not found:
        notes.note("there is nothing that can be fixed without its author")
        return [], ""
    lines = [line for place, fixed in found for line in _diff(place, fixed)]
    written = agree(lines)
    if written:
        writings = [Writing(place, fixed.after, fixed.before) for place, fixed in found]
        workspace.store.apply(f"validate --fix {asked.words}", [], writings)
        notes.note(f"fixed {len(found)} of {len(checked)}: skill undo takes it back")
    else:
        notes.warn("nothing was written: --yes writes it")
    data = [
        {
            "place": str(place),
            "rules": list(fixed.rules),
            "diff": "\n".join(_diff(place, fixed)),
            "written": written,
        }
        for place, fixed in found
    ]
    return data, "\n".join(lines)


def _diff(place: Path, fixed: Fixed) -> list[str]:
    return unified(str(place), fixed.before, fixed.after)


def _place(workspace: Workspace, words: str, one: Checked, path: str) -> Path:
    """The file to be written, when it is the user's own."""
    if is_skill_name(words) and one.subject.root is None:
        return _in_library(workspace, SkillName(words))
    place = place_on_disk(one.subject, path)
    if place is None:
        raise RefusedError(
            f"--fix changes files of yours alone, and {safe(words)} is none",
            hint="fix it where it comes from, or copy it into a folder of yours first",
        )
    library = workspace.host.dirs.library
    if place.is_relative_to(library):
        name = place.relative_to(library).parts[0].removesuffix(".md")
        return _in_library(workspace, SkillName(name)) if is_skill_name(name) else place
    return place


def _in_library(workspace: Workspace, name: SkillName) -> Path:
    found = workspace.store.library.entry(name)
    if found is None or found.state is State.MISSING:
        raise RefusedError(
            f"{name} came with the program, so it is not changed",
            hint="put one of that name into the library to have your own",
        )
    if found.state is not State.LOCAL:
        raise ConflictError(
            f"{name} was not written by hand: it is {found.state.value} in the library",
            hint="fix it where it comes from; updates would overwrite a change here",
        )
    return found.place if found.place.suffix == ".md" else found.place / "SKILL.md"
