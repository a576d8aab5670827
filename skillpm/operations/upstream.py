"""What became of an installed skill's source: unchanged, moved on, re-pointed, rewritten, gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from packaging.version import InvalidVersion, Version

from skillpm.edges.gitrun import Remote
from skillpm.errors import IntegrityError, NotFoundError, RefusedError, SkillError
from skillpm.formats.address import parse_source
from skillpm.model.address import Git, Hub, Source
from skillpm.model.listing import Listing
from skillpm.model.policy import Policy
from skillpm.model.provenance import Record, Revision
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.fetching import lent, newest, policy_of, same_source
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled
from skillpm.sources.fetched import Want
from skillpm.sources.hubs import IndexHub, client_for
from skillpm.sources.repo import git_tree


class Upstream(StrEnum):
    """How an installed skill stands to its source."""

    CURRENT = "current"
    BEHIND = "behind"
    PINNED = "pinned"
    EDITED = "edited"
    MOVED = "source changed"
    RETIRED = "taken out"
    REWRITTEN = "history rewritten"
    GONE = "gone"
    UNKNOWN = "unknown"


class RetiredError(RefusedError):
    """The tap that a skill came from took it out."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One skill against its source.

    Attributes:
        listing: what the record's source amounts to now; its source is always the recorded one.
        want: how to fetch it.
        newest: the revision the source stands at.
        behind: whether the files there are others than those installed.
    """

    record: Record
    listing: Listing
    want: Want
    newest: Revision
    behind: bool

    @property
    def moved(self) -> bool:
        """Whether the source stands at another revision than the one installed."""
        return self.newest.value != self.record.revision.value


def standing(workspace: Workspace, record: Record, taps: Sequence[TapAnswer]) -> Standing:
    """Look at the recorded source, and at whether its registry still names it.

    Raises:
        RefusedError: the registry names another source, or the package has another owner.
        IntegrityError: history was rewritten, or the hub offers an older version.
        SkillError: the source is gone, down or broken.
    """
    source = parse_source(record.source)
    listing = listing_of(workspace, record, source, taps)
    policy = lent(workspace, policy_of(listing), source)
    ref, commit = record.revision.ref, listing.commit
    want = Want(source, record.name, policy, record.path, ref, commit)
    found = newest(workspace, want)
    moved = found.value != record.revision.value
    if moved:
        _check_forward(workspace, record, want, found)
    return Standing(record, listing, want, found, moved and differs(workspace, record, want, found))


def remote_of(workspace: Workspace, record: Record, taps: Sequence[TapAnswer]) -> Remote | None:
    """The repository that a record comes from; None when it is from elsewhere or in dispute."""
    try:
        source = parse_source(record.source)
        shown = Listing(record.name, source, record.registry, record.origin)
        near = _tap_listing(record, shown, taps).near if record.registry.kind == "tap" else ()
    except SkillError:
        return None
    policy = lent(workspace, Policy(record.registry.kind != "tap", near), source)
    return Remote(source.url, policy) if isinstance(source, Git) else None


def switch_command(record: Record, source: str) -> str:
    """The one command that moves a skill to another source."""
    return f"skill install {record.name} --source {source} --force"


def listing_of(
    workspace: Workspace, record: Record, source: Source, taps: Sequence[TapAnswer]
) -> Listing:
    """The recorded source as a listing.

    Raises:
        RefusedError: the registry names another source, took it out, or it changed hands.
        SkillError: the registry did not answer.
    """
    shown = Listing(record.name, source, record.registry, record.origin, version=record.version)
    match record.registry.kind:
        case "bundled":
            return bundled.get(record.name) or _no_longer_shipped(record)
        case "hub" if isinstance(source, Hub):
            return _hub_listing(workspace, record, source)
        case "hub":
            return _listed(record, shown, _index_of(workspace, record))
        case "tap":
            return _tap_listing(record, shown, taps)
        case _:
            return shown


def _no_longer_shipped(record: Record) -> Listing:
    raise NotFoundError(
        f"the bundled registry no longer has {record.name}; the installed one stays"
    )


def _index_of(workspace: Workspace, record: Record) -> tuple[Listing, ...]:
    """What the index that listed a skill says now; () when it is gone.

    Raises:
        SkillError: it did not answer.
    """
    for hub in workspace.hubs:
        if hub.where == record.registry.name and isinstance(hub, IndexHub):
            return hub.entries(20.0).listings
    return ()


def _tap_listing(record: Record, shown: Listing, taps: Sequence[TapAnswer]) -> Listing:
    answer = next((tap for tap in taps if tap.name == record.registry.name), None)
    if answer and record.name in answer.retired:
        why = answer.retired[record.name] or "it gives no reason"
        raise RetiredError(
            f"the tap {answer.name} took {record.name} out: {why}",
            hint=f"what is installed stays until you say: skill remove {record.name}",
        )
    return _listed(record, shown, answer.listings if answer else ())


def _listed(record: Record, shown: Listing, entries: Sequence[Listing]) -> Listing:
    listed = next((entry for entry in entries if entry.name == record.name), None)
    if listed is None:
        return shown  # no longer listed, or the tap is gone: the recorded source still decides
    if same_source(listed.source, record.source):
        return replace(listed, source=shown.source)
    kind = record.registry.kind
    raise RefusedError(
        f"the {kind} {record.registry.name} now names another source for {record.name}:\n"
        f"  installed from {record.source}\n  the {kind} now says {listed.source}",
        hint=f"to switch: skill install {listed.qualified} --force",
    )


def _hub_listing(workspace: Workspace, record: Record, source: Hub) -> Listing:
    try:
        listing = client_for(workspace.hubs, source).listing(source)
    except RefusedError as error:
        raise RefusedError(
            f"{error.message}\n  installed from {record.source}, owner {record.owner}",
            hint=f"{error.hint} --force" if error.hint.startswith("if that") else error.hint,
        ) from None
    if listing.registry != record.registry:
        raise RefusedError(
            f"{source} was installed from {record.registry.name}; the hub that it names now is"
            f" {listing.registry.name}",
            hint=f"to switch: skill install {source} --force",
        )
    if listing.owner != record.owner:
        raise RefusedError(
            f"{source} changed hands: installed from owner {record.owner},"
            f" it now belongs to {listing.owner}",
            hint=f"to accept the new owner: skill install {source} --force",
        )
    return listing


def differs(workspace: Workspace, record: Record, want: Want, found: Revision) -> bool:
    """Whether a moved source has other files; a repository can tell without sending them.

    Raises:
        SkillError: as the source.
    """
    if isinstance(want.source, Git):
        return git_tree(workspace.git, want.source, want, found) != record.git_tree
    return True


def _check_forward(workspace: Workspace, record: Record, want: Want, found: Revision) -> None:
    """A version never goes back, and a branch only ever grows."""
    if isinstance(want.source, Git) and record.revision.kind == "commit":
        if record.revision.ref.startswith("refs/tags/"):
            raise IntegrityError(
                f"the tag {record.revision.ref.removeprefix('refs/tags/')} of {record.source} was"
                f" moved: installed at {record.revision.value[:12]}, now at {found.value[:12]}",
                hint=f"if you trust it: {switch_command(record, record.source)}",
            )
        remote = Remote(want.source.url, want.policy)
        if not workspace.git.is_ancestor(remote, record.revision.value, found.value):
            raise IntegrityError(
                f"the history of {record.source} was rewritten: the installed commit"
                f" {record.revision.value[:12]} is not part of it any more",
                hint=f"if you trust it: {switch_command(record, record.source)}",
            )
    if record.registry.kind == "hub" and _is_older(found.value, record.revision.value):
        raise IntegrityError(
            f"the hub offers {found.value} of {record.source}, older than the installed"
            f" {record.revision.value}",
            hint=f"if that is what you want: skill install {record.source}@{found.value}",
        )


def _is_older(new: str, old: str) -> bool:
    try:
        return Version(new) < Version(old)
    except InvalidVersion:
        return False


def of_error(error: SkillError) -> Upstream:
    """The state that an error of `standing` amounts to."""
    if isinstance(error, RetiredError):
        return Upstream.RETIRED
    if isinstance(error, RefusedError):
        return Upstream.MOVED
    if isinstance(error, IntegrityError):
        return Upstream.REWRITTEN
    return Upstream.GONE if isinstance(error, NotFoundError) else Upstream.UNKNOWN
