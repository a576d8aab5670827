"""The index of the bundled registry, `registry.json`: ours, so any fault in it is an error."""

from __future__ import annotations

from typing import NamedTuple

from skillpm.errors import UnreachableError, UsageError
from skillpm.formats import json
from skillpm.model.name import SkillName, skill_name


class Shipped(NamedTuple):
    """One skill of the bundled registry.

    Attributes:
        digest: the tree digest of its files.
        builtin: whether it can be used without installing.
    """

    name: SkillName
    version: str
    description: str
    digest: str
    builtin: bool


def read_shipped(data: bytes) -> tuple[Shipped, ...]:
    """Read `registry.json`.

    Raises:
        UnreachableError: the file is damaged.
    """
    try:
        return tuple(
            Shipped(
                name=skill_name(name),
                version=str(entry["version"]),
                description=str(entry["description"]),
                digest=str(entry["digest"]),
                builtin=entry.get("builtin") is True,
            )
            for name, entry in json.load(data)["skills"].items()
        )
    except (json.JsonError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise UnreachableError(
            f"the bundled registry is damaged: {error}", hint="install skillpm again"
        ) from None
