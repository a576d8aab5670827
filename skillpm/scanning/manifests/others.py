"""Readers for the manifests of other ecosystems, and for registry settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.lenient import load_json, place, walk
from skillpm.scanning.manifests.addresses import GIT, UNKNOWN, host_of, judge
from skillpm.scanning.manifests.names import look_alike
from skillpm.scanning.manifests.python import INDEX
from skillpm.scanning.manifests.remarks import Remark, Setting
from skillpm.scanning.verdicts import worst

_MAX_FOUND: Final = 500
_REGISTRY: Final = regex(
    r"^[ \t]{0,8}(?:@[\w.-]{1,60}:)?(?:registry|npmRegistryServer|npmRegistries|proxy"
    r"|https?-proxy|disturl|cdnUrl)"
    r"[\"']?(?:[ \t]{0,4}[=:]|[ \t](?=[\"']?https?:))[ \t]{0,4}[\"']?([^\s\"']{4,400})",
    re.MULTILINE | re.IGNORECASE,
)
_UNCHECKED: Final = regex(
    r"^[ \t]{0,8}(?:strict-ssl|enableStrictSsl)[\"']?[ \t]{0,4}[=: ][ \t]{0,4}[\"']?false"
    r"|^unsafeHttpWhitelist:",
    re.MULTILINE,
)
_TOKEN: Final = regex(
    r"_(?:authToken|auth|password)[ \t]{0,4}=[ \t]{0,4}[\"']?([A-Za-z0-9+/=_-]{16,400})",
    re.IGNORECASE,
)
_SCRIPT_SHELL: Final = regex(
    r"^[ \t]{0,8}(?:script-shell|node-options|git|editor|shell"
    r"|onload-script)[ \t]{0,4}=[ \t]{0,4}(.{1,300})$",
    re.MULTILINE,
)
_CARGO: Final = regex(
    r"\b(?:git|registry|index|registry-index"
    r"|replace-with)[ \t]{0,4}=[ \t]{0,4}[\"']([^\"'\n]{4,400})[\"']"
)
_GO: Final = regex(
    r"^[ \t]{0,8}(?:replace[ \t]{1,8})?[^\s=]{3,200}(?:[ \t]v\S{1,60})?[ \t]{1,4}=>"
    r"[ \t]{1,4}(\S{3,300})",
    re.MULTILINE,
)
_GEM: Final = regex(
    r"\b(?:source|git|github|remote)\b[ \t]{0,4}(?::|=>|\()?[ \t]{0,4}[\"']?((?:https?|git"
    r"|ssh)://[^\s\"')]{4,300}|[\w.-]{1,60}/[\w.-]{1,80})"
)
_ADD: Final = regex(
    r"^[ \t]{0,8}ADD[ \t]{1,8}(?:--\S{1,80}[ \t]{1,4}){0,4}(https?://\S{4,400})",
    re.MULTILINE | re.IGNORECASE,
)
_MAVEN: Final = regex(
    r"<url>\s{0,20}(http://[^<\s]{4,300})"
    r"|<(?:pluginR|r)epository>[^<]{0,80}(?:<(?:id|name|layout)>[^<]{0,120}</\w{2,8}>\s{0,80}){0,4}"
    r"<url>\s{0,20}(https://[^<\s]{4,300})"
    r"|\burl[ \t]{0,4}[=(]?[ \t]{0,4}[\"'](http://[^\"'\s]{4,300})"
    r"|<add\b[^<>]{0,200}\bvalue=\"(http[^\"]{4,300})\""
)
_PLUGIN: Final = regex(
    r"^[ \t]{0,20}(?:-[ \t]{1,4})?(?:spec|repo|yarnPath)[ \t]{0,4}:[ \t]{0,4}[\"']?"
    r"((?:https?|git|ssh)://[^\s\"']{4,300}|git@[^\s\"']{4,300})",
    re.MULTILINE,
)
_SOURCE: Final = regex(
    r"^(?![^\n]{0,40}(?:\$schema|homepage|documentation|repository|issue_tracker)"
    r"|[ \t]{0,40}(?:#|//))"
    r"[^\n]{0,200}?[\"'=:( ]((?:https?|git|ssh)://[^\s\"'),]{4,300})",
    re.MULTILINE,
)
_LISTED: Final = regex(
    r"^[ \t]{1,20}(?:-|[\"']?[@\w./>*-]{1,100}[\"']?:)[ \t]{1,4}(?:[\w.-]{1,60} @ )?[\"']?"
    r"((?:git\+)?https?://[^\s\"']{4,300})",
    re.MULTILINE,
)
_CARGO_TABLE: Final = regex(
    r"^\[(?:[\w.'\"()=, -]{1,120}\.)?(?:dev-|build-)?dependencies\][^\n]{0,80}\n"
    r"((?:[^\[\n][^\n]{0,2000}\n?|\n){1,500})",
    re.MULTILINE,
)
_CRATE: Final = regex(r"^[ \t]{0,4}[\"']?([A-Za-z][\w-]{1,60})[\"']?[ \t]{0,20}[=.]", re.MULTILINE)
_GEM_NAME: Final = regex(
    r"^[ \t]{0,12}(?:gem|\w{1,10}\.add_(?:development_|runtime_)?dependency)[ \t(]{1,4}[\"']"
    r"([\w.-]{2,60})[\"']",
    re.MULTILINE,
)
_BY_SEVERITY: Final = {Severity.DANGER: "-hostile", Severity.CAUTION: "-acts"}


def read_registry(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`.npmrc`, `.yarnrc`, `.yarnrc.yml`, `bunfig.toml`: other registries, tokens, shells."""
    text = facts.layers[0].text
    yield from _judged(text, setting, _REGISTRY, index=True)
    other = _REGISTRY.search(text)
    if other and _UNCHECKED.search(text) and judge(other[1], setting.own):
        yield Remark("remote-code/untrusted-index", *other.span(1), other[1][:80])
    for token in _TOKEN.finditer(text):
        yield Remark("secrets/registry-token", *token.span(1))
    yield from _judged(text, setting, _PLUGIN, index=False)
    for shell in _SCRIPT_SHELL.finditer(text):
        if "/" in shell[1] or deeds_of(shell[1]).telling:
            yield Remark("supply-chain/install-script-acts", *shell.span(), shell[1][:80])


def read_cargo(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`Cargo.toml` and Cargo's settings."""
    text = facts.layers[0].text
    yield from _judged(text, setting, _CARGO, index=False)
    for table in _limited(_CARGO_TABLE, text):
        yield from _names(_CRATE.finditer(text, *table.span(1)), "crates")


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


def read_environment(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`environment.yml` of conda and `pnpm-workspace.yaml`: channels and packages by address."""
    yield from _judged(facts.layers[0].text, setting, _LISTED, index=False)


def read_sources(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Import maps of Deno, submodules, taps, packages of Swift and Dart: each host once."""
    seen: set[str] = set()
    for found in _limited(_SOURCE, facts.layers[0].text):
        rule, host = judge(found[1], setting.own), host_of(found[1])
        if rule and rule != GIT and host not in seen:
            seen.add(host)
            yield Remark(rule, *found.span(1), found[1][:80])


def read_gems(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`Gemfile`, its lock, and `.gemspec` files."""
    text = facts.layers[0].text
    yield from _judged(text, setting, _GEM, index=False)
    yield from _names(_limited(_GEM_NAME, text), "gems")


def read_plugins(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`.yarnrc.yml` and `.pre-commit-config.yaml`: code that other hosts hand out."""
    yield from _judged(facts.layers[0].text, setting, _PLUGIN, index=False)


def _names(found: Iterable[re.Match[str]], registry: str) -> Iterator[Remark]:
    for one in found:
        rule, told = look_alike(one[1], registry)
        if rule:
            yield Remark(rule, *one.span(1), told)


def read_dockerfile(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """What an image adds from an address; what it runs is read like any shell."""
    yield from _judged(facts.layers[0].text, setting, _ADD, index=False)


def read_repositories(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Maven, Gradle and NuGet: repositories without protection."""
    yield from _judged(facts.layers[0].text, setting, _MAVEN, index=True)


def read_composer(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`composer.json`: other repositories, and what runs when packages are installed."""
    text = facts.layers[0].text
    value = load_json(text)
    for path, one in walk(value):
        if not isinstance(one, str):
            continue
        if path[:1] == ("scripts",) and path[1].startswith(("post-", "pre-")):
            severity = worst(one.replace("@php", "php"), setting.rules)
            rule = f"supply-chain/install-script{_BY_SEVERITY.get(severity, '')}"
            yield Remark(rule, *place(text, path[1], one), one[:80])
        elif path[:1] == ("repositories",) and path[-1] == "url":
            rule = judge(one, setting.own)
            if rule and rule != GIT:
                yield Remark(INDEX if rule == UNKNOWN else rule, *place(text, one), one[:80])


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
