"""The registry that ships with the program, read where it lies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import IntegrityError, NotFoundError, UnreachableError
from skillpm.formats.shipped import Shipped, read_shipped
from skillpm.model.tree import Tree

INDEX: Final = "registry.json"
SKILLS: Final = "skills"
COMPILED: Final = frozenset({"__pycache__"})
"""What installers and Python put beside the scripts of an installed package."""

_INDEX_LIMIT: Final = 1024 * 1024


def root() -> Path:
    """Where the bundled registry is: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "registry"
    return inside if disk.entry_kind(inside) == "folder" else package.parent / "registry"


@cache
def skills() -> tuple[Shipped, ...]:
    """Every skill of the bundled registry.

    Raises:
        UnreachableError: the installation is damaged.
    """
    data = disk.read_file(root() / INDEX, _INDEX_LIMIT)
    if data is None:
        raise UnreachableError("the bundled registry is missing", hint="install skillpm again")
    return read_shipped(data)


def get(name: str) -> Shipped | None:
    """One skill of the bundled registry, or None."""
    return next((skill for skill in skills() if skill.name == name), None)


def tree(name: str) -> Tree:
    """The files of a bundled skill, checked against the registry's digest.

    Raises:
        NotFoundError: there is no such skill.
        IntegrityError: the files are not those that were shipped.
    """
    skill = get(name)
    if skill is None:
        raise NotFoundError(f"the bundled registry has no skill {name}")
    found = disk.read_tree(folder(name), without=COMPILED)
    if found.digest != skill.digest:
        raise IntegrityError(
            f"the bundled skill {name} was changed after it was shipped",
            hint="install skillpm again",
        )
    return found


def folder(name: str) -> Path:
    """Where a bundled skill's files lie."""
    return root() / SKILLS / name
