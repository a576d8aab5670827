"""The kinds `well-known` and `index`: a site's own index, and a static index of names and sources.

A skill of such a hub is `hub/name`, as in a tap. Whatever addresses the index names are held to
what a registry may name: public ones, and those on the index's own server.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from skillpm.edges.http import Limits
from skillpm.errors import UnreachableError
from skillpm.formats.index import Index, TapPlace, read_tap_index
from skillpm.formats.wellknown import SiteEntry
from skillpm.model.address import Site
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Registry
from skillpm.model.text import safe
from skillpm.sources.hubs import SECONDS, TYPED, Based
from skillpm.sources.sites import read_index

MAX_INDEX: Final = 5 * 1024 * 1024


class _Listed(Based):
    """A hub that is one document."""

    def entries(self, seconds: float) -> Index:
        """Everything it lists.

        Raises:
            SkillError: it did not answer, or with something that is no index.
        """
        raise NotImplementedError

    def check(self) -> None:
        """Fetch and read the index.

        Raises:
            SkillError: it is not there, or no index.
        """
        self.entries(SECONDS)

    def search(self, query: str, seconds: float) -> tuple[Listing, ...]:
        """The entries that match every word of a query.

        Raises:
            SkillError: as `entries`.
        """
        words = query.lower().split()
        return tuple(
            listing
            for listing in self.entries(seconds).listings
            if all(word in f"{listing.name} {listing.description}".lower() for word in words)
        )

    def _labelled(self, listings: Iterable[Listing], problems: tuple[str, ...]) -> Index:
        registry, near = Registry("hub", self.where), self.place.policy.near
        found = (
            replace(entry, registry=registry, near=near, label=f"{self.name}/{entry.name}")
            for entry in listings
        )
        index = Index(tuple(found), problems)
        if problems and not index.listings:
            raise UnreachableError(f"{safe(self.base)} lists nothing usable: {problems[0]}")
        return index


class WellKnown(_Listed):
    """A site with `/.well-known/agent-skills/index.json`; its address is the index's own."""

    kind = "well-known"

    def entries(self, seconds: float) -> Index:
        """Every usable skill of the site.

        Raises:
            SkillError: it did not answer, or with an index that cannot be read.
        """
        found = read_index(self.ports.http, self.base, TYPED, seconds).index
        return self._labelled(map(self._listing, found.entries), found.problems)

    def _listing(self, entry: SiteEntry) -> Listing:
        name = SkillName(entry.name)
        site = Site(self.base, name)
        return Listing(name, site, Registry(), Origin.COMMUNITY, description=entry.description)


class StaticIndex(_Listed):
    """The URL of an index in the shape of a tap's: names, each with a source."""

    kind = "index"

    def entries(self, seconds: float) -> Index:
        """Every usable entry of the index.

        Raises:
            SkillError: it did not answer, or with something that is no index.
        """
        body = self.ports.http.get(self.base, TYPED, Limits(MAX_INDEX, seconds)).body
        index = read_tap_index(body, TapPlace(self.name))
        return self._labelled(index.listings, index.problems)
