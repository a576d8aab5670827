"""What somebody demands of every skill that comes in: a user, a team in its project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from skillpm.model.provenance import Origin

# From what ships with the program to a folder that anybody may have written.
ORDER: Final = (Origin.LOCAL, Origin.COMMUNITY, Origin.OFFICIAL, Origin.BUILTIN)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is known of a skill that is about to come in.

    Attributes:
        origin: of its source, worked out here.
        host: that its source lies on; "" for this machine and what ships with the program.
        reviewed: whether a person has reviewed these very files; None when they aren't here yet.
        age: seconds since this machine first saw the revision; None when it isn't known yet.
    """

    origin: Origin
    host: str
    reviewed: bool | None = None
    age: int | None = None


@dataclass(frozen=True, slots=True)
class Demands:
    """The demands of one file.

    Where several files have some, each must be met: none can loosen what another demands.

    Attributes:
        place: the file, for messages.
        min_origin: the least trusted origin that may come in.
        require_reviewed: whether only files may come in that a person has reviewed.
        min_age: seconds for which a revision must have been known here.
        hosts: the only hosts that skills may come from; None for any.
    """

    place: str = ""
    min_origin: Origin = Origin.LOCAL
    require_reviewed: bool = False
    min_age: int = 0
    hosts: frozenset[str] | None = None

    def unmet(self, arrival: Arrival) -> Iterator[tuple[str, str]]:
        """Each demand that is not met: its key, and why; what isn't known yet is passed over."""
        if ORDER.index(arrival.origin) < ORDER.index(self.min_origin):
            yield (
                "min_origin",
                f"it is {arrival.origin.value}, not {self.min_origin.value} or better",
            )
        if self.hosts is not None and arrival.host and arrival.host not in self.hosts:
            allowed = ", ".join(sorted(self.hosts)) or "none"
            yield "allowed_hosts", f"it comes from {arrival.host}; allowed: {allowed}"
        if self.require_reviewed and arrival.reviewed is False and not _shipped(arrival):
            yield "require_reviewed", "nobody here has reviewed these files"
        if arrival.age is not None and arrival.age < self.min_age and not _shipped(arrival):
            known, wanted = span(arrival.age), span(self.min_age)
            yield "min_age", f"this machine has known the revision for {known}, not for {wanted}"


def _shipped(arrival: Arrival) -> bool:
    return arrival.origin is Origin.BUILTIN


def span(seconds: int) -> str:
    """A length of time in its largest whole unit: `3d`, `5h`, `10m`, `0m`."""
    for unit, size in (("d", 86_400), ("h", 3_600)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds // 60}m"
