"""What a reader of a manifest hands over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.words import words

WELL_KNOWN: Final = words(
    "git ls cat cd cp mv rm sh bash zsh node npm npx yarn pnpm python python3 pip pip3 sudo ssh scp"
    " curl wget docker kubectl aws gcloud az gh claude codex gemini cargo go make vim code brew"
)
"""Commands that people type without thinking which program of that name they get."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule that holds at a place of a file's text, with words that say more."""

    rule: str
    start: int
    end: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a reader may look at beside the text of its own file.

    Attributes:
        skill: every file.
        rules: the rule set.
        own: hosts and `host/owner` prefixes that the skill says are its own.
    """

    skill: SkillFacts
    rules: RuleSet
    own: frozenset[str]


Reader: TypeAlias = Callable[[FileFacts, Setting], Iterator[Remark]]
