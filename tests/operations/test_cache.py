"""The cache: how large it is, and letting go without touching anything that is recorded."""

from __future__ import annotations

import os
import time
from pathlib import Path

from journeys.world import World, document, packages
from support.files import tree_of


def settled(world: World) -> None:
    """A skill from git, updated once (so that there is history), and one from a page."""
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")})
    world.person.skill("update", "tidy-up", "--yes")


def aged(path: Path, days: float) -> None:
    """Let something have been used so many days ago."""
    then = time.time() - days * 86_400
    os.utime(path, (then, then))


def stray(world: World) -> Path:
    """A tree in the store that nothing names."""
    place = world.person.home / "store" / ("0" * 64)
    place.mkdir()
    (place / "SKILL.md").write_text("x" * 5_000)
    (place / "SKILL.md").chmod(0o400)
    place.chmod(0o500)
    return place


def repositories(world: World) -> list[Path]:
    root = world.person.home / "cache"
    found = [*(root / "git").iterdir(), *(root / "commits").iterdir()]
    return [path for path in found if path.suffix != ".lock"]


def test_info_tells_sizes_by_kind(world: World) -> None:
    settled(world)
    stray(world)
    kinds = world.person.json("cache", "info")["kinds"]
    assert kinds["git"]["entries"] == 2
    assert kinds["git"]["bytes"] > 1_000
    assert kinds["store"]["entries"] == 3
    assert kinds["unused"] == {"entries": 1, "bytes": 5_000}
    assert "git" in world.person.skill("cache", "info").out


def test_without_anything_there_is_nothing_to_free(world: World) -> None:
    assert "nothing to free" in world.person.skill("cache", "prune").out
    assert "nothing to free" in world.person.skill("cache", "clear").out
    assert world.person.json("cache", "info")["kinds"]["git"] == {"entries": 0, "bytes": 0}


def test_prune_removes_what_is_old_and_what_nothing_names(world: World) -> None:
    settled(world)
    place = stray(world)
    young, old = repositories(world)
    aged(old, 31)
    aged(young, 29)
    kept = tree_of(world.person.home / "library")
    done = world.person.json("cache", "prune")
    assert done["kinds"]["store"] == {"entries": 1, "bytes": 5_000}
    assert repositories(world) == [young]
    assert not place.exists()
    assert tree_of(world.person.home / "library") == kept
    world.person.skill("audit")


def test_a_dry_run_says_the_same_and_removes_nothing(world: World) -> None:
    settled(world)
    stray(world)
    before = tree_of(world.person.home / "cache") | tree_of(world.person.home / "store")
    tried = [world.person.json("cache", word, "--dry-run") for word in ("prune", "clear")]
    assert before == tree_of(world.person.home / "cache") | tree_of(world.person.home / "store")
    done = [world.person.json("cache", word) for word in ("prune", "clear")]
    assert [found["bytes"] for found in tried] == [found["bytes"] for found in done]
    assert tried[0]["dry_run"]


def test_what_a_record_or_the_history_names_is_never_pruned(world: World) -> None:
    settled(world)
    world.person.skill("remove", "tidy-up")
    trees = sorted((world.person.home / "store").iterdir())
    assert len(trees) == 2
    world.person.skill("cache", "prune", "--days", "0")
    assert sorted((world.person.home / "store").iterdir()) == trees
    assert repositories(world) == []


def test_after_clear_everything_works_and_what_is_used_stays_young(world: World) -> None:
    settled(world)
    world.person.skill("cache", "clear")
    assert repositories(world) == []
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes", "--force")
    (repository,) = repositories(world)
    aged(repository, 40)
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes", "--force")
    world.person.skill("cache", "prune")
    assert repositories(world) == [repository]
