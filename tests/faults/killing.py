"""Killing the command before each of its system calls, and looking at what the next one finds."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from journeys.world import Person, document, index, rows
from support.cli import environment, user_home
from support.files import Snapshot, build, tree_of
from support.gitrepo import GitRepo

from faults.tally import STATUSES, assert_settled, demand

SKILL: Final[Mapping[str, str]] = {
    "SKILL.md": document("tidy-up"),
    "scripts/run.sh": "#!/bin/sh\necho one\n",
    "notes.md": "# Notes\n",
}
NEWER: Final[Mapping[str, str]] = {"SKILL.md": document("tidy-up", "Newer."), "new.md": "# New\n"}
EVERY: Final = (
    "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "fsync",
    "fdatasync", "pwrite64", "write", "ftruncate", "fchmod", "chmod", "openat", "close", "flock",
    "symlinkat",
)  # fmt: skip
"""Every system call by which the command changes something, and those around them."""

State = tuple[Snapshot, Snapshot, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Scene:
    """A change to be interrupted.

    Attributes:
        prepare: what happened before, given the person and the folder of the skill's source.
        words: the command, run in the project; `SOURCE` stands for that folder.
    """

    name: str
    prepare: Callable[[Person, Path], object]
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


def _edited_apart(person: Person, source: Path) -> None:
    _installed(person, source)
    build(source, {"SKILL.md": document("tidy-up", "Newer.")})
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


def _in_project(person: Person, source: Path) -> None:
    build(source, SKILL)
    person.skill("install", str(source), "--project", cwd=project_of(person.home))


def _project_outdated(person: Person, source: Path) -> None:
    _in_project(person, source)
    shutil.rmtree(source)
    build(source, NEWER)


def _for_agents(person: Person, source: Path) -> None:
    """One agent is given links, the other copies."""
    build(source, SKILL)
    build(user_home(person.home), {".claude/": "", ".openclaw/skills/other/SKILL.md": "mine"})
    person.skill("agents", "link", "claude-code", "openclaw")


def _agents_outdated(person: Person, source: Path) -> None:
    _for_agents(person, source)
    person.skill("install", str(source))
    build(source, NEWER)


def _out_of_step(person: Person, source: Path) -> None:
    """One skill is to come, one to be replaced, one to go."""
    app = project_of(person.home)
    _in_project(person, source)
    person.skill("install", "cut-a-release", "--project", cwd=app)
    lock = (app / "skills.lock").read_bytes()
    person.skill("remove", "cut-a-release", "--project", cwd=app)
    person.skill("install", "read-pdf", "--project", cwd=app)
    (app / "skills.lock").write_bytes(lock)
    (app / ".agents/skills/tidy-up/notes.md").write_text("# Mine\n")


def _forge(_person: Person, source: Path) -> GitRepo:
    forge = GitRepo(source)
    forge.commit({"skills_registry.json": index({"one": "https://github.com/a/one"})})
    return forge


def _tapped(person: Person, source: Path) -> None:
    forge = _forge(person, source)
    person.skill("tap", "add", f"file://{source}")
    two = {name: f"https://github.com/a/{name}" for name in ("one", "two")}
    forge.commit({"skills_registry.json": index(two)})


def _left_by_others(person: Person, _source: Path) -> None:
    build(project_of(person.home) / ".claude/skills/tidy-up", SKILL)


SCENES: Final = (
    Scene("install", _nothing, ("install", "SOURCE")),
    Scene("update", _outdated, ("update", "tidy-up")),
    Scene("remove", _installed, ("remove", "tidy-up")),
    Scene("update over edits", _edited, ("update", "tidy-up", "--replace")),
    Scene("install over a document", _by_hand, ("install", "SOURCE", "--replace")),
    Scene("pin", _installed, ("pin", "tidy-up")),
    Scene("rollback", _updated, ("rollback", "tidy-up", "--to", "1")),
    Scene("undo a removal", _removed, ("undo",)),
    Scene("update with edits", _edited_apart, ("update", "tidy-up", "--keep-edits")),
    Scene("install in a project", _nothing, ("install", "SOURCE", "--project")),
    Scene("update in a project", _project_outdated, ("update", "tidy-up", "--project")),
    Scene("remove from a project", _in_project, ("remove", "tidy-up", "--project")),
    Scene("sync", _out_of_step, ("sync", "--replace")),
    Scene("install for agents", _for_agents, ("install", "SOURCE")),
    Scene("update for agents", _agents_outdated, ("update", "tidy-up", "--accept-new")),
    Scene("remove for agents", _agents_outdated, ("remove", "tidy-up")),
    Scene("tap add", _forge, ("tap", "add", "file://SOURCE")),
    Scene("tap update", _tapped, ("tap", "update")),
    Scene("adopt", _left_by_others, ("adopt", "--yes")),
)


class Stage:
    """One scene, prepared once and played from the start as often as wanted."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        self._scene = scene
        self._before = folder / "before"
        self._stage = folder / "stage"
        source = folder / "work" / "tidy-up"
        self.words = tuple(word.replace("SOURCE", str(source)) for word in scene.words)
        person = self._person()
        project_of(person.home).mkdir(parents=True)
        person.skill("list")
        scene.prepare(person, source)
        self.old = state_of(person.home)
        self._stage.rename(self._before)
        after = self._copy()
        after.skill(*self.words, cwd=project_of(after.home))
        self.new = state_of(after.home)

    def play(self, syscall: str, number: int) -> bool:
        """Kill the command at one call; False when it ended before it got there.

        Raises:
            AssertionError: what the next command found is neither the old nor the new state.
        """
        person = self._copy()
        killed = run_killed(person, self.words, syscall, number)
        what = f"{self._scene.name}, {syscall} {number}"
        person.skill("list")
        found = state_of(person.home)
        demand(found in (self.old, self.new), "mixed", f"{what}: mixed state")
        demand(killed or found == self.new, "lost", f"{what}: it ended and did nothing")
        assert_settled(person.home, what)
        if found == self.old:
            person.skill(*self.words, cwd=project_of(person.home))
            demand(state_of(person.home) == self.new, "lost", f"{what}: the second try")
        return killed

    def refuse(self, syscall: str, number: int, error: str, *, lasting: bool = False) -> bool:
        """Let the system refuse one call, or every call from then on; False when none was refused.

        Raises:
            AssertionError: the command ended otherwise than it documents, or the next command
                finds neither the old nor the new state.
        """
        person = self._copy()
        fault = f"error={error}:when={number}{'+' if lasting else ''}"
        status, told, reached = _run_with(person, self.words, syscall, fault)
        what = f"{self._scene.name}, {syscall} {number} {fault}"
        bug = status not in STATUSES or "Traceback" in told
        demand(not bug, "tracebacks", f"{what}: status {status}\n{told}")
        person.skill("list")
        found = state_of(person.home)
        demand(found in (self.old, self.new), "mixed", f"{what}: mixed state")
        demand(status or found == self.new, "lost", f"{what}: it said done, and is not")
        demand(not rows(person.home, "journal"), "mixed", f"{what}: an unfinished journal")
        return reached

    def reached(self, calls: Sequence[str]) -> dict[str, int]:
        """How often an undisturbed run makes each of those calls; those it never makes left out."""
        return calls_of(self._copy(), self.words, calls)

    def points(self, syscall: str, step: int = 1) -> Iterator[int]:
        """Play every `step`-th call until one is not reached; yields the numbers played."""
        number = 1
        while self.play(syscall, number):
            yield number
            number += step

    def _copy(self) -> Person:
        """Everything as it was before, at the same place: the history knows projects by theirs."""
        shutil.rmtree(self._stage, ignore_errors=True)
        shutil.copytree(self._before, self._stage, symlinks=True)
        return self._person()

    def _person(self) -> Person:
        return Person(self._stage / "skillhome", {"SKILL_HUB": "off"})


def calls_of(person: Person, words: Sequence[str], calls: Sequence[str]) -> dict[str, int]:
    """How often a command makes each of those calls; those it never makes are left out."""
    trace = person.home.parent / "trace"
    strace = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={','.join(calls)}"]
    command = [*strace, sys.executable, "-P", "-m", "skillpm", *words]
    env, here = environment(person.home, person.env), project_of(person.home)
    subprocess.run(command, env=env, cwd=here, capture_output=True, check=True, timeout=60)
    made = re.findall(r"^\d+ +(\w+)\(", trace.read_text(errors="replace"), re.MULTILINE)
    return {call: made.count(call) for call in calls if call in made}


def project_of(home: Path) -> Path:
    """The folder in which the commands run."""
    return user_home(home) / "app"


def state_of(home: Path) -> State:
    """The library, the user's files, and what is recorded of both, without times."""
    records = [
        tuple(value for value in row if not _is_time(value))
        for row in rows(home, "installs", "files", "shown", "taps")
    ]
    files = tree_of(user_home(home))
    users = {path: found for path, found in files.items() if not path.endswith("/")}
    return tree_of(home / "library"), users, records


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 20 and value.endswith("Z")


def run_killed(person: Person, words: tuple[str, ...], syscall: str, number: int) -> bool:
    """Run a command and kill it before one of its calls; whether it got so far."""
    inject = f"inject={syscall}:signal=SIGKILL:when={number}"
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={syscall}", "-e", inject]
    command = [*strace, sys.executable, "-P", "-m", "skillpm", *words]
    env = environment(person.home, person.env)
    done = subprocess.run(
        command, env=env, cwd=project_of(person.home), capture_output=True, check=False, timeout=60
    )
    # A git that we started may be the one that was killed.
    documented = (*STATUSES, -signal.SIGKILL, 128 + signal.SIGKILL)
    demand(done.returncode in documented, "tracebacks", done.stderr.decode(errors="replace"))
    return done.returncode != 0


def _run_with(
    person: Person, words: tuple[str, ...], syscall: str, fault: str
) -> tuple[int, str, bool]:
    """Run a command with a fault: its status, what it said, and whether the fault happened."""
    trace = person.home.parent / "trace"
    strace = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={syscall}"]
    command = [*strace, "-e", f"inject={syscall}:{fault}", sys.executable, "-P", "-m", "skillpm"]
    done = subprocess.run(
        [*command, *words], env=environment(person.home, person.env),
        cwd=project_of(person.home), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    said = done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")
    return done.returncode, said, "(INJECTED)" in trace.read_text(errors="replace")


def reason_to_skip() -> str:
    """Why processes cannot be traced here; "" when they can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    probe = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=none", "true"]
    done = subprocess.run(probe, capture_output=True, check=False)
    return "" if done.returncode == 0 else "this system does not let processes be traced"
