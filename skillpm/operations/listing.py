"""What is installed, what a person put there, and what can be used without installing."""

from __future__ import annotations

import os
from collections.abc import Container
from pathlib import Path
from typing import Any

from skillpm.errors import SkillError
from skillpm.formats.shipped import Shipped
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Origin, Revision
from skillpm.model.text import safe
from skillpm.operations.ways import ELSEWHERE, WAYS
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped
from skillpm.store.glance import Glance, glances
from skillpm.store.library import Entry, State
from skillpm.store.looked import Looked

_COLUMNS = ("name", "version", "origin", "state", "summary")


def list_skills(workspace: Workspace) -> Outcome:
    """Every usable skill: the library's, then the builtin ones that none of them replaces.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    skills = _of_project(workspace, notes) if workspace.in_project else _of_user(workspace, notes)
    reviewed = workspace.store.reviews.digests()
    skills = [{**skill, "reviewed": skill["digest"] in reviewed} for skill in skills]
    states = {str(skill["state"]) for skill in skills}
    for state, way in WAYS.items():
        if state in states:
            notes.note(f"{state}: {way.text}")
    rows = tuple(tuple(str(skill[column]) for column in _COLUMNS) for skill in skills)
    return Outcome({"skills": skills}, tuple(notes.messages), (Table(_COLUMNS, rows),))


def _of_user(workspace: Workspace, notes: Notes) -> list[dict[str, Any]]:
    store = workspace.store
    found = glances(store.library, store.records, Looked(workspace.host.dirs.data))
    root = f"{store.library.root}{os.sep}"
    for one in found:
        if one.is_disturbed:
            notes.warn(_remark(one.name, one.state, one.problem))
    strangers = store.library.strangers({one.name for one in found})
    return [
        *(_glanced(root, one) for one in found),
        *_shipped({one.name for one in found if one.state is not State.MISSING}),
        *map(_stranger, strangers),
    ]


def _of_project(workspace: Workspace, notes: Notes) -> list[dict[str, Any]]:
    library = workspace.shelf.library
    entries = library.entries()
    for entry in entries:
        if entry.is_disturbed or entry.state is State.OLDER:
            notes.warn(_remark(entry.name, entry.state, entry.problem, "skill sync"))
    return [
        *(_installed(workspace, entry) for entry in entries),
        *_shipped({entry.name for entry in entries if entry.state is not State.MISSING}),
        *map(_stranger, library.strangers({entry.name for entry in entries})),
    ]


def _shipped(taken: Container[str]) -> list[dict[str, Any]]:
    """The builtin skills that nothing in the library replaces."""
    return [
        _builtin(skill) for skill in shipped.skills() if skill.builtin and skill.name not in taken
    ]


def _installed(workspace: Workspace, entry: Entry) -> dict[str, Any]:
    record = entry.record if entry.state is not State.LINKED else None
    origin = Origin.LOCAL
    if record:
        origin = record.origin if entry.state is State.OK else _distrusted(record.origin)
    pinned = bool(record and record.pinned)
    kind = record.registry.kind if record else ""
    state = _word(entry.name, entry.state, kind, pinned=pinned)
    told = record.summary if record else ""
    read = not record or workspace.in_project  # a lock has no summaries
    summary = _summary(workspace, entry) if read and entry.state is not State.MISSING else told
    return {
        "name": entry.name,
        "version": record.version if record else "",
        "origin": origin.value,
        "state": state,
        "flags": _flags(state),
        "summary": summary,
        "source": record.source if record else str(entry.place),
        "registry": str(record.registry) if record else "none",
        "revision": str(record.revision) if record else "",
        "mutable_source": bool(record and record.revision.is_mutable),
        "digest": entry.digest,
        "verdict": record.verdict if record else "",
        "pinned": pinned,
        "place": str(entry.place),
    }


def _glanced(root: str, one: Glance) -> dict[str, Any]:
    if one.brief is None or one.state is State.LINKED:
        return _by_hand(root, one)
    brief, sound = one.brief, one.state is State.OK
    kind = brief.registry.partition(":")[0]
    state = _word(one.name, one.state, kind, pinned=bool(brief.pinned))
    return {
        "name": one.name,
        "version": brief.version,
        "origin": brief.origin if sound else _distrusted(Origin(brief.origin)).value,
        "state": state,
        "flags": _flags(state),
        "summary": brief.summary,
        "source": brief.source,
        "registry": brief.registry,
        "revision": str(Revision(brief.revision_kind, brief.revision, brief.ref)),
        "mutable_source": brief.revision_kind == "content",
        "digest": one.digest,
        "verdict": brief.verdict,
        "pinned": bool(brief.pinned),
        "place": root + one.place,
    }


def _by_hand(root: str, one: Glance) -> dict[str, Any]:
    place = root + one.place
    return _unrecorded(one.name, one.state, one.summary, place) | {"digest": one.digest}


def _word(name: str, state: State, kind: str, *, pinned: bool) -> str:
    """The word for how a skill stands there; `kind` is that of its registry, "" for no record."""
    if not kind or state is not State.OK:
        return state.value
    if pinned:
        return "pinned"
    return State.OK.value if kind == "bundled" or not shipped.get(name) else ELSEWHERE


def _flags(state: str) -> list[str]:
    return list(WAYS[state].flags) if state in WAYS else []


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
    summary = "(not a skill; it is left alone)"
    return _unrecorded(safe(place.name), State.UNKNOWN, summary, str(place))


def _unrecorded(name: str, state: State, summary: str, place: str) -> dict[str, Any]:
    return {
        "name": name,
        "version": "",
        "origin": Origin.LOCAL.value,
        "state": state.value,
        "flags": _flags(state.value),
        "summary": summary,
        "source": place,
        "registry": "none",
        "revision": "",
        "mutable_source": False,
        "digest": "",
        "verdict": "",
        "pinned": False,
        "place": place,
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


def _remark(name: str, state: State, problem: str, way: str = "") -> str:
    match state:
        case State.EDITED:
            return f"{name} was edited after it was installed"
        case State.OLDER:
            return f"{name} is not what the lock says, which has moved on: {way}"
        case State.LINKED:
            return f"{name} was installed, and a link of yours stands in its place"
        case State.MISSING:
            way = way or f"skill install {name}"
            return f"{name} is recorded and its files are gone: {way}"
        case _:
            return f"{name} cannot be read: {problem}"
