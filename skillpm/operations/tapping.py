"""Adding, refreshing, listing and removing taps."""

from __future__ import annotations

from typing import Any

from skillpm.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    PartialError,
    UnreachableError,
)
from skillpm.formats.address import parse_source, tap_url
from skillpm.model.name import skill_name
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations import catalog
from skillpm.operations.fetching import warn_if_plain
from skillpm.operations.workspace import Workspace
from skillpm.sources import taps
from skillpm.store.records import TapState


def add(workspace: Workspace, words: str, name: str) -> Outcome:
    """Fetch a tap's index, check it, and remember the tap.

    The words are `owner/repo`, any git URL, or the URL of an index; the name is the short name
    to give it, "" for one made from the URL.

    Raises:
        UsageError: the words are no tap.
        ConflictError: the short name is taken by another tap or a hub.
        SkillError: the tap is down, or is no registry; nothing was added.
    """
    url = tap_url(words)
    notes = Notes()
    warn_if_plain(parse_source(url), notes)
    known = {state.name: state for state in workspace.store.records.taps()}
    hubs = {hub.name for hub in workspace.hubs}
    short = name or _free_name(url, known, hubs)
    if short in hubs:
        raise ConflictError(f"{short} is already a hub", hint="choose another name: --name NAME")
    if short in known and known[short].url != url:
        raise ConflictError(
            f"the tap {short} is already {known[short].url}", hint="choose another: --name NAME"
        )
    snapshot = taps.refresh(workspace.http, workspace.git, taps.Tap(short, url), 60.0)
    index = taps.read(taps.Tap(short, url, snapshot.commit), snapshot.body)
    now = workspace.host.now()
    state = TapState(short, url, snapshot.commit, snapshot.body, now, now)
    workspace.store.records.put_tap(state)
    for problem in index.problems:
        notes.warn(problem)
    at = f" at {snapshot.commit[:12]}" if snapshot.commit else ""
    notes.note(f"added the tap {short}: {len(index.listings)} skills from {url}{at}")
    return Outcome(_data(state, len(index.listings)), tuple(notes.messages))


def remove(workspace: Workspace, words: str) -> Outcome:
    """Forget a tap, by short name or URL; what was installed from it stays.

    Raises:
        NotFoundError: there is no such tap.
    """
    notes = Notes()
    for state in workspace.store.records.taps():
        if words in (state.name, state.url) or _same_url(words, state.url):
            workspace.store.records.forget_tap(state.name)
            notes.note(f"removed the tap {state.name}; skills installed from it stay")
            return Outcome({"name": state.name, "url": state.url}, tuple(notes.messages))
    raise NotFoundError(f"there is no tap {words}", hint="skill tap list shows them")


def listed(workspace: Workspace) -> Outcome:
    """The taps in the order in which names are looked up; asks nobody.

    Raises:
        StateError: our own state is damaged.
    """
    states = workspace.store.records.taps()
    data = [_data(state, _count(state)) for state in states]
    rows = tuple(
        (d["name"], d["url"], str(d["skills"]), d["commit"][:12] or "-", d["fetched_at"])
        for d in data
    )
    empty = "no taps: skill tap add owner/repo"
    table = Table(("name", "url", "skills", "commit", "fetched"), rows, empty)
    return Outcome({"taps": data}, (), (table,))


def update(workspace: Workspace) -> Outcome:
    """Refresh every tap.

    The status is 9 when some did not answer, 7 when none did, 6 when a history was rewritten.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    answers = catalog.ask_taps(workspace)
    notes.extend(catalog.told(answers))
    failed = [answer for answer in answers if answer.failure]
    rows = tuple(
        (answer.name, answer.failure or "fresh", str(len(answer.listings))) for answer in answers
    )
    status = PartialError.status if failed else 0
    if failed and len(failed) == len(answers):
        status = UnreachableError.status
    if any(answer.status == IntegrityError.status for answer in failed):
        status = IntegrityError.status
    data = {
        "taps": [{"name": a.name, "skills": len(a.listings), "failure": a.failure} for a in answers]
    }
    table = Table(("name", "state", "skills"), rows, "no taps")
    return Outcome(data, tuple(notes.messages), (table,), status=status)


def _free_name(url: str, known: dict[str, TapState], hubs: set[str]) -> str:
    """The short name of a tap that is already there, else one that no other tap or hub has."""
    same = next((state.name for state in known.values() if state.url == url), "")
    base = same or taps.default_name(url)
    number, name = 2, base
    while name in hubs or (name in known and known[name].url != url):
        name, number = f"{base[:60]}-{number}", number + 1
    return skill_name(name)


def _same_url(words: str, url: str) -> bool:
    if "/" not in words:
        return False
    return tap_url(words) == url


def _count(state: TapState) -> int:
    return len(taps.read(taps.Tap(state.name, state.url, state.commit), state.body).listings)


def _data(state: TapState, skills: int) -> dict[str, Any]:
    return {
        "name": state.name,
        "url": state.url,
        "commit": state.commit,
        "skills": skills,
        "added_at": state.added_at,
        "fetched_at": state.fetched_at,
    }
