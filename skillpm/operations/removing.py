"""Taking skills out of the library, and holding them where they are."""

from __future__ import annotations

from skillpm.errors import ConflictError, NotFoundError
from skillpm.model.name import SkillName
from skillpm.model.outcome import Message, Outcome
from skillpm.operations.deciding import occupant
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, State


def remove(workspace: Workspace, name: SkillName, *, discard: bool) -> Outcome:
    """Remove one installed skill; its files stay in the store.

    With `discard`, also what we did not write: an edited or hand-written skill; its bytes are
    kept in the store all the same.

    Raises:
        NotFoundError: no such skill.
        ConflictError: it was edited or hand-written and `discard` was not given.
    """
    entry = workspace.shelf.library.entry(name)
    if entry is None:
        raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
    _check_ours(entry, discard=discard)
    workspace.shelf.remove(name, occupant(entry))
    return Outcome(
        {"name": name, "place": str(entry.place)},
        (Message(f"removed {name} from {entry.place.parent}"),),
    )


def pin(workspace: Workspace, name: SkillName, *, pinned: bool) -> Outcome:
    """Hold a skill at its revision, or let it go again.

    Raises:
        NotFoundError: no such installed skill.
    """
    record = workspace.store.records.get(name)
    if record is None:
        raise NotFoundError(f"{name} is not installed")
    workspace.store.pin(name, pinned=pinned)
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
