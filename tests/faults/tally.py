"""What every fault is measured by: points played, documented ends, a home that is whole."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from journeys.world import Person, rows
from support.cli import Result, assert_clean_output, run_skill
from support.files import tree_of

from skillpm.edges.disk import read_tree
from skillpm.errors import SkillError
from skillpm.model.tree import DIGEST_PREFIX, Tree

STATUSES: Final = frozenset(range(10))
"""What a command may end with when nobody interrupts it: no bug, no signal."""

LONGEST: Final = 60.0
"""Seconds after which a command counts as hanging."""


@dataclass
class Tally:
    """How many points of one kind of fault were played, and how many went wrong."""

    name: str
    points: int = 0
    failures: int = 0

    def play(self, what: str, point: Callable[[], object]) -> None:
        """Play one point; what goes wrong is told and counted."""
        self.points += 1
        try:
            point()
        except (AssertionError, OSError, ValueError, sqlite3.Error) as error:
            self.failures += 1
            print(f"FAILED {self.name}, {what}: {error}", flush=True)  # noqa: T201 - a program

    def __str__(self) -> str:
        return f"{self.name}: {self.points} points played, {self.failures} failures"


def spread(count: int, most: int) -> list[int]:
    """At most so many numbers from 1 to `count`, the first and the last among them."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(step * (count - 1) / max(most - 1, 1)) for step in range(most)})


def ended(person: Person, *words: str, what: str = "", **how: Any) -> Result:
    """Run a command that may succeed or fail, but only as documented.

    Raises:
        AssertionError: another status, a traceback, or escape codes in what it says.
        TimeoutExpired: it hangs.
    """
    env = {**person.env, **how.pop("env", {})}
    done = run_skill(*words, home=person.home, env=env, timeout=LONGEST, **how)
    assert done.status in STATUSES, f"{what}: {done}"
    assert_clean_output(done)
    return done


def assert_whole(home: Path, what: str) -> None:
    """Assert that nothing is unfinished, and that history, records, library and store agree.

    Raises:
        AssertionError: with the first thing that does not fit.
    """
    assert not rows(home, "journal"), f"{what}: an unfinished journal"
    assert not tree_of(home / "staging"), f"{what}: leftovers"
    for name, digest, package in _query(home, "SELECT name, digest, package FROM installs"):
        place = home / "library" / (name if package else f"{name}.md")
        assert _digest(place) == digest, f"{what}: {name} in the library is not what is recorded"
        kept = home / "store" / digest.removeprefix(DIGEST_PREFIX)
        assert _digest(kept) == digest, f"{what}: the tree of {name} is not kept"
    for found, before, after in history_of(home):
        assert found == before, f"{what}: the history of {after} has a gap"


def history_of(home: Path) -> Iterator[tuple[str, str, str]]:
    """For each change: what the one before left there, what this one found, and where.

    Where both are the same from the first to the last, the changes happened one after another.
    """
    query = "SELECT name, place, digest, after_digest FROM history WHERE operation > 0 ORDER BY id"
    left: dict[tuple[str, str], str] = {}
    for name, place, before, after in _query(home, query):
        yield left.get((name, place), before), before, name or place
        left[name, place] = after
    for (name, place), after in left.items():
        yield after, _stands(home, name, place), name or place


def _stands(home: Path, name: str, place: str) -> str:
    if not name:
        file = Path(place)
        return Tree.single(file.read_bytes()).digest if file.exists() else ""
    shelf = Path(place) if place else home / "library"
    places = (shelf / name, shelf / f"{name}.md")
    return next((_digest(one) for one in places if one.exists()), "")


def _digest(place: Path) -> str:
    try:
        return (
            Tree.single(place.read_bytes()).digest if place.is_file() else read_tree(place).digest
        )
    except (SkillError, OSError) as error:
        return f"({error})"


def _query(home: Path, sql: str) -> list[tuple[Any, ...]]:
    if not (home / "state.db").exists():
        return []
    connection = sqlite3.connect(home / "state.db")
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def error_of(done: Result) -> str:
    """The code of the error in a JSON envelope; "" for none."""
    try:
        return str((json.loads(done.out)["error"] or {}).get("code", ""))
    except ValueError:
        return ""
