"""Auditing what is installed: digest, provenance, trust, and a fresh scan of the bytes on disk."""

from __future__ import annotations

from typing import Any

from skillpm.errors import IntegrityError, NotFoundError, SkillError
from skillpm.model.acceptance import Stale
from skillpm.model.judgement import Judgement
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Origin
from skillpm.operations import describing, judging
from skillpm.operations.judging import Said, Terms
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, State

_COLUMNS = ("name", "origin", "files", "scan", "registry", "source", "revision")


def audit(workspace: Workspace, names: tuple[SkillName, ...], said: Said | None = None) -> Outcome:
    """Look at every installed skill, or at those named.

    The status is 6 when files are not those that were installed, else 1 when a skill would be
    refused as it is now, else 0.

    Raises:
        NotFoundError: a named skill is not in the library.
        StateError: our own state is damaged.
    """
    notes = Notes()
    terms = judging.terms(workspace, said)
    rows, data, status = [], [], 0
    judged: list[Judgement] = []
    findings: list[tuple[str, ...]] = []
    for entry in _chosen(workspace, names):
        facts, judgement = _look(workspace, entry, terms)
        data.append(facts)
        revision = entry.record.revision if entry.record else None
        shown = facts | {"revision": describing.revision_text(revision)}
        rows.append(tuple(str(shown[column]) for column in _COLUMNS))
        status = max(status, _status(entry, judgement))
        _tell(entry, judgement, facts["stale"], notes)
        if judgement:
            judged.append(judgement)
            found = describing.findings_table(judgement.open)
            findings += [(entry.name, *row) for row in found.rows]
    judging.tell(judged, terms, notes)
    tables = [Table(_COLUMNS, tuple(rows), "nothing installed")]
    if findings:
        headings = ("skill", "severity", "rule", "where", "what", "seen")
        tables.append(Table(headings, tuple(findings)))
    return Outcome({"skills": data}, tuple(notes.messages), tuple(tables), status=status)


def _chosen(workspace: Workspace, names: tuple[SkillName, ...]) -> list[Entry]:
    entries = workspace.store.library.entries()
    known = {entry.name for entry in entries}
    for name in names:
        if name not in known:
            raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
    return [entry for entry in entries if not names or entry.name in names]


def _look(
    workspace: Workspace, entry: Entry, terms: Terms
) -> tuple[dict[str, Any], Judgement | None]:
    record = workspace.store.records.get(entry.name)
    judgement, stale = _judged(workspace, entry, terms.plus(record.accepted if record else ()))
    facts: dict[str, Any] = {
        "name": entry.name,
        "origin": _trust(entry),
        "files": entry.state.value,
        "scan": judgement.verdict.value if judgement else "not scanned",
        "registry": str(record.registry) if record else "none",
        "source": record.source if record else str(entry.place),
        "revision": str(record.revision) if record else "-",
        "mutable_source": bool(record and record.revision.is_mutable),
        "digest": {"recorded": record.digest if record else "", "actual": entry.digest},
        "record": describing.record_data(record) if record else None,
        "report": judgement.as_json() if judgement else None,
        "stale": [one.as_json() for one in stale],
        "problem": entry.problem,
    }
    return facts, judgement


def _judged(
    workspace: Workspace, entry: Entry, terms: Terms
) -> tuple[Judgement | None, tuple[Stale, ...]]:
    if entry.state in (State.MISSING, State.UNREADABLE):
        return None, ()
    try:
        tree = workspace.store.library.read(entry.place)
    except SkillError:
        return None, ()  # it changed under our hands; its state says so
    recorded = entry.record if entry.state is not State.LINKED else None
    origin = recorded.origin if recorded else Origin.LOCAL
    judgement = judging.judge(tree, terms, origin)
    return judgement, judging.stale(terms, [(tree, judgement)])


def _trust(entry: Entry) -> str:
    """Trust is bound to the recorded digest: other bytes are nobody's but the user's machine's."""
    if entry.record is None:
        return Origin.LOCAL.value
    trusted = entry.record.origin.is_trusted
    if entry.state is not State.OK and trusted:
        return f"untrusted (was {entry.record.origin.value})"
    return entry.record.origin.value


def _status(entry: Entry, judgement: Judgement | None) -> int:
    if entry.is_disturbed:
        return IntegrityError.status
    return int(judgement is not None and judgement.refused)


def _tell(
    entry: Entry, judgement: Judgement | None, stale: list[dict[str, str]], notes: Notes
) -> None:
    match entry.state:
        case State.EDITED:
            notes.warn(f"{entry.name}: its files are not those that were installed")
        case State.LINKED if entry.record:
            notes.warn(f"{entry.name}: a link stands in the place of what was installed")
        case State.MISSING:
            notes.warn(f"{entry.name}: its files are gone")
        case State.UNREADABLE:
            notes.warn(f"{entry.name}: {entry.problem}")
    if entry.record and entry.record.forced:
        rules = ", ".join(entry.record.forced)
        notes.warn(f"{entry.name}: was installed with --force past {rules}")
    for one in entry.record.accepted if entry.record else ():
        notes.note(f"{entry.name}: {one.rule} in {one.path} is accepted: {one.told()}")
    for row in stale:
        notes.warn(
            f"{entry.name}: {row['rule']} in {row['path']} is not accepted any more: {row['why']}"
        )
    if judgement and judgement.refused:
        notes.warn(f"{entry.name}: the scan says {judgement.verdict.value}")
