"""A tap that tests change as they like, and what is held of it."""

from __future__ import annotations

import json
from typing import Any

from journeys.world import World
from support.gitrepo import GitRepo

GOOD = "https://github.com/team/tidy-up"
EVIL = "https://github.com/evil/tidy-up"
DUST = "https://github.com/team/dust"
PAST = "2001-01-01T00:00:00Z"
FUTURE = "2999-01-01T00:00:00Z"


def tap_json(skills: dict[str, Any] | None = None, **told: Any) -> dict[str, bytes | str | None]:
    entries = {"tidy-up": {"source": GOOD}} if skills is None else skills
    return {"tap.json": json.dumps({"schema": 1, **told, "skills": entries})}


def a_tap(world: World, **told: Any) -> GitRepo:
    repo = world.git.repo("team/skills")
    repo.commit(tap_json(**told))
    world.person.skill("tap", "add", "team/skills")
    return repo


def the_tap(world: World) -> dict[str, Any]:
    (tap,) = world.person.json("tap", "list")["taps"]
    found: dict[str, Any] = tap
    return found
