"""Twelve processes at once on one home: each gets its turn, and none undoes another's work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from journeys.world import rows
from support.cli import Result

from faults.scenery import MANY, VERSIONS, Scenery, scenery
from faults.tally import Tally, assert_settled, assert_whole, demand, ended, last_operation

PROCESSES: Final = 12
Words = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Commands that meet on one home.

    Attributes:
        prepare: what happened before; played once.
        commands: those that run at once, again from the first until all processes have one.
        offers: the version that the skill's folder holds meanwhile.
        demands: what must hold at the end beside everything else.
    """

    name: str
    prepare: Callable[[Scenery], None]
    commands: Sequence[Words]
    offers: int = 0
    demands: Callable[[Scenery, Sequence[Result]], None] = lambda _scenery, _done: None


def _nothing(_scenery: Scenery) -> None:
    pass


def _installed(scenery: Scenery) -> None:
    scenery.skill("install", "SOURCE")


def _updated(scenery: Scenery) -> None:
    _installed(scenery)
    for version in (1, 2):
        scenery.offer(version)
        scenery.skill("update", "tidy-up", "--accept-new")


def _removed(scenery: Scenery) -> None:
    _updated(scenery)
    scenery.skill("remove", "tidy-up")


def _out_of_step(scenery: Scenery) -> None:
    for words in (("SOURCE",), ("deploy", "--yes"), ("read-pdf",)):
        scenery.skill("install", *words, "--project")
    lock = scenery.project / "skills.lock"
    kept = lock.read_bytes()
    scenery.skill("remove", "deploy", "--project")
    scenery.skill("install", "cut-a-release", "--project")
    lock.write_bytes(kept)


def _all_are_there(scenery: Scenery, done: Sequence[Result]) -> None:
    """None of the skills that were said to be installed is missing."""
    recorded = {row[0] for row in rows(scenery.person.home, "installs")}
    for result in done:
        demand(result.status == 0, "other", result)
    demand(recorded == set(MANY), "lost", f"of {len(MANY)} there are {sorted(recorded)}")


def _none_is_there(scenery: Scenery, done: Sequence[Result]) -> None:
    recorded = {row[0] for row in rows(scenery.person.home, "installs")}
    demand(not recorded, "other", f"{recorded} are still there")


def _many(scenery: Scenery) -> None:
    for name in MANY:
        scenery.skill("install", f"SOURCE:{name}")


INSTALL: Final = ("install", "SOURCE", "--yes", "--accept-new")
UPDATE: Final = ("update", "tidy-up", "--accept-new")
SYNC: Final = ("sync", "--yes", "--replace")
REMOVE: Final = ("remove", "tidy-up")
PAIRS: Final = (
    Pair("install/remove", _nothing, (INSTALL, REMOVE)),
    Pair("install/update", _installed, (INSTALL, UPDATE), 1),
    Pair("update/rollback", _updated, (UPDATE, ("rollback", "tidy-up")), 2),
    Pair("update/remove", _installed, (UPDATE, REMOVE), 1),
    Pair("remove/undo", _updated, (REMOVE, ("undo",)), 2),
    Pair("install/undo", _removed, (INSTALL, ("undo",)), 2),
    Pair(
        "tap update/install", _nothing,
        (("tap", "update"), ("install", "deploy", "--yes"), ("install", "team/sweep", "--yes")),
    ),
    Pair("tap update/tap update", _nothing, (("tap", "update"), ("tap", "list"))),
    Pair(
        "sync/install", _out_of_step,
        (SYNC[:2], ("install", "cut-a-release", "--project"), SYNC),
    ),
    Pair(
        "sync/remove", _out_of_step,
        (SYNC, ("remove", "read-pdf", "--project"), ("undo",)),
    ),
    Pair("cache prune/install", _removed, (INSTALL, ("cache", "prune", "--days", "0"), REMOVE), 2),
    Pair(
        "cache clear/install from a forge", _nothing,
        (("cache", "clear"), ("install", "deploy", "--yes"), ("remove", "deploy")),
    ),
    Pair("pin/update", _installed, (("pin", "tidy-up"), UPDATE, ("unpin", "tidy-up")), 1),
    Pair(
        "everybody installs another", _nothing,
        tuple(("install", f"SOURCE:{name}") for name in MANY), demands=_all_are_there,
    ),
    Pair(
        "everybody removes another", _many,
        tuple(("remove", name) for name in MANY), demands=_none_is_there,
    ),
    Pair(
        "looking/changing", _updated,
        (UPDATE, ("list",), REMOVE, ("audit", "--no-network"), INSTALL, ("log",)),
        2,
    ),
)  # fmt: skip


class Round:
    """One pair, prepared once and played as often as wanted."""

    def __init__(self, pair: Pair, scenery: Scenery) -> None:
        self._pair, self._scenery = pair, scenery
        self._kept = pair.name.replace("/", " and ")
        scenery.back("empty")
        scenery.offer(0)
        pair.prepare(scenery)
        scenery.offer(pair.offers)
        scenery.keep(self._kept)
        self._before = self._logged()
        self._operation = last_operation(scenery.person.home)

    def play(self, *, fresh: bool) -> None:
        """Start all of them at once, wait for the last, and look at what they left.

        Raises:
            AssertionError: something is lost, mixed or not as documented.
        """
        scenery, name = self._scenery, self._pair.name
        scenery.back(self._kept)
        commands = [self._pair.commands[n % len(self._pair.commands)] for n in range(PROCESSES)]
        with ThreadPoolExecutor(PROCESSES) as pool:
            done = list(pool.map(lambda words: self._run(words, fresh=fresh), commands))
        ended(scenery.person, "list", what=name)
        assert_settled(scenery.person.home, name)
        assert_whole(scenery.person.home, name, self._operation)
        self._look_at_versions()
        self._look_at_counts(done, self._logged() - self._before)
        self._look_at_project()
        self._pair.demands(scenery, done)

    def _run(self, words: Words, *, fresh: bool) -> Result:
        words = self._scenery.spelled(words)
        project = self._scenery.project
        return ended(self._scenery.person, *words, what=self._pair.name, cwd=project, fresh=fresh)

    def _look_at_versions(self) -> None:
        """What stands in the library is wholly one of the versions that were ever offered."""
        for row in rows(self._scenery.person.home, "installs"):
            there = self._scenery.person.installed(row[0])
            if row[0] == "tidy-up":
                wanted = [{p: t.encode() for p, t in version.items()} for version in VERSIONS]
                found = {path: data for path, (data, _) in there.items()}
                demand(
                    found in wanted, "mixed", f"{self._pair.name}: {sorted(found)} is no version"
                )

    def _look_at_counts(self, done: Sequence[Result], logged: Counter[str]) -> None:
        """Each removal that a command told is in the log, once, and nothing that nobody did."""
        if any("--project" in one.args or one.args[0] == "sync" for one in done):
            return  # a project's changes are logged skill by skill and file by file
        said = Counter(one.args[0] for one in done if one.status == 0)
        told = f"{self._pair.name}: said {dict(said)}, logged {dict(logged)}"
        demand(logged["remove"] == said["remove"], "lost", told)
        for action in ("install", "undo", "rollback", "pin", "unpin"):
            demand(logged[action] <= said[action], "other", told)

    def _logged(self) -> Counter[str]:
        """How often each action is in the log, whose chain must be whole."""
        log = ended(self._scenery.person, "log", "--json", what=self._pair.name).json()["data"]
        demand(log["intact"], "lost", f"{self._pair.name}: the log is broken: {log['fault']}")
        return Counter(event["action"] for event in log["events"])

    def _look_at_project(self) -> None:
        """Folder and lock of the project agree, or `sync` makes them."""
        lock = self._scenery.project / "skills.lock"
        if not lock.exists():
            return
        for words in (SYNC, ("sync", "--frozen")):
            done = ended(self._scenery.person, *words, cwd=self._scenery.project)
            demand(done.status == 0, "mixed", f"{self._pair.name}: the lock is not met: {done}")


def pairs(*, full: bool, scenes: Sequence[str]) -> Tally:
    """A hundred rounds when `full`, every other in processes without a head start; else one each.

    A command that is forked meets the others at the same instruction, one that starts Python first
    meets them somewhere.
    """
    tally = Tally("pairs")
    played = [pair for pair in PAIRS if not scenes or pair.name in scenes]
    with scenery() as place:
        for number, pair in enumerate(played):
            one = Round(pair, place)
            rounds = 100 // len(played) + (number < 100 % len(played)) if full else 1
            for turn in range(rounds):
                fresh = full and turn % 2 == 1
                tally.play(pair.name, f"round {turn + 1}", lambda: one.play(fresh=fresh))  # noqa: B023
    return tally


def reason() -> str:
    """Why it cannot be played here; it always can."""
    return ""
