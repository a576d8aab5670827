"""`skill trust`: sources whose skills come in without a question."""

from __future__ import annotations

from collections.abc import Callable

from skillpm.errors import NotFoundError, RefusedError
from skillpm.model.address import Hub
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.trusting import TAP, at_hub, is_trusted, trusted_source
from skillpm.operations.demanding import host_of
from skillpm.operations.workspace import Workspace

Ask = Callable[[str], bool]


def trust(workspace: Workspace, words: str, ask: Ask | None) -> Outcome:
    """Trust a source from now on, when a person says so.

    Raises:
        UsageError: the words name no source.
        RefusedError: nobody is there to say so, or they say no.
    """
    source = _place(workspace, words)
    if ask is None or not ask(f"Let skills from {source} in without a question?"):
        raise RefusedError(
            f"{source} is not trusted: only a person on a terminal can say so",
            hint="run it yourself; nothing was changed",
        )
    workspace.store.reviews.trust(source, workspace.host.account())
    notes = Notes()
    notes.note(f"skills from {source} come in without a question; they are scanned as before")
    return Outcome({"source": source, "trusted": True}, tuple(notes.messages))


def distrust(workspace: Workspace, words: str) -> Outcome:
    """Trust a source no longer; what was installed stays.

    Raises:
        UsageError: the words name no source.
        NotFoundError: it was not trusted.
    """
    known = {one.source for one in workspace.store.reviews.trusted()}
    source = words if words in known else _place(workspace, words)
    if source not in known:
        raise NotFoundError(f"{source} is not trusted", hint="skill trust list shows what is")
    workspace.store.reviews.distrust(source)
    return Outcome({"source": source, "trusted": False}, text=f"{source} is asked about again")


def trusted(workspace: Workspace) -> Outcome:
    """The trusted sources."""
    found = workspace.store.reviews.trusted()
    rows = tuple((one.source, one.by, one.at[:10]) for one in found)
    data = [one._asdict() for one in found]
    table = Table(("source", "by", "since"), rows, "no source is trusted")
    return Outcome({"sources": data}, tables=(table,))


def by_trust(workspace: Workspace, listing: Listing) -> str:
    """The trusted place that a listing comes from; "" when it comes from none."""
    places = frozenset(one.source for one in workspace.store.reviews.trusted())
    tap = listing.registry.name if listing.registry.kind == "tap" else ""
    host = host_of(workspace, listing.source) if places else ""
    return is_trusted(listing.source, tap, host, places) if places else ""


def _place(workspace: Workspace, words: str) -> str:
    """The place that words name: a handle is one of the default hub, a tap one that there is."""
    source = trusted_source(words)
    if source.startswith("@"):
        return at_hub(source, host_of(workspace, Hub(source[1:], SkillName("any"))))
    tap = source.removeprefix(TAP)
    if tap != source and workspace.store.taps.get(tap) is None:
        raise NotFoundError(f"there is no tap {tap}", hint="skill tap list")
    return source
