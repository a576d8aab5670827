"""Names of packages that are used so much that others are named to be taken for them."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

from skillpm.scanning.words import words

SCOPES: Final = "npm-scopes"
DRESSED: Final = "dressed"
"""The ones whose names are most often dressed up with a prefix or suffix."""

FOREMOST: Final = "foremost"
"""The ones that nearly everybody knows, so that a name that is close is no accident."""

REGISTRIES: Final = ("pypi", "npm", "crates", "gems")


@cache
def popular(kind: str) -> frozenset[str]:
    """The names of one of `REGISTRIES`, the `SCOPES` of npm, the `DRESSED` up or `FOREMOST`."""
    folder = resources.files("skillpm") / "data" / "popular"
    return words((folder / f"{kind}.txt").read_text("utf-8"))
