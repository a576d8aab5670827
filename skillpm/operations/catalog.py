"""Everything that has a name: the bundled registry, the taps and the hub, asked side by side.

A tap or hub that does not answer in time is named, never taken for empty; a tap's last good
index stands in for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from skillpm.errors import IntegrityError, SkillError, StateError, UnreachableError
from skillpm.formats.index import Index
from skillpm.formats.pins import pins_text
from skillpm.model.listing import Listing
from skillpm.model.outcome import Message, Notes
from skillpm.operations.workspace import Workspace
from skillpm.sources import taps
from skillpm.store.taps import TapState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TapAnswer:
    """What one tap says now.

    Attributes:
        failure: why it could not be asked; the listings are then those of its last good index.
        status: the exit status of that failure; 0 when there was none.
        fetched_at: when that index was fetched.
        stale: since when that index no longer holds, by its own words; "" while it does.
        retired: the names that the tap took out, with the reason.
    """

    name: str
    listings: tuple[Listing, ...] = ()
    problems: tuple[str, ...] = ()
    failure: str = ""
    status: int = 0
    fetched_at: str = ""
    stale: str = ""
    retired: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A tap after it was asked: its newest good index, and why it could not be asked now.

    Attributes:
        now: when it was asked.
        before: its state before.
    """

    state: TapState
    now: str
    before: TapState
    failure: str = ""
    status: int = 0

    @property
    def stamp(self) -> str:
        """What changes when the index does."""
        held = hashlib.sha256(pins_text(self.state.pins).encode()).hexdigest()
        return f"{self.state.commit or hashlib.sha256(self.state.body).hexdigest()} {held}"

    @property
    def stale(self) -> str:
        """Since when the index no longer holds, by its own words; "" while it does."""
        expires = self.state.pins.expires
        return expires if expires and expires <= self.now else ""

    def answer(self) -> TapAnswer:
        """The entries of the index, and what was wrong with it."""
        try:
            index = read(self.state)
        except SkillError as error:
            failure, status = self.failure or error.message, self.status or error.status
            return TapAnswer(self.state.name, failure=failure, status=status)
        return TapAnswer(
            self.state.name,
            index.listings,
            index.problems,
            self.failure,
            self.status,
            self.state.fetched_at,
            self.stale,
            index.retired,
        )


def read(state: TapState) -> Index:
    """The entries of a tap's last good index.

    Raises:
        UnreachableError: it is no index.
    """
    return taps.read(tap_of(state), state.body)


def tap_of(state: TapState) -> taps.Tap:
    """A tap as its source is asked about it."""
    return taps.Tap(state.name, state.url, state.commit, state.body, state.pins)


def refresh_taps(workspace: Workspace, seconds: float = 0.0) -> tuple[Refreshed, ...]:
    """Ask every tap, side by side, and keep the new indexes; none of them is read yet.

    Args:
        workspace: the ports and the state.
        seconds: how long they may take; 0 for as long as a search may.

    Raises:
        StateError: our own state is damaged.
    """
    states = workspace.store.taps.all()
    seconds = seconds or workspace.config.search_seconds
    jobs = {state.name: _refreshing(workspace, state, seconds) for state in states}
    answers = in_parallel(jobs, seconds + 2.0)
    return tuple(_kept(workspace, state, answers[state.name]) for state in states)


def ask_taps(workspace: Workspace) -> tuple[TapAnswer, ...]:
    """Ask every tap, side by side, and read what it says.

    Raises:
        StateError: our own state is damaged.
    """
    return tuple(refreshed.answer() for refreshed in refresh_taps(workspace))


def told(answers: tuple[TapAnswer, ...]) -> tuple[Message, ...]:
    """What a person should know about how the taps answered."""
    notes = Notes()
    for answer in answers:
        if answer.failure:
            known = f"; its last good index, of {answer.fetched_at}, is used"
            using = known if answer.listings else ""
            how = "is not followed" if answer.status == IntegrityError.status else "did not answer"
            notes.warn(f"the tap {answer.name} {how}: {answer.failure}{using}")
        if answer.stale:
            notes.warn(stale_text(answer.name, answer.stale))
        for problem in answer.problems:
            notes.warn(problem)
    return tuple(notes.messages)


def stale_text(name: str, expires: str) -> str:
    """What to say of a tap whose index no longer holds."""
    return (
        f"the tap {name} is stale: its index holds until {expires}, so something newer, such as a"
        " removal, may be kept from you"
    )


def search_hubs(workspace: Workspace, query: str) -> Mapping[str, tuple[Listing, ...] | SkillError]:
    """What each hub finds for a query, by `Hub.where`, or why it did not answer."""
    seconds = workspace.config.search_seconds
    jobs = {hub.where: partial(hub.search, query, seconds) for hub in workspace.hubs}
    return in_parallel(jobs, seconds)


def in_parallel(jobs: Mapping[str, Callable[[], T]], seconds: float) -> dict[str, T | SkillError]:
    """Run each job in a thread of its own; what is not done in time is an error, not a wait.

    What is no error of ours is raised here, where somebody sees it.
    """
    results: dict[str, T | SkillError] = {}
    bugs: list[Exception] = []

    def run(key: str, job: Callable[[], T]) -> None:
        try:
            results[key] = job()
        except SkillError as error:
            results[key] = error
        except OSError as error:
            results[key] = StateError(f"the system refuses: {error}")
        except Exception as error:  # noqa: BLE001 - it would end in a thread that nobody looks at
            results[key] = StateError("a bug in skill")
            bugs.append(error)

    threads = [
        threading.Thread(target=run, args=(key, job), daemon=True) for key, job in jobs.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    for bug in bugs:
        raise bug
    late = UnreachableError(f"no answer within {seconds:.0f} s")
    return {key: results.get(key, late) for key in jobs}


def _refreshing(
    workspace: Workspace, state: TapState, seconds: float
) -> Callable[[], taps.Snapshot]:
    http, git, now = workspace.http, workspace.git, workspace.host.now()
    return partial(taps.refresh, http, git, tap_of(state), seconds, now)


def _kept(workspace: Workspace, old: TapState, answer: taps.Snapshot | SkillError) -> Refreshed:
    now = workspace.host.now()
    if isinstance(answer, SkillError):
        refused = isinstance(answer, IntegrityError)
        if refused:
            with contextlib.suppress(StateError):  # it is told all the same
                workspace.store.taps.refused(old, answer.message)
        hint = f" ({answer.hint})" if refused and answer.hint else ""
        return Refreshed(old, now, old, f"{answer.message}{hint}", answer.status)
    new = replace(old, commit=answer.commit, body=answer.body, pins=answer.pins)
    if new == old:
        return Refreshed(old, now, old)
    new = replace(new, fetched_at=now)
    detail = {"source": old.url, "from": old.commit, "commit": new.commit, **_signed(new)}
    if not workspace.store.taps.follow(old, new, "tap update", detail):
        new = workspace.store.taps.get(old.name) or old  # another process was faster
    return Refreshed(new, now, old)


def _signed(state: TapState) -> dict[str, str]:
    return {"signed_by": state.pins.signed_by} if state.pins.signed_by else {}
