"""Taking skills out of the library, and holding them where they are."""

from __future__ import annotations

from collections.abc import Sequence

from skillpm.errors import ConflictError, NotFoundError, PartialError
from skillpm.model.name import SkillName
from skillpm.model.outcome import Agree, Message, Notes, Outcome
from skillpm.operations.deciding import occupant
from skillpm.operations.dependencies import needers, orphans
from skillpm.operations.requiring import needs_of
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, State


def remove(workspace: Workspace, name: SkillName, agree: Agree, *, discard: bool) -> Outcome:
    """Remove one installed skill; its files stay in the store.

    With `discard`, also what we did not write: an edited or hand-written skill; its bytes are
    kept in the store all the same. What was installed for it and nobody needs any more goes too
    when somebody says so, and is named otherwise.

    Raises:
        NotFoundError: no such skill.
        ConflictError: it was edited or hand-written and `discard` was not given.
    """
    entry = workspace.shelf.library.entry(name)
    if entry is None:
        raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
    _check_ours(entry, discard=discard)
    before = set(_orphans(workspace))
    workspace.shelf.remove(name, occupant(entry))
    notes = Notes()
    notes.note(f"removed {name} from {entry.place.parent}")
    for needer in needers(name, workspace.shelf.records.all()):
        notes.warn(f"{needer} says that it needs {name}")
    left = [one for one in _orphans(workspace) if one not in before]
    status, removed = 0, list[str]()
    if left and agree([f"nobody needs any more: {', '.join(left)}"]):
        removed, status = _prune(workspace, left, notes)
    elif left:
        notes.note(f"nobody needs any more: {', '.join(left)} (skill remove --orphans)")
    data = {"name": name, "place": str(entry.place), "orphans": left, "removed": removed}
    return Outcome(data, tuple(notes.messages), status=status)


def remove_orphans(workspace: Workspace) -> Outcome:
    """Remove every skill that was installed for another one and is needed by none any more.

    The status is 9 when one was edited and stays.

    Raises:
        StateError: the disk refuses.
    """
    notes, left = Notes(), _orphans(workspace)
    if not left:
        notes.note("there is nothing that nobody needs")
    removed, status = _prune(workspace, left, notes)
    data = {"orphans": left, "removed": removed}
    return Outcome(data, tuple(notes.messages), status=status)


def _prune(workspace: Workspace, names: Sequence[SkillName], notes: Notes) -> tuple[list[str], int]:
    removed = []
    for name in names:
        entry = workspace.shelf.library.entry(name)
        try:
            if entry is None:
                continue
            _check_ours(entry, discard=False)
            workspace.shelf.remove(name, occupant(entry))
        except ConflictError as error:
            notes.fail(f"{error.message}; it stays ({error.hint})")
        else:
            removed.append(str(name))
            notes.note(f"removed {name}, which nobody needs any more")
    return removed, 0 if len(removed) == len(names) else PartialError.status


def _orphans(workspace: Workspace) -> list[SkillName]:
    """What nobody needs; a hand-written skill needs what it says, too."""
    records = workspace.shelf.records.all()
    if not any(one.installed_for for one in records):
        return []
    others: dict[str, Sequence[str]] = {
        entry.name: needs_of(tree).skills
        for entry, tree in workspace.shelf.library.reads()
        if tree and entry.state in (State.LOCAL, State.LINKED)
    }
    return orphans(records, others)


def pin(workspace: Workspace, name: SkillName, *, pinned: bool) -> Outcome:
    """Hold a skill at its revision, or let it go again.

    Raises:
        NotFoundError: no such installed skill.
    """
    record = workspace.shelf.records.get(name)
    if record is None:
        raise NotFoundError(f"{name} is not installed")
    workspace.shelf.pin(name, pinned=pinned)
    verb = f"stays at {record.revision}" if pinned else "is updated again"
    return Outcome({"name": name, "pinned": pinned}, (Message(f"{name} {verb}"),))


def _check_ours(entry: Entry, *, discard: bool) -> None:
    if entry.state is State.UNREADABLE:
        raise ConflictError(
            f"{entry.place} is no skill, so it is not removed: {entry.problem}",
            hint="move it away yourself",
        )
    if discard:
        return
    if entry.state is State.LINKED:
        raise ConflictError(
            f"{entry.place} is a link of yours, so it is not removed",
            hint=f"skill remove {entry.name} --discard removes the link (what it leads to stays)",
        )
    if entry.state is State.LOCAL:
        raise ConflictError(
            f"{entry.place} was not installed by skill, so it is not removed",
            hint=f"skill remove {entry.name} --discard removes it (its bytes are kept)",
        )
    if entry.state is State.EDITED:
        raise ConflictError(
            f"{entry.name} was edited after it was installed",
            hint=f"skill remove {entry.name} --discard removes it with its edits"
            " (their bytes are kept)",
        )
