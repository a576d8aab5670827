"""An agent: where it looks for skills, and what tells that it is here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SHARED: Final = ".agents/skills"
"""The folder that many agents read, from a project's root or a user's home on."""

_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_PART: Final = re.compile(r"[A-Za-z0-9._ -]{1,100}")
_PLACE: Final = re.compile(r"(~|\.|\$[A-Z][A-Z0-9_]{0,63}|)/(.+)")


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent's folders; each is spelled with `/`, and starts as its row says.

    Attributes:
        id: what it is called on the command line and in locks.
        project: its folder of skills, from a project's root on; "" when it has none.
        user: its folder of skills for a user; "" when it has none.
        detect: any of these places tells that it is here; the first is its home.
        home_env: the variable that moves that home; "" for none.
        also: further folders that it reads or once read; looked into, never written.
        copies: it does not follow links, so it is given copies.
    """

    id: str
    name: str
    project: str = ""
    user: str = ""
    detect: tuple[str, ...] = ()
    home_env: str = ""
    also: tuple[str, ...] = ()
    copies: bool = False
    notes: str = ""

    @property
    def reads_shared(self) -> bool:
        """Whether it needs nothing in a project: it reads the shared folder there."""
        return self.project == SHARED

    @property
    def is_authors(self) -> bool:
        """Whether its folder in a project is one in which people write skills themselves."""
        return bool(self.project) and not self.project.startswith(".")


def is_agent_id(text: str) -> bool:
    """Whether a text can name an agent."""
    return _ID.fullmatch(text) is not None and ".." not in text


def is_inside(path: str) -> bool:
    """Whether a text is a path that leads down into a folder, and to nothing that git owns."""
    parts = path.split("/")
    plain = all(
        _PART.fullmatch(part) and part.strip(" .") and part[-1] not in " ." for part in parts
    )
    return plain and parts[0].lower() != ".git"


def parts_of(place: str) -> tuple[str, str]:
    """What a place starts from (`~`, `.`, `$NAME`, "" for the root) and the path below it.

    Raises:
        ValueError: it is spelled otherwise, or leads up.
    """
    found = _PLACE.fullmatch(place)
    if not found or not is_inside(found[2]):
        raise ValueError("it is not ~/…, ./…, $NAME/… or /… followed by plain folders")
    return found[1], found[2]
