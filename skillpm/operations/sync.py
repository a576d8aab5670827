"""`skill sync`: a project's folder becomes what its lock says, all of it or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from skillpm.errors import ConflictError, IntegrityError, NotFoundError, RefusedError, SkillError
from skillpm.formats.address import parse_source
from skillpm.model.lock import LOCK_NAME
from skillpm.model.outcome import Agree, Notes, Outcome
from skillpm.model.provenance import Origin, Record
from skillpm.model.text import safe
from skillpm.operations import claims, deciding, describing, judging, syncing
from skillpm.operations.deciding import Permissions
from skillpm.operations.demanding import check_candidate, check_source
from skillpm.operations.install import inspect
from skillpm.operations.pinned import bring_together, check_files, pinned
from skillpm.operations.project import Project
from skillpm.operations.syncing import Step
from skillpm.operations.trusting import by_trust
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Change

_MOST_BYTES = 512 * 1024 * 1024  # what is scanned is held until it is placed


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for.

    Attributes:
        frozen: change nothing, and fail when anything would change.
        dry_run: fetch and scan, show the plan and change nothing.
    """

    frozen: bool = False
    dry_run: bool = False


def sync(workspace: Workspace, wish: Wish, permissions: Permissions, agree: Agree) -> Outcome:
    """Make the folder of a project match its lock; what a person made or edited is kept.

    Raises:
        NotFoundError: there is no lock.
        StateError: it is no lock, or of a later version; with the line.
        RefusedError: it claims more than is so, a scan says danger, or somebody says no.
        IntegrityError: a source has other files than the lock; with `frozen`, anything differs.
        SkillError: a source fails; nothing was changed then either.
    """
    project, notes = workspace.project, Notes()
    if project.bytes() is None:
        raise NotFoundError(
            f"there is no {LOCK_NAME} in {safe(str(project.root))} or above",
            hint="skill install NAME --project writes one",
        )
    claims.check(workspace, project)
    steps = _compare(project, permissions)
    if wish.frozen:
        _check_frozen(project, steps)
    steps = _gather(workspace, project, steps, permissions)
    judging.tell([s.candidate.judgement for s in steps if s.candidate], permissions.terms, notes)
    changes = [_change(project, step, permissions) for step in steps if step.changes]
    if changes and not wish.dry_run:
        _ask(workspace, steps, agree)
        try:
            project.match(changes)
        except ConflictError:
            steps = _compare(project, permissions)
            if any(step.changes for step in steps):
                raise  # else another process was asked for the same, and was faster
    return syncing.outcome(project.root, steps, notes, dry_run=wish.dry_run, frozen=wish.frozen)


def _compare(project: Project, permissions: Permissions) -> list[Step]:
    """What is to be done; a folder that is as the lock says must be so in every file."""
    entries = project.library.entries()
    steps = syncing.compare(project.lock(), entries, project.wrote, replace=permissions.replace)
    for step in steps:
        if step.action == "keep" and step.wanted and step.there:
            with claims.at_line(project, step.wanted):
                check_files(step.wanted, project.library.read(step.there.place))
    return steps


def _check_frozen(project: Project, steps: Sequence[Step]) -> None:
    differences = syncing.drift(steps)
    if differences:
        raise IntegrityError(
            f"{safe(str(project.library.root))} is not what {LOCK_NAME} says:{differences}",
            hint="to make it so: skill sync",
        )


def _gather(
    workspace: Workspace, project: Project, steps: Sequence[Step], permissions: Permissions
) -> list[Step]:
    """The steps with what they need, fetched and scanned.

    Raises:
        SkillError: of the first that fails; the message tells of all.
    """
    bring_together(workspace, [s.wanted for s in steps if s.changes and s.wanted])
    found: list[Step] = []
    errors: list[SkillError] = []
    size = 0
    for number, step in enumerate(steps, 1):
        workspace.progress(f"{number} of {len(steps)}: {step.name}", 0, 0)
        try:
            found.append(_examined(workspace, project, step, permissions))
        except SkillError as error:
            errors.append(error)
        size += found[-1].candidate.tree.size if found and found[-1].candidate else 0
        if size > _MOST_BYTES:
            raise RefusedError(f"the lock wants more than {_MOST_BYTES >> 20} MiB of new files")
    if errors:
        first = errors[0]
        raise type(first)("\n".join(error.message for error in errors), hint=first.hint)
    return found


def _examined(workspace: Workspace, project: Project, step: Step, permissions: Permissions) -> Step:
    entry = step.wanted
    if not (step.changes and entry):
        return step
    with claims.at_line(project, entry):
        record = project.record(entry)
        check_source(workspace, entry.name, parse_source(record.source), record.origin)
        listing, fetched = pinned(workspace, entry, record)
        candidate = inspect(entry.name, record.requested, listing, fetched, permissions.terms)
        check_candidate(workspace, candidate)
        deciding.check_danger(entry.name, candidate.judgement, permissions)
    return replace(step, candidate=candidate)


def _ask(workspace: Workspace, steps: Sequence[Step], agree: Agree) -> None:
    strange = [
        step.candidate
        for step in steps
        if step.candidate
        and step.candidate.listing.origin is Origin.COMMUNITY
        and not by_trust(workspace, step.candidate.listing)
    ]
    lines = [line for candidate in strange for line in describing.consent_screen(candidate)]
    if strange and not agree(lines):
        names = ", ".join(candidate.name for candidate in strange)
        raise RefusedError(
            f"nothing was synced: community skills need somebody's yes: {names}",
            hint="look at them with --dry-run; --yes agrees to them",
        )


def _change(project: Project, step: Step, permissions: Permissions) -> Change:
    expected = deciding.occupant(step.there)
    if not (step.wanted and step.candidate):
        return Change(step.name, None, None, expected, "sync")
    judgement = step.candidate.judgement
    record: Record = replace(
        project.record(step.wanted),
        origin=step.candidate.listing.origin,
        verdict=judgement.verdict.value,
        findings=len(judgement.findings),
        forced=deciding.forced_rules(judgement) if permissions.force else (),
        accepted=tuple(sorted(set(judgement.accepted.values()))),
    )
    return Change(step.name, record, step.candidate.tree, expected, "sync")
