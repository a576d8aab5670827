"""Checking installed skills against their record, their source, and the signatures over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillpm.edges.gitrun import Remote
from skillpm.errors import (
    IntegrityError,
    NotFoundError,
    RefusedError,
    SkillError,
)
from skillpm.formats.address import parse_source
from skillpm.formats.intoto import without_secrets
from skillpm.model.address import Bundled, Git, Hub, Local, Source
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.outcome import Message, Notes, Outcome, Table
from skillpm.model.provenance import Record
from skillpm.model.verification import Answer, Check, together
from skillpm.operations.bundles import Asked, signed_by_identity
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.fetching import fetch, policy_of
from skillpm.operations.signatures import signed_in_tap
from skillpm.operations.update import ask_taps
from skillpm.operations.upstream import listing_of
from skillpm.operations.workspace import Workspace
from skillpm.sources import repo
from skillpm.sources.fetched import Fetched, Want
from skillpm.store.library import Entry, State


def verify(workspace: Workspace, names: Sequence[SkillName], asked: Asked) -> Outcome:
    """Check installed skills; () for all that are installed.

    The status is 0 when everything is verified, 6 when something failed, 1 when something could
    not be told.

    Raises:
        NotFoundError: a named skill is not in the library.
        StateError: our own state is damaged.
    """
    notes = Notes()
    entries = _entries(workspace, names)
    records = [entry.record for entry in entries if entry.record]
    taps = ask_taps(workspace, records, notes)
    found = [(entry, _checks(workspace, entry, taps, asked)) for entry in entries]
    rows, data = [], []
    for entry, checks in found:
        answer = together(checks)
        rows += [(entry.name, check.what, check.answer.value, check.detail) for check in checks]
        data.append(_data(entry, answer, checks))
        for check in checks:
            if check.answer is not Answer.VERIFIED:
                text = f"{entry.name}: {check.what} {check.answer.value}: {check.detail}"
                failed = check.answer is Answer.FAILED
                notes.messages.append(Message(text, "error" if failed else "warning"))
    table = Table(("name", "checked", "answer", "detail"), tuple(rows), "nothing installed")
    status = _status([together(checks) for _, checks in found])
    return Outcome({"skills": data}, tuple(notes.messages), (table,), status=status)


def _status(answers: Sequence[Answer]) -> int:
    if Answer.FAILED in answers:
        return IntegrityError.status
    return int(Answer.NOT_VERIFIABLE in answers)


def _entries(workspace: Workspace, names: Sequence[SkillName]) -> list[Entry]:
    if not names:
        return [entry for entry in workspace.shelf.library.entries() if entry.record]
    found = []
    for name in dict.fromkeys(names):
        entry = workspace.shelf.library.entry(name)
        if entry is None:
            raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
        found.append(entry)
    return found


def _checks(
    workspace: Workspace, entry: Entry, taps: Sequence[TapAnswer], asked: Asked
) -> tuple[Check, ...]:
    record = entry.record
    if record is None:
        why = "it was not installed by skill: nothing says where it is from"
        return (Check("source", Answer.NOT_VERIFIABLE, why),)
    checks = [_files(entry, record)]
    source = parse_source(record.source)
    try:
        listing = listing_of(workspace, record, source, taps)
    except SkillError as error:
        failed = isinstance(error, IntegrityError) or (
            isinstance(error, RefusedError) and isinstance(source, Hub)
        )
        answer = Answer.FAILED if failed else Answer.NOT_VERIFIABLE
        return (*checks, Check("source", answer, error.message))
    bundle = [signed_by_identity(workspace, record, listing, asked)] if asked.identity else []
    covered = [check for check in bundle if check.answer is Answer.VERIFIED]
    if not (covered and workspace.config.offline):  # who signed the digest stands for its source
        checks.append(_source(workspace, record, source, listing))
    demanded = asked.signed and not covered
    return (*checks, *signed_in_tap(workspace, record, listing, demanded=demanded), *bundle)


def _files(entry: Entry, record: Record) -> Check:
    """The files on disk against the record."""
    if entry.state is State.OK and entry.digest == record.digest:
        return Check("files", Answer.VERIFIED, record.digest)
    why = entry.problem or f"they are {entry.state.value}, not those that were installed"
    return Check("files", Answer.FAILED, why)


def _source(workspace: Workspace, record: Record, source: Source, listing: Listing) -> Check:
    """The record against its source, asked now."""
    if workspace.config.offline and not isinstance(source, Bundled | Local):
        return Check("source", Answer.NOT_VERIFIABLE, "not verifiable offline")
    try:
        fetched = _again(workspace, record, source, listing)
    except SkillError as error:
        failed = isinstance(error, IntegrityError)  # a refusal of ours is no evidence against it
        return Check("source", Answer.FAILED if failed else Answer.NOT_VERIFIABLE, error.message)
    where = f"{without_secrets(record.source)} at {record.revision}"
    if fetched.tree.digest == record.digest:
        owner = f", owner {record.owner}" if record.owner else ""
        return Check("source", Answer.VERIFIED, f"{where}{owner}")
    if fetched.revision.value == record.revision.value and not record.revision.is_mutable:
        return Check("source", Answer.FAILED, f"{where} gives other files: {fetched.tree.digest}")
    why = "keeps no old revisions, and gives other files now"
    return Check("source", Answer.NOT_VERIFIABLE, f"{without_secrets(record.source)} {why}")


def _again(workspace: Workspace, record: Record, source: Source, listing: Listing) -> Fetched:
    """What the source gives for the recorded revision.

    Raises:
        IntegrityError: it disowns that revision.
        SkillError: it is gone, down or broken.
    """
    policy, revision = policy_of(listing), record.revision
    if isinstance(source, Git) and revision.kind == "commit":
        _check_tag(workspace, record, Remote(source.url, policy))
        there = source.at(revision.value, record.path or source.path)
        return repo.fetch(workspace.git, there, Want(there, record.name, policy, record.path))
    ref = revision.value if isinstance(source, Hub) else revision.ref
    return fetch(workspace, Want(source, record.name, policy, record.path, ref))


def _check_tag(workspace: Workspace, record: Record, remote: Remote) -> None:
    """A tag that was followed must still name the commit.

    Raises:
        IntegrityError: it names another.
    """
    ref, held = record.revision.ref, record.revision.value
    now = workspace.git.refs(remote).commits.get(ref, held)
    if ref.startswith("refs/tags/") and now != held:
        raise IntegrityError(
            f"the tag {ref.removeprefix('refs/tags/')} was moved from {held[:12]} to {now[:12]}"
        )


def _data(entry: Entry, answer: Answer, checks: Sequence[Check]) -> dict[str, Any]:
    record = entry.record
    return {
        "name": entry.name,
        "answer": answer.value,
        "digest": {"recorded": record.digest if record else "", "actual": entry.digest},
        "source": without_secrets(record.source) if record else "",
        "revision": str(record.revision) if record else "",
        "checks": [
            {"what": check.what, "answer": check.answer.value, "detail": check.detail}
            for check in checks
        ],
    }
