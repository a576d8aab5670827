"""What is installed, what a person put there, and what can be used without installing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillpm.errors import SkillError
from skillpm.formats.shipped import Shipped
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Origin
from skillpm.model.text import safe
from skillpm.operations.ways import ELSEWHERE, WAYS
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped
from skillpm.store.library import Entry, State


def list_skills(workspace: Workspace) -> Outcome:
    """Every usable skill: the library's, then the builtin ones that none of them replaces.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    entries = workspace.shelf.library.entries()
    taken = {entry.name for entry in entries if entry.state is not State.MISSING}
    skills = [_installed(workspace, entry) for entry in entries]
    skills += [
        _builtin(skill) for skill in shipped.skills() if skill.builtin and skill.name not in taken
    ]
    skills += [_stranger(place) for place in workspace.shelf.library.strangers(entries)]
    for entry in entries:
        if entry.is_disturbed or entry.state is State.OLDER:
            notes.warn(_remark(entry, "skill sync" if workspace.in_project else ""))
    reviewed = workspace.store.reviews.digests()
    skills = [{**skill, "reviewed": skill["digest"] in reviewed} for skill in skills]
    states = {str(skill["state"]) for skill in skills}
    for state, way in WAYS.items():
        if state in states:
            notes.note(f"{state}: {way.text}")
    columns = ("name", "version", "origin", "state", "summary")
    rows = tuple(tuple(str(skill[column]) for column in columns) for skill in skills)
    return Outcome({"skills": skills}, tuple(notes.messages), (Table(columns, rows),))


def _installed(workspace: Workspace, entry: Entry) -> dict[str, Any]:
    record = entry.record if entry.state is not State.LINKED else None
    origin = Origin.LOCAL
    if record:
        origin = record.origin if entry.state is State.OK else _distrusted(record.origin)
    state = _state(entry)
    told = record.summary if record else ""
    read = not record or workspace.in_project  # a lock has no summaries
    summary = _summary(workspace, entry) if read and entry.state is not State.MISSING else told
    return {
        "name": entry.name,
        "version": record.version if record else "",
        "origin": origin.value,
        "state": state,
        "flags": list(WAYS[state].flags) if state in WAYS else [],
        "summary": summary,
        "source": record.source if record else str(entry.place),
        "registry": str(record.registry) if record else "none",
        "revision": str(record.revision) if record else "",
        "mutable_source": bool(record and record.revision.is_mutable),
        "digest": entry.digest,
        "verdict": record.verdict if record else "",
        "pinned": bool(record and record.pinned),
        "place": str(entry.place),
    }


def _state(entry: Entry) -> str:
    """The word for how a skill stands there."""
    record = entry.record
    if record is None or entry.state is not State.OK:
        return entry.state.value
    if record.pinned:
        return "pinned"
    here = record.registry.kind == "bundled" or not shipped.get(record.name)
    return State.OK.value if here else ELSEWHERE


def _distrusted(origin: Origin) -> Origin:
    """What other bytes than those recorded are worth."""
    return min(origin, Origin.COMMUNITY, key=lambda o: o.is_trusted)


def _summary(workspace: Workspace, entry: Entry) -> str:
    from skillpm.formats.document import read_document

    try:
        return read_document(workspace.shelf.library.read(entry.place).entry).summary
    except SkillError as error:
        return f"({error.message})"


def _stranger(place: Path) -> dict[str, Any]:
    return {
        "name": safe(place.name),
        "version": "",
        "origin": Origin.LOCAL.value,
        "state": State.UNKNOWN.value,
        "flags": [],
        "summary": "(not a skill; it is left alone)",
        "source": str(place),
        "registry": "none",
        "revision": "",
        "mutable_source": False,
        "digest": "",
        "verdict": "",
        "pinned": False,
        "place": str(place),
    }


def _builtin(skill: Shipped) -> dict[str, Any]:
    return {
        "name": skill.name,
        "version": skill.version,
        "origin": Origin.BUILTIN.value,
        "state": "builtin",
        "flags": [],
        "summary": skill.description,
        "source": f"bundled:{skill.name}",
        "registry": "bundled",
        "revision": f"version {skill.version}",
        "mutable_source": False,
        "digest": skill.digest,
        "verdict": "safe",
        "pinned": False,
        "place": str(shipped.folder(skill.name)),
    }


def _remark(entry: Entry, way: str) -> str:
    match entry.state:
        case State.EDITED:
            return f"{entry.name} was edited after it was installed"
        case State.OLDER:
            return f"{entry.name} is not what the lock says, which has moved on: {way}"
        case State.LINKED:
            return f"{entry.name} was installed, and a link of yours stands in its place"
        case State.MISSING:
            way = way or f"skill install {entry.name}"
            return f"{entry.name} is recorded and its files are gone: {way}"
        case _:
            return f"{entry.name} cannot be read: {entry.problem}"
