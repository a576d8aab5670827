"""A place where skills stand with what is recorded of them: the user's library, or a project's."""

from __future__ import annotations

from typing import Protocol

from skillpm.model.name import SkillName
from skillpm.model.provenance import Revision
from skillpm.store.change import Change
from skillpm.store.library import Library, Recorded


class Shelf(Protocol):
    """What installing, updating and removing need; every change is one step, with its record."""

    @property
    def library(self) -> Library:
        """The skills as they stand there."""

    @property
    def records(self) -> Recorded:
        """What is recorded of them."""

    def install(self, change: Change) -> None:
        """Make one decided change visible, with its record.

        Raises:
            ConflictError: something is no longer what the decision saw.
            StateError: the disk refuses; the old state is then whole.
        """

    def remove(self, name: SkillName, expected: str) -> None:
        """Take a skill out, with its record; its tree stays in the store.

        Raises:
            ConflictError, StateError: as `install`.
        """

    def pin(self, name: SkillName, *, pinned: bool) -> None:
        """Hold a skill where it is, or let it go.

        Raises:
            StateError: the disk refuses.
        """

    def ask_for(self, name: SkillName) -> None:
        """Write down that somebody asked for a skill itself, which was a dependency before.

        Raises:
            StateError: the disk refuses.
        """

    def restamp(self, name: SkillName, revision: Revision) -> None:
        """Write down that the same files stand at another revision of their source.

        Raises:
            StateError: the disk refuses.
        """
