"""Row G20 from end to end: what works without git or with an old one, and what is said of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from journeys.world import SITE, World, document
from support.archives import zip_of

HUB_SKILL = "@jhonathas/tidy-up"


def tools(world: World, version: str, then: str = 'exec "$REAL" "$@"') -> dict[str, str]:
    """An environment whose git prints that version, and then does something else."""
    folder = world.person.home.parent / "tools"
    folder.mkdir(exist_ok=True)
    real = shutil.which("git") or ""
    (folder / "git").write_text(
        f'#!/bin/sh\nREAL={real}\ncase "$1" in --version|version) echo asked >> {folder}/log;'
        f' echo "git version {version}"; exit 0;; esac\n{then}\n'
    )
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def asked(world: World) -> int:
    log: Path = world.person.home.parent / "tools/log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def works_without(world: World, env: dict[str, str]) -> None:
    """What needs no git works: bundled, hub and plain URL."""
    world.hub.publish(HUB_SKILL, "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
    world.web.serve("/other.md", document("other"))
    for words in (("cut-a-release",), (HUB_SKILL, "--yes"), (f"{SITE}/other.md", "--yes")):
        done = world.person.skill("install", *words, env=env)
        assert "may lack" not in done.err


def test_g20_an_old_git_is_said_once_and_its_install_goes_on(world: World) -> None:
    env = tools(world, "2.39.5")
    world.git.repo("team/tidy-up").commit({"SKILL.md": document("tidy-up")})
    first = world.person.skill("install", "team/tidy-up", "--yes", env=env)
    assert "warning: git version 2.39.5" in first.err
    assert "may lack the security fixes of 2025" in " ".join(first.err.split())
    done = world.person.skill("update", "tidy-up", "--yes", env=env)
    assert "may lack" not in done.err


def test_g20_a_json_answer_stays_one_value(world: World) -> None:
    env = tools(world, "2.39.5")
    world.git.repo("team/tidy-up").commit({"SKILL.md": document("tidy-up")})
    data = world.person.json("install", "team/tidy-up", "--yes", env=env)
    assert data["action"] == "install"


def test_g20_a_git_with_the_fixes_is_not_mentioned(world: World) -> None:
    env = tools(world, "2.50.1")
    world.git.repo("team/tidy-up").commit({"SKILL.md": document("tidy-up")})
    assert "may lack" not in world.person.skill("install", "team/tidy-up", "--yes", env=env).err


def test_g20_what_needs_no_git_asks_none(world: World) -> None:
    works_without(world, tools(world, "2.39.5"))
    assert asked(world) == 0


def test_g20_a_git_that_is_too_old_to_use_blocks_repositories_alone(world: World) -> None:
    env = tools(world, "1.8.3", 'echo "error: unknown option" >&2; exit 129')
    world.git.repo("team/dust").commit({"SKILL.md": document("dust")})
    told = world.person.error("install", "team/dust", "--yes", status=8, env=env)
    assert "git version 1.8.3" in told
    assert "install git 2.30 or newer" in told
    works_without(world, env)


def test_g20_no_git_at_all_blocks_repositories_alone(world: World) -> None:
    env = {"PATH": str(world.person.home.parent / "nothing")}
    told = world.person.error("install", "team/dust", "--yes", status=8, env=env)
    assert "git is not on PATH" in told
    works_without(world, env)
