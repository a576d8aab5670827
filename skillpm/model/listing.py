"""One name in one registry: what is known of a skill before anything is fetched."""

from __future__ import annotations

from dataclasses import dataclass

from skillpm.model.address import Source
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Registry


@dataclass(frozen=True, slots=True)
class Listing:
    """One name in one registry: what is known of a skill before anything is fetched.

    Attributes:
        digest: what the registry promises of the bytes, `git-tree-sha256:…`; "" when nothing.
        owner: a hub's owner handle; "" elsewhere.
        note: moderation or scan state worth showing; "" when there is none.
        tags: words that its author or registry filed it under.
        was: the source that a tap gave for the name before, when this is another one that nobody
            has accepted; "" otherwise.
        commit: the commit at which a tap was read that keeps the skill in its own repository: its
            index and its files belong together; "" otherwise.
        near: origins (scheme, host, port) that the user typed to reach this registry, and that
            its entries may therefore name although they are not public.
    """

    name: SkillName
    source: Source
    registry: Registry
    origin: Origin
    description: str = ""
    version: str = ""
    digest: str = ""
    owner: str = ""
    note: str = ""
    label: str = ""
    near: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    was: str = ""
    commit: str = ""

    @property
    def qualified(self) -> str:
        """The spelling that names this listing and no other."""
        if self.registry.kind == "tap":
            return f"{self.registry.name}/{self.name}"
        return self.label or self.name
