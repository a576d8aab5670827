"""Killing the command before each of its system calls, and looking at what the next one finds."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from journeys.world import Person, document, rows
from support.cli import environment
from support.files import Snapshot, build, tree_of

SKILL: Final[Mapping[str, str]] = {
    "SKILL.md": document("tidy-up"),
    "scripts/run.sh": "#!/bin/sh\necho one\n",
    "notes.md": "# Notes\n",
}
NEWER: Final[Mapping[str, str]] = {"SKILL.md": document("tidy-up", "Newer."), "new.md": "# New\n"}
EVERY: Final = (
    "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "fsync",
    "fdatasync", "pwrite64", "write", "ftruncate", "fchmod", "chmod", "openat", "close", "flock",
)  # fmt: skip
"""Every system call by which the command changes something, and those around them."""

State = tuple[Snapshot, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Scene:
    """A change to be interrupted.

    Attributes:
        prepare: what happened before, given the person and the folder of the skill's source.
        words: the command; `SOURCE` stands for that folder.
    """

    name: str
    prepare: Callable[[Person, Path], None]
    words: tuple[str, ...]


def _nothing(_person: Person, source: Path) -> None:
    build(source, SKILL)


def _installed(person: Person, source: Path) -> None:
    build(source, SKILL)
    person.skill("install", str(source))


def _outdated(person: Person, source: Path) -> None:
    _installed(person, source)
    shutil.rmtree(source)
    build(source, NEWER)


def _edited(person: Person, source: Path) -> None:
    _outdated(person, source)
    person.writes("tidy-up/notes.md", "# Mine\n")


def _by_hand(person: Person, source: Path) -> None:
    build(source, SKILL)
    person.writes("tidy-up.md", document("tidy-up", "By hand."))


def _updated(person: Person, source: Path) -> None:
    _outdated(person, source)
    person.skill("update", "tidy-up")


def _removed(person: Person, source: Path) -> None:
    _installed(person, source)
    person.skill("remove", "tidy-up")


SCENES: Final = (
    Scene("install", _nothing, ("install", "SOURCE")),
    Scene("update", _outdated, ("update", "tidy-up")),
    Scene("remove", _installed, ("remove", "tidy-up")),
    Scene("update over edits", _edited, ("update", "tidy-up", "--replace")),
    Scene("install over a document", _by_hand, ("install", "SOURCE", "--replace")),
    Scene("pin", _installed, ("pin", "tidy-up")),
    Scene("rollback", _updated, ("rollback", "tidy-up", "--to", "1")),
    Scene("undo a removal", _removed, ("undo",)),
)


class Stage:
    """One scene, prepared once and played from the start as often as wanted."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        self._scene = scene
        self._folder = folder
        self._played = 0
        source = folder / "work" / "tidy-up"
        self.words = tuple(str(source) if word == "SOURCE" else word for word in scene.words)
        self._before = folder / "before" / "skillhome"
        person = Person(self._before, {"SKILL_HUB": "off"})
        person.skill("list")
        scene.prepare(person, source)
        self.old = state_of(self._before)
        after = self._copy()
        after.skill(*self.words)
        self.new = state_of(after.home)

    def play(self, syscall: str, number: int) -> bool:
        """Kill the command at one call; False when it ended before it got there.

        Raises:
            AssertionError: what the next command found is neither the old nor the new state.
        """
        person = self._copy()
        killed = _run_killed(person, self.words, syscall, number)
        what = f"{self._scene.name}, {syscall} {number}"
        person.skill("list")
        found = state_of(person.home)
        assert found in (self.old, self.new), f"{what}: mixed state"
        assert killed or found == self.new, f"{what}: it ended and did nothing"
        assert not tree_of(person.home / "staging"), f"{what}: leftovers"
        assert not rows(person.home, "journal"), f"{what}: an unfinished journal"
        if found == self.old:
            person.skill(*self.words)
            assert state_of(person.home) == self.new, f"{what}: the second try"
        shutil.rmtree(person.home.parent)
        return killed

    def points(self, syscall: str, step: int = 1) -> Iterator[int]:
        """Play every `step`-th call until one is not reached; yields the numbers played."""
        number = 1
        while self.play(syscall, number):
            yield number
            number += step

    def _copy(self) -> Person:
        self._played += 1
        home = self._folder / f"played-{self._played}" / "skillhome"
        shutil.copytree(self._before, home, symlinks=True)
        return Person(home, {"SKILL_HUB": "off"})


def state_of(home: Path) -> State:
    """The library and what is recorded of it, without times."""
    records = [
        tuple(value for value in row if not _is_time(value))
        for row in rows(home, "installs", "files")
    ]
    return tree_of(home / "library"), records


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 20 and value.endswith("Z")


def _run_killed(person: Person, words: tuple[str, ...], syscall: str, number: int) -> bool:
    import sys

    inject = f"inject={syscall}:signal=SIGKILL:when={number}"
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={syscall}", "-e", inject]
    command = [*strace, sys.executable, "-P", "-m", "skillpm", *words]
    env = environment(person.home, person.env)
    done = subprocess.run(command, env=env, capture_output=True, check=False, timeout=60)
    assert done.returncode in (0, -9, 137), done.stderr.decode()
    return done.returncode != 0


def reason_to_skip() -> str:
    """Why processes cannot be traced here; "" when they can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    probe = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"]
    done = subprocess.run(probe, capture_output=True, check=False)
    return "" if done.returncode == 0 else "this system does not let processes be traced"
