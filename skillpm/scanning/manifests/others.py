"""Readers for the manifests of other ecosystems, and for registry settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.manifests.addresses import GIT, UNKNOWN, judge
from skillpm.scanning.manifests.python import INDEX
from skillpm.scanning.manifests.remarks import Remark, Setting

_MAX_FOUND: Final = 500
_REGISTRY: Final = re.compile(
    r"^[ \t]{0,8}(?:@[\w.-]{1,60}:)?(?:registry|npmRegistryServer|npmRegistries|proxy"
    r"|https?-proxy|disturl|cdnUrl)"
    r"[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?([^\s\"']{4,400})",
    re.MULTILINE | re.IGNORECASE,
)
_TOKEN: Final = re.compile(
    r"_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}[\"']?([A-Za-z0-9+/=_-]{16,400})",
    re.IGNORECASE,
)
_SCRIPT_SHELL: Final = re.compile(
    r"^[ \t]{0,8}(?:script-shell|node-options|git|editor|shell"
    r"|onload-script)[ \t]{0,4}=[ \t]{0,4}(.{1,300})$",
    re.MULTILINE,
)
_CARGO: Final = re.compile(
    r"\b(?:git|registry|index|registry-index"
    r"|replace-with)[ \t]{0,4}=[ \t]{0,4}[\"']([^\"'\n]{4,400})[\"']"
)
_GO: Final = re.compile(
    r"^[ \t]{0,8}(?:replace[ \t]{1,8})?[^\s=]{3,200}(?:[ \t]v\S{1,60})?[ \t]{1,4}=>"
    r"[ \t]{1,4}(\S{3,300})",
    re.MULTILINE,
)
_GEM: Final = re.compile(
    r"\b(?:source|git|github|remote)\b[ \t]{0,4}(?::|=>|\()?[ \t]{0,4}[\"']?((?:https?|git"
    r"|ssh)://[^\s\"')]{4,300}|[\w.-]{1,60}/[\w.-]{1,80})"
)
_ADD: Final = re.compile(
    r"^[ \t]{0,8}ADD[ \t]{1,8}(?:--\S{1,80}[ \t]{1,4}){0,4}(https?://\S{4,400})",
    re.MULTILINE | re.IGNORECASE,
)
_MAVEN: Final = re.compile(
    r"<url>\s{0,20}(http://[^<\s]{4,300})"
    r"|\burl[ \t]{0,4}[=(]?[ \t]{0,4}[\"'](http://[^\"'\s]{4,300})"
    r"|<add\b[^<>]{0,200}\bvalue=\"(http[^\"]{4,300})\""
    r"|\"url\"\s{0,4}:\s{0,4}\"(http://[^\"]{4,300})\""
)


def read_registry(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`.npmrc`, `.yarnrc`, `.yarnrc.yml`, `bunfig.toml`: other registries, tokens, shells."""
    text = facts.layers[0].text
    yield from _judged(text, setting, _REGISTRY, index=True)
    for token in _TOKEN.finditer(text):
        yield Remark("secrets/registry-token", *token.span(1))
    for shell in _SCRIPT_SHELL.finditer(text):
        if "/" in shell[1] or deeds_of(shell[1]).telling:
            yield Remark("supply-chain/install-script-acts", *shell.span(), shell[1][:80])


def read_cargo(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`Cargo.toml` and Cargo's settings."""
    yield from _judged(facts.layers[0].text, setting, _CARGO, index=False)


def read_build_script(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`build.rs` and other code that a build runs."""
    del setting
    deeds = deeds_of(facts.layers[0].text.replace("Command::new", "subprocess"))
    rule = "supply-chain/install-script"
    if deeds.hostile:
        rule = "supply-chain/install-script-hostile"
    elif deeds.fetches or deeds.decodes or deeds.secrets:
        rule = "supply-chain/install-script-acts"
    yield Remark(rule, 0, 0, deeds.telling)


def read_go(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`go.mod`: modules that are replaced by others."""
    for found in _limited(_GO, facts.layers[0].text):
        target = found[1]
        if target.startswith((".", "/")):
            continue
        rule = judge(f"https://{target}", setting.own)
        yield Remark(
            "supply-chain/replaced-module" if rule in ("", GIT) else rule, *found.span(1), target
        )


def read_gems(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`Gemfile` and its lock."""
    yield from _judged(facts.layers[0].text, setting, _GEM, index=False)


def read_dockerfile(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """What an image adds from an address; what it runs is read like any shell."""
    yield from _judged(facts.layers[0].text, setting, _ADD, index=False)


def read_repositories(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Maven, Gradle, NuGet and Composer: repositories without protection."""
    yield from _judged(facts.layers[0].text, setting, _MAVEN, index=True)


def _judged(
    text: str, setting: Setting, pattern: re.Pattern[str], *, index: bool
) -> Iterator[Remark]:
    for found in _limited(pattern, text):
        group = next(number for number, one in enumerate(found.groups(), 1) if one)
        rule = judge(found[group], setting.own)
        if rule and not (index and "w3.org" in found[group]):
            rule = INDEX if index and rule in (UNKNOWN, GIT) else rule
            yield Remark(rule, *found.span(group), found[group][:80])


def _limited(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for _, found in zip(range(_MAX_FOUND), pattern.finditer(text), strict=False):
        yield found
