"""What was asked for, and what was fetched and looked at before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass

from skillpm.formats.spec import Problem
from skillpm.model.judgement import Judgement
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
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
    """

    words: str
    source: str = ""
    name: str = ""
    follow: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A skill that was fetched and looked at, and is not installed yet."""

    name: SkillName
    requested: str
    listing: Listing
    fetched: Fetched
    judgement: Judgement
    problems: tuple[Problem, ...]

    @property
    def tree(self) -> Tree:
        """Its files."""
        return self.fetched.tree
