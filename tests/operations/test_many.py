"""Many skills from few repositories: the cost is that of the repositories."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from journeys.world import World, document, packages

REPOSITORIES = 5
EACH = 40


def multiply(home: Path, copies: int) -> None:
    """Write down every install `copies` times, under names of their own."""
    connection = sqlite3.connect(home / "state.db")
    connection.row_factory = sqlite3.Row
    with connection:
        for row in connection.execute("SELECT * FROM installs").fetchall():
            values = dict(row)
            marks = ",".join("?" * len(values))
            for number in range(1, copies):
                values["name"] = f"{row['name']}-{number}"
                connection.execute(
                    f"INSERT INTO installs ({','.join(values)}) VALUES ({marks})",  # noqa: S608
                    tuple(values.values()),
                )
    connection.close()


def listed(world: World) -> int:
    """How many `ls-remote` calls there were."""
    return len([path for path in world.git.paths() if path.startswith("GET")])


def test_two_hundred_skills_of_five_repositories_ask_five_times(world: World) -> None:
    for number in range(REPOSITORIES):
        world.git.repo(f"jane/r{number}").commit(packages(f"skill-{number}"))
        words = ("install", f"skill-{number}", "--source", f"jane/r{number}", "--yes")
        world.person.skill(*words)
    multiply(world.person.home, EACH)
    world.git.forget()
    found = world.person.json("outdated")["skills"]
    assert len(found) == REPOSITORIES * EACH
    assert {skill["state"] for skill in found} == {"current"}
    assert listed(world) == REPOSITORIES
    assert len(world.git.requests) == 2 * REPOSITORIES  # a GET and a POST for each ls-remote


def test_an_update_of_many_fetches_each_repository_once(world: World) -> None:
    names = [f"skill-{number}" for number in range(6)]
    repos = {place: world.git.repo(place) for place in ("jane/a", "jane/b")}
    for place, repo in repos.items():
        repo.commit(packages(*(f"{name}-{place[-1]}" for name in names)))
        for name in names[:3]:
            world.person.skill("install", f"{name}-{place[-1]}", "--source", place, "--yes")
    world.git.forget()
    world.person.skill("update", "--all", "--yes")
    assert len(world.git.requests) == 4
    changed: dict[str, bytes | str | None] = {
        f"skills/skill-{n}-a/SKILL.md": document(f"skill-{n}-a", "Newer.") for n in range(6)
    }
    world.git.forget()
    repos["jane/a"].commit(changed)
    result = world.person.json("update", "--all", "--yes")["skills"]
    assert [skill["state"] for skill in result].count("updated") == 3
    gets = [path for path in world.git.paths() if path.startswith("GET /jane/a")]
    assert len(gets) == 4  # the refs, the commit with its trees, its history, all the files
