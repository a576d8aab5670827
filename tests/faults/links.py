"""Somebody who swaps our folders and files for links to elsewhere, and back, while we work.

An attacker exchanges an entry for a link in one step, as often as it can while a command runs, and
at moments of its own choosing. What the link leads to looks like what was there, so a command
that goes through it finds something to change. Nothing there may change: not a byte, not a mode,
not a time. What the command itself then says is another matter, as long as it is documented.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from journeys.world import document
from support.cli import Result
from support.files import build

from faults.scenery import VERSIONS, Scenery, scenery
from faults.tally import Tally, assert_settled, assert_whole, demand, ended

_EXCHANGE: Final = 2
_HERE: Final = -100
Words = tuple[str, ...]
Seen = dict[str, tuple[object, ...]]


@dataclass(frozen=True)
class Attack:
    """A command, and what is swapped while it runs.

    Attributes:
        prepare: what happened before; played once.
        words: the command, run in the project.
        targets: what is swapped, below the folder around home and project; `*` stands for a name
            that the command makes up.
        offers: the version that the skill's folder holds meanwhile.
    """

    name: str
    prepare: Callable[[Scenery], None]
    words: Words
    targets: Sequence[str]
    offers: int = 1


def _nothing(_scenery: Scenery) -> None:
    pass


def _installed(scenery: Scenery) -> None:
    scenery.skill("install", "SOURCE")


def _in_project(scenery: Scenery) -> None:
    scenery.skill("install", "SOURCE", "--project")


def _out_of_step(scenery: Scenery) -> None:
    _in_project(scenery)
    lock = scenery.project / "skills.lock"
    kept = lock.read_bytes()
    scenery.skill("remove", "tidy-up", "--project")
    scenery.skill("install", "read-pdf", "--project")
    lock.write_bytes(kept)


def _left_by_others(scenery: Scenery) -> None:
    build(scenery.project / ".claude/skills/tidy-up", VERSIONS[0])


LIBRARY: Final = (
    "skillhome/library", "skillhome/library/tidy-up", "skillhome/library/tidy-up/scripts",
    "skillhome/library/tidy-up/SKILL.md", "skillhome/staging", "skillhome/staging/*",
    "skillhome/staging/*/new", "skillhome/staging/*/tree", "skillhome/store", "skillhome/store/*",
)  # fmt: skip
PROJECT: Final = (
    "user/app", "user/app/.agents", "user/app/.agents/skills", "user/app/.agents/skills/tidy-up",
    "user/app/.agents/skills/tidy-up/SKILL.md", "user/app/.agents/skills/.skill-tmp*",
    "user/app/skills.lock", "skillhome/store", "skillhome/staging",
)  # fmt: skip
ATTACKS: Final = (
    Attack("install", _nothing, ("install", "SOURCE"), LIBRARY),
    Attack("update", _installed, ("update", "tidy-up", "--accept-new", "--replace"), LIBRARY),
    Attack("remove", _installed, ("remove", "tidy-up", "--discard"), LIBRARY),
    Attack("install in a project", _nothing, ("install", "SOURCE", "--project"), PROJECT),
    Attack(
        "update in a project", _in_project,
        ("update", "tidy-up", "--accept-new", "--replace", "--project"), PROJECT,
    ),
    Attack(
        "remove from a project", _in_project,
        ("remove", "tidy-up", "--discard", "--project"), PROJECT,
    ),
    Attack("sync", _out_of_step, ("sync", "--yes", "--replace"), PROJECT, offers=0),
    Attack(
        "adopt", _left_by_others, ("adopt", "--yes", "--replace"),
        ("user/app/.claude/skills", "user/app/.claude/skills/tidy-up", *LIBRARY),
        offers=0,
    ),
)  # fmt: skip


class Swapper:
    """Exchanges entries of a folder for links, and back, until it is told to stop.

    Args:
        around: what the targets are relative to.
        outside: what the links lead to.
        seed: decides what is swapped, when, and for how long.
    """

    def __init__(self, around: Path, outside: Path, targets: Sequence[str], seed: int) -> None:
        self._around, self._outside, self._targets = around, outside, targets
        self._links = outside.parent / "links"
        self._random = random.Random(seed)  # noqa: S311 - a game of chance
        self._stop = threading.Event()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self.swaps = 0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Swap while the block runs; afterwards no link of it is left."""
        shutil.rmtree(self._links, ignore_errors=True)
        self._links.mkdir()
        thread = threading.Thread(target=self._swap_on)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()
            self._sweep()

    def _swap_on(self) -> None:
        favourite = self._random.choice(self._targets)
        time.sleep(self._random.choice((0, 0.01, 0.02, 0.03, 0.04)))  # what comes first is let pass
        while not self._stop.is_set():
            often = self._random.random() < 0.7
            place = self._place(favourite if often else self._random.choice(self._targets))
            if place is None:
                time.sleep(0)
                continue
            link = self._links / f"link-{self.swaps}"
            link.symlink_to(self._aim(place))
            if self._exchange(link, place):
                self.swaps += 1
                time.sleep(self._random.choice((0, 0.0002, 0.001, 0.005)))
                self._take_back(link, place)
            if link.is_symlink():
                link.unlink()
            time.sleep(self._random.choice((0, 0.0002, 0.001, 0.003)))

    def _take_back(self, link: Path, place: Path) -> None:
        """Put back what was there; where the command has moved our link, it is taken away."""
        if place.is_symlink():
            self._exchange(link, place)
        else:
            self._sweep()

    def _sweep(self) -> None:
        """Take away each link of ours, wherever a command has moved it."""
        for folder, names, files in os.walk(self._around):
            for found in (Path(folder, name) for name in (*names, *files)):
                with contextlib.suppress(OSError):
                    if str(found.readlink()).startswith(str(self._outside)):
                        found.unlink()

    def _aim(self, place: Path) -> Path:
        """What the link leads to: most often what looks like the place itself."""
        like = self._outside / _ALIKE.get(place.name, place.name)
        often = self._random.random() < 0.8
        return like if often and like.exists() else self._outside / self._random.choice(_LIKE)

    def _place(self, target: str) -> Path | None:
        if "*" not in target:
            return self._around / target
        try:
            found = sorted(self._around.glob(target))
        except OSError:
            return None
        return self._random.choice(found) if found else None

    def _exchange(self, one: Path, other: Path) -> bool:
        names = os.fsencode(one), os.fsencode(other)
        return not self._libc.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)


_LIKE: Final = ("", "skills", "tidy-up", "tidy-up/scripts", "tidy-up/SKILL.md", "library")
_ALIKE: Final = {
    "app": "", "scripts": "tidy-up/scripts", "SKILL.md": "tidy-up/SKILL.md", "tree": "tidy-up",
    "new": "tidy-up", ".claude": ".agents",
}  # fmt: skip


def canary(folder: Path) -> Path:
    """A folder in which every name of ours is found at every place where it could be looked for.

    The files are those that the commands expect there, so that no comparison saves them.
    """
    files = {f"{below}{path}": text for below in _BELOW for path, text in VERSIONS[0].items()}
    files |= {"SKILL.md": document("tidy-up", "Theirs."), "skills.lock": "version = 1\n"}
    files |= {"staging/": "", "store/": ""}
    build(folder, files, executable=[f"{below}scripts/run.sh" for below in _BELOW])
    for number, place in enumerate(sorted((folder, *folder.rglob("*")), reverse=True)):
        os.utime(place, ns=(10**18 + number, 10**18 + number))
    return folder


_BELOW: Final = tuple(
    f"{below}tidy-up/" for below in ("", "library/", "skills/", ".agents/skills/", "tree/")
)


def seen_of(folder: Path) -> Seen:
    """Everything below a folder: what it is, its mode, its times, its bytes."""
    found: Seen = {}
    for place in sorted([folder, *folder.rglob("*")]):
        stat = place.lstat()
        data = place.read_bytes() if place.is_file() else b""
        found[str(place)] = (stat.st_mode, stat.st_mtime_ns, stat.st_ino, stat.st_size, data)
    return found


class Duel:
    """One attack, prepared once and played as often as wanted."""

    def __init__(self, attack: Attack, scenery: Scenery) -> None:
        self._attack, self._scenery = attack, scenery
        scenery.back("empty")
        scenery.offer(0)
        attack.prepare(scenery)
        scenery.offer(attack.offers)
        scenery.keep(f"attack {attack.name}")
        self._outside = scenery.around.parent / f"outside {attack.name}"
        self._canary: Seen = {}

    def play(self, seed: int) -> tuple[int, int]:
        """Run the command under attack, then without.

        Returns:
            How often something was swapped, and the status of the command that was attacked.

        Raises:
            AssertionError: something outside changed, or what is left is not right.
        """
        name = f"{self._attack.name}, seed {seed}"
        if not self._canary or seen_of(self._outside) != self._canary:
            shutil.rmtree(self._outside, ignore_errors=True)
            self._canary = seen_of(canary(self._outside))
        for attempt in range(5):  # a command can be over before anything was swapped
            swaps, status = self._attacked(name, seed + 1000 * attempt)
            if swaps:
                break
        after = seen_of(self._outside)
        both = sorted(after | self._canary)
        changed = [path for path in both if after.get(path) != self._canary.get(path)]
        demand(not changed, "mixed", f"{name}: outside, {changed} changed")
        self._recover(name)
        return swaps, status

    def _attacked(self, name: str, seed: int) -> tuple[int, int]:
        self._scenery.back(f"attack {self._attack.name}")
        swapper = Swapper(self._scenery.around, self._outside, self._attack.targets, seed)
        folder = os.open(self._scenery.project, os.O_RDONLY)  # no link leads anybody there
        try:
            with swapper.at_work():
                done = self._run(self._attack.words, name, Path(f"/proc/{os.getpid()}/fd/{folder}"))
        finally:
            os.close(folder)
        return swapper.swaps, done.status

    def _recover(self, name: str) -> None:
        """Nobody attacks any more: the same command, and those that bring everything right, end."""
        for words in (("list",), self._attack.words, *_MENDING):
            done = self._run(words, name)
        demand(done.status == 0, "lost", f"{name}: it cannot be brought right: {done}")
        assert_settled(self._scenery.person.home, name)
        assert_whole(self._scenery.person.home, name, 1 << 62)
        there = self._scenery.person.installed("tidy-up")
        wanted = VERSIONS[self._attack.offers]
        demand(
            {path: data.decode() for path, (data, _) in there.items()} == wanted,
            "mixed", f"{name}: {sorted(there)} are not the files of the source",
        )  # fmt: skip
        changed = seen_of(self._outside) != self._canary
        demand(not changed, "mixed", f"{name}: something outside changed afterwards")

    def _run(self, words: Words, name: str, cwd: Path | None = None) -> Result:
        words, cwd = self._scenery.spelled(words), cwd or self._scenery.project
        return ended(self._scenery.person, *words, what=name, cwd=cwd)


_MENDING: Final = (
    ("install", "SOURCE", "--replace", "--force", "--accept-new", "--project"),
    ("sync", "--yes", "--replace"),
    ("install", "SOURCE", "--replace", "--force", "--accept-new"),
)


def links(*, full: bool, scenes: Sequence[str]) -> Tally:
    """Five hundred rounds when `full`, else two of each."""
    tally, seen = Tally("links"), list[tuple[int, int]]()
    played = [attack for attack in ATTACKS if not scenes or attack.name in scenes]
    with scenery() as place:
        for number, attack in enumerate(played):
            duel = Duel(attack, place)
            rounds = 500 // len(played) + (number < 500 % len(played)) if full else 2
            for seed in range(rounds):
                tally.play(attack.name, f"seed {seed}", lambda: seen.append(duel.play(seed)))  # noqa: B023
    ends = Counter(status for swaps, status in seen if swaps)
    told = ", ".join(f"{status}: {count}" for status, count in sorted(ends.items()))
    tally.remark = f"{sum(swaps for swaps, _ in seen)} swaps; attacked rounds by status: {told}"
    return tally


def reason() -> str:
    """Why it cannot be played here; "" when it can."""
    return "" if sys.platform.startswith("linux") else "entries cannot be exchanged in one step"
