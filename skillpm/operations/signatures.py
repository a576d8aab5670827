"""The signature of a tap over what was installed from it."""

from __future__ import annotations

from skillpm.edges.gitrun import Remote
from skillpm.edges.signing import UncheckableError
from skillpm.errors import IntegrityError, SkillError
from skillpm.formats.address import parse_source
from skillpm.model.address import Git, Unknown
from skillpm.model.listing import Listing
from skillpm.model.policy import Policy
from skillpm.model.provenance import Record
from skillpm.model.verification import Answer, Check
from skillpm.operations.catalog import stale_text
from skillpm.operations.workspace import Workspace
from skillpm.sources.lineage import Lineage
from skillpm.store.taps import TapState


def signed_in_tap(
    workspace: Workspace, record: Record, listing: Listing, *, demanded: bool
) -> list[Check]:
    """What a tap says of a skill: whether its index holds, and who signed it.

    Args:
        workspace: the ports and the state.
        record: what was installed.
        listing: what the tap says of it now.
        demanded: whether a signature must cover the files, and not the index alone.
    """
    states = workspace.store.taps.all() if record.registry.kind == "tap" else ()
    state = next((tap for tap in states if tap.name == record.registry.name), None)
    unsigned = [Check("signature", Answer.NOT_VERIFIABLE, "nothing is signed by a pinned key")]
    if state is None:
        return unsigned if demanded else []
    checks = _stale(workspace, state)
    if not state.pins.signers:
        return checks + (unsigned if demanded else [])
    return [*checks, _signature(workspace, record, listing, state, demanded)]


def _stale(workspace: Workspace, state: TapState) -> list[Check]:
    expires = state.pins.expires
    if not expires or expires > workspace.host.now():
        return []
    return [Check("tap", Answer.NOT_VERIFIABLE, stale_text(state.name, expires))]


def _signature(
    workspace: Workspace, record: Record, listing: Listing, state: TapState, demanded: bool
) -> Check:
    repository = parse_source(state.url)
    url = repository.url if isinstance(repository, Git | Unknown) else state.url
    remote = Remote(url, Policy(typed=True))
    line = Lineage(
        workspace.git, remote, state.name, state.commit, state.pins, workspace.host.now()
    )
    own = isinstance(listing.source, Git) and listing.source.url == url
    try:
        by = line.signed_by(state.commit, state.pins.held or state.pins.signers)
        if listing.digest == record.digest:
            return Check("signature", Answer.VERIFIED, f"{by} signed this digest")
        if own and workspace.git.is_ancestor(remote, record.revision.value, state.commit):
            why = f"signed the commit {state.commit[:12]}, whose history has this one"
            return Check("signature", Answer.VERIFIED, f"{by} {why}")
    except SkillError as error:
        failed = isinstance(error, IntegrityError) and not isinstance(error, UncheckableError)
        answer = Answer.FAILED if failed else Answer.NOT_VERIFIABLE
        return Check("signature", answer, error.message)
    why = "signed the index, which does not promise these files"
    answer = Answer.NOT_VERIFIABLE if demanded else Answer.VERIFIED
    return Check("signature", answer, f"{by} {why}")
