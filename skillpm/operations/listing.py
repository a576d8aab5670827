"""What is installed, what a person put there, and what can be used without installing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from skillpm.formats.shipped import Shipped
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Origin, Revision
from skillpm.model.text import safe
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped
from skillpm.store.glance import Glance, glances
from skillpm.store.library import State
from skillpm.store.looked import Looked

_COLUMNS = ("name", "version", "origin", "state", "summary")


def list_skills(workspace: Workspace) -> Outcome:
    """Every usable skill: the library's, then the builtin ones that none of them replaces.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    store = workspace.store
    found = glances(store.library, store.records, Looked(workspace.host.dirs.data))
    taken = {one.name for one in found if one.state is not State.MISSING}
    root = f"{store.library.root}{os.sep}"
    skills = [_installed(root, one) for one in found]
    skills += [
        _builtin(skill) for skill in shipped.skills() if skill.builtin and skill.name not in taken
    ]
    skills += [_stranger(place) for place in store.library.strangers({one.name for one in found})]
    for one in found:
        if one.is_disturbed:
            notes.warn(_remark(one))
    rows = tuple(tuple(str(skill[column]) for column in _COLUMNS) for skill in skills)
    return Outcome({"skills": skills}, tuple(notes.messages), (Table(_COLUMNS, rows),))


def _installed(root: str, one: Glance) -> dict[str, Any]:
    if one.brief is None or one.state is State.LINKED:
        return _by_hand(root, one)
    brief, sound = one.brief, one.state is State.OK
    return {
        "name": one.name,
        "version": brief.version,
        "origin": brief.origin if sound else _distrusted(Origin(brief.origin)).value,
        "state": "pinned" if brief.pinned and sound else one.state.value,
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


def _distrusted(origin: Origin) -> Origin:
    """What other bytes than those recorded are worth."""
    return min(origin, Origin.COMMUNITY, key=lambda o: o.is_trusted)


def _stranger(place: Path) -> dict[str, Any]:
    summary = "(not a skill; it is left alone)"
    return _unrecorded(safe(place.name), State.UNKNOWN, summary, str(place))


def _unrecorded(name: str, state: State, summary: str, place: str) -> dict[str, Any]:
    return {
        "name": name,
        "version": "",
        "origin": Origin.LOCAL.value,
        "state": state.value,
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


def _remark(entry: Glance) -> str:
    match entry.state:
        case State.EDITED:
            return f"{entry.name} was edited after it was installed"
        case State.LINKED:
            return f"{entry.name} was installed, and a link of yours stands in its place"
        case State.MISSING:
            return f"{entry.name} is recorded and its files are gone: skill install {entry.name}"
        case _:
            return f"{entry.name} cannot be read: {entry.problem}"
