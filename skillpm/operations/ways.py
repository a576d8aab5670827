"""How a skill can stand in somebody's way, and the flags that say what shall become of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from skillpm.store.library import State

ELSEWHERE: Final = "elsewhere"


class Way(NamedTuple):
    """What a person may say about a skill in such a state.

    Attributes:
        flags: nothing is done to it without one of them.
        text: what they do.
    """

    flags: tuple[str, ...]
    text: str


WAYS: Final[Mapping[str, Way]] = {
    State.LOCAL: Way(
        ("--replace", "--as"),
        "written by hand: install --replace overwrites it (its bytes are kept), --as NAME installs"
        " beside it",
    ),
    ELSEWHERE: Way(
        ("--force", "--as"),
        "from another source than the registry's skill of that name: install --force switches,"
        " --as NAME installs beside it",
    ),
    State.EDITED: Way(
        ("--keep-edits", "--replace"),
        "changed after it was installed: update --keep-edits merges, --replace overwrites (its"
        " bytes are kept)",
    ),
    State.RAN: Way(
        (),
        "as installed, with what Python compiled beside its scripts: update or install takes that"
        " away, skill exec leaves none",
    ),
    State.LINKED: Way(
        ("--replace", "--as"),
        "a link of yours: --replace takes it away (what it leads to stays), --as NAME installs"
        " beside it",
    ),
    State.UNKNOWN: Way((), "no skill: left alone, whatever is asked; move it away yourself"),
}
"""State, as it is listed, to what may be said."""
