"""Outcomes of the operations on one skill: data for programs, rows and lines for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillpm.formats.document import read_document
from skillpm.formats.requirements import requirements_of
from skillpm.model.finding import Finding, Severity
from skillpm.model.judgement import Judgement
from skillpm.model.listing import Listing
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.problem import Problem
from skillpm.model.provenance import Record, Revision
from skillpm.model.tree import File
from skillpm.operations.candidate import Candidate
from skillpm.store.library import Entry

_SCRIPTS = (".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".ps1", ".bat", ".cmd")
_DONE = {"install": "installed", "update": "updated", "replace": "replaced"}


def installed(
    candidate: Candidate, record: Record, place: Path, action: str, notes: Notes
) -> Outcome:
    """The outcome of a change that was made."""
    where = f"{record.revision}, {record.origin.value}"
    notes.note(f"{_DONE[action]} {record.name} in {place} ({where}, scan: {record.verdict})")
    for rule in record.forced:
        notes.warn(f"forced past {rule}; that is recorded")
    _tell_findings(candidate.judgement, notes)
    _tell_problems(candidate.problems, notes)
    data = {
        "action": action,
        "skill": record_data(record),
        "place": str(place),
        "edits_kept": candidate.edited is not None,
        "scan": candidate.judgement.as_json(),
        "validation": [p.as_json() for p in candidate.problems],
    }
    return Outcome(data, tuple(notes.messages))


def unchanged(candidate: Candidate, entry: Entry | None, notes: Notes) -> Outcome:
    """The outcome when exactly these bytes are installed from exactly this source."""
    notes.note(f"{candidate.name} is already installed, with the same files")
    record = entry.record if entry else None
    data = {
        "action": "keep",
        "skill": record_data(record) if record else {"name": candidate.name},
        "place": str(entry.place) if entry else "",
        "scan": candidate.judgement.as_json(),
        "validation": [p.as_json() for p in candidate.problems],
    }
    return Outcome(data, tuple(notes.messages))


def record_data(record: Record) -> dict[str, Any]:
    """A record as JSON-ready values."""
    return {
        "name": record.name,
        "version": record.version,
        "summary": record.summary,
        "origin": record.origin.value,
        "registry": str(record.registry),
        "requested": record.requested,
        "source": record.source,
        "path": record.path,
        "revision": {
            "kind": record.revision.kind,
            "value": record.revision.value,
            "ref": record.revision.ref,
        },
        "mutable_source": record.revision.is_mutable,
        "digest": record.digest,
        "owner": record.owner,
        "verdict": record.verdict,
        "forced": list(record.forced),
        "accepted": [one.as_json() for one in record.accepted],
        "requirements": record.requirements.as_json(),
        "installed_for": record.installed_for,
        "package": record.package,
        "pinned": record.pinned,
        "installed_at": record.installed_at,
        "updated_at": record.updated_at,
        "files": [
            {"path": path, "sha256": facts[0], "size": facts[1], "mode": facts[2]}
            for path, facts in record.files.items()
        ],
    }


def revision_text(revision: Revision | None) -> str:
    """A revision for people, with a mark when its source may change without a trace."""
    if revision is None:
        return "-"
    return f"{revision} (mutable source)" if revision.is_mutable else str(revision)


def listing_data(listing: Listing) -> dict[str, Any]:
    """A listing as JSON-ready values."""
    return {
        "name": listing.name,
        "reference": listing.qualified,
        "description": listing.description,
        "version": listing.version,
        "trust": listing.origin.value,
        "registry": str(listing.registry),
        "source": str(listing.source),
        "owner": listing.owner,
    }


def findings_table(findings: tuple[Finding, ...]) -> Table:
    """Findings as rows, worst first."""
    rows = tuple(
        (f.severity.label, f.rule, f.where, f.message, f.excerpt)
        for f in findings
        if f.severity > Severity.INFO
    )
    return Table(("severity", "rule", "where", "what", "seen"), rows, "no findings")


def _tell_findings(judgement: Judgement, notes: Notes) -> None:
    for finding in judgement.open:
        notes.warn(f"{finding.severity.label}: {finding.where}: {finding.message} [{finding.rule}]")
    for finding, acceptance in judgement.accepted.items():
        notes.note(f"accepted: {finding.rule} in {finding.where}: {acceptance.told()}")


def _tell_problems(problems: tuple[Problem, ...], notes: Notes) -> None:
    for problem in problems:
        told = f"{problem.where}: {problem.message} [{problem.rule}]"
        if problem.severity == "error":
            notes.warn(f"not to the specification: {told}")
        else:
            notes.note(f"advice: {told}")


def is_script(file: File) -> bool:
    """Whether a file is code by its name or its first line."""
    return file.path.endswith(_SCRIPTS) or file.data.startswith(b"#!")


def consent_screen(candidate: Candidate) -> tuple[str, ...]:
    """Everything a person should see before they agree, on one screen."""
    files = candidate.placed.files
    executables = [f.path for f in files if f.executable]
    scripts = [f.path for f in files if is_script(f) and not f.executable]
    listing = candidate.listing
    header = read_document(candidate.placed.entry).header
    tools = header.raw.get("allowed-tools", "")
    needs = requirements_of(header.values)
    return (
        f"{candidate.name} can do more than the version you have"
        if candidate.gains.widens
        else f"{candidate.name} is a {listing.origin.value} skill: nobody has reviewed it for you",
        f"  source    {listing.source}",
        f"  revision  {revision_text(candidate.fetched.revision)}",
        f"  digest    {candidate.tree.digest}",
        f"  scan      {candidate.judgement.verdict.value}, {len(files)} files",
        *((f"  warning   {listing.note}",) if listing.note else ()),
        *(f"  new       {line}" for line in candidate.gains.lines()),
        f"  runs      {', '.join((executables + scripts)[:8]) or 'no scripts'}",
        f"  tools     {tools or 'asks for none'}",
        *((f"  needs     {needs}",) if needs else ()),
        *(
            f"  {f.severity.label}: {f.where} {f.message} [{f.rule}]"
            for f in candidate.judgement.open[:6]
        ),
    )
