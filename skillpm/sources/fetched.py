"""What every source gives back, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass

from skillpm.model.address import Source
from skillpm.model.policy import Policy
from skillpm.model.provenance import Revision
from skillpm.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Want:
    """One thing to fetch.

    Attributes:
        source: where from.
        name: the skill that is wanted there; "" for the only one.
        policy: who named the address.
        path: the place inside the source that an earlier install took; "" to choose anew.
        ref: the branch or tag that an earlier install followed, or the version of a hub's
            package; "" to choose anew.
        commit: the commit at which a registry vouches for it; "" for the newest.
    """

    source: Source
    name: str
    policy: Policy
    path: str = ""
    ref: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A complete skill and the immutable point it was taken from.

    Attributes:
        path: the folder or document inside the source; "" is its root.
        notes: what the user should know about how it was chosen.
    """

    tree: Tree
    revision: Revision
    path: str = ""
    package: bool = True
    notes: tuple[str, ...] = ()
