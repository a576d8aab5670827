"""The analyser for grants: which reader reads which file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import SkillFacts
from skillpm.scanning.grants import descriptions, documents, settings, toml
from skillpm.scanning.grants.remarks import Grant, Scene
from skillpm.scanning.rules import RuleSet

_MAX_PER_FILE: Final = 200
_EFFECTIVE: Final = regex(
    r"(?:^|/)(?:\.(?:claude|cursor|gemini|codex|vscode|windsurf|roo|kiro|amazonq|continue|zed"
    r"|copilot|github/copilot)/[^\n]{1,200}"
    r"|\.?mcp\.json|\.claude\.json|managed-settings\.json|claude_desktop_config\.json"
    r"|cline_mcp_settings\.json|mcp_config\.json"
    r"|hooks(?:/hooks)?\.json|plugin\.json|\.claude-plugin/[\w.-]{1,60}\.json"
    r"|gemini-extension\.json|opencode\.jsonc?"
    r"|settings(?:\.local)?\.json|server\.json)$",
    re.IGNORECASE,
)
_TELLING: Final = (
    '"mcpServers"', '"hooks"', '"permissions"', '"defaultMode"', "autoApprove", "_BASE_URL",
    '"servers"',
)  # fmt: skip
_TOML: Final = regex(
    r"(?:^|/)(?:\.codex/config\.toml|codex[\w.-]{0,20}\.toml|config\.toml|\.aider\.conf\.ya?ml"
    r"|\.goose/config\.yaml)$",
    re.IGNORECASE,
)
_ENVIRONMENT: Final = regex(
    r"(?:^|/)(?:\.env(?:\.[\w-]{1,40})?|[\w-]{1,40}\.env|(?:docker-)?compose[\w.-]{0,40}\.ya?ml"
    r"|dockerfile|[\w-]{1,40}\.ps1)$",
    re.IGNORECASE,
)
_CODE: Final = frozenset(("python", "javascript", "typescript"))


class Grants:
    """Looks at what gives an agent power, or takes the user's say away."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most `_MAX_PER_FILE` sightings a file."""
        for facts in skill.files:
            if facts.layers and not facts.layers[0].decoded:
                scene = Scene(facts, skill, rules)
                for _, grant in zip(range(_MAX_PER_FILE), _grants(scene), strict=False):
                    span = (grant.start, grant.end)
                    yield Sighting(rules[grant.rule], facts, facts.layers[0], *span, grant.detail)


def _grants(scene: Scene) -> Iterator[Grant]:
    language, path = scene.facts.identity.language, scene.facts.file.path
    if language == "markdown":
        yield from documents.read_document(scene)
    elif language == "json":
        yield from descriptions.read_definitions(scene)
        if _EFFECTIVE.search(path):
            yield from settings.read_settings(scene)
        elif any(mark in scene.text for mark in _TELLING):
            yield from _samples(scene)
    elif language in _CODE:
        yield from descriptions.read_code(scene)
    elif language == "shell" or _ENVIRONMENT.search(path):
        yield from documents.read_models(scene)
    elif _TOML.search(path):
        yield from toml.read_toml(scene)


def _samples(scene: Scene) -> Iterator[Grant]:
    """Settings that lie where no agent looks for them count less, unless plainly hostile."""
    for grant in settings.read_settings(scene):
        severity = scene.rules[grant.rule].severity
        if grant.rule.endswith("-hostile") or grant.rule.startswith("supply-chain/"):
            yield grant
        elif severity is Severity.DANGER:
            yield Grant("grants/sample", grant.start, grant.end, grant.detail)
