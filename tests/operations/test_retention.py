"""How long history is kept: `[history] keep`, and what `cache prune` then lets go of."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest
from journeys.world import World, document, packages
from support.files import build, tree_of

from skillpm.edges.disk import read_tree

OLD = "2001-02-03T04:05:06Z"


def three_versions(world: World) -> None:
    """A skill that was installed and updated twice: three trees, three operations."""
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes")
    for text in ("Newer.", "Newest."):
        repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", text)})
        world.person.skill("update", "tidy-up", "--yes")


def aged(world: World, operations: int) -> None:
    """Let the first so many operations have been long ago."""
    with contextlib.closing(sqlite3.connect(world.person.home / "state.db")) as state, state:
        state.execute("UPDATE history SET at = ? WHERE operation <= ?", (OLD, operations))


def trees(world: World) -> int:
    return len(list((world.person.home / "store").iterdir()))


@pytest.mark.parametrize(
    ("keep", "left"),
    [("forever", 3), ("90d", 2), ("99999d", 3), ("3", 3), ("2", 3), ("1", 2)],
)
def test_prune_leaves_what_the_history_needs(world: World, keep: str, left: int) -> None:
    three_versions(world)
    aged(world, 2)
    env = {"SKILL_HISTORY_KEEP": keep}
    world.person.skill("cache", "prune", env=env)
    assert trees(world) == left
    world.person.skill("verify", "tidy-up")
    world.person.skill("rollback", "tidy-up")


def test_a_dry_run_says_what_would_go_and_leaves_it(world: World) -> None:
    three_versions(world)
    env = {"SKILL_HISTORY_KEEP": "1"}
    before = tree_of(world.person.home / "store")
    told = world.person.json("cache", "prune", "--dry-run", env=env)
    assert told["kinds"]["store"]["entries"] == 1
    assert told["keep"] == "the last 1 operations"
    assert tree_of(world.person.home / "store") == before
    assert world.person.json("cache", "info", env=env)["kinds"]["unused"]["entries"] == 1


def test_what_is_installed_is_never_let_go_of(world: World) -> None:
    three_versions(world)
    aged(world, 3)
    world.person.skill("cache", "prune", env={"SKILL_HISTORY_KEEP": "1d"})
    assert trees(world) == 1
    (kept,) = (world.person.home / "store").iterdir()
    assert tree_of(kept).keys() == world.person.installed("tidy-up").keys()
    assert world.person.record("tidy-up")["digest"].endswith(kept.name)


def test_rolling_back_to_what_was_let_go_of_says_so(world: World) -> None:
    three_versions(world)
    world.person.skill("cache", "prune", env={"SKILL_HISTORY_KEEP": "1"})
    states = [v["state"] for v in world.person.json("history", "tidy-up")["versions"]]
    assert states == ["gone", "kept", "current"]
    told = world.person.error("rollback", "tidy-up", "--to", "1", status=6)
    assert "not kept any more" in told


def test_the_setting_stands_in_the_configuration(world: World) -> None:
    three_versions(world)
    (world.person.home / "config.toml").write_text("[history]\nkeep = 1\n")
    world.person.skill("cache", "prune")
    assert trees(world) == 2


@pytest.mark.parametrize("keep", ["0", "-1", "90.5", "d", "90 d", "90D", "never", r"\uff11d", ""])
def test_a_word_that_is_not_understood_lets_nothing_go(world: World, keep: str) -> None:
    (world.person.home).mkdir(exist_ok=True)
    (world.person.home / "config.toml").write_text(f'[history]\nkeep = "{keep}"\n')
    assert "history.keep" in world.person.error("cache", "prune", status=8)


def test_what_stands_in_a_project_is_never_let_go_of(world: World, tmp_path: Path) -> None:
    app = build(tmp_path / "app", {".git/HEAD": ""})
    source = build(tmp_path / "work" / "tidy-up", {"SKILL.md": document("tidy-up")})
    world.person.skill("install", str(source), "--project", cwd=app)
    world.person.skill("install", "cut-a-release")
    world.person.skill("cache", "prune", env={"SKILL_HISTORY_KEEP": "1"})
    kept = read_tree(app / ".agents/skills/tidy-up").digest.rpartition(":")[2]
    assert (world.person.home / "store" / kept).is_dir()
    shutil.rmtree(source)
    shutil.rmtree(app / ".agents/skills/tidy-up")
    world.person.skill("sync", "--replace", cwd=app)
    assert (app / ".agents/skills/tidy-up/SKILL.md").read_text() == document("tidy-up")
    world.person.skill("remove", "tidy-up", "--project", cwd=app)
    world.person.skill("install", "read-pdf")
    world.person.skill("cache", "prune", env={"SKILL_HISTORY_KEEP": "1"})
    assert not (world.person.home / "store" / kept).exists()
