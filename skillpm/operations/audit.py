"""Auditing what is installed: digest, provenance, trust, and a fresh scan of the bytes on disk."""

from __future__ import annotations

from typing import Any

from skillpm.errors import IntegrityError, NotFoundError, SkillError
from skillpm.model.finding import ScanReport, Severity, Verdict
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Origin
from skillpm.operations import describing
from skillpm.operations.workspace import Workspace
from skillpm.scanning.scanner import scan
from skillpm.store.library import Entry, State

_COLUMNS = ("name", "origin", "files", "scan", "registry", "source", "revision")


def audit(workspace: Workspace, names: tuple[SkillName, ...]) -> Outcome:
    """Look at every installed skill, or at those named.

    The status is 6 when files are not those that were installed, else 1 when a scan says
    danger, else 0.

    Raises:
        NotFoundError: a named skill is not in the library.
        StateError: our own state is damaged.
    """
    notes = Notes()
    rows, data, status = [], [], 0
    findings: list[tuple[str, ...]] = []
    for entry in _chosen(workspace, names):
        facts, report = _look(workspace, entry)
        data.append(facts)
        revision = entry.record.revision if entry.record else None
        shown = facts | {"revision": describing.revision_text(revision)}
        rows.append(tuple(str(shown[column]) for column in _COLUMNS))
        status = max(status, _status(entry, report))
        _tell(entry, report, notes)
        if report:
            found = describing.findings_table(report.findings)
            findings += [(entry.name, *row) for row in found.rows]
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


def _look(workspace: Workspace, entry: Entry) -> tuple[dict[str, Any], ScanReport | None]:
    report = None
    if entry.state not in (State.MISSING, State.UNREADABLE):
        try:
            report = scan(workspace.store.library.read(entry.place))
        except SkillError:
            report = None  # it changed under our hands; its state says so
    record = workspace.store.records.get(entry.name)
    facts: dict[str, Any] = {
        "name": entry.name,
        "origin": _trust(entry),
        "files": entry.state.value,
        "scan": report.verdict.value if report else "not scanned",
        "registry": str(record.registry) if record else "none",
        "source": record.source if record else str(entry.place),
        "revision": str(record.revision) if record else "-",
        "mutable_source": bool(record and record.revision.is_mutable),
        "digest": {"recorded": record.digest if record else "", "actual": entry.digest},
        "record": describing.record_data(record) if record else None,
        "report": report.as_json() if report else None,
        "problem": entry.problem,
    }
    return facts, report


def _trust(entry: Entry) -> str:
    """Trust is bound to the recorded digest: other bytes are nobody's but the user's machine's."""
    if entry.record is None:
        return Origin.LOCAL.value
    trusted = entry.record.origin.is_trusted
    if entry.state is not State.OK and trusted:
        return f"untrusted (was {entry.record.origin.value})"
    return entry.record.origin.value


def _status(entry: Entry, report: ScanReport | None) -> int:
    if entry.state in (State.EDITED, State.MISSING, State.UNREADABLE):
        return IntegrityError.status
    return int(report is not None and report.verdict is Verdict.DANGER)


def _tell(entry: Entry, report: ScanReport | None, notes: Notes) -> None:
    match entry.state:
        case State.EDITED:
            notes.warn(f"{entry.name}: its files are not those that were installed")
        case State.MISSING:
            notes.warn(f"{entry.name}: its files are gone")
        case State.UNREADABLE:
            notes.warn(f"{entry.name}: {entry.problem}")
    if entry.record and entry.record.forced:
        rules = ", ".join(entry.record.forced)
        notes.warn(f"{entry.name}: was installed with --force past {rules}")
    if report and any(f.severity is Severity.DANGER for f in report.findings):
        notes.warn(f"{entry.name}: the scan says danger")
