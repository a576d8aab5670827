"""Hubs: registries behind HTTP. What every kind promises, and finding the one that is meant.

Every hub can be searched. One with owners (`@handle/name`) also says what a reference names and
gives its bytes; one that is a plain index lists names, each with a source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from skillpm.edges.git import Git as GitPort
from skillpm.edges.http import Http
from skillpm.errors import RefusedError, UnreachableError
from skillpm.formats.index import Index
from skillpm.model.address import Hub as Reference
from skillpm.model.listing import Listing
from skillpm.model.policy import Policy, origin
from skillpm.model.provenance import Revision
from skillpm.model.text import safe
from skillpm.sources.fetched import Fetched, Want

DEFAULT: Final = "default"
"""The name of the hub that a bare `@handle/name` means."""

TYPED: Final = Policy(typed=True)
METADATA: Final = 2 * 1024 * 1024
SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Ports:
    """What a hub works with; git is made when it is first needed."""

    http: Http
    git: Callable[[], GitPort]


@dataclass(frozen=True, slots=True)
class Place:
    """A hub's short name and its address, without a slash at the end."""

    name: str
    base: str

    @property
    def host(self) -> str:
        """Host and port, lower case."""
        return self.base.partition("://")[2].partition("/")[0].lower()

    @property
    def where(self) -> str:
        """What tells it from every other hub: its address without scheme or well-known place."""
        return re.sub(r"/\.well-known/[^/]+/index\.json$", "", self.base.partition("://")[2])

    @property
    def policy(self) -> Policy:
        """For addresses that the hub names: public ones, and those on its own server."""
        return Policy(typed=False, near=(origin(self.base),))


class Hub(Protocol):
    """What every kind of hub can do."""

    @property
    def place(self) -> Place:
        """Its name and address."""

    @property
    def name(self) -> str:
        """The short name it was added under."""

    @property
    def kind(self) -> str:
        """Its row in the table of kinds."""

    @property
    def base(self) -> str:
        """Its address."""

    @property
    def host(self) -> str:
        """Its host and port."""

    @property
    def where(self) -> str:
        """What tells it from every other hub, those on the same host included."""

    def check(self) -> None:
        """Ask once whether the address answers as a hub of this kind.

        Raises:
            SkillError: it does not.
        """

    def search(self, query: str, seconds: float) -> tuple[Listing, ...]:
        """The skills it finds for a query; never empty because of a failure.

        Raises:
            SkillError: it did not answer in time, or not as a hub of this kind.
        """


@runtime_checkable
class HandleHub(Hub, Protocol):
    """A hub with owners: it knows `@handle/name` and gives the bytes itself."""

    def listing(self, source: Reference) -> Listing:
        """What a reference names now.

        Raises:
            SkillError: nothing, or something that may not be installed.
        """

    def newest(self, source: Reference) -> Revision:
        """The revision a reference stands at.

        Raises:
            SkillError: as `listing`.
        """

    def fetch(self, source: Reference, want: Want) -> Fetched:
        """The files of a reference.

        Raises:
            SkillError: as `listing`, and when the bytes are not those that were promised.
        """


@runtime_checkable
class IndexHub(Hub, Protocol):
    """A hub that lists names, each with a source somewhere else; a skill of it is `hub/name`."""

    def entries(self, seconds: float) -> Index:
        """Everything it lists, and what was wrong with the rest.

        Raises:
            SkillError: it did not answer, or with something that is no index.
        """


class Based:
    """The properties that every hub has, from its `place`.

    Attributes:
        kind: the row in the table of kinds.
    """

    kind = ""

    def __init__(self, ports: Ports, place: Place) -> None:
        self.ports = ports
        self.place = place

    @property
    def name(self) -> str:
        """The short name it was added under."""
        return self.place.name

    @property
    def base(self) -> str:
        """Its address."""
        return self.place.base

    @property
    def host(self) -> str:
        """Its host and port."""
        return self.place.host

    @property
    def where(self) -> str:
        """What tells it from every other hub, those on the same host included."""
        return self.place.where

    @property
    def label(self) -> str:
        """What stands in front of a reference to it: nothing for the default hub."""
        return "" if self.name == DEFAULT else self.name


def client_for(hubs: Sequence[Hub], source: Reference) -> HandleHub:
    """The hub that a reference or page URL belongs to.

    Raises:
        RefusedError: it belongs to a hub that is not in use, or that has no such references.
        UnreachableError: a bare `@handle/name` and no default hub.
    """
    wanted = source.host or DEFAULT
    meant = [hub for hub in hubs if wanted in (hub.name, hub.host, hub.where)]
    for hub in meant:
        if isinstance(hub, HandleHub):
            return hub
    if meant:
        raise RefusedError(
            f"{safe(wanted)} is a hub of the kind {meant[0].kind}: it has no @handle/name",
            hint="skill search finds what it lists, and prints how to install it",
        )
    if not source.host:
        raise UnreachableError(
            "no hub is configured", hint="set SKILL_HUB to a hub's address, or name one: hub:@a/b"
        )
    url = f"https://{safe(source.host)}" if "." in source.host else safe(source.host)
    raise RefusedError(
        f"{safe(source.host)} is not a hub that you use", hint=f"skill hub add {url}"
    )
