"""Every file that we own, cut off: told, fetched again or mended, and never read as empty."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from journeys.world import document
from support.cli import Result

from faults.killing import reason_to_skip, run_killed
from faults.scenery import Scenery, scenery
from faults.tally import Tally, demand, ended, error_of, spread

Words = tuple[str, ...]
SKILLS: Final = frozenset({"tidy-up", "deploy", "leaflet"})
PROJECT: Final = frozenset({"sweep", "read-pdf"})
POLICY: Final = '[policy]\nmin_origin = "local"\nallowed_hosts = ["github.com", "skills.example"]\n'
_CONFIG: Final = '[history]\nkeep = "900d"\n[policy]\nmin_origin = "local"\n'
_ASKING: Final[Sequence[Words]] = (
    ("list",), ("audit", "--no-network"), ("list", "--project"), ("log",), ("history", "tidy-up"),
    ("search", "deploy"), ("tap", "list"), ("trust", "list"), ("cache", "info"),
)  # fmt: skip
_CHANGING: Final[Sequence[Words]] = (
    ("install", "SOURCE:skill-01", "--yes"), ("update", "--all", "--yes", "--accept-new"),
    ("remove", "deploy"), ("install", "deploy", "--yes"), ("rollback", "tidy-up"),
    ("install", "LEAFLET", "--yes"), ("sync", "--yes"), ("undo",), ("tap", "update"),
)  # fmt: skip
BASES: Final = ("settled", "with a log", "interrupted")


class Desk:
    """A home with something of everything, kept in three conditions.

    `settled` is what every command leaves. `with a log` is what a machine leaves that was switched
    off: the databases' last changes stand in their logs. `interrupted` has an unfinished change.
    """

    def __init__(self, scenery: Scenery, leaflet: str) -> None:
        self.scenery, self._leaflet = scenery, leaflet
        self.bases = [base for base in BASES if base != "interrupted" or not reason_to_skip()]
        self._furnish()
        scenery.keep("settled")
        self._with_a_log()
        if "interrupted" in self.bases:
            self._interrupted()

    def files(self, base: str) -> list[str]:
        """Everything of ours in a condition that has bytes to be cut, below the folder around."""
        self.scenery.back(base)
        around = self.scenery.around
        places = (around / "skillhome", self.scenery.project)
        found = [path for place in places for path in place.rglob("*") if path.is_file()]
        return sorted(path.relative_to(around).as_posix() for path in found if path.stat().st_size)

    def play(self, base: str, file: str, size: int) -> None:
        """Cut one file, and run every kind of command.

        Raises:
            AssertionError: one ended otherwise than documented, or what is damaged was read as
                if there were less.
        """
        self.scenery.back(base)
        what = f"{file} cut to {size} ({base})"
        with self._place(file).open("r+b") as cut:
            cut.truncate(size)
        asked = {words[0]: self._run(words, what) for words in reversed(_ASKING)}
        self._look(file, base, asked["list"], what)
        for words in _CHANGING:
            self._run(words, what)
        self._look_again(file, what)

    def size(self, file: str) -> int:
        """How many bytes a file has now."""
        return self._place(file).stat().st_size

    def _place(self, file: str) -> Path:
        return self.scenery.around / file

    def _furnish(self) -> None:
        scenery = self.scenery
        config = scenery.person.home / "config.toml"
        config.write_text(f"{_CONFIG}{config.read_text()}")
        (scenery.project / "skills.toml").write_text(POLICY)
        scenery.skill("install", "SOURCE")
        scenery.offer(1)
        scenery.skill("update", "tidy-up")
        scenery.skill("install", "deploy", "--yes")
        scenery.skill("install", self._leaflet, "--yes")
        scenery.skill("install", "read-pdf", "--project")
        scenery.skill("install", "sweep", "--yes", "--project")
        for words in _ASKING:
            scenery.skill(*words)

    def _with_a_log(self) -> None:
        """Whoever still reads a database keeps its log from being taken away."""
        with contextlib.ExitStack() as readers:
            for name in ("state.db", "looked.db", "index.db"):
                reader = sqlite3.connect(self.scenery.person.home / name)
                readers.callback(reader.close)
                reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            self.scenery.skill("pin", "deploy")
            self.scenery.skill("unpin", "deploy")
            for words in _ASKING:
                self.scenery.skill(*words)
            self.scenery.keep("with a log")

    def _interrupted(self) -> None:
        self.scenery.back("settled")
        self.scenery.offer(2)
        words = ("update", "tidy-up", "--accept-new")
        assert run_killed(self.scenery.person, words, "renameat2", 1)
        self.scenery.keep("interrupted")

    def _run(self, words: Words, what: str) -> Result:
        spelled = [self._leaflet if word == "LEAFLET" else word for word in words]
        words = self.scenery.spelled((*spelled, "--json"))
        alone = {"SKILL_OFFLINE": "1"} if "config.toml" in what else {}  # it named the mirrors
        return ended(self.scenery.person, *words, what=what, cwd=self.scenery.project, env=alone)

    def _look(self, file: str, base: str, done: Result, what: str) -> None:
        """Every skill is listed, or the command says that our state is damaged."""
        if done.status:
            demand(error_of(done) == "state", "other", f"{what}: {done}")
            demand("skillhome/library" not in file, "other", f"{what}: {done}")
            demand(done.json()["error"]["hint"], "other", f"{what}: no way out: {done}")
            return
        damaged = file == "skillhome/state.db" and base == "settled"
        demand(not damaged, "lost", f"{what}: a damaged database was read: {done}")
        found = {skill["name"]: skill["state"] for skill in done.json()["data"]["skills"]}
        cut = next((name for name in SKILLS if f"/library/{name}" in file), "")
        demand(set(found) >= SKILLS - {cut}, "lost", f"{what}: only {sorted(found)} are listed")
        state = found.get(cut, "missing")
        demand(not cut or state not in ("ok", "pinned"), "mixed", f"{what}: {cut} is {state}")

    def _look_again(self, file: str, what: str) -> None:
        """What is damaged for good is moved aside, as the hint says; the rest is right by now."""
        home = self.scenery.person.home
        done = self._run(("list",), what)
        if done.status:
            for name in ("state.db", "state.db-wal", "state.db-shm", "config.toml"):
                (home / name).unlink(missing_ok=True)
            done = self._run(("list",), what)
        demand(done.status == 0, "lost", f"{what}: no way out: {done}")
        found = {skill["name"] for skill in done.json()["data"]["skills"]}
        demand("tidy-up" in found, "lost", f"{what}: only {sorted(found)} are listed at last")
        if "/cache/" in file:
            demand("deploy" in found, "lost", f"{what}: it was not fetched again")
        if "skills.lock" in file:
            there = {path.name for path in (self.scenery.project / ".agents/skills").iterdir()}
            demand(there >= PROJECT, "lost", f"{what}: of the project there are {sorted(there)}")


def cuts_of(size: int, chance: random.Random, more: int) -> list[int]:
    """Sizes to cut a file to: nothing, one byte, half, all but one, and some by chance."""
    chosen = {0, 1, size // 2, size - 1, *(chance.randrange(size) for _ in range(more))}
    return sorted(cut for cut in chosen if cut < size)


def points(desk: Desk, base: str, *, full: bool) -> Iterator[tuple[str, int]]:
    """Each file of ours with the sizes that it is cut to; of many of a kind, some."""
    chance = random.Random(7)  # noqa: S311 - a game of chance
    files = desk.files(base)
    kinds: dict[str, list[str]] = {}
    for file in files:
        kinds.setdefault(kind_of(file), []).append(file)
    for kind, found in kinds.items():
        told = base == "settled" or kind.startswith("skillhome/state.db") or "-wal" in kind
        for number in spread(len(found), 3 if full else 1) if told else ():
            file = found[number - 1]
            size = desk.size(file)
            cuts = cuts_of(size, chance, 10 if full and kind in _IMPORTANT else int(full))
            yield from ((file, cut) for cut in (cuts if full else cuts[:: max(len(cuts) - 1, 1)]))


_IMPORTANT: Final = frozenset(
    (
        "skillhome/state.db",
        "skillhome/state.db-wal",
        "user/app/skills.lock",
        "skillhome/config.toml",
    )
)


def kind_of(file: str) -> str:
    """Files that are alike have the same kind: names that are made up are left out of it."""
    parts = [part for part in file.split("/") if len(part) < 30]
    return "/".join(parts if len(parts) < 6 else [*parts[:5], Path(parts[-1]).suffix])


def truncate(*, full: bool, scenes: Sequence[str]) -> Tally:
    """Some three hundred cuts when `full`, else two of each kind of file."""
    tally = Tally("truncate")
    with scenery() as place:
        desk = Desk(place, place.leaflet("leaflet", document("leaflet")))
        for base in (one for one in desk.bases if not scenes or one in scenes):
            for file, size in list(points(desk, base, full=full)):
                tally.play(base, f"{file} {size}", lambda: desk.play(base, file, size))  # noqa: B023
    return tally


def reason() -> str:
    """Why it cannot be played here; it always can."""
    return ""
