"""Two people of a team, each with a home and a copy of the same project."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.cli import Result, user_home
from support.files import Snapshot, build, tree_of

from journeys.world import Person, World, packages, settle

SKILLS = ".agents/skills"


@dataclass(frozen=True)
class Member:
    """Somebody of a team, at work in a copy of the project."""

    person: Person
    project: Path

    def skill(self, *args: str, status: int = 0, **how: Any) -> Result:
        """Run a command in the project."""
        return self.person.skill(*args, status=status, cwd=self.project, **how)

    def json(self, *args: str, status: int = 0) -> Any:
        """The data of a command's envelope."""
        return self.skill(*args, "--json", status=status).json()["data"]

    def refused(self, *args: str, status: int, **how: Any) -> str:
        """The message of a command that fails, without project or records having changed."""
        before = tree_of(self.project), self.person.kept()
        error = self.skill(*args, "--json", status=status, **how).json()["error"]
        assert (tree_of(self.project), self.person.kept()) == before
        return f"{error['message']}\n{error['hint']}"

    @property
    def lock(self) -> Path:
        """The project's lock."""
        return self.project / "skills.lock"

    @property
    def skills(self) -> Snapshot:
        """The files of the project's skills."""
        return tree_of(self.project / SKILLS)

    def writes(self, path: str, text: str) -> Path:
        """Put a file into the folder of the skills."""
        place = self.project / SKILLS / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def hands_lock_to(self, other: Member) -> None:
        """What a commit of the lock and a pull of it do."""
        shutil.copyfile(self.lock, other.lock)


@dataclass(frozen=True)
class Team:
    """Two people, each with a home and a copy of one project."""

    world: World
    ann: Member
    bob: Member


@pytest.fixture
def team(world: World, tmp_path: Path) -> Team:
    """Nothing is installed yet; the forge has a collection of two skills."""
    world.git.repo("jane/skills").commit(packages("tidy-up", "sweep"))
    other = Person(tmp_path / "bob" / "skillhome", world.person.env)
    settle(other.home, world.git, world.web)
    members = [
        Member(person, build(user_home(person.home) / "work/app", {".git/": "", "README.md": "#"}))
        for person in (world.person, other)
    ]
    return Team(world, *members)


def install(member: Member, *names: str) -> None:
    """Install skills of the collection into the project."""
    for name in names:
        member.skill("install", name, "--source", "jane/skills", "--yes", "--project")
