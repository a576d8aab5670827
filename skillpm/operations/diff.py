"""`skill diff`: an installed skill against its source, its edits, or two of its versions."""

from __future__ import annotations

from typing import Literal

from skillpm.errors import NotFoundError, UsageError
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.provenance import Record
from skillpm.model.tree import Tree
from skillpm.operations.comparing import compare
from skillpm.operations.fetching import fetch_promised
from skillpm.operations.update import ask_taps
from skillpm.operations.upstream import standing as upstream
from skillpm.operations.versions import choose, standing, versions
from skillpm.operations.workspace import Workspace

Side = Literal["", "local", "upstream"]
Sides = tuple[Tree, Tree, tuple[str, str]]
"""The old files, the new ones, and what each is called."""


def diff(workspace: Workspace, name: SkillName, side: Side, pair: tuple[str, ...]) -> Outcome:
    """What differs, new abilities and findings first; the status is 1 when anything does.

    Without a side, the edits of an edited skill, else what an update would bring.

    Args:
        workspace: the ports and the state.
        name: the skill.
        side: `local` for edits since the install, `upstream` for what the source has now.
        pair: two versions of its history, by number or digest.

    Raises:
        NotFoundError: the skill, or a version, is not there.
        SkillError: the source is gone, down or broken.
    """
    notes = Notes()
    sides = _two(workspace, name, pair) if pair else _sides(workspace, name, side, notes)
    old, new, told = sides
    found = compare(old, new)
    data = {"name": name, "from": told[0], "to": told[1], **found.as_json()}
    notes.note(f"{name}: {told[0]} -> {told[1]}" + (", the same files" if found.same else ""))
    return Outcome(data, tuple(notes.messages), text=found.text(), status=int(not found.same))


def _two(workspace: Workspace, name: SkillName, pair: tuple[str, ...]) -> Sides:
    if len(pair) != 2:
        raise UsageError("name two versions, or none", hint=f"skill history {name}")
    found = versions(workspace, name)
    old, new = (choose(found, words) for words in pair)
    trees = workspace.store.trees
    told = f"version {old.number}", f"version {new.number}"
    return trees.read(old.digest), trees.read(new.digest), told


def _sides(workspace: Workspace, name: SkillName, side: Side, notes: Notes) -> Sides:
    record = workspace.shelf.records.get(name)
    here = standing(workspace, name)
    if record is None or here is None:
        raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
    edited = here.digest != record.digest
    if side == "local" or (not side and edited):
        told = "as installed", "as it stands"
        return workspace.store.trees.read(record.digest), here, told
    new, revision = newest(workspace, record, notes)
    return here, new, ("as it stands", f"upstream, {revision}")


def newest(workspace: Workspace, record: Record, notes: Notes) -> tuple[Tree, str]:
    """What an update would bring: the files, and their revision.

    Raises:
        SkillError: the source is gone, down or broken.
    """
    found = upstream(workspace, record, ask_taps(workspace, [record], notes))
    fetched = fetch_promised(workspace, found.want, found.listing)
    return fetched.tree, str(fetched.revision)
