"""What it takes for a project to match its lock: decided without touching anything, and told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from skillpm.errors import PartialError
from skillpm.model.lock import Lock, Locked
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations.candidate import Candidate
from skillpm.store.library import Entry, State, Wrote

Action = Literal["keep", "install", "update", "replace", "remove", "conflict", "leave"]

_CHANGES: Final = ("install", "update", "replace", "remove")
_DONE: Final = {
    "install": "installed", "update": "updated", "replace": "replaced", "remove": "removed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """What shall become of one skill.

    Attributes:
        action: `conflict` for what nobody said to replace, `leave` for what is not in the lock
            and not of our making.
        detail: why, in a few words.
        wanted: what the lock says; None when it does not have the skill.
        there: what stands in the folder.
        candidate: what was fetched and looked at.
    """

    name: SkillName
    action: Action
    detail: str
    wanted: Locked | None = None
    there: Entry | None = None
    candidate: Candidate | None = None

    @property
    def changes(self) -> bool:
        """Whether it changes the folder."""
        return self.action in _CHANGES

    @property
    def drifts(self) -> bool:
        """Whether folder and lock differ about it."""
        return self.changes or self.action == "conflict"


def compare(lock: Lock, entries: Iterable[Entry], wrote: Wrote, *, replace: bool) -> list[Step]:
    """One step for each skill of the lock or of the folder, by name.

    Args:
        lock: what shall be.
        entries: what is.
        wrote: tells whether what is not in the lock is of our making.
        replace: whether edits and links may be replaced.
    """
    there = {entry.name: entry for entry in entries}
    steps = [_wanted(one, there.pop(one.name, None), replace) for one in lock.skills]
    steps += [_extra(entry, wrote) for entry in there.values()]
    return sorted(steps, key=lambda step: step.name)


def _wanted(one: Locked, there: Entry | None, replace: bool) -> Step:
    def step(action: Action, detail: str) -> Step:
        return Step(one.name, action, detail, one, there)

    if there is None or there.state is State.MISSING:
        return step("install", "it is not there")
    match there.state:
        case State.OK:
            return step("keep", "as the lock says")
        case State.OLDER:
            return step("update", "the lock has other files")
        case State.RAN:
            return step("update", "Python left compiled files in it")
        case State.UNREADABLE:
            return step("conflict", f"what stands there is no skill: {there.problem}")
        case State.LINKED if not replace:
            return step("conflict", "a link of yours stands there")
        case State.LINKED:
            return step("replace", "a link of yours gives way")
    if replace:
        return step("replace", "it was edited; its bytes are kept")
    return step("conflict", "it was edited")


def _extra(there: Entry, wrote: Wrote) -> Step:
    if there.state is State.LOCAL and wrote(there.name, there.digest):
        return Step(there.name, "remove", "the lock does not have it any more", there=there)
    detail = "a link of yours" if there.state is State.LINKED else "not of skill's making"
    return Step(there.name, "leave", f"{detail}; it is not in the lock", there=there)


def drift(steps: Sequence[Step]) -> str:
    """The differences, one line each; "" for none."""
    return "".join(f"\n  {step.name}: {step.detail}" for step in steps if step.drifts)


def outcome(
    root: Path, steps: Sequence[Step], notes: Notes, *, dry_run: bool, frozen: bool
) -> Outcome:
    """What was done, or would be; the status is 9 when something stayed as it was."""
    for step in steps:
        if step.action == "conflict":
            unreadable = step.there is not None and step.there.state is State.UNREADABLE
            way = "move it away yourself" if unreadable else "skill sync --replace takes the lock's"
            notes.fail(f"{step.name}: {step.detail}; it is kept ({way})")
        elif step.action == "leave":
            notes.note(f"{step.name}: {step.detail}; it is left alone")
    rows = tuple((step.name, _result(step, dry_run), step.detail) for step in steps)
    status = PartialError.status if any(step.action == "conflict" for step in steps) else 0
    data = {
        "project": str(root),
        "dry_run": dry_run,
        "frozen": frozen,
        "skills": [_data(step) for step in steps],
    }
    table = Table(("name", "result", "detail"), rows, "the lock has no skills")
    return Outcome(data, tuple(notes.messages), (table,), status=status)


def _result(step: Step, dry_run: bool) -> str:
    return step.action if dry_run else _DONE.get(step.action, step.action)


def _data(step: Step) -> Mapping[str, Any]:
    wanted, candidate = step.wanted, step.candidate
    return {
        "name": step.name,
        "action": step.action,
        "detail": step.detail,
        "place": str(step.there.place) if step.there else "",
        "source": wanted.source if wanted else "",
        "digest": wanted.digest if wanted else "",
        "origin": candidate.listing.origin.value if candidate else "",
        "scan": candidate.judgement.as_json() if candidate else None,
    }
