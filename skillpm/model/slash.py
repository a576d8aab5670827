"""The names of slash commands: what a skill is called where people type `/name`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

LONGEST: Final = 32
DESCRIPTION: Final = 256

BUILT_IN: Final = frozenset((
    "agents", "bug", "clear", "compact", "config", "context", "cost", "doctor", "exit", "export",
    "help", "history", "hooks", "init", "login", "logout", "mcp", "memory", "model", "models",
    "new", "permissions", "plugin", "quit", "reset", "resume", "review", "settings", "skill",
    "skills", "start", "status", "stop", "tools", "undo", "usage", "version",
))  # fmt: skip
"""What hosts commonly have themselves; a skill of such a name is called by `/skill NAME`."""


class Collision(NamedTuple):
    """A skill without a command of its own.

    Attributes:
        taken_by: the skill that has it, or "the host".
    """

    name: str
    command: str
    taken_by: str


def command_of(name: str) -> str:
    """The command of a skill: lower case, `_` for all that is no letter or digit, 32 at most."""
    return re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:LONGEST].rstrip("_")


def assign(
    names: Iterable[str], taken: Iterable[str] = ()
) -> tuple[dict[str, str], list[Collision]]:
    """Command to name, the first skill of two that would have the same, and who has none.

    Args:
        names: of skills, in the order in which they are asked.
        taken: commands of the host beside those that are built in nearly everywhere.
    """
    owned = BUILT_IN | {command_of(word) for word in taken}
    given: dict[str, str] = {}
    collisions: list[Collision] = []
    for name in names:
        command = command_of(name)
        if command in owned:
            collisions.append(Collision(name, command, "the host"))
        elif command in given:
            collisions.append(Collision(name, command, given[command]))
        else:
            given[command] = name
    return given, collisions
