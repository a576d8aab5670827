"""The bundled registry as a source like any other: listings, and what fetching one gives."""

from __future__ import annotations

from skillpm.formats.shipped import Shipped
from skillpm.model.address import Bundled
from skillpm.model.listing import Listing
from skillpm.model.provenance import Origin, Registry, Revision
from skillpm.sources import shipped
from skillpm.sources.fetched import Fetched


def listings() -> tuple[Listing, ...]:
    """Every skill of the bundled registry.

    Raises:
        UnreachableError: the installation is damaged.
    """
    return tuple(_listing(skill) for skill in shipped.skills())


def get(name: str) -> Listing | None:
    """One skill's listing, or None."""
    skill = shipped.get(name)
    return _listing(skill) if skill else None


def fetch(source: Bundled) -> Fetched:
    """The files of a bundled skill at the version that is shipped.

    Raises:
        SkillError: as `shipped.tree`.
    """
    tree = shipped.tree(source.name)
    skill = shipped.get(source.name)
    version = skill.version if skill else ""
    return Fetched(tree, Revision("version", version), "", package=True)


def _listing(skill: Shipped) -> Listing:
    return Listing(
        name=skill.name,
        source=Bundled(skill.name),
        registry=Registry("bundled"),
        origin=Origin.BUILTIN if skill.builtin else Origin.OFFICIAL,
        description=skill.description,
        version=skill.version,
        digest=skill.digest,
    )
