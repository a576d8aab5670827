"""Updating from the recorded source, and telling what is out of date without touching it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from skillpm.errors import ConflictError, NotFoundError, PartialError, SkillError
from skillpm.model.judgement import Judgement
from skillpm.model.name import SkillName
from skillpm.model.outcome import Message, Notes, Outcome, Table
from skillpm.model.provenance import Record
from skillpm.operations import catalog, claims, judging
from skillpm.operations.ahead import ask_ahead, fetch_ahead
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.deciding import Permissions
from skillpm.operations.demanding import check_source
from skillpm.operations.fetching import fetch_promised, warn_if_plain
from skillpm.operations.install import Consent, inspect, place
from skillpm.operations.keeping import with_edits
from skillpm.operations.upstream import (
    Standing,
    Upstream,
    of_error,
    standing,
)
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, State


@dataclass(frozen=True, slots=True)
class Result:
    """What happened to one skill of an update."""

    name: str
    state: str
    detail: str
    error: SkillError | None = None
    judgement: Judgement | None = None


def update_one(
    workspace: Workspace, name: SkillName, permissions: Permissions, consent: Consent
) -> Outcome:
    """Bring one skill to the newest revision of the source it was installed from.

    Raises:
        NotFoundError: no such installed skill.
        RefusedError: pinned, re-pointed, edited, dangerous, or the person said no.
        SkillError: the source is gone, down or broken; nothing was changed.
    """
    record = _record(workspace, name)
    _check_lock(workspace)
    notes = Notes()
    taps = ask_taps(workspace, [record], notes)
    result = _update(workspace, record, taps, permissions, consent)
    if result.error:
        raise result.error
    _tell([result], permissions, notes)
    return _outcome([result], notes)


def update_all(workspace: Workspace, permissions: Permissions, consent: Consent) -> Outcome:
    """Update every installed skill; one failure does not stop the others.

    The outcome's status is 9 when some failed.

    Raises:
        StateError: our own state is damaged.
    """
    records = workspace.shelf.records.all()
    _check_lock(workspace)
    notes = Notes()
    taps = ask_taps(workspace, records, notes)
    ask_ahead(workspace, records, taps)
    fetch_ahead(workspace, records, taps)
    results = [_update(workspace, record, taps, permissions, consent) for record in records]
    _tell(results, permissions, notes)
    return _outcome(results, notes)


def outdated(workspace: Workspace) -> Outcome:
    """How each installed skill stands to its source; changes nothing.

    The outcome's status is 1 when something is behind or needs a decision.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    records = workspace.shelf.records.all()
    _check_lock(workspace)
    taps = ask_taps(workspace, records, notes)
    ask_ahead(workspace, records, taps)
    rows, data, attention = [], [], False
    for record in records:
        state, newest = _state(workspace, record, taps, notes)
        attention = attention or state not in (Upstream.CURRENT, Upstream.PINNED)
        rows.append((record.name, state.value, str(record.revision), newest, record.source))
        data.append(
            {"name": record.name, "state": state.value, "installed": str(record.revision),
             "newest": newest, "source": record.source}
        )  # fmt: skip
    table = Table(
        ("name", "state", "installed", "newest", "source"), tuple(rows), "nothing installed"
    )
    return Outcome({"skills": data}, tuple(notes.messages), (table,), status=int(attention))


def _check_lock(workspace: Workspace) -> None:
    """A project's lock may send nobody where the user would not go."""
    if workspace.in_project:
        claims.check_addresses(workspace, workspace.project)


def _state(
    workspace: Workspace, record: Record, taps: Sequence[TapAnswer], notes: Notes
) -> tuple[Upstream, str]:
    if record.pinned:
        return Upstream.PINNED, "-"
    try:
        found = standing(workspace, record, taps)
    except SkillError as error:
        notes.warn(f"{record.name}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
        return of_error(error), "?"
    entry = workspace.shelf.library.entry(record.name)
    if entry and entry.state in (State.EDITED, State.LINKED):
        return Upstream.EDITED, str(found.newest)
    state = Upstream.BEHIND if _awaits(found) else Upstream.CURRENT
    return state, str(found.newest)


def _awaits(found: Standing) -> bool:
    """Whether there are other files to be had: the source has them, or its registry promises so."""
    return found.behind or found.listing.digest not in ("", found.record.digest)


def _update(
    workspace: Workspace,
    record: Record,
    taps: Sequence[TapAnswer],
    permissions: Permissions,
    consent: Consent,
) -> Result:
    if record.pinned:
        return Result(record.name, Upstream.PINNED.value, f"stays: skill unpin {record.name}")
    try:
        entry = workspace.shelf.library.entry(record.name)
        _check_edits(entry, permissions)
        found = standing(workspace, record, taps)
        missing = entry is None or entry.state in (State.MISSING, State.OLDER, State.RAN)
        if not (_awaits(found) or missing or permissions.replace):
            return _stay(workspace, found)
        return _move(workspace, found, permissions, consent)
    except SkillError as error:
        return Result(record.name, "failed", error.message, error)


def _move(
    workspace: Workspace, found: Standing, permissions: Permissions, consent: Consent
) -> Result:
    record = workspace.shelf.records.get(found.record.name) or found.record
    notes = Notes()
    check_source(workspace, record.name, found.want.source, found.listing.origin)
    warn_if_plain(found.want.source, notes)
    fetched = fetch_promised(workspace, found.want, found.listing)
    listing = replace(found.listing, registry=record.registry)
    terms = permissions.terms.plus(record.accepted)
    candidate = inspect(record.name, record.requested, listing, fetched, terms)
    entry = workspace.shelf.library.entry(record.name)
    if permissions.keep_edits and entry and entry.state is State.EDITED:
        candidate = with_edits(workspace, entry, candidate, terms)
    outcome = place(workspace, replace(candidate, update=True), permissions, consent, notes)
    if outcome.data["action"] == "keep":
        return _stay(workspace, replace(found, newest=fetched.revision))
    detail = f"{record.revision} -> {fetched.revision}"
    detail += ", with your edits" if candidate.edited else ""
    return Result(record.name, "updated", detail, judgement=candidate.judgement)


def _stay(workspace: Workspace, found: Standing) -> Result:
    """The files are current; a newer revision with the same files is written down."""
    if not found.moved:
        return Result(found.record.name, Upstream.CURRENT.value, str(found.record.revision))
    workspace.shelf.restamp(found.record.name, found.newest)
    return Result(found.record.name, Upstream.CURRENT.value, f"the same files at {found.newest}")


def _check_edits(entry: Entry | None, permissions: Permissions) -> None:
    if entry and entry.state is State.UNREADABLE:
        raise ConflictError(
            f"{entry.place} stands in the way and is no skill: {entry.problem}",
            hint="move it away yourself",
        )
    if entry and entry.state is State.LINKED and not permissions.replace:
        raise ConflictError(
            f"{entry.place} is a link of yours now",
            hint=f"skill update {entry.name} --replace takes it away (what it leads to stays)",
        )
    settled = permissions.replace or permissions.keep_edits
    if entry and entry.state is State.EDITED and not settled:
        raise ConflictError(
            f"{entry.name} was edited after it was installed; its edits are kept",
            hint="--keep-edits merges them with what is new; --replace overwrites them (their bytes"
            " are kept)",
        )


def _record(workspace: Workspace, name: SkillName) -> Record:
    record = workspace.shelf.records.get(name)
    if record is None:
        raise NotFoundError(f"{name} is not installed", hint=f"skill install {name}")
    return record


def ask_taps(
    workspace: Workspace, records: Sequence[Record], notes: Notes
) -> tuple[TapAnswer, ...]:
    """The taps' answers, when one of the records came from a tap."""
    if not any(record.registry.kind == "tap" for record in records):
        return ()
    answers = catalog.ask_taps(workspace)
    notes.extend(catalog.told(answers))
    return answers


def _tell(results: Sequence[Result], permissions: Permissions, notes: Notes) -> None:
    judged = [result.judgement for result in results if result.judgement]
    if judged:
        judging.tell(judged, permissions.terms, notes)


def _outcome(results: Sequence[Result], notes: Notes) -> Outcome:
    failed = [result for result in results if result.error]
    for result in failed:
        hint = f" ({result.error.hint})" if result.error and result.error.hint else ""
        notes.messages.append(Message(f"{result.name}: {result.detail}{hint}", "error"))
    rows = tuple((r.name, r.state, r.detail) for r in results)
    data: dict[str, Any] = {"skills": [_data(result) for result in results]}
    table = Table(("name", "result", "detail"), rows, "nothing installed")
    status = PartialError.status if failed else 0
    return Outcome(data, tuple(notes.messages), (table,), status=status)


def _data(result: Result) -> dict[str, Any]:
    error = result.error
    fault = {"code": error.code, "message": error.message, "hint": error.hint} if error else None
    return {"name": result.name, "state": result.state, "detail": result.detail, "error": fault}
