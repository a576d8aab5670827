"""What a reader of a manifest hands over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from skillpm.model.regex import regex
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.words import words

WELL_KNOWN: Final = words(
    "git ls cat cd cp mv rm sh bash zsh node npm npx yarn pnpm python python3 pip pip3 sudo ssh scp"
    " curl wget docker kubectl aws gcloud az gh claude codex gemini cargo go make vim code brew"
)
"""Commands that people type without thinking which program of that name they get."""

_READ: Final = 20_000
_ABOUT: Final = ("SKILL.md", "package.json", "pyproject.toml", "plugin.json")
_OWN: Final = regex(
    r"(?:homepage|repository|source|website"
    r"|\"url\")[\"']?\s{0,4}[:=]\s{0,4}[{\s\"']{0,10}(?:type[^\n]{0,40}url[\"']?\s{0,4}:\s{0,4}[\"'])?"
    r"(?:git\+)?https?://([\w.-]{3,120})(/[\w.-]{1,80})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule that holds at a place of a file's text, with words that say more."""

    rule: str
    start: int
    end: int
    detail: str = ""


@dataclass(frozen=True)
class Setting:
    """What a reader may look at beside the text of its own file.

    Attributes:
        skill: every file.
        rules: the rule set.
    """

    skill: SkillFacts
    rules: RuleSet

    @cached_property
    def own(self) -> frozenset[str]:
        """The hosts that the skill names as its home; a forge only together with the owner."""
        found: set[str] = set()
        for facts in self.skill.files:
            if facts.layers and facts.file.path.rpartition("/")[2] in _ABOUT:
                for host, owner in _OWN.findall(facts.layers[0].text[:_READ]):
                    found.add(f"{host}{owner}".lower())
        return frozenset(found)


Reader: TypeAlias = Callable[[FileFacts, Setting], Iterator[Remark]]
