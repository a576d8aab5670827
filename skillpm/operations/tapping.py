"""Adding, refreshing, accepting, listing and removing taps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from skillpm.edges import disk
from skillpm.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    PartialError,
    UnreachableError,
)
from skillpm.formats.address import parse_source, tap_url
from skillpm.formats.index import Index
from skillpm.formats.signers import MAX_BYTES, read_signers
from skillpm.model.name import SkillName, skill_name
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.pins import Known, Pins, Signer
from skillpm.operations import catalog
from skillpm.operations.catalog import Refreshed
from skillpm.operations.fetching import warn_if_plain
from skillpm.operations.workspace import Workspace
from skillpm.sources import taps
from skillpm.store.taps import TapState

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Keys:
    """What the user said about who must sign a tap: keys, or the path of a list of them."""

    lines: tuple[str, ...] = ()
    file: str = ""


def add(workspace: Workspace, words: str, name: str, keys: Keys | None = None) -> Outcome:
    """Fetch a tap's index, check it, and remember the tap with what it may not change later.

    The words are `owner/repo`, any git URL, or the URL of an index; the name is the short name
    to give it, "" for one made from the URL. A tap that is there already is followed as by
    `update`, and keys that are given are pinned for it.

    Raises:
        UsageError: the words are no tap, or the keys are none.
        ConflictError: the short name is taken by another tap or a hub.
        IntegrityError: it is not signed by one of the keys, or did not move forward.
        SkillError: the tap is down, or is no registry; nothing was added.
    """
    url = tap_url(words)
    signers = _signers(workspace, keys or Keys())
    notes = Notes()
    warn_if_plain(parse_source(url), notes)
    known = {state.name: state for state in workspace.store.taps.all()}
    short = _short_name(workspace, url, name, known)
    there = known.get(short)
    tap = catalog.tap_of(there) if there else taps.Tap(short, url)
    if signers:
        tap = replace(tap, body=b"", pins=replace(tap.pins, signers=signers))
    now = workspace.host.now()
    snapshot = taps.refresh(workspace.http, workspace.git, tap, _SECONDS, now)
    added = there.added_at if there else now
    state = TapState(short, url, snapshot.commit, snapshot.body, added, now, snapshot.pins)
    workspace.store.taps.add(state, "tap add", _detail(state))
    index = catalog.read(state)
    _tell_added(state, index, notes)
    return Outcome(_data(workspace, state, index), tuple(notes.messages))


def remove(workspace: Workspace, words: str) -> Outcome:
    """Forget a tap, by short name or URL; what was installed from it stays.

    Raises:
        NotFoundError: there is no such tap.
    """
    notes = Notes()
    state = _found(workspace, words)
    workspace.store.taps.forget(state)
    notes.note(f"removed the tap {state.name}; skills installed from it stay")
    return Outcome({"name": state.name, "url": state.url}, tuple(notes.messages))


def accept(workspace: Workspace, words: str, names: tuple[SkillName, ...]) -> Outcome:
    """Follow a tap to the sources that it now names for some skills.

    Raises:
        NotFoundError: there is no such tap, or it did not move one of the names.
    """
    notes = Notes()
    state = _found(workspace, words)
    moved = {listing.name: listing for listing in catalog.read(state).listings if listing.was}
    for name in names:
        if name not in moved:
            raise NotFoundError(
                f"the tap {state.name} did not move {name} to another source",
                hint="skill tap list --json shows what it moved",
            )
    chosen = {str(name): Known(str(moved[name].source), moved[name].digest) for name in names}
    new = replace(state, pins=replace(state.pins, known={**state.pins.known, **chosen}))
    told = {str(name): f"{moved[name].was} -> {moved[name].source}" for name in names}
    if not workspace.store.taps.follow(
        state, new, "tap accept", {"source": state.url, "moved": told}
    ):
        raise ConflictError(f"the tap {state.name} changed meanwhile", hint="run it again")
    for name in names:
        notes.note(f"{state.name}/{name}: {told[name]}")
    data = {"name": state.name, "accepted": [_moved(moved[name]) for name in names]}
    return Outcome(data, tuple(notes.messages))


def reset(workspace: Workspace, words: str, *, dry_run: bool) -> Outcome:
    """Take a tap as it is now, whatever it was before: history, version, removals, sources.

    The keys that are pinned stay, and must have signed what it is now.

    Raises:
        NotFoundError: there is no such tap.
        IntegrityError: it is not signed by one of its keys.
        SkillError: it is down, or is no registry.
    """
    notes = Notes()
    state = _found(workspace, words)
    now = workspace.host.now()
    fresh = taps.Tap(state.name, state.url, pins=Pins(signers=state.pins.signers))
    snapshot = taps.refresh(workspace.http, workspace.git, fresh, _SECONDS, now)
    new = replace(
        state, commit=snapshot.commit, body=snapshot.body, pins=snapshot.pins, fetched_at=now
    )
    changes = _changes(state, new)
    table = Table(("name", "was", "is now"), changes, "no name changes its source")
    if not dry_run:
        workspace.store.taps.add(new, "tap reset", _detail(new) | {"from": state.commit})
        notes.note(f"the tap {state.name} is taken as it is now{_at(new)}")
    changed = [{"name": name, "from": old, "to": to} for name, old, to in changes]
    data = {**_data(workspace, new, catalog.read(new)), "dry_run": dry_run, "changes": changed}
    return Outcome(data, tuple(notes.messages), (table,))


def listed(workspace: Workspace) -> Outcome:
    """The taps in the order in which names are looked up; asks nobody.

    Raises:
        StateError: our own state is damaged.
    """
    states = workspace.store.taps.all()
    data = [_data(workspace, state, catalog.read(state)) for state in states]
    rows = tuple(
        (d["name"], d["url"], str(d["skills"]), d["commit"][:12] or "-", d["fetched_at"], _mark(d))
        for d in data
    )
    empty = "no taps: skill tap add owner/repo"
    table = Table(("name", "url", "skills", "commit", "fetched", "state"), rows, empty)
    return Outcome({"taps": data}, (), (table,))


def update(workspace: Workspace) -> Outcome:
    """Refresh every tap.

    The status is 9 when some did not answer, 7 when none did, 6 when one did not move forward or
    is not signed as it must be.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    refreshed = catalog.refresh_taps(workspace, _SECONDS)
    answers = tuple(one.answer() for one in refreshed)
    notes.extend(catalog.told(answers))
    for one in refreshed:
        _tell_update(one, notes)
    failed = [answer for answer in answers if answer.failure]
    rows = tuple((a.name, a.failure or "fresh", str(len(a.listings))) for a in answers)
    status = PartialError.status if failed else 0
    if failed and len(failed) == len(answers):
        status = UnreachableError.status
    if any(answer.status == IntegrityError.status for answer in failed):
        status = IntegrityError.status
    data = {
        "taps": [
            {"name": a.name, "skills": len(a.listings), "failure": a.failure, "stale": a.stale,
             "moved": [_moved(entry) for entry in a.listings if entry.was],
             "removed": dict(a.retired)}
            for a in answers
        ]
    }  # fmt: skip
    table = Table(("name", "state", "skills"), rows, "no taps")
    return Outcome(data, tuple(notes.messages), (table,), status=status)


def _signers(workspace: Workspace, keys: Keys) -> tuple[Signer, ...]:
    """The keys that the user pins; () when none.

    Raises:
        UsageError: they are no keys.
        NotFoundError: there is no such file.
    """
    text = "\n".join(keys.lines)
    if keys.file:
        path = workspace.host.expand(keys.file)
        data = disk.read_file(path, MAX_BYTES)
        if data is None:
            raise NotFoundError(f"there is no file {path}")
        text += "\n" + data.decode("utf-8", "replace")
    return read_signers(text, "keeper") if keys.lines or keys.file else ()


def _short_name(workspace: Workspace, url: str, name: str, known: dict[str, TapState]) -> SkillName:
    """The short name that a tap gets.

    Raises:
        ConflictError: it is taken by another tap or a hub.
    """
    hubs = {hub.name for hub in workspace.hubs}
    short = name or _free_name(url, known, hubs)
    if short in hubs:
        raise ConflictError(f"{short} is already a hub", hint="choose another name: --name NAME")
    if short in known and known[short].url != url:
        raise ConflictError(
            f"the tap {short} is already {known[short].url}", hint="choose another: --name NAME"
        )
    return skill_name(short)


def _free_name(url: str, known: dict[str, TapState], hubs: set[str]) -> str:
    """The short name of a tap that is already there, else one that no other tap or hub has."""
    same = next((state.name for state in known.values() if state.url == url), "")
    base = same or taps.default_name(url)
    number, name = 2, base
    while name in hubs or (name in known and known[name].url != url):
        name, number = f"{base[:60]}-{number}", number + 1
    return name


def _found(workspace: Workspace, words: str) -> TapState:
    for state in workspace.store.taps.all():
        if words in (state.name, state.url) or _same_url(words, state.url):
            return state
    raise NotFoundError(f"there is no tap {words}", hint="skill tap list shows them")


def _same_url(words: str, url: str) -> bool:
    if "/" not in words:
        return False
    return tap_url(words) == url


def _tell_added(state: TapState, index: Index, notes: Notes) -> None:
    for problem in index.problems:
        notes.warn(problem)
    pins = state.pins
    notes.note(
        f"added the tap {state.name}: {len(index.listings)} skills from {state.url}{_at(state)}"
    )
    if pins.roots:
        notes.note(f"  begins with {', '.join(pins.roots)}")
        notes.note(f"  read at     {state.commit}")
    for signer in pins.signers:
        notes.note(f"  signed by   {signer.name} {signer.kind} {signer.key}")
    if pins.version is not None:
        notes.note(f"  version     {pins.version}")
    if pins.expires:
        notes.note(f"  holds until {pins.expires}")


def _tell_update(one: Refreshed, notes: Notes) -> None:
    """What changed, what stays, and which command decides."""
    name = one.state.name
    if one.failure:
        return
    for listing in catalog.read(one.state).listings:
        if listing.was:
            notes.warn(
                f"{name}/{listing.name} stays at {listing.was}: the tap now says {listing.source}"
                f" (to follow it: skill tap accept {name} {listing.name})"
            )
    for gone, why in one.state.pins.retired.items():
        if gone not in one.before.pins.retired:
            notes.warn(f"the tap {name} took {gone} out: {why or 'it gives no reason'}")
    if one.state.pins.signers != one.before.pins.signers:
        notes.warn(f"the keys of the tap {name} changed, as a key that held before signed")


def _changes(old: TapState, new: TapState) -> tuple[tuple[str, str, str], ...]:
    before, after = old.pins.known, new.pins.known
    rows = []
    for name in sorted(before.keys() | after.keys()):
        was, now = (side[name].source if name in side else "-" for side in (before, after))
        if was != now:
            rows.append((name, was, now))
    return tuple(rows)


def _at(state: TapState) -> str:
    return f" at {state.commit[:12]}" if state.commit else ""


def _mark(data: dict[str, Any]) -> str:
    marks = (("signed", data["signed_by"]), ("stale", data["stale"]), ("moved", data["moved"]))
    return ", ".join(word for word, true in marks if true)


def _detail(state: TapState) -> dict[str, Any]:
    signers = [f"{one.name} {one.kind} {one.key}" for one in state.pins.signers]
    return {
        "source": state.url,
        "commit": state.commit,
        "roots": list(state.pins.roots),
        "signers": signers,
        "signed_by": state.pins.signed_by,
    }


def _moved(listing: Any) -> dict[str, str]:
    return {"name": listing.name, "from": listing.was, "to": str(listing.source)}


def _data(workspace: Workspace, state: TapState, index: Index) -> dict[str, Any]:
    now = workspace.host.now()
    pins = state.pins
    return {
        "name": state.name,
        "url": state.url,
        "commit": state.commit,
        "skills": len(index.listings),
        "added_at": state.added_at,
        "fetched_at": state.fetched_at,
        "roots": list(pins.roots),
        "first_commit": pins.first,
        "version": pins.version,
        "expires": pins.expires,
        "stale": bool(pins.expires) and pins.expires <= now,
        "signers": [
            {"name": one.name, "type": one.kind, "key": one.key, "valid_after": one.after,
             "valid_before": one.before}
            for one in pins.signers
        ],
        "signed_by": pins.signed_by,
        "moved": [_moved(listing) for listing in index.listings if listing.was],
        "removed": dict(index.retired),
    }  # fmt: skip
