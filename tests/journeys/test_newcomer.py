"""A newcomer's day with the command, from the first search to the audit in the evening."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.archives import zip_of
from support.cli import environment

from journeys.world import GITHUB, World, document, index, packages


def test_a_newcomers_day(world: World) -> None:
    person = world.person
    _morning_bundled(world)
    _forenoon_sources(world)
    team = _noon_tap(world)
    _afternoon_updates(world)

    # Evening: what is here, where is it from, is it still what it was?
    audited = {s["name"]: s for s in person.json("audit")["skills"]}
    origins = {name: skill["origin"] for name, skill in audited.items()}
    assert origins == {
        "cut-a-release": "official", "google-workspace": "community", "read-csv": "community",
        "house-style": "community", "mine": "local",
    }  # fmt: skip
    assert {skill["files"] for skill in audited.values()} == {"ok", "local"}
    assert audited["house-style"]["registry"] == "tap:your-team"
    person.skill("remove", "read-csv")
    person.skill("tap", "remove", team)
    assert "read-csv" not in {s["name"] for s in person.json("list")["skills"]}
    person.skill("audit")


def _morning_bundled(world: World) -> None:
    person = world.person
    found = person.json("search", "release")["skills"]
    assert found[0]["name"] == "cut-a-release"
    assert person.json("info", "cut-a-release")["trust"] == "official"
    assert not (person.home / "library").exists()
    assert "installed" in person.skill("install", "cut-a-release").out
    assert "# " in person.skill("read", "cut-a-release").out
    assert "already installed" in person.skill("install", "cut-a-release").out
    assert Path(person.skill("path", "cut-a-release").out.strip()).is_dir()


def _forenoon_sources(world: World) -> None:
    person = world.person
    data = zip_of({"SKILL.md": document("google-workspace")})
    world.hub.publish("@jhonathas/google-workspace", "1.0.0", data, summary="Google Workspace")
    assert "@jhonathas/google-workspace" in person.skill("search", "google").out
    person.skill("install", "@jhonathas/google-workspace", "--yes")
    world.git.repo("some-org/skills").commit(packages("read-csv", "other"))
    source = f"{GITHUB}/some-org/skills"
    assert person.json("info", "read-csv", "--source", source)["path"] == "skills/read-csv"
    person.skill("install", "read-csv", "--source", source, "--yes")
    person.writes("mine.md", document("mine"))
    assert "UNTRUSTED" in person.skill("read", "read-csv").out


def _noon_tap(world: World) -> str:
    person = world.person
    world.git.repo("your-team/house").commit({"SKILL.md": document("house-style"), "a.txt": "a"})
    tap = world.git.repo("your-team/skills")
    tap.commit({"skills_registry.json": index({"house-style": f"{GITHUB}/your-team/house"})})
    person.skill("tap", "add", f"{GITHUB}/your-team/skills")
    assert "your-team" in person.skill("tap", "list").out
    person.skill("tap", "update")
    assert "your-team/house-style" in person.skill("search", "house").out
    person.skill("install", "house-style", "--yes")
    return "your-team"


def _afternoon_updates(world: World) -> None:
    person = world.person
    states = {s["name"]: s["state"] for s in person.json("outdated")["skills"]}
    assert set(states.values()) == {"current"}
    data = zip_of({"SKILL.md": document("google-workspace", "Newer.")})
    world.hub.publish("@jhonathas/google-workspace", "1.1.0", data)
    world.git.repo("your-team/house").commit({"a.txt": "b"})
    person.skill("pin", "house-style")
    behind = {s["name"]: s["state"] for s in person.json("outdated", status=1)["skills"]}
    assert behind["google-workspace"] == "behind"
    assert behind["house-style"] == "pinned"
    person.skill("update", "google-workspace", "--yes")
    person.skill("unpin", "house-style")
    done = {s["name"]: s["state"] for s in person.json("update", "--all", "--yes")["skills"]}
    assert done["house-style"] == "updated"
    assert person.installed("house-style")["a.txt"][0] == b"b"


def test_the_installed_programs_and_the_module_are_the_same_command(world: World) -> None:
    env = environment(world.person.home, world.person.env)
    scripts = Path(sys.executable).parent
    outputs = {
        subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
        for command in (
            [str(scripts / "skill"), "list"],
            [str(scripts / "skillpm"), "list"],
            [sys.executable, "-m", "skillpm", "list"],
        )
    }
    assert len(outputs) == 1
    assert "create-watch" in outputs.pop()
