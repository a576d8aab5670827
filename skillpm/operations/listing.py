"""What is installed, what a person put there, and what can be used without installing."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from skillpm.errors import SkillError
from skillpm.formats.shipped import Shipped
from skillpm.model.outcome import Later, Notes, Outcome, Table
from skillpm.model.provenance import Origin, Revision
from skillpm.model.text import safe
from skillpm.operations.ways import ELSEWHERE, WAYS
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped
from skillpm.store.glance import Glance, glances
from skillpm.store.library import Entry, State
from skillpm.store.looked import Looked
from skillpm.store.records import Brief

if TYPE_CHECKING:
    from skillpm.operations.requiring import Needs

_COLUMNS = ("name", "version", "origin", "state", "summary")

Facts = Callable[[], dict[str, Any]]


class Listed(NamedTuple):
    """One line of the list, and how to make what a program gets to know.

    Attributes:
        needs: what it needs, as `Requirements.as_text` writes it.
    """

    name: str
    version: str
    origin: str
    state: str
    summary: str
    facts: Facts
    needs: str = ""

    @classmethod
    def of(cls, facts: dict[str, Any], needs: str = "") -> Self:
        """A line whose facts are there."""
        name, version, origin, state, summary = (str(facts[column]) for column in _COLUMNS)
        return cls(name, version, origin, state, summary, lambda: facts, needs)


def list_skills(workspace: Workspace) -> Outcome:
    """Every usable skill: the library's, then the builtin ones that none of them replaces.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    listed, weighed = look(workspace, notes)
    states = {one.state for one in listed}
    for state, way in WAYS.items():
        if state in states:
            notes.note(f"{state}: {way.text}")
    reviewed = workspace.kept.reviewed()
    data = Later(lambda: {"skills": [_facts(one, reviewed, weighed) for one in listed]})
    table = Table(_COLUMNS, tuple(one[:5] for one in listed))
    lacking = {name: str(needs.missing) for name, needs in weighed.items() if needs.missing}
    if lacking:
        rows = ((*one[:5], lacking.get(one.name, "")) for one in listed)
        table = Table((*_COLUMNS, "missing"), tuple(rows))
    return Outcome(data, tuple(notes.messages), (table,))


def look(workspace: Workspace, notes: Notes) -> tuple[list[Listed], Mapping[str, Needs]]:
    """Every line of the list, and what those need that need anything.

    Raises:
        StateError: our own state is damaged.
    """
    listed = _of_project(workspace, notes) if workspace.in_project else _of_user(workspace, notes)
    return listed, _weighed(workspace, listed)


def _weighed(workspace: Workspace, listed: Sequence[Listed]) -> Mapping[str, Needs]:
    """What of the skills that need anything is missing."""
    told = {one.name: one.needs for one in listed if one.needs}
    if not told:
        return {}
    from skillpm.operations.requiring import weigh  # few skills need anything

    gone = (State.MISSING.value, State.UNKNOWN.value)
    usable = {one.name for one in listed if one.state not in gone}
    return weigh(workspace.host, told, usable)


def _facts(one: Listed, reviewed: Container[str], weighed: Mapping[str, Needs]) -> dict[str, Any]:
    facts, needs = one.facts(), weighed.get(one.name)
    return {
        **facts,
        "reviewed": facts["digest"] in reviewed,
        "requirements": needs.requirements.as_json() if needs else None,
        "missing": needs.missing.as_json() if needs else None,
    }


def _of_user(workspace: Workspace, notes: Notes) -> list[Listed]:
    kept = workspace.kept
    found = glances(kept.library, kept.records, Looked(workspace.host.dirs.data))
    root, bundled = f"{kept.library.root}{os.sep}", {skill.name for skill in shipped.skills()}
    for one in found:
        if one.is_disturbed:
            notes.warn(_remark(one.name, one.state, one.problem))
    strangers = kept.library.strangers({one.name for one in found})
    return [
        *(_glanced(root, one, bundled) for one in found),
        *_shipped({one.name for one in found if one.state is not State.MISSING}),
        *map(Listed.of, map(_stranger, strangers)),
    ]


def _of_project(workspace: Workspace, notes: Notes) -> list[Listed]:
    library = workspace.shelf.library
    entries = library.entries()
    for entry in entries:
        if entry.is_disturbed or entry.state is State.OLDER:
            notes.warn(_remark(entry.name, entry.state, entry.problem, "skill sync"))
    return [
        *(_standing(workspace, entry) for entry in entries),
        *_shipped({entry.name for entry in entries if entry.state is not State.MISSING}),
        *map(Listed.of, map(_stranger, library.strangers({entry.name for entry in entries}))),
    ]


def _shipped(taken: Container[str]) -> list[Listed]:
    """The builtin skills that nothing in the library replaces."""
    return [
        Listed.of(_builtin(skill))
        for skill in shipped.skills()
        if skill.builtin and skill.name not in taken
    ]


def _standing(workspace: Workspace, entry: Entry) -> Listed:
    """A skill of a project, whose lock has neither summaries nor needs."""
    if entry.state is State.MISSING:
        return Listed.of(_installed(entry, ""))
    from skillpm.formats.document import read_document
    from skillpm.formats.requirements import requirements_of

    try:
        document = read_document(workspace.shelf.library.read(entry.place).entry)
    except SkillError as error:
        return Listed.of(_installed(entry, f"({error.message})"))
    needs = requirements_of(document.header.values).as_text()
    return Listed.of(_installed(entry, document.summary), needs)


def _installed(entry: Entry, summary: str) -> dict[str, Any]:
    record = entry.record if entry.state is not State.LINKED else None
    origin = Origin.LOCAL
    if record:
        origin = record.origin if entry.state is State.OK else _distrusted(record.origin)
    pinned = bool(record and record.pinned)
    registry = str(record.registry) if record else ""
    state = _word(entry.state, registry, shipped.get(entry.name) is not None, pinned=pinned)
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
        "installed_for": record.installed_for if record else "",
        "place": str(entry.place),
    }


def _glanced(root: str, one: Glance, bundled: Container[str]) -> Listed:
    brief = one.brief
    if brief is None or one.state is State.LINKED:
        return Listed.of(_by_hand(root, one), one.requirements)
    origin = brief.origin
    if one.state is not State.OK:
        origin = _distrusted(Origin(origin)).value
    state = _word(one.state, brief.registry, one.name in bundled, pinned=brief.pinned)
    facts = partial(_recorded, root, one, brief, origin, state)
    return Listed(one.name, brief.version, origin, state, brief.summary, facts, one.requirements)


def _recorded(root: str, one: Glance, brief: Brief, origin: str, state: str) -> dict[str, Any]:
    return {
        "name": one.name,
        "version": brief.version,
        "origin": origin,
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
        "installed_for": brief.installed_for,
        "place": root + one.place,
    }


def _by_hand(root: str, one: Glance) -> dict[str, Any]:
    place = root + one.place
    return _unrecorded(one.name, one.state, one.summary, place) | {"digest": one.digest}


def _word(state: State, registry: str, is_bundled: bool, *, pinned: int) -> str:
    """The word for how a skill stands there; `registry` is "" when nothing is recorded."""
    if not registry or state is not State.OK:
        return state.value
    if pinned:
        return "pinned"
    return ELSEWHERE if is_bundled and not registry.startswith("bundled") else State.OK.value


def _flags(state: str) -> list[str]:
    return list(WAYS[state].flags) if state in WAYS else []


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
        "flags": _flags(state.value),
        "summary": summary,
        "source": place,
        "registry": "none",
        "revision": "",
        "mutable_source": False,
        "digest": "",
        "verdict": "",
        "pinned": False,
        "installed_for": "",
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
        "installed_for": "",
        "place": str(shipped.folder(skill.name)),
    }


def _remark(name: str, state: State, problem: str, way: str = "") -> str:
    match state:
        case State.EDITED:
            return f"{name} was edited after it was installed"
        case State.RAN:
            return f"Python left compiled files in {name}, which nobody looked at"
        case State.OLDER:
            return f"{name} is not what the lock says, which has moved on: {way}"
        case State.LINKED:
            return f"{name} was installed, and a link of yours stands in its place"
        case State.MISSING:
            way = way or f"skill install {name}"
            return f"{name} is recorded and its files are gone: {way}"
        case _:
            return f"{name} cannot be read: {problem}"
