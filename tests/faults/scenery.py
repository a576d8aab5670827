"""A home that knows skills of every kind of source, to be played with again and again."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from journeys.world import SITE, Person, document, index, packages, settle
from support.files import build
from support.gitserver import GitServer
from support.webserver import WebServer

from faults.killing import project_of

VERSIONS: Final = tuple(
    {"SKILL.md": document("tidy-up", text), "scripts/run.sh": f"#!/bin/sh\necho {text}\n", **more}
    for text, more in (("one", {"notes.md": "# Notes\n"}), ("two", {}), ("three", {"a/b.md": "b"}))
)
"""The files of a skill, version by version."""
MANY: Final = tuple(f"skill-{number:02}" for number in range(12))
TAPPED: Final = ("deploy", "sweep")


class Scenery:
    """A person, a project, a folder with a skill, and a forge with a tap.

    The homes are copied from ones that were prepared before, always to the same place: history and
    project know each other by it.

    Args:
        folder: an existing folder, without links on the way.
    """

    def __init__(self, folder: Path, git: GitServer, web: WebServer) -> None:
        self._folder, self._git, self._web = folder, git, web
        self.around = folder / "around"
        self.person = Person(self.around / "skillhome", {"SKILL_HUB": "off"})
        self.source = folder / "work" / "tidy-up"
        self.project = project_of(self.person.home)
        self.project.mkdir(parents=True)
        settle(self.person.home, git, web)
        self._forge()
        self.offer(0)
        for name in MANY:
            build(folder / "work" / name, {"SKILL.md": document(name)})
        self.keep("empty")

    def offer(self, version: int) -> None:
        """Let the skill's folder hold that version."""
        shutil.rmtree(self.source, ignore_errors=True)
        build(self.source, VERSIONS[version])

    def skill(self, *words: str) -> None:
        """Run a command in the project, to prepare something."""
        self.person.skill(*self.spelled(words), cwd=self.project)

    def spelled(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words with `SOURCE` as the skill's folder, and `SOURCE:name` as another's."""
        work = self.source.parent
        return tuple(
            str(self.source)
            if word == "SOURCE"
            else str(work / word.removeprefix("SOURCE:"))
            if word.startswith("SOURCE:")
            else word
            for word in words
        )

    def keep(self, name: str) -> None:
        """Remember everything as it is now."""
        kept = self._folder / "kept" / name
        shutil.copytree(self.around, kept, symlinks=True)

    def back(self, name: str) -> None:
        """Let everything be as it was when that name was kept; the source is not touched."""
        shutil.rmtree(self.around)
        shutil.copytree(self._folder / "kept" / name, self.around, symlinks=True)

    def leaflet(self, name: str, text: str) -> str:
        """Put a document on the site that the person knows; returns its address."""
        self._web.serve(f"/{name}.md", text, "text/markdown", headers={"ETag": f'"{name}"'})
        return f"{SITE}/{name}.md"

    def _forge(self) -> None:
        self._git.repo("jane/skills").commit(packages(*TAPPED))
        tap = self._git.repo("team/skills")
        source = "https://github.com/jane/skills/tree/main/skills"
        tap.commit({"skills_registry.json": index({n: f"{source}/{n}" for n in TAPPED})})
        self.person.skill("tap", "add", "team/skills")


@contextmanager
def scenery() -> Iterator[Scenery]:
    """One in a folder of its own, in memory where there is such a place."""
    memory = Path("/dev/shm")
    there = memory if memory.is_dir() else None
    with tempfile.TemporaryDirectory(dir=there) as name:
        folder = Path(name).resolve()
        with GitServer(folder / "served") as git, WebServer() as web:
            yield Scenery(folder, git, web)
