"""From the words a user typed to one listing: the order of sources, and what each answer means."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from skillpm.errors import (
    AmbiguousError,
    NotFoundError,
    RefusedError,
    SkillError,
    UnreachableError,
    UsageError,
)
from skillpm.formats.address import derived_name, parse_request, parse_source
from skillpm.model.address import Git, Hub, Local, Named, Source, Tapped
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName, is_skill_name, skill_name
from skillpm.model.outcome import Notes
from skillpm.model.provenance import Origin, Registry
from skillpm.operations import catalog
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.fetching import same_source
from skillpm.operations.reaching import check_reach
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled
from skillpm.sources.hubs import IndexHub, client_for

_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Target:
    """What the user's words lead to.

    Attributes:
        requested: the words, for the record.
        wanted: the name to look for inside the source; "" when the source alone was given.
        version: the version of a hub's package that was asked for; "" for the current one.
    """

    requested: str
    listing: Listing
    wanted: str
    version: str = ""


def resolve(workspace: Workspace, words: str, source: str, notes: Notes) -> Target:
    """Find what the words name.

    Order: an explicit source; a hub reference or page; the bundled registry, which cannot be
    shadowed; the taps. A name in two taps is an error that lists both.

    Raises:
        UsageError: the words are no name and no address.
        NotFoundError: no registry that answered has the name.
        RefusedError: a tap took it out.
        AmbiguousError: several taps have it.
        UnreachableError: it may stand in a registry that did not answer.
    """
    if source:
        name = parse_request(words) if words.startswith("@") else words
        local = name.name if isinstance(name, Hub) else words
        return _explicit(workspace, local, parse_source(source), f"{words} --source {source}")
    address = parse_request(words)
    if not isinstance(address, Local) and workspace.host.has_folder(words):
        workspace.say(f"{words} is not taken for the folder of that name here: that is ./{words}")
    match address:
        case Named(name):
            return _by_name(workspace, name, notes)
        case Tapped(tap, name):
            return _in_tap(workspace, tap, name, notes)
        case Hub():
            listing = client_for(workspace.hubs, address).listing(address)
            return Target(words, listing, address.name, address.version)
        case _:
            return _explicit(workspace, "", address, words)


def check_moved(workspace: Workspace, target: Target, notes: Notes, *, follow: bool) -> None:
    """Refuse a source that a tap names in the place of another, unless it is to be followed.

    Raises:
        RefusedError: naming both, and the command that decides.
    """
    listing = target.listing
    if not listing.was:
        return
    said = (
        f"the tap {listing.registry.name} now names another source for {listing.name}:\n"
        f"  before it was {listing.was}\n  the tap now says {listing.source}"
    )
    record = workspace.store.records.get(listing.name)
    if record and same_source(listing.source, record.source):
        return
    if not follow:
        raise RefusedError(
            said, hint=f"to follow it: skill tap accept {listing.registry.name} {listing.name}"
        )
    notes.warn(said)


def _explicit(workspace: Workspace, name: str, source: Source, requested: str) -> Target:
    """A source given outright: never more than community, whatever it is."""
    if isinstance(source, Hub):
        raise UsageError(
            "a hub reference stands alone, without --source", hint=f"skill install {source}"
        )
    shipped = bundled.get(derived_name(source)) if str(source).startswith("bundled:") else None
    if shipped:
        return Target(requested, shipped, shipped.name)
    wanted = skill_name(name) if name else ""
    if workspace.for_agent:
        check_reach(workspace.host, source)
    if isinstance(source, Local):  # an update runs in another folder
        source = Local(str(workspace.host.expand(source.path)))
    listing = Listing(
        name=SkillName(wanted or derived_name(source)),
        source=source,
        registry=Registry(),
        origin=Origin.LOCAL if isinstance(source, Local) else Origin.COMMUNITY,
    )
    return Target(requested, listing, wanted)


def _by_name(workspace: Workspace, name: SkillName, notes: Notes) -> Target:
    found = bundled.get(name)
    if found:
        return Target(name, found, name)
    answers = catalog.ask_taps(workspace)
    notes.extend(catalog.told(answers))
    listings = [entry for answer in answers for entry in answer.listings if entry.name == name]
    if len(listings) > 1:
        places = ", ".join(entry.qualified for entry in listings)
        raise AmbiguousError(
            f"{name} stands in several taps: {places}",
            hint=f"say which: skill install {listings[0].qualified}",
        )
    if listings:
        return Target(name, listings[0], name)
    raise _absent(name, answers)


def _in_tap(workspace: Workspace, tap: str, name: str, notes: Notes) -> Target:
    """`tap/name` when there is such a tap, `hub/name` of a hub, else `owner/repo` on GitHub."""
    known = {state.name for state in workspace.store.taps.all()}
    if tap not in known:
        hub = next((hub for hub in workspace.hubs if hub.name == tap), None)
        if isinstance(hub, IndexHub):
            return _in_hub(hub, skill_name(name), notes)
        repository = Git(f"https://github.com/{tap}/{name}")
        return _explicit(workspace, "", repository, f"{tap}/{name}")
    wanted = skill_name(name)
    answers = catalog.ask_taps(workspace)
    notes.extend(catalog.told(answers))
    answer = next(answer for answer in answers if answer.name == tap)
    for listing in answer.listings:
        if listing.name == wanted:
            return Target(f"{tap}/{name}", listing, wanted)
    raise _absent(wanted, (answer,), f"the tap {tap} has no skill {wanted}")


def _in_hub(hub: IndexHub, name: SkillName, notes: Notes) -> Target:
    """A name that a hub lists.

    Raises:
        NotFoundError, AmbiguousError: the hub lists it not, or twice.
        SkillError: it did not answer.
    """
    index = hub.entries(_SECONDS)
    for problem in index.problems:
        notes.warn(problem)
    found = [listing for listing in index.listings if listing.name == name]
    if len(found) > 1:
        raise AmbiguousError(f"the hub {hub.name} lists {name} {len(found)} times")
    if found:
        return Target(f"{hub.name}/{name}", found[0], name)
    close = difflib.get_close_matches(name, [listing.name for listing in index.listings], n=1)
    hint = f"did you mean {hub.name}/{close[0]}?" if close else f"skill search {name}"
    raise NotFoundError(f"the hub {hub.name} has no skill {name}", hint=hint)


def _absent(name: str, answers: tuple[TapAnswer, ...], text: str = "") -> SkillError:
    """A name that a tap took out, or that none has."""
    for answer in answers:
        if name in answer.retired:
            why = answer.retired[name] or "it gives no reason"
            return RefusedError(
                f"the tap {answer.name} took {name} out: {why}",
                hint=f"to take it all the same, from elsewhere: skill install {name}"
                " --source ADDRESS",
            )
    return _missing(name, answers, text)


def _missing(
    name: str, answers: tuple[TapAnswer, ...], text: str = ""
) -> NotFoundError | UnreachableError:
    """Not listed, or not known because a registry was silent: two different answers."""
    silent = [answer.name for answer in answers if answer.failure and not answer.listings]
    if silent:
        return UnreachableError(
            f"{name} is in no registry that answered; {', '.join(silent)} did not answer",
            hint=f"try again later, or: skill install {name} --source ADDRESS",
        )
    names = [entry.name for entry in bundled.listings()]
    names += [entry.name for answer in answers for entry in answer.listings]
    close = difflib.get_close_matches(name, names, n=1)
    meant = f"did you mean {close[0]}? otherwise: " if close and is_skill_name(close[0]) else ""
    return NotFoundError(
        text or f"no registry has a skill {name}",
        hint=f"{meant}skill search {name}, or skill install {name} --source ADDRESS",
    )
