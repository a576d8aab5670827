"""What was asked for, and what was fetched and looked at before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from skillpm.model.gains import Gains
from skillpm.model.judgement import Judgement
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.problem import Problem
from skillpm.model.tree import Tree
from skillpm.sources.fetched import Fetched


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for.

    Attributes:
        words: a name, reference or address.
        source: what stands after `--source`; "" when nothing.
        name: the name to install under; "" for the skill's own.
        follow: go where a tap now says that a name is, also when it was elsewhere before.
        dependencies: install what it needs as well.
    """

    words: str
    source: str = ""
    name: str = ""
    follow: bool = False
    dependencies: bool = True


class Edited(NamedTuple):
    """Files that a person's edits were merged into.

    Attributes:
        digest: of the edited files as they stood there.
    """

    tree: Tree
    digest: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill that was fetched and looked at, and is not installed yet.

    Attributes:
        edited: its files with a person's edits, when those are kept; these were judged, then.
        gains: what it can do more than what it takes the place of.
        installed_for: the skill that it is a dependency of; "" when somebody asked for it, None to
            leave that as it is recorded.
        update: it may only take the place of what is recorded, and not come back when that is gone.
    """

    name: SkillName
    requested: str
    listing: Listing
    fetched: Fetched
    judgement: Judgement
    problems: tuple[Problem, ...]
    edited: Edited | None = None
    gains: Gains = field(default_factory=Gains)
    installed_for: str | None = None
    update: bool = False

    @property
    def tree(self) -> Tree:
        """Its files, as the source has them."""
        return self.fetched.tree

    @property
    def placed(self) -> Tree:
        """The files that will stand there."""
        return self.edited.tree if self.edited else self.tree
