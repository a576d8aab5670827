"""What every fault is measured by: points played, documented ends, a home that is whole."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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


KINDS: Final = ("lost", "mixed", "tracebacks", "other")
"""What can go wrong: something is gone; something is neither old nor new; a bug; anything else."""


class PointError(AssertionError):
    """A point went wrong.

    Args:
        kind: one of `KINDS`.
        message: what was found where.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def demand(holds: object, kind: str, message: object) -> None:
    """Raise `PointError` unless something holds.

    Raises:
        PointError: it does not.
    """
    if not holds:
        raise PointError(kind, str(message))


@dataclass
class Tally:
    """How many points of one kind of fault were played in each flow, and what went wrong.

    Attributes:
        remark: what else is to be said of them.
    """

    name: str
    flows: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    remark: str = ""

    @property
    def points(self) -> int:
        """How many were played."""
        return self.flows.total()

    @property
    def failures(self) -> int:
        """How many of them went wrong."""
        return self.wrong.total()

    def play(self, flow: str, what: object, point: Callable[[], object]) -> None:
        """Play one point of a flow; what goes wrong is told and counted.

        One that says False was not reached, and does not count.
        """
        self.flows[flow] += 1
        try:
            if point() is False:
                self.flows[flow] -= 1
        except (AssertionError, OSError, ValueError, sqlite3.Error) as error:
            self._failed(_kind(error), f"{flow}, {what}: {error}")
        except subprocess.SubprocessError as error:
            self._failed("other", f"{flow}, {what}: {error}")

    def _failed(self, kind: str, told: str) -> None:
        self.wrong[kind] += 1
        print(f"FAILED {self.name}, {told}", flush=True)  # noqa: T201 - a program

    def __str__(self) -> str:
        flows = ", ".join(f"{flow} {count}" for flow, count in self.flows.items())
        more = f"; {self.remark}" if self.remark else ""
        return f"{self.name}: {self.points} points, {self.failures} failures ({flows}){more}"


def _kind(error: Exception) -> str:
    if isinstance(error, PointError):
        return error.kind
    text = str(error)
    return "tracebacks" if "Traceback" in text or "this is a bug in skill" in text else "other"


def table(tallies: Sequence[tuple[Tally, float]]) -> str:
    """The counts as lines: what was played, for how many seconds, and what went wrong."""
    lines: list[tuple[str, ...]] = [("set", "flows", "points", *KINDS, "seconds")]
    for tally, seconds in tallies:
        counts = (len(tally.flows), tally.points, *(tally.wrong[kind] for kind in KINDS))
        lines.append((tally.name, *map(str, counts), f"{seconds:.0f}"))
    return "\n".join(
        row[0].ljust(10) + "".join(cell.rjust(max(12, len(cell) + 2)) for cell in row[1:])
        for row in lines
    )


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
    bug = done.status not in STATUSES or "Traceback" in done.out + done.err
    demand(not bug, "tracebacks", f"{what}: {done}")
    assert_clean_output(done)
    return done


def assert_whole(home: Path, what: str, since: int = 0) -> None:
    """Assert that nothing is unfinished, and that history, records, library and store agree.

    Args:
        home: the SKILL_HOME.
        what: the point that was played, for the message.
        since: the operation after which the history is looked at; what a person did before it to
            what is ours leaves a gap there.

    Raises:
        AssertionError: with the first thing that does not fit.
    """
    assert_settled(home, what)
    for name, digest, package in _query(home, "SELECT name, digest, package FROM installs"):
        place = home / "library" / (name if package else f"{name}.md")
        there, edited = _digest(place), _edits(home, name)  # merged edits are no record's files
        demand(
            there in (digest, edited),
            "mixed",
            f"{what}: {name} is recorded as {digest}, and is {there}",
        )
        kept = home / "store" / digest.removeprefix(DIGEST_PREFIX)
        demand(_digest(kept) == digest, "lost", f"{what}: the tree of {name} is not kept")
    for found, before, after in history_of(home, since):
        demand(found == before, "lost", f"{what}: the history of {after} has a gap")


def last_operation(home: Path) -> int:
    """The number of the last operation; 0 for none."""
    return max((int(row[0]) for row in _query(home, "SELECT id FROM operations")), default=0)


def _edits(home: Path, name: str) -> str:
    """The digest of what the last change of a skill left in the library."""
    query = "SELECT name, after_digest FROM history WHERE operation > 0 AND place = '' ORDER BY id"
    return str(dict(_query(home, query)).get(name, ""))


def assert_settled(home: Path, what: str) -> None:
    """Assert that no operation is unfinished, and that nothing lies about.

    Raises:
        AssertionError: something is left over.
    """
    demand(not rows(home, "journal"), "mixed", f"{what}: an unfinished journal")
    demand(not tree_of(home / "staging"), "mixed", f"{what}: leftovers")


def history_of(home: Path, since: int = 0) -> Iterator[tuple[str, str, str]]:
    """For each change: what the one before left there, what this one found, and where.

    Where both are the same from the first to the last, the changes happened one after another.
    """
    query = "SELECT name, place, digest, after_digest, operation FROM history WHERE operation > 0"
    left: dict[tuple[str, str], str] = {}
    for name, place, before, after, operation in _query(home, f"{query} ORDER BY id"):
        if operation <= since:
            continue
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
