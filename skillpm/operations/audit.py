"""Auditing what is installed: a report of digest, provenance, trust, scan, age, copies, source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from skillpm.edges import disk
from skillpm.errors import IntegrityError, NotFoundError
from skillpm.model.acceptance import Stale
from skillpm.model.audited import Audited, Copy, Standing
from skillpm.model.finding import ScanReport
from skillpm.model.judgement import Judgement
from skillpm.model.name import SkillName
from skillpm.model.outcome import STDOUT, Later, Notes, Outcome, Table
from skillpm.model.provenance import Origin, Record
from skillpm.model.tree import Tree
from skillpm.operations import describing, judging
from skillpm.operations.copies import copies
from skillpm.operations.judging import Said, Terms
from skillpm.operations.rescanning import rescan
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry, Library, State

_COLUMNS = ("name", "origin", "files", "scan", "review", "age", "upstream", "copies")
_SOURCES = ("name", "digest", "registry", "revision", "source")
_DISTURBED = {
    State.EDITED: "its files are not those that were installed",
    State.RAN: "its scripts were run in place, and nobody looked at what Python compiled there",
    State.LINKED: "a link stands in the place of what was installed",
    State.MISSING: "its files are gone",
    State.UNREADABLE: "it cannot be read",
}
_NOT_ASKED = Standing("not asked")
_NO_FILES = Tree(())


@dataclass(frozen=True, slots=True)
class Asked:
    """What an audit is about and where it goes.

    Attributes:
        names: the skills; () for all.
        said: what is said about findings.
        network: whether the sources are asked how they stand.
        sarif: where the SARIF log goes; `-` for standard output, "" for nowhere.
        page: where the HTML page goes; "" for nowhere.
    """

    names: tuple[SkillName, ...] = ()
    said: Said = field(default_factory=Said)
    network: bool = True
    sarif: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class _Weighed:
    judgement: Judgement
    stale: tuple[Stale, ...]


def audit(workspace: Workspace, asked: Asked) -> Outcome:
    """Look at every installed skill, or at those named.

    The bytes are read and their digest is computed every time; only the scan of bytes that were
    scanned before with the same rules is spared. The status is 6 when files are not those that
    were installed, else 1 when a skill would be refused as it is now, else 0.

    Raises:
        NotFoundError: a named skill is not in the library.
        StateError: our own state is damaged, or a report cannot be written.
    """
    notes = Notes()
    terms = judging.terms(workspace, asked.said)
    looked = _look(workspace, asked.names, terms)
    found = copies(workspace, [entry for entry, _ in looked])
    standing = _standings(workspace, asked, looked, notes)
    reviews = workspace.store.reviews.newest()
    rows, status = [], 0
    for entry, weighed in looked:
        one = _audited(workspace, entry, weighed, standing, found.get(entry.name, ()))
        review = reviews.get(entry.digest)
        if review:
            one = replace(one, review=f"{review.at[:10]} by {review.by}")
        rows.append(one)
        status = max(status, _status(entry, one.judgement))
        for remark in one.remarks:
            notes.warn(f"{entry.name}: {remark}")
        for accepted in entry.record.accepted if entry.record else ():
            told = f"{accepted.rule} in {accepted.path} is accepted: {accepted.told()}"
            notes.note(f"{entry.name}: {told}")
    judging.tell([one.judgement for one in rows if one.judgement], terms, notes)
    text = _write(workspace, asked, rows, notes)

    def facts() -> dict[str, Any]:
        each = zip(rows, looked, strict=True)
        skills = [_facts(one, entry, weighed) for one, (entry, weighed) in each]
        return {"skills": skills, "network": asked.network}

    tables = () if text else _tables(rows)
    return Outcome(Later(facts), tuple(notes.messages), tables, text, status)


def _look(
    workspace: Workspace, names: tuple[SkillName, ...], terms: Terms
) -> list[tuple[Entry, _Weighed | None]]:
    def weigh(entry: Entry, tree: Tree, report: ScanReport) -> _Weighed:
        record = entry.record
        mine = terms.plus(record.accepted if record else ())
        origin = record.origin if record and entry.state is not State.LINKED else Origin.LOCAL
        files = tree if mine.accepted else _NO_FILES  # only acceptances are bound to bytes
        judgement = judging.weigh(report, files, mine, origin)
        return _Weighed(judgement, judging.stale(mine, [(tree, judgement)]))

    return rescan(workspace, _reads(workspace, names), weigh)


def _reads(workspace: Workspace, names: Sequence[SkillName]) -> Iterator[tuple[Entry, Tree | None]]:
    library = workspace.shelf.library
    return _named(library, names) if names else library.reads()


def _named(library: Library, names: Sequence[SkillName]) -> Iterator[tuple[Entry, Tree | None]]:
    for name in sorted(set(names)):
        found = library.look(name)
        if found is None:
            raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
        yield found


def _standings(
    workspace: Workspace,
    asked: Asked,
    looked: Iterable[tuple[Entry, _Weighed | None]],
    notes: Notes,
) -> dict[str, Standing]:
    records = [entry.record for entry, _ in looked if entry.record]
    if asked.network:
        from skillpm.operations.sources import standings  # with all that reaches the network

        return standings(workspace, records, notes)
    notes.note("no source was asked whether it moved on (--no-network)")
    return {record.name: _NOT_ASKED for record in records}


def _audited(
    workspace: Workspace,
    entry: Entry,
    weighed: _Weighed | None,
    standing: dict[str, Standing],
    found: tuple[Copy, ...],
) -> Audited:
    record = entry.record
    today = workspace.host.now()[:10]
    upstream = standing.get(entry.name, Standing("-"))
    return Audited(
        name=entry.name,
        origin=_trust(entry),
        files=entry.state.value,
        registry=str(record.registry) if record else "none",
        source=record.source if record else str(entry.place),
        revision=describing.revision_text(record.revision if record else None),
        recorded=record.digest if record else "",
        actual=entry.digest,
        installed_at=record.installed_at if record else "",
        updated_at=record.updated_at if record else "",
        days=_days(record, today),
        judgement=weighed.judgement if weighed else None,
        upstream=upstream,
        copies=found,
        remarks=tuple(_remarks(entry, weighed, upstream, found)),
    )


def _days(record: Record | None, today: str) -> tuple[int | None, int | None]:
    def since(at: str) -> int | None:
        try:
            return max((date.fromisoformat(today) - date.fromisoformat(at[:10])).days, 0)
        except ValueError:
            return None

    return (since(record.installed_at), since(record.updated_at)) if record else (None, None)


def _facts(one: Audited, entry: Entry, weighed: _Weighed | None) -> dict[str, Any]:
    record = entry.record
    return {
        "name": one.name,
        "origin": one.origin,
        "files": one.files,
        "scan": one.verdict,
        "review": one.review,
        "registry": one.registry,
        "source": one.source,
        "revision": str(record.revision) if record else "-",
        "mutable_source": bool(record and record.revision.is_mutable),
        "digest": {"recorded": one.recorded, "actual": one.actual},
        "installed_at": one.installed_at,
        "updated_at": one.updated_at,
        "age_days": one.days[0],
        "upstream": one.upstream.as_json(),
        "copies": [copy.as_json() for copy in one.copies],
        "record": describing.record_data(record) if record else None,
        "report": one.judgement.as_json() if one.judgement else None,
        "stale": [old.as_json() for old in weighed.stale] if weighed else [],
        "remarks": list(one.remarks),
        "problem": entry.problem,
    }


def _tables(rows: Sequence[Audited]) -> tuple[Table, ...]:
    shown = tuple(
        (
            one.name, one.origin, one.files, one.verdict, one.review or "-", one.age,
            one.upstream.state,
            ", ".join(sorted({copy.state for copy in one.copies})) or "-",
        )
        for one in rows
    )  # fmt: skip
    sources = tuple(
        (
            one.name,
            one.actual.rpartition(":")[2][:12] or "-",
            one.registry,
            one.revision,
            one.source,
        )
        for one in rows
    )
    tables = [Table(_COLUMNS, shown, "nothing installed")]
    if sources:
        tables.append(Table(_SOURCES, sources))
    found = [
        (one.name, *row)
        for one in rows
        if one.judgement
        for row in describing.findings_table(one.judgement.open).rows
    ]
    headings = ("skill", "severity", "rule", "where", "what", "seen")
    if found:
        tables.append(Table(headings, tuple(found)))
    return tuple(tables)


def _short(digest: str) -> str:
    return digest.rpartition(":")[2][:12] or "-"


def _write(workspace: Workspace, asked: Asked, rows: Sequence[Audited], notes: Notes) -> str:
    """Write what was asked for; the text that goes to standard output instead of the report."""
    if asked.page:
        from skillpm.formats.auditpage import page

        text = page(rows, workspace.host.now(), network=asked.network)
        disk.export(workspace.host.expand(asked.page), text.encode())
        notes.note(f"wrote {asked.page}")
    if not asked.sarif:
        return ""
    log = _sarif(rows)
    if asked.sarif == STDOUT:
        return log
    disk.export(workspace.host.expand(asked.sarif), log.encode())
    notes.note(f"wrote {asked.sarif}")
    return ""


def _sarif(rows: Sequence[Audited]) -> str:
    from skillpm.formats.sarif import Scanned, sarif

    scanned = [Scanned(one.name, one.judgement, one.name) for one in rows if one.judgement]
    failures = [(one.name, f"its files are {one.files}") for one in rows if not one.judgement]
    return sarif(scanned, "library", failures)


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


def _remarks(
    entry: Entry, weighed: _Weighed | None, upstream: Standing, found: Iterable[Copy]
) -> Iterator[str]:
    if entry.is_disturbed:
        yield entry.problem or _DISTURBED[entry.state]
    if entry.record and entry.record.forced:
        yield f"was installed with --force past {', '.join(entry.record.forced)}"
    for old in weighed.stale if weighed else ():
        one = old.acceptance
        yield f"{one.rule} in {one.path} is not accepted any more: {old.why}"
    if weighed and weighed.judgement.refused:
        yield f"the scan says {weighed.judgement.verdict.value}"
    if upstream.why:
        yield upstream.why
    for copy in found:
        if copy.has_drifted:
            yield f"the copy in {copy.place} is not what is installed: {copy.state}"
