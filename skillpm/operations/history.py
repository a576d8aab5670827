"""The history of a skill, and going back in it: `history`, `rollback`, `undo`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from skillpm.errors import ConflictError, NotFoundError
from skillpm.model.judgement import Judgement
from skillpm.model.name import SkillName
from skillpm.model.outcome import Message, Notes, Outcome, Table
from skillpm.model.provenance import Origin
from skillpm.model.tree import Tree
from skillpm.operations import judging
from skillpm.operations.deciding import Permissions, check_danger, occupant
from skillpm.operations.demanding import check_return
from skillpm.operations.versions import Version, choose, versions
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Change, Writing
from skillpm.store.history import Done
from skillpm.store.library import State

_PERSONS: Final = (State.EDITED, State.LOCAL, State.LINKED)


def history(workspace: Workspace, name: SkillName) -> Outcome:
    """Every version of a skill that was in the library.

    Raises:
        NotFoundError: nothing is known of it.
        StateError: our own state is damaged.
    """
    found = versions(workspace, name)
    entry = workspace.shelf.library.entry(name)
    now = entry.digest if entry else ""
    kept = {d for d in {v.digest for v in found} if workspace.store.trees.has(d)}
    data = [_data(version, now, kept) for version in found]
    columns = ("number", "at", "how", "version", "digest", "state")
    rows = tuple(
        tuple(str(one[column])[: 28 if column == "digest" else None] for column in columns)
        for one in data
    )
    return Outcome({"name": name, "versions": data}, (), (Table(columns, rows),))


def rollback(workspace: Workspace, name: SkillName, to: str, permissions: Permissions) -> Outcome:
    """Put an older version of a skill back; the present one stays in the history.

    Args:
        workspace: the ports and the state.
        name: the skill.
        permissions: what the user said explicitly.
        to: a number or a digest of the history; "" for the version before the present one.

    Raises:
        NotFoundError: there is no such version.
        ConflictError: the skill was edited or hand-written and nobody said to replace it.
        DangerError: by the rules of today it is refused.
        IntegrityError: its files are not kept any more.
    """
    found = versions(workspace, name)
    entry = workspace.shelf.library.entry(name)
    version = choose(found, to) if to else _before(found, entry.digest if entry else "")
    if entry and entry.state in _PERSONS and not permissions.replace:
        raise ConflictError(
            f"{name} was edited, linked or written by hand",
            hint="--replace replaces it (its bytes are kept)",
        )
    tree = workspace.store.trees.read(version.digest)
    judgement = _judged(workspace, version, tree, permissions)
    notes = Notes()
    judging.tell([judgement], permissions.terms, notes)
    if entry and entry.digest == version.digest:
        notes.note(f"{name} already stands at version {version.number}")
        return Outcome({"name": name, "version": version.number, "action": "keep"},
                       tuple(notes.messages))  # fmt: skip
    change = _change(workspace, name, version, tree, occupant(entry))
    workspace.shelf.install(change)
    notes.note(f"{name} is back at version {version.number} ({version.label})")
    if version.record and not version.record.pinned:
        notes.note(f"the next update brings the newest again; to hold this one: skill pin {name}")
    return Outcome({"name": name, "version": version.number, "digest": version.digest,
                    "action": "rollback"}, tuple(notes.messages))  # fmt: skip


def undo(workspace: Workspace, *, dry_run: bool = False) -> Outcome:
    """Take back the last operation that changed skills, with everything that it changed.

    Raises:
        NotFoundError: there is nothing to take back.
        ConflictError: something that it changed was changed again since.
        RefusedError: what would come back is not what `[policy]` lets in.
        IntegrityError: files that must come back are not kept any more.
    """
    operation = workspace.store.history.last()
    if operation is None:
        raise NotFoundError("there is nothing to undo")
    effects = workspace.store.history.within(operation.id)
    changes = [_undone(workspace, done) for done in effects if done.effect.name]
    writings = [_rewritten(workspace, done) for done in effects if not done.effect.name]
    verb = "would take back" if dry_run else "took back"
    if not dry_run:
        workspace.store.apply(f"undo {operation.command}", changes, writings, operation.id)
    data = {
        "operation": operation.id,
        "command": operation.command,
        "at": operation.at,
        "dry_run": dry_run,
        "skills": [
            {"name": d.effect.name, "place": d.effect.place, "from": d.effect.after,
             "to": d.effect.before}
            for d in effects
        ],
    }  # fmt: skip
    return Outcome(data, (Message(f"{verb}: {operation.command} ({operation.at})"),))


def _data(version: Version, now: str, kept: Collection[str]) -> dict[str, Any]:
    record = version.record
    here = version.digest == now
    return {
        "number": version.number,
        "at": version.at,
        "how": version.how,
        "version": version.label,
        "digest": version.digest,
        "source": record.source if record else "",
        "revision": record.revision.value if record else "",
        "state": "current" if here else "kept" if version.digest in kept else "gone",
    }


def _before(found: Sequence[Version], now: str) -> Version:
    """The newest version whose files are not those that stand there."""
    older = [version for version in found if version.digest != now]
    at = max((v.number for v in found if v.digest == now), default=len(found) + 1)
    older = [version for version in older if version.number < at]
    if not older:
        raise NotFoundError("there is no earlier version")
    return older[-1]


def _judged(
    workspace: Workspace, version: Version, tree: Tree, permissions: Permissions
) -> Judgement:
    record = version.record
    terms = permissions.terms.plus(record.accepted if record else ())
    if record:
        check_return(workspace, record)
    judgement = judging.judge(tree, terms, record.origin if record else Origin.LOCAL)
    check_danger(version.label, judgement, permissions)
    return judgement


def _change(
    workspace: Workspace, name: SkillName, version: Version, tree: Tree, expected: str
) -> Change:
    now = workspace.host.now()
    record = replace(version.record, updated_at=now) if version.record else None
    return Change(name, record, tree, expected, "rollback", shape=version.shape)


def _undone(workspace: Workspace, done: Done) -> Change:
    effect = done.effect
    if effect.was:
        check_return(workspace, effect.was)
    if not effect.place:
        entry = workspace.store.library.entry(SkillName(effect.name))
        if occupant(entry) != effect.after:
            raise ConflictError(
                f"{effect.name} was changed since; undoing that would lose the change",
                hint=f"to choose a version yourself: skill history {effect.name}",
            )
    tree = workspace.store.trees.read(effect.before) if effect.before else None
    return Change(
        SkillName(effect.name), effect.was, tree, effect.after, "undo",
        Path(effect.place) if effect.place else None, shape=effect.shape,
    )  # fmt: skip


def _rewritten(workspace: Workspace, done: Done) -> Writing:
    effect, trees = done.effect, workspace.store.trees
    before = trees.read(effect.before).entry if effect.before else None
    after = trees.read(effect.after).entry if effect.after else None
    return Writing(Path(effect.place), before, after)
