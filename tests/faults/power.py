"""A power cut: what the disk holds at a moment, and nothing that was only on its way there.

The home lies on a small ext4 image behind a loop device. The command is killed before one of its
system calls, and the image is copied while everything that was not flushed is still in memory
alone: that copy is what a machine without power would find. It is mounted at the same place, and
the next command runs on it. What another program flushes meanwhile may take some of our work with
it and leave the rest, so each moment is also looked at after such a flush.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from journeys.world import Person
from support.cli import environment

from faults.killing import SCENES, Scene, State, calls_of, project_of, reason_to_skip, state_of
from faults.tally import Tally, assert_settled, assert_whole, demand, last_operation, spread

_SIZE: Final = 24 << 20
_LONG: Final = "loop,commit=300"
"""Nothing is written by the passing of time while a point is played."""
MOUNTS: Final = (_LONG, f"{_LONG},noauto_da_alloc")
"""The second does not save a file that is renamed without having been flushed."""
CALLS: Final = ("fsync", "fdatasync", "renameat2", "rename", "rmdir", "unlinkat", "pwrite64")
_PLAYED: Final = (
    "install", "update", "remove", "rollback", "undo a removal", "update with edits",
    "install in a project", "sync",
)  # fmt: skip


@dataclass(frozen=True)
class Cut:
    """A moment without power.

    Attributes:
        call: the system call before which it falls; "" for right after the command has ended.
        number: which one of them.
        flushed: whether another program has flushed a file of its own just before.
    """

    call: str = ""
    number: int = 0
    flushed: bool = False


class Machine:
    """One scene on a disk of its own; a context manager, as a mount does not go by itself."""

    def __init__(self, scene: Scene, folder: Path, mount: str = MOUNTS[0]) -> None:
        self._mount, self._folder = mount, folder
        self._at, self._image = folder / "disk", folder / "image"
        self._at.mkdir()
        source = folder / "work" / "tidy-up"
        self._words = tuple(word.replace("SOURCE", str(source)) for word in scene.words)
        self._person = Person(self._at / "skillhome", {"SKILL_HUB": "off"})
        _new_disk(self._image)
        with self._running(self._image):
            project_of(self._person.home).mkdir(parents=True)
            self._person.skill("list")
            scene.prepare(self._person, source)
            self.old = state_of(self._person.home)
            self._operation = last_operation(self._person.home)
        with self._running(self._copied("after")):
            self._run()
            self.new = state_of(self._person.home)

    def reached(self) -> dict[str, int]:
        """How often the command makes each of `CALLS`."""
        with self._running(self._copied("counted")):
            return calls_of(self._person, self._words, CALLS)

    def play(self, cut: Cut) -> None:
        """Take the power away at that moment, and run the next command.

        Raises:
            AssertionError: it finds neither the old nor the new state, or lost what was done.
        """
        what = f"{self._words[0]}, {cut}, {self._mount}"
        disk = self._copied("played")
        with self._running(disk):
            done = self._run(cut) == 0
            if cut.flushed:
                _flush(self._at / "another")
            left = self._copied("left", disk)
        with self._running(left):
            found = self._after()
            demand(found in (self.old, self.new), "mixed", f"{what}: mixed state")
            demand(not done or found == self.new, "lost", f"{what}: it said done, and it is lost")
            assert_settled(self._person.home, what)
            if found == self.old:
                self._run()
            demand(state_of(self._person.home) == self.new, "lost", f"{what}: the second try")
            assert_whole(self._person.home, what, self._operation)

    def _after(self) -> State:
        self._person.skill("list")
        return state_of(self._person.home)

    def _run(self, cut: Cut | None = None) -> int:
        command = [sys.executable, "-P", "-m", "skillpm", *self._words]
        if cut and cut.call:
            inject = f"inject={cut.call}:signal=SIGKILL:when={cut.number}"
            trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={cut.call}"]
            command = [*trace, "-e", inject, *command]
        env, here = environment(self._person.home, self._person.env), project_of(self._person.home)
        done = subprocess.run(command, env=env, cwd=here, capture_output=True, check=False)
        assert done.returncode in (0, -9, 137), done.stderr.decode()
        return done.returncode

    def _copied(self, name: str, image: Path | None = None) -> Path:
        copy = self._folder / name
        subprocess.run(["cp", "--sparse=always", image or self._image, copy], check=True)
        return copy

    @contextmanager
    def _running(self, image: Path) -> Iterator[None]:
        _mount(self._mount, image, self._at)
        try:
            yield
        finally:
            _unmount(self._at)


def power(*, full: bool, scenes: Sequence[str]) -> Tally:
    """Cuts over eight flows, both mounts, with and without another program's flush."""
    tally = Tally("power")
    for scene in (one for one in SCENES if one.name in (scenes or _PLAYED)):
        for mount in MOUNTS:
            with room() as folder:
                machine = Machine(scene, folder, mount)
                for cut in cuts_of(machine, 2 if full else 1):
                    tally.play(scene.name, f"{mount}, {cut}", lambda: machine.play(cut))  # noqa: B023
    return tally


def cuts_of(machine: Machine, most: int) -> Iterator[Cut]:
    """So many moments of each call, and the end, in both ways."""
    for flushed in (False, True):
        yield Cut(flushed=flushed)
    for call, count in machine.reached().items():
        for number in spread(count, most + 1)[-most:]:
            yield Cut(call, number, flushed=False)
            yield Cut(call, number, flushed=True)


@contextmanager
def room() -> Iterator[Path]:
    """A folder for images: in memory, where there is such a place, as flushes are then free."""
    memory = Path("/dev/shm")
    there = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=there) as folder:
        yield Path(folder)


@cache
def reason() -> str:
    """Why no disk can be mounted here; "" when one can."""
    missing = [tool for tool in ("mkfs.ext4", "mount", "umount") if not shutil.which(tool)]
    if missing:
        return f"{missing[0]} is not installed"
    with room() as folder:
        image, at = folder / "image", folder / "disk"
        at.mkdir()
        try:
            _new_disk(image)
            _mount(_LONG, image, at)
        except subprocess.CalledProcessError:
            return "this system lets nobody mount a disk image"
        _unmount(at)
    return reason_to_skip()


def _new_disk(image: Path) -> None:
    with image.open("wb") as file:
        file.truncate(_SIZE)
    subprocess.run(["mkfs.ext4", "-q", image], check=True, capture_output=True)


def _mount(options: str, image: Path, at: Path) -> None:
    subprocess.run(["mount", "-o", options, image, at], check=True, capture_output=True)


def _unmount(at: Path) -> None:
    """Take a disk away, as soon as the last process that was killed has let go of it."""
    until = time.monotonic() + 10
    while subprocess.run(["umount", at], capture_output=True, check=False).returncode:
        assert time.monotonic() < until, f"{at} cannot be unmounted"
        time.sleep(0.05)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, b"theirs\n")
    os.fsync(descriptor)
    os.close(descriptor)
