"""Whether what comes in meets the demands of the user and of the project here."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from skillpm.edges import disk
from skillpm.errors import RefusedError
from skillpm.formats.address import parse_source
from skillpm.formats.demands import PROJECT_FILE, read_demands
from skillpm.model.address import Bundled, Hub, Local, Source
from skillpm.model.demands import Arrival, Demands
from skillpm.model.provenance import Origin, Record
from skillpm.model.text import safe
from skillpm.operations.candidate import Candidate
from skillpm.operations.fetching import ssh_host
from skillpm.operations.workspace import Workspace

_LIMIT = 1024 * 1024


def demands(workspace: Workspace) -> tuple[Demands, ...]:
    """What the user demands, and what the nearest project file demands; each must be met.

    Raises:
        RefusedError: one of them can't be understood.
    """
    places = [workspace.host.dirs.config / "config.toml"]
    here = workspace.host.here()
    above = (place / PROJECT_FILE for place in (here, *here.parents))
    places += [place for place in above if disk.entry_kind(place)][:1]
    return tuple(read_demands(_bytes(place), str(place)) for place in places)


def check_source(workspace: Workspace, name: str, source: Source, origin: Origin) -> None:
    """Refuse a source before anything is fetched from it.

    Raises:
        RefusedError: a demand isn't met, or can't be understood.
    """
    _check(workspace, name, Arrival(origin, host_of(workspace, source)))


def check_candidate(workspace: Workspace, candidate: Candidate) -> None:
    """Refuse files that were fetched.

    Raises:
        RefusedError: a demand isn't met, or can't be understood.
    """
    listing, fetched, reviews = candidate.listing, candidate.fetched, workspace.store.reviews
    first = reviews.first_seen(str(listing.source), fetched.revision.value)
    arrival = Arrival(
        listing.origin,
        host_of(workspace, listing.source),
        reviews.of(candidate.placed.digest) is not None,
        _seconds(first, workspace.host.now()),
    )
    _check(workspace, candidate.requested, arrival)


def check_return(workspace: Workspace, record: Record) -> None:
    """Refuse files that were here before, and are to come back.

    Raises:
        RefusedError: a demand isn't met, or can't be understood.
    """
    reviewed = workspace.store.reviews.of(record.digest) is not None
    host = host_of(workspace, parse_source(record.source))
    _check(workspace, record.name, Arrival(record.origin, host, reviewed))


def host_of(workspace: Workspace, source: Source) -> str:
    """The host that an address lies on, in lower case; "" for this machine and what ships."""
    if isinstance(source, Local | Bundled):
        return ""
    if isinstance(source, Hub):
        base = next((hub.base for hub in workspace.hubs if hub.name == source.host), "")
        base = base or (workspace.hubs[0].base if workspace.hubs and not source.host else "")
        return (urlsplit(base).hostname or source.host).lower()
    return ssh_host(source) or (urlsplit(source.url.removeprefix("git+")).hostname or "").lower()


def _check(workspace: Workspace, name: str, arrival: Arrival) -> None:
    for one in demands(workspace):
        for key, reason in one.unmet(arrival):
            raise RefusedError(
                f"{safe(name)} is refused by {key} in {safe(one.place)}: {reason}",
                hint=_next_step(key, name),
            )


def _next_step(key: str, name: str) -> str:
    if key == "require_reviewed":
        return f"whoever may decide looks at it with: skill review {name}"
    if key == "min_age":
        return "wait, or let whoever may decide change that file"
    return "take it from another source, or let whoever may decide change that file"


def _bytes(place: Path) -> bytes:
    return disk.read_file(place, _LIMIT) or b""


def _seconds(then: str, now: str) -> int:
    first, last = (datetime.fromisoformat(at) for at in (then, now))
    return max(int((last - first).total_seconds()), 0)
