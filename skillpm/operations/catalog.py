"""Everything that has a name: the bundled registry, the taps and the hub, asked side by side.

A tap or hub that does not answer in time is named, never taken for empty; a tap's last good
index stands in for it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from skillpm.errors import IntegrityError, SkillError, UnreachableError
from skillpm.model.listing import Listing
from skillpm.model.outcome import Message, Notes
from skillpm.operations.workspace import Workspace
from skillpm.sources import taps
from skillpm.store.records import TapState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TapAnswer:
    """What one tap says now.

    Attributes:
        failure: why it could not be asked; the listings are then those of its last good index.
        status: the exit status of that failure; 0 when there was none.
        fetched_at: when that index was fetched.
    """

    name: str
    listings: tuple[Listing, ...] = ()
    problems: tuple[str, ...] = ()
    failure: str = ""
    status: int = 0
    fetched_at: str = ""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A tap after it was asked: its newest good index, and why it could not be asked now."""

    state: TapState
    failure: str = ""
    status: int = 0

    @property
    def stamp(self) -> str:
        """What changes when the index does."""
        return self.state.commit or hashlib.sha256(self.state.body).hexdigest()

    def answer(self) -> TapAnswer:
        """The entries of the index, and what was wrong with it."""
        tap = taps.Tap(self.state.name, self.state.url, self.state.commit)
        try:
            index = taps.read(tap, self.state.body)
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
        )


def refresh_taps(workspace: Workspace) -> tuple[Refreshed, ...]:
    """Ask every tap, side by side, and keep the new indexes; none of them is read yet.

    Raises:
        StateError: our own state is damaged.
    """
    states = workspace.store.records.taps()
    seconds = workspace.config.search_seconds
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
            notes.warn(f"the tap {answer.name} did not answer: {answer.failure}{using}")
        for problem in answer.problems:
            notes.warn(problem)
    return tuple(notes.messages)


def search_hubs(workspace: Workspace, query: str) -> Mapping[str, tuple[Listing, ...] | SkillError]:
    """What each hub finds for a query, by `Hub.where`, or why it did not answer."""
    seconds = workspace.config.search_seconds
    jobs = {hub.where: partial(hub.search, query, seconds) for hub in workspace.hubs}
    return in_parallel(jobs, seconds)


def in_parallel(jobs: Mapping[str, Callable[[], T]], seconds: float) -> dict[str, T | SkillError]:
    """Run each job in a thread of its own; what is not done in time is an error, not a wait."""
    results: dict[str, T | SkillError] = {}

    def run(key: str, job: Callable[[], T]) -> None:
        try:
            results[key] = job()
        except SkillError as error:
            results[key] = error

    threads = [
        threading.Thread(target=run, args=(key, job), daemon=True) for key, job in jobs.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    late = UnreachableError(f"no answer within {seconds:.0f} s")
    return {key: results.get(key, late) for key in jobs}


def _refreshing(
    workspace: Workspace, state: TapState, seconds: float
) -> Callable[[], taps.Snapshot]:
    http, git = workspace.http, workspace.git
    tap = taps.Tap(state.name, state.url, state.commit)
    return partial(taps.refresh, http, git, tap, seconds, state.body)


def _kept(workspace: Workspace, state: TapState, answer: taps.Snapshot | SkillError) -> Refreshed:
    if isinstance(answer, SkillError):
        hint = f" ({answer.hint})" if isinstance(answer, IntegrityError) else ""
        return Refreshed(state, f"{answer.message}{hint}", answer.status)
    if answer.body != state.body or answer.commit != state.commit:
        now = workspace.host.now()
        state = replace(state, commit=answer.commit, body=answer.body, fetched_at=now)
        workspace.store.records.put_tap(state)
    return Refreshed(state)
