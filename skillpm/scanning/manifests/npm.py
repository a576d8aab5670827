"""The reader for `package.json` and the lock files of npm, yarn and pnpm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.lenient import load_json, place, strings, table, walk
from skillpm.scanning.manifests.addresses import judge
from skillpm.scanning.manifests.names import look_alike
from skillpm.scanning.manifests.popular import SCOPES, popular
from skillpm.scanning.manifests.remarks import WELL_KNOWN, Remark, Setting
from skillpm.scanning.verdicts import worst

_AT_INSTALL: Final = (
    "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish",
    "preuninstall", "postuninstall",
)  # fmt: skip
_KINDS: Final = (
    "dependencies", "devDependencies", "optionalDependencies", "peerDependencies",
)  # fmt: skip
_FORCED: Final = ("overrides", "resolutions", "pnpm")
_MAX_ENTRIES: Final = 2_000
_FILE: Final = regex(r"[\w./-]{1,120}\.(?:[cm]?js|ts|sh|py|rb|pl|ps1|bat|cmd)\b")
_GITHUB: Final = regex(
    r"(?:^github:|^(?=\w)|github\.com[/:])([\w.-]{1,60})/([\w.-]{1,100})(?:#\S{1,100})?$"
)
_WORDS: Final = regex(r"[-_.]")
_ALIAS: Final = regex(r"^npm:(@?[\w./-]{1,120}?)(?:@|$)")
_RESOLVED: Final = regex(
    r"(?:\"resolved\"\s{0,4}:\s{0,4}|^\s{0,8}resolved\s{1,4}"
    r"|\btarball:\s{0,4})[\"']?([^\s\"',}]{8,500})",
    re.MULTILINE,
)


def read_package(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Scripts that run at installation, and where dependencies come from."""
    text = facts.layers[0].text
    value = load_json(text)
    for name, command in _pairs(table(value, "scripts")):
        if name in _AT_INSTALL:
            yield _script(facts, setting, name, command)
    for kind in _KINDS:
        for name, spec in _pairs(table(value, kind)):
            yield from _dependency(text, setting, name, spec)
    for kind in _FORCED:
        for path, spec in walk(table(value, kind)):
            if isinstance(spec, str) and path:
                yield from _dependency(text, setting, _last(path), spec)
    yield from _shadows(text, value)
    for registry in strings(table(value, "publishConfig").get("registry")):
        yield from _source(text, setting, registry, "publishConfig", registry)


def read_lock(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Addresses in a lock file that are no registry's; each host once."""
    seen: set[str] = set()
    for found in _RESOLVED.finditer(facts.layers[0].text):
        rule = judge(found[1], setting.own)
        host = found[1].split("/")[2] if found[1].count("/") > 2 else ""
        if rule and host not in seen:
            seen.add(host)
            yield Remark(rule, *found.span(1))


def _pairs(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for count, (name, one) in enumerate(value.items()):
        if count >= _MAX_ENTRIES:
            return
        if isinstance(one, str):
            yield name, one


def _script(facts: FileFacts, setting: Setting, name: str, command: str) -> Remark:
    severity = max(worst(command, setting.rules), _of_files(facts, setting, command))
    rule = {
        Severity.DANGER: "supply-chain/install-script-hostile",
        Severity.CAUTION: "supply-chain/install-script-acts",
    }.get(severity, "supply-chain/install-script")
    span = place(facts.layers[0].text, f'"{name}"', command)
    return Remark(rule, *span, f"{name}: {command[:80]}")


def _of_files(facts: FileFacts, setting: Setting, command: str) -> Severity:
    """How bad the files of the skill are that the command runs."""
    folder = facts.file.path.rpartition("package.json")[0]
    wanted = {folder + name.removeprefix("./") for name in _FILE.findall(command)}
    found = Severity.INFO
    for other in setting.skill.files:
        if other.file.path in wanted and other.layers:
            deeds = deeds_of(other.layers[0].text)
            if deeds.hostile:
                return Severity.DANGER
            if deeds.fetches or deeds.decodes:
                found = Severity.CAUTION
    return found


def _last(path: tuple[str, ...]) -> str:
    """The package that a path of overrides is about: the last name of `**/a/b`, or of the keys."""
    named = path[-1] if path[-1] != "." or len(path) < 2 else path[-2]
    parts = named.split("/")
    return "/".join(parts[-2:]) if parts[-2:-1] and parts[-2].startswith("@") else parts[-1]


def _dependency(text: str, setting: Setting, name: str, spec: str) -> Iterator[Remark]:
    bare = name.partition(">")[0]
    rule, told = look_alike(bare, "npm")
    if rule:
        yield Remark(rule, *place(text, f'"{name}"'), told)
    alias = _ALIAS.match(spec)
    if alias:
        rule, told = look_alike(alias[1], "npm")
        if rule:
            yield Remark(rule, *place(text, name, spec), told)
    else:
        yield from _source(text, setting, spec, name, spec)
    other = alias[1] if alias else _repository(spec)
    if other and bare in popular("npm") and not _is_known(other, bare):
        yield Remark(
            "supply-chain/known-name-elsewhere", *place(text, name, spec), f"{bare}, {other}"
        )


def _repository(spec: str) -> str:
    """The owner and name of a repository of GitHub that a dependency is taken from."""
    found = _GITHUB.search(spec)
    return f"{found[1]}/{found[2].removesuffix('.git')}" if found else ""


def _is_known(other: str, name: str) -> bool:
    """Whether what stands for a much used package has its name in its own, or is one itself."""
    scope, _, own = other.lower().rpartition("/")
    words = set(_WORDS.split(own))
    known = own in popular("npm") or scope.removeprefix("@") in popular(SCOPES)
    fork = bool(scope) and not scope.startswith("@")
    return known or name == own or (not fork and len(words) < 3 and name in words)


def _source(text: str, setting: Setting, address: str, *where: str) -> Iterator[Remark]:
    rule = judge(address, setting.own)
    if rule:
        yield Remark(rule, *place(text, *where), address[:80])


def _shadows(text: str, value: Any) -> Iterator[Remark]:
    commands = value.get("bin") if isinstance(value, dict) else None
    for name in commands if isinstance(commands, dict) else ():
        if name in WELL_KNOWN:
            yield Remark("supply-chain/shadows-command", *place(text, '"bin"', f'"{name}"'), name)
