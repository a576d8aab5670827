"""The registry that ships with the program: names, and folders read where they lie."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import IntegrityError, NotFoundError, UnreachableError
from skillpm.formats.index import read_bundled
from skillpm.model.address import Bundled
from skillpm.model.provenance import Listing, Revision
from skillpm.model.tree import Tree
from skillpm.sources.fetched import Fetched

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
def listings() -> tuple[Listing, ...]:
    """Every skill of the bundled registry.

    Raises:
        UnreachableError: the installation is damaged.
    """
    data = disk.read_file(root() / INDEX, _INDEX_LIMIT)
    if data is None:
        raise UnreachableError("the bundled registry is missing", hint="install skillpm again")
    return read_bundled(data)


def get(name: str) -> Listing | None:
    """One skill's listing, or None."""
    return next((listing for listing in listings() if listing.name == name), None)


def tree(name: str) -> Tree:
    """The files of a bundled skill, checked against the registry's digest.

    Raises:
        NotFoundError: there is no such skill.
        IntegrityError: the files are not those that were shipped.
    """
    listing = get(name)
    if listing is None:
        raise NotFoundError(f"the bundled registry has no skill {name}")
    found = disk.read_tree(folder(name), without=COMPILED)
    if found.digest != listing.digest:
        raise IntegrityError(
            f"the bundled skill {name} was changed after it was shipped",
            hint="install skillpm again",
        )
    return found


def folder(name: str) -> Path:
    """Where a bundled skill's files lie."""
    return root() / SKILLS / name


def fetch(source: Bundled) -> Fetched:
    """A bundled skill as any other source gives one.

    Raises:
        SkillError: as `tree`.
    """
    found = tree(source.name)
    listing = get(source.name)
    version = listing.version if listing else ""
    return Fetched(found, Revision("version", version), "", package=True)
