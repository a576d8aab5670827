"""One person with a home, and the forges, hub and site that they know, all on loopback."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from support.cli import Result, run_skill
from support.files import Snapshot, tree_of
from support.gitrepo import GitRepo
from support.gitserver import GitServer
from support.hubserver import HubServer
from support.webserver import WebServer

GITHUB = "https://github.com"
SITE = "https://skills.example"


def document(name: str, text: str = "Do the work.", **header: str) -> str:
    """A good `SKILL.md`."""
    more = "".join(f"{key}: {value}\n" for key, value in header.items())
    described = f"Use when somebody asks for {name}."
    return f"---\nname: {name}\ndescription: {described}\n{more}---\n\n# {name}\n\n{text}\n"


def packages(*names: str, below: str = "skills") -> dict[str, bytes | str]:
    """The files of a collection with those packages, each with a script."""
    files: dict[str, bytes | str] = {"README.md": "# Our skills\n"}
    for name in names:
        files[f"{below}/{name}/SKILL.md"] = document(name)
        files[f"{below}/{name}/scripts/run.sh"] = f"#!/bin/sh\necho {name}\n"
    return files


@dataclass(frozen=True)
class Person:
    """Somebody who runs `skill`."""

    home: Path
    env: Mapping[str, str] = field(default_factory=dict)

    def skill(self, *args: str, status: int = 0, **how: Any) -> Result:
        """Run a command, asserting its status and a clean output."""
        env = {**self.env, **how.pop("env", {})}
        return run_skill(*args, home=self.home, env=env, **how).ended(status)

    def json(self, *args: str, status: int = 0, **how: Any) -> Any:
        """Run a command with `--json` and return what its envelope holds as data."""
        return self.skill(*args, "--json", status=status, **how).json()["data"]

    def error(self, *args: str, status: int, **how: Any) -> str:
        """The message and hint of a command that fails, without the home having changed."""
        before = self.kept()
        options = args.index("--") if "--" in args else len(args)
        words = (*args[:options], "--json", *args[options:])
        envelope = self.skill(*words, status=status, **how).json()
        assert self.kept() == before, "a command that failed changed the library or the records"
        assert envelope["status"] == status
        return f"{envelope['error']['message']}\n{envelope['error']['hint']}"

    def kept(self) -> tuple[Snapshot, Any]:
        """The library's files and what is recorded of them."""
        staged = tree_of(self.home / "staging")
        return tree_of(self.home / "library") | staged, rows(
            self.home, "installs", "files", "journal"
        )

    def installed(self, name: str) -> Snapshot:
        """The files of one installed package."""
        return tree_of(self.home / "library" / name)

    def record(self, name: str) -> dict[str, Any]:
        """What is recorded of one installed skill."""
        audit = run_skill("audit", name, "--no-network", "--json", home=self.home, env=self.env)
        (found,) = audit.json()["data"]["skills"]
        record: dict[str, Any] = found["record"]
        return record

    def writes(self, path: str, text: str | bytes) -> Path:
        """The person puts a file into the library by hand."""
        place = self.home / "library" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place


@dataclass(frozen=True)
class World:
    """The person, and what they reach: GitHub, GitLab and gists are one git server.

    Attributes:
        git: `https://github.com/` is its root, gitlab.com its folder `gitlab`, gists `gist`.
        web: is `https://skills.example/`.
    """

    person: Person
    git: GitServer
    web: WebServer
    hub: HubServer

    def tap(self, sources: Mapping[str, str], place: str = "team/skills") -> GitRepo:
        """A repository with an index of those sources, added as a tap in its short form."""
        repo = self.git.repo(place)
        repo.commit({"skills_registry.json": index(sources)})
        self.person.skill("tap", "add", place)
        return repo


def index(sources: Mapping[str, str]) -> str:
    """A tap's index: name to source."""
    return json.dumps({name: {"source": source} for name, source in sources.items()})


def rows(home: Path, *tables: str) -> list[tuple[Any, ...]]:
    """What stands in tables of `state.db`, [] when there is none."""
    if not (home / "state.db").exists():
        return []
    connection = sqlite3.connect(home / "state.db")
    try:
        queries = [f"SELECT * FROM {table} ORDER BY 1, 2" for table in tables]  # noqa: S608 - constants
        found = [list(connection.execute(query)) for query in queries]
    finally:
        connection.close()
    return [row for table in found for row in table]


def settle(home: Path, git: GitServer, web: WebServer) -> None:
    """Write the mirrors into the person's `config.toml`."""
    mirrors = {
        f"{GITHUB}/": f"{git.url}/",
        "https://gitlab.com/": f"{git.url}/gitlab/",
        "https://gist.github.com/": f"{git.url}/gist/",
        f"{SITE}/": f"{web.url}/",
    }
    home.mkdir(parents=True, exist_ok=True)
    lines = "".join(f'"{prefix}" = "{target}"\n' for prefix, target in mirrors.items())
    (home / "config.toml").write_text(f"[mirrors]\n{lines}")


@pytest.fixture
def world(home: Path, git_server: GitServer, web: WebServer, hub: HubServer) -> World:
    """A world with nothing installed yet."""
    settle(home, git_server, web)
    return World(Person(home, {"SKILL_HUB": hub.url}), git_server, web, hub)


@pytest.fixture
def person(home: Path) -> Person:
    """Somebody who knows no server at all."""
    return Person(home, {"SKILL_HUB": "off"})
