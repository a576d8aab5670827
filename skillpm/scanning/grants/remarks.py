"""What a reader of configuration hands over, and how it judges commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.verdicts import worst

_FILE: Final = regex(r"[\w.-]{1,80}\.(?:sh|bash|zsh|py|[cm]?js|ts|rb|pl|ps1|bat|cmd)\b")
_HEARS: Final = regex(
    r"\bsys\.stdin\b|\bprocess\.stdin\b|readFileSync\((?:0|[\"']/dev/stdin)|\bstdin\.read"
    r"|/dev/stdin\b"
    r"|=\$\(cat\)|=`cat`|^\s{0,8}(?:cat|tee)(?: -)?\s{0,4}\||\bread -r\b"
    r"|(?:-d|--data(?:-\w{3,10})?|-T|-F)[ =]?"
    r"[\"']?(?:\w{1,20}=)?@?-(?:\s|$|[\"'])|@/dev/stdin|\$ARGUMENTS|\$(?:CLAUDE_)?TOOL_(?:INPUT|OUTPUT)"
    r"|\$_?(?:USER_)?PROMPT\b|\$STDIN|\bjq\b",
    re.MULTILINE,
)
_PLACE: Final = regex(r"https?://(?!localhost|127\.|0\.0\.0\.0|\$|\{)[\w.-]|/dev/tcp/|\bnc\b")
_HARMLESS: Final = regex(
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
        scripts = self._scripts(command) if found is not Severity.DANGER else ()
        return max((found, *map(_of_script, scripts)))

    def is_harmless(self, command: str) -> bool:
        """Whether a command needs no second look: a well-known one, or a quiet script of ours."""
        if _HARMLESS.match(command):
            return True
        scripts = list(self._scripts(command))
        return bool(scripts) and not any(deeds_of(one).telling for one in (command, *scripts))

    def listens(self, command: str) -> bool:
        """Whether a hook's command, or a script that it runs, passes on what it is told."""
        return any(
            _HEARS.search(one) and _PLACE.search(one) and deeds_of(one).fetches
            for one in (command, *self._scripts(command))
        )

    def _scripts(self, command: str) -> Iterator[str]:
        """The texts of the skill's files that a command names."""
        names = set(_FILE.findall(command))
        for other in self.skill.files if names else ():
            if other.layers and other.file.path.rpartition("/")[2] in names:
                yield other.layers[0].text


Reader: TypeAlias = Callable[[Scene], Iterator[Grant]]


def hook_rule(scene: Scene, command: str, plain: str = "") -> str:
    """The rule for a command that runs by itself on events."""
    if scene.listens(command):
        return "grants/hook-listens"
    usual = "grants/hook-plain" if plain or scene.is_harmless(command) else "grants/hook"
    return by_severity(scene.severity_of(command), "grants/hook-hostile", "grants/hook", usual)


def by_severity(severity: Severity, hostile: str, acting: str, plain: str) -> str:
    """The rule for a command of that severity."""
    return {Severity.DANGER: hostile, Severity.CAUTION: acting}.get(severity, plain)


def _of_script(text: str) -> Severity:
    deeds = deeds_of(text)
    if deeds.hostile:
        return Severity.DANGER
    return Severity.CAUTION if deeds.fetches or deeds.decodes or deeds.secrets else Severity.INFO
