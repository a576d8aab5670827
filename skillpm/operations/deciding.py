"""What may happen to a candidate: pure rules over what was found and what is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from skillpm.errors import ConflictError, DangerError, IntegrityError, RefusedError
from skillpm.model.judgement import Judgement
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin
from skillpm.model.text import safe
from skillpm.model.tree import Tree
from skillpm.operations.candidate import Candidate
from skillpm.operations.judging import Terms
from skillpm.sources.fetched import Fetched
from skillpm.store.library import Entry, State
from skillpm.store.steps import UNREADABLE

Action = Literal["install", "update", "replace", "keep"]

_SHOWN: Final = 6


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the user said explicitly.

    Attributes:
        force: install past what is refused, and over a skill that came from elsewhere.
        replace: overwrite a hand-written or edited skill of the same name; its bytes are kept.
        keep_edits: bring edits together with what an update changes.
        terms: how findings are judged.
    """

    force: bool = False
    replace: bool = False
    terms: Terms = field(default_factory=Terms)
    keep_edits: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a decision needs."""

    name: SkillName
    listing: Listing
    fetched: Fetched
    judgement: Judgement
    entry: Entry | None


def decide(situation: Situation, permissions: Permissions) -> Action:
    """What to do with a candidate.

    Raises:
        IntegrityError: the revision that is installed has other files now.
        DangerError: the verdict is one that is refused, and it is not forced.
        ConflictError: something stands in the way that nobody said to overwrite.
    """
    entry = situation.entry
    same = entry is not None and entry.digest == situation.fetched.tree.digest
    settled = same and entry and entry.state is State.OK and _same_source(situation, entry)
    if settled and entry and not _newly_accepted(situation, entry):
        return "keep"
    _check_immutable(situation, permissions)
    check_danger(situation.name, situation.judgement, permissions)
    if entry is None or entry.state is State.MISSING:
        return "install"
    _check_conflict(situation, entry, permissions)
    return "update" if _same_source(situation, entry) else "replace"


def needs_consent(situation: Situation) -> bool:
    """Whether a person must agree: bytes of a stranger that were not there before."""
    return situation.listing.origin is Origin.COMMUNITY


def check_danger(name: str, judgement: Judgement, permissions: Permissions) -> None:
    """Refuse what the scan says must be refused.

    Raises:
        DangerError: naming what was found.
    """
    if not judgement.refused or permissions.force:
        return
    worst = judgement.blamed
    lines = [f"{safe(f.where)}: {f.message} [{f.rule}] {f.excerpt}" for f in worst[:_SHOWN]]
    more = f"\n  and {len(worst) - _SHOWN} more" if len(worst) > _SHOWN else ""
    raise DangerError(
        f"{name} is refused, the scan says {judgement.verdict.value}:\n  "
        + "\n  ".join(lines)
        + more,
        hint="read the files; --allow RULE --reason TEXT lets one rule through, --force all of"
        " them; either is recorded",
    )


def check_promised(listing: Listing, tree: Tree) -> None:
    """Compare a registry's promised digest with what was fetched.

    Raises:
        IntegrityError: they differ.
    """
    if listing.digest and listing.digest != tree.digest:
        raise IntegrityError(
            f"{listing.qualified}: the registry promises {listing.digest[:28]}…,"
            f" the source gave {tree.digest[:28]}…",
            hint="tell the registry's keeper; nothing was installed",
        )


def occupant(entry: Entry | None) -> str:
    """How `Change.expected` names what stands in the library now."""
    if entry is None or entry.state is State.MISSING:
        return ""
    return UNREADABLE if entry.state is State.UNREADABLE else entry.digest


def forced_rules(judgement: Judgement) -> tuple[str, ...]:
    """The rules because of which it would be refused, when it is let through."""
    return tuple(sorted({finding.rule for finding in judgement.blamed}))


def not_agreed(candidate: Candidate) -> RefusedError:
    """The person said no, or there is nobody to ask."""
    requested = candidate.requested
    if candidate.gains.widens:
        more = "".join(f"\n  {line}" for line in candidate.gains.lines())
        return RefusedError(
            f"{candidate.name} was not changed: the new version can do more{more}",
            hint=f"look at it with: skill diff {candidate.name} --upstream; --accept-new agrees",
        )
    return RefusedError(
        f"{requested} was not installed: a community skill needs somebody's yes",
        hint=f"look at it with: skill info {requested}; then: skill install {requested} --yes",
    )


def _same_source(situation: Situation, entry: Entry) -> bool:
    record = entry.record
    return record is not None and record.source == str(situation.listing.source)


def _newly_accepted(situation: Situation, entry: Entry) -> bool:
    """Whether something was accepted that the record of the same files does not say."""
    recorded = set(entry.record.accepted) if entry.record else set()
    return not recorded.issuperset(situation.judgement.accepted.values())


def _check_immutable(situation: Situation, permissions: Permissions) -> None:
    """A revision has one content: a commit or version with other files is not what it says.

    What ships with the program is replaced with the program.
    """
    record, fetched = situation.entry and situation.entry.record, situation.fetched
    if permissions.force or record is None or record.registry.kind == "bundled":
        return
    there = (record.source, record.path, record.revision.kind, record.revision.value)
    here = (str(situation.listing.source), fetched.path)
    if there == (*here, fetched.revision.kind, fetched.revision.value) and (
        record.digest != fetched.tree.digest
    ):
        raise IntegrityError(
            f"{record.source} gives other files for the {fetched.revision} than were installed"
            f" from it: {record.digest[:28]}… then, {fetched.tree.digest[:28]}… now",
            hint="tell its author; --force takes them all the same (the old ones are kept)",
        )


def _check_conflict(situation: Situation, entry: Entry, permissions: Permissions) -> None:
    name = situation.name
    match entry.state:
        case State.UNREADABLE:
            raise ConflictError(
                f"{entry.place} stands in the way and is no skill: {entry.problem}",
                hint="move it away yourself",
            )
        case State.LINKED if not permissions.replace:
            raise ConflictError(
                f"{name} is a link of yours: {entry.place}",
                hint="--replace takes the link away (what it leads to stays), --as NAME installs"
                " beside it",
            )
        case State.LOCAL if not permissions.replace:
            raise ConflictError(
                f"{name} is already there and was not installed by skill: {entry.place}",
                hint="--replace overwrites it (its bytes are kept), --as NAME installs beside it",
            )
        case State.EDITED if not (permissions.replace or permissions.keep_edits):
            raise ConflictError(
                f"{name} was edited after it was installed",
                hint=f"to merge them: skill update {name} --keep-edits; --replace overwrites them"
                " (their bytes are kept)",
            )
    record = entry.record
    if (
        record
        and not _same_source(situation, entry)
        and not (permissions.force or permissions.replace)
    ):
        raise ConflictError(
            f"{name} is installed from {record.source}, this one comes from"
            f" {situation.listing.source}",
            hint="--force switches to the new source, --as NAME installs beside it",
        )
