"""The table of hubs: every kind, the well-known short forms, and the hubs that are in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from skillpm.errors import SkillError, UnreachableError
from skillpm.model.text import safe
from skillpm.sources import sites
from skillpm.sources.clawhub import ClawHub
from skillpm.sources.hubs import DEFAULT, Hub, Place, Ports
from skillpm.sources.indexes import StaticIndex, WellKnown
from skillpm.sources.pepehub import PepeHub
from skillpm.sources.skillssh import SkillsSh

KINDS: Final[Mapping[str, Callable[[Ports, Place], Hub]]] = {
    "pepehub": PepeHub,
    "clawhub": ClawHub,
    "skills.sh": SkillsSh,
    "well-known": WellKnown,
    "index": StaticIndex,
}
"""Adding a kind is a file and a row here; the contract test runs over all rows."""

KNOWN: Final[Mapping[str, tuple[str, str, str]]] = {
    "clawhub": ("clawhub", "clawhub", "https://clawhub.ai"),
    "skills.sh": ("skills-sh", "skills.sh", "https://skills.sh"),
}
"""Short form to (name, kind, address)."""


def make(ports: Ports, name: str, kind: str, url: str) -> Hub:
    """The client of one hub.

    Raises:
        UnreachableError: the kind is none that this program knows.
    """
    if kind not in KINDS:
        raise UnreachableError(f"the hub {safe(name)} has the unknown kind {safe(kind)}")
    return KINDS[kind](ports, Place(name, url.rstrip("/")))


def in_use(ports: Ports, default: str, added: Iterable[tuple[str, str, str]]) -> tuple[Hub, ...]:
    """The default hub first ("" when there is none), then those that were added."""
    first = ((DEFAULT, "pepehub", default),) if default else ()
    return tuple(make(ports, *row) for row in (*first, *added))


def settle(ports: Ports, name: str, kind: str, url: str) -> Hub:
    """The hub behind an address, known to answer as its kind; the kind is found out when "".

    Raises:
        SkillError: it does not answer as that kind, or as none that can be found out.
    """
    tried: list[str] = []
    candidates = [url]
    if kind in ("", "well-known"):
        candidates = [*sites.index_places(url)]
    rows = [("well-known", place) for place in candidates] + [("index", url)]
    if kind:
        rows = [(kind, place) for place in candidates]
    errors: list[SkillError] = []
    for found, place in rows:
        hub = make(ports, name, found, place)
        try:
            hub.check()
        except SkillError as error:
            tried.append(f"{found} at {safe(place)}: {error.message}")
            errors.append(error)
        else:
            return hub
    worst = next((e for e in errors if isinstance(e, UnreachableError)), errors[0])
    raise type(worst)(
        f"{safe(url)} does not answer as a hub:\n  " + "\n  ".join(tried),
        hint=worst.hint or f"say which kind it is: --kind {'|'.join(KINDS)}",
    )
