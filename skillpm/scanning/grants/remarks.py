"""What a reader of configuration hands over, and how it judges commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from skillpm.model.finding import Severity
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.verdicts import worst

_FILE: Final = re.compile(r"[\w.-]{1,80}\.(?:sh|bash|zsh|py|[cm]?js|ts|rb|pl|ps1|bat|cmd)\b")
_HARMLESS: Final = re.compile(
    r"^\s{0,8}(?:echo|printf|true|:|say|notify-send|terminal-notifier|afplay|date|pwd|ls|cat|jq"
    r"|git (?:status"
    r"|diff|log|branch|rev-parse)|npx (?:prettier|eslint|tsc|biome)|prettier|eslint|tsc|ruff"
    r"|black|mypy|pytest"
    r"|cargo (?:fmt|check|clippy|test)|go (?:fmt|vet|test)|gofmt|npm (?:test|run (?:lint|format"
    r"|test)))\b[^;&|`$<]{0,300}$"
)


@dataclass(frozen=True, slots=True)
class Grant:
    """A rule that holds at a place of a file's text, with words that say more."""

    rule: str
    start: int
    end: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a reader works on.

    Attributes:
        facts: the file.
        skill: every file, for commands that name one.
        rules: the rule set.
    """

    facts: FileFacts
    skill: SkillFacts
    rules: RuleSet

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.facts.layers[0].text

    def severity_of(self, command: str) -> Severity:
        """How bad a command is, the files of the skill that it names included."""
        found = worst(command, self.rules)
        names = set(_FILE.findall(command))
        if names and found is not Severity.DANGER:
            for other in self.skill.files:
                if other.layers and other.file.path.rpartition("/")[2] in names:
                    found = max(found, _of_script(other.layers[0].text))
        return found

    def is_harmless(self, command: str) -> bool:
        """Whether a command is one of the few that need no second look."""
        return bool(_HARMLESS.match(command))


Reader: TypeAlias = Callable[[Scene], Iterator[Grant]]


def by_severity(severity: Severity, hostile: str, acting: str, plain: str) -> str:
    """The rule for a command of that severity."""
    return {Severity.DANGER: hostile, Severity.CAUTION: acting}.get(severity, plain)


def _of_script(text: str) -> Severity:
    deeds = deeds_of(text)
    if deeds.hostile:
        return Severity.DANGER
    return Severity.CAUTION if deeds.fetches or deeds.decodes or deeds.secrets else Severity.INFO
