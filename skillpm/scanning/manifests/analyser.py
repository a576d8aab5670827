"""The analyser for manifests: which reader reads which file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.manifests import installs, machines, npm, others, pipelines, python
from skillpm.scanning.manifests.remarks import Reader, Setting
from skillpm.scanning.rules import RuleSet

_MAX_PER_FILE: Final = 100
_PROSE: Final = frozenset(
    ("markdown", "text", "shell", "docker", "make", "yaml", "batch", "powershell")
)


def _named(pattern: str) -> re.Pattern[str]:
    return regex(rf"(?:^|/)(?:{pattern})$", re.IGNORECASE)


READERS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (_named(r"package\.json"), npm.read_package),
    (
        _named(r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock"),
        npm.read_lock,
    ),
    (
        _named(
            r"[\w.-]{0,60}requirements[\w.-]{0,60}\.(?:txt|in)|requirements/[\w.-]{1,60}\.(?:txt"
            r"|in)"
            r"|[\w.-]{0,40}constraints[\w.-]{0,40}\.txt"
        ),
        python.read_requirements,
    ),
    (_named(r"pyproject\.toml|pipfile|uv\.toml|poetry\.toml"), python.read_toml),
    (_named(r"setup\.(?:py|cfg)"), python.read_setup),
    (_named(r"\.?pip\.(?:conf|ini)|\.pypirc|\.condarc|pydistutils\.cfg"), python.read_settings),
    (_named(r"\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml"), others.read_registry),
    (_named(r"cargo\.toml|\.cargo/config(?:\.toml)?"), others.read_cargo),
    (_named(r"build\.rs|binding\.gyp|extconf\.rb"), others.read_build_script),
    (_named(r"go\.mod|go\.work"), others.read_go),
    (_named(r"gemfile(?:\.lock)?|[\w.-]{1,60}\.gemspec"), others.read_gems),
    (_named(r"(?:[\w.-]{1,60}\.)?(?:docker"
    r"|container)file(?:\.[\w-]{1,40})?"), others.read_dockerfile),
    (
        _named(r"pom\.xml|[\w-]{0,40}\.gradle(?:\.kts)?|nuget\.config"
        r"|\.m2/settings\.xml"),
        others.read_repositories,
    ),
    (_named(r"environment[\w.-]{0,40}\.ya?ml|pnpm-workspace\.yaml"), others.read_environment),
    (
        _named(
            r"deno\.jsonc?|import_?map\.json|\.gitmodules|lefthook\.ya?ml|brewfile|podfile"
            r"|pubspec\.yaml|mix\.exs|package\.swift|flake\.nix"
        ),
        others.read_sources,
    ),
    (_named(r"composer\.json"), others.read_composer),
    (_named(r"\.pre-commit-config\.ya?ml"), others.read_plugins),
    (
        _named(r"(?:[\w.-]{0,60}[-.])?compose(?:[-.][\w.-]{1,60})?\.ya?ml|devcontainer\.json"),
        machines.read_container,
    ),
    (_named(r"[^/]{1,120}\.py"), python.read_script),
    (_named(r"\.github/workflows/[^/]{1,80}\.ya?ml"), pipelines.read_workflow),
)  # fmt: skip


class Manifests:
    """Looks at what a skill brings along from elsewhere."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most `_MAX_PER_FILE` sightings a file."""
        setting = Setting(skill, rules)
        for facts in skill.files:
            if not facts.layers:
                continue
            if facts.identity.language in _PROSE and not facts.layers[0].decoded:
                for remark in installs.read_commands(facts.layers[0], setting):
                    yield _sighting(
                        rules, facts, remark.rule, (remark.start, remark.end), remark.detail
                    )
            reader = _reader(facts.file.path)
            if reader is not None:
                for _, remark in zip(range(_MAX_PER_FILE), reader(facts, setting), strict=False):
                    yield _sighting(
                        rules, facts, remark.rule, (remark.start, remark.end), remark.detail
                    )


def _reader(path: str) -> Reader | None:
    return next((reader for pattern, reader in READERS if pattern.search(path)), None)


def _sighting(
    rules: RuleSet, facts: FileFacts, rule: str, span: tuple[int, int], detail: str
) -> Sighting:
    return Sighting(rules[rule], facts, facts.layers[0], *span, detail)
