"""Installing a skill: resolve, fetch, validate, scan, decide, store with its record, show.

This is the one place where sources, scanning and the store meet. Everything up to `decide` only
looks; `Shelf.install` makes the whole visible in one step. `dependencies` does all of it for a
skill and for those that it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from skillpm.errors import ConflictError, InvalidSkillError
from skillpm.formats.address import derived_name
from skillpm.formats.document import read_document
from skillpm.formats.requirements import requirements_of
from skillpm.formats.spec import validate
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName, is_skill_name, skill_name
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.provenance import Record
from skillpm.model.tree import manifest
from skillpm.operations import deciding, describing
from skillpm.operations.candidate import Candidate, Request
from skillpm.operations.comparing import with_gains
from skillpm.operations.deciding import Permissions, Situation
from skillpm.operations.demanding import check_candidate, check_source
from skillpm.operations.fetching import fetch_promised, policy_for, settle, warn_if_plain
from skillpm.operations.judging import Terms, judge, tell
from skillpm.operations.requiring import missing, told
from skillpm.operations.resolving import Target, check_moved, resolve
from skillpm.operations.showing import additions
from skillpm.operations.trusting import by_trust
from skillpm.operations.workspace import Workspace
from skillpm.sources.fetched import Fetched, Want
from skillpm.store.change import FILE, FOLDER, Change
from skillpm.store.library import Entry

Consent = Callable[[Candidate], bool]
"""Asks the person, once, with everything on one screen; True when they agree."""


def prepare(
    workspace: Workspace, request: Request, permissions: Permissions, notes: Notes
) -> Candidate:
    """What somebody asked for, fetched and looked at, with what was accepted of it before.

    Raises:
        SkillError: as `examine`.
    """
    asked = replace(request, follow=request.follow or permissions.force)
    candidate = examine(workspace, asked, notes, permissions.terms)
    candidate = _as_accepted(workspace, candidate, permissions.terms)
    return replace(candidate, installed_for="")


def examine(workspace: Workspace, request: Request, notes: Notes, terms: Terms) -> Candidate:
    """Resolve, fetch, validate and scan; changes nothing.

    Raises:
        SkillError: the words lead nowhere, or to something that is no skill.
    """
    target = resolve(workspace, request.words, request.source, notes)
    check_moved(workspace, target, notes, follow=request.follow)
    listing, want, fetched = obtain(workspace, target, notes)
    name = _name(request.name or want.name, listing, fetched)
    return inspect(name, target.requested, listing, fetched, terms)


def obtain(workspace: Workspace, target: Target, notes: Notes) -> tuple[Listing, Want, Fetched]:
    """Fetch the skill that a target names: where it turned out to be, and what is there.

    Raises:
        SkillError: there is nothing, or something that is no skill.
    """
    check_source(workspace, target.requested, target.listing.source, target.listing.origin)
    warn_if_plain(target.listing.source, notes)
    if target.listing.note:
        notes.warn(target.listing.note)
    policy = policy_for(workspace, target.listing)
    commit = target.listing.commit
    want = Want(target.listing.source, target.wanted, policy, ref=target.version, commit=commit)
    want = settle(workspace, want, notes)
    listing = replace(target.listing, source=want.source)
    return listing, want, fetch_promised(workspace, want, listing)


def inspect(
    name: SkillName, requested: str, listing: Listing, fetched: Fetched, terms: Terms
) -> Candidate:
    """Validate and judge what was fetched: every file, whatever its language."""
    problems = validate(fetched.tree, name)
    judgement = judge(fetched.tree, terms, listing.origin)
    return Candidate(name, requested, listing, fetched, judgement, problems)


def place(
    workspace: Workspace,
    candidate: Candidate,
    permissions: Permissions,
    consent: Consent,
    notes: Notes,
) -> Outcome:
    """Decide, ask where it must be asked, store and record.

    Raises:
        RefusedError: the scan, a conflict or the person says no.
        StateError: the disk refuses; the old state is whole.
    """
    entry = workspace.shelf.library.entry(candidate.name)
    situation = Situation(
        candidate.name, candidate.listing, candidate.fetched, candidate.judgement, entry
    )
    if candidate.update and (entry is None or entry.record is None):
        raise ConflictError(
            f"{candidate.name} was removed while we were working",
            hint=f"skill install {candidate.requested} brings it back",
        )
    action = deciding.decide(situation, permissions)
    if action == "keep":
        if candidate.installed_for == "" and entry and entry.record and entry.record.installed_for:
            workspace.shelf.ask_for(candidate.name)
        return describing.unchanged(candidate, entry, notes)
    check_candidate(workspace, candidate)
    candidate = with_gains(workspace, candidate, entry)
    trusted = by_trust(workspace, candidate.listing)
    asks = deciding.needs_consent(situation) and not trusted
    if (asks or candidate.gains.widens) and not consent(candidate):
        raise deciding.not_agreed(candidate)
    if trusted:
        notes.note(f"{candidate.name} comes from {trusted}, which you trust")
    record = _record(workspace, candidate, entry, permissions)
    replaced = candidate.edited.digest if candidate.edited else deciding.occupant(entry)
    shape = FOLDER if record.package else FILE
    place = workspace.shelf.library.place(record.name, package=record.package)
    shows = additions(workspace, record.name, place, candidate.placed, entry)
    change = Change(
        record.name, record, candidate.placed, replaced, action, shape=shape, base=candidate.tree,
        places=tuple(shows.placings), agents=tuple(shows.given),
        was=entry.record.digest if entry and entry.record else "",
    )  # fmt: skip
    workspace.shelf.install(change)
    tell([candidate.judgement], permissions.terms, notes)
    if workspace.in_project and workspace.project.is_elsewhere(record):
        notes.warn(f"{record.source} is on this machine alone: nobody else can sync it")
    lacking = missing(workspace.host, replace(record.requirements, skills=()), ())
    if lacking:
        notes.warn(told(lacking, record.name))
    outcome = describing.installed(candidate, record, place, action, notes)
    shows.tell(notes)
    data = {**outcome.data, "agents": shows.as_json()}
    return outcome._replace(data=data, messages=tuple(notes.messages))


def _as_accepted(workspace: Workspace, candidate: Candidate, terms: Terms) -> Candidate:
    """The candidate with what was accepted when it was installed before, from the same source."""
    record = workspace.shelf.records.get(candidate.name)
    if not record or not record.accepted or record.source != str(candidate.listing.source):
        return candidate
    more = terms.plus(record.accepted)
    return replace(candidate, judgement=judge(candidate.tree, more, candidate.listing.origin))


def _installed_for(candidate: Candidate, previous: Record | None) -> str:
    """What brought it: whoever asks for a skill has it for itself, whatever needed it before."""
    if candidate.installed_for is None or (candidate.installed_for and previous):
        return previous.installed_for if previous else ""
    return candidate.installed_for


def _name(wanted: str, listing: Listing, fetched: Fetched) -> SkillName:
    """The local name: asked for, or the skill's own, or the source's."""
    if wanted:
        return skill_name(wanted)
    own = read_document(fetched.tree.entry).name
    found = next(
        (text for text in (own, _last(fetched.path), derived_name(listing.source)) if
         is_skill_name(text)), "",
    )  # fmt: skip
    if not found:
        raise InvalidSkillError("the skill has no usable name", hint="choose one: --as NAME")
    return SkillName(found)


def _last(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md").lower()


def _record(
    workspace: Workspace, candidate: Candidate, entry: Entry | None, permissions: Permissions
) -> Record:
    now = workspace.host.now()
    previous = entry.record if entry else None
    document = read_document(candidate.tree.entry)
    judgement = candidate.judgement
    forced = deciding.forced_rules(judgement) if permissions.force else ()
    return Record(
        name=candidate.name,
        requested=candidate.requested,
        registry=candidate.listing.registry,
        source=str(candidate.listing.source),
        path=candidate.fetched.path,
        revision=candidate.fetched.revision,
        digest=candidate.tree.digest,
        git_tree=candidate.tree.git_sha1,
        origin=candidate.listing.origin,
        package=candidate.fetched.package,
        version=candidate.listing.version or document.version,
        summary=document.summary,
        owner=candidate.listing.owner,
        verdict=judgement.verdict.value,
        findings=len(judgement.findings),
        forced=forced,
        installed_at=previous.installed_at if previous else now,
        updated_at=now,
        pinned=previous.pinned if previous else False,
        files=dict(manifest(candidate.tree)),
        accepted=tuple(sorted(set(judgement.accepted.values()))),
        requirements=requirements_of(document.header.values),
        installed_for=_installed_for(candidate, previous),
    )
