"""The reader for `package.json` and the lock files of npm, yarn and pnpm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.finding import Severity
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.lenient import load_json, place, strings, table
from skillpm.scanning.manifests.addresses import judge
from skillpm.scanning.manifests.names import taken_for
from skillpm.scanning.manifests.remarks import Remark, Setting
from skillpm.scanning.verdicts import worst
from skillpm.scanning.words import words

_AT_INSTALL: Final = (
    "preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish",
    "preuninstall", "postuninstall",
)  # fmt: skip
_KINDS: Final = (
    "dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides",
    "resolutions",
)  # fmt: skip
_MAX_ENTRIES: Final = 2_000
_FILE: Final = re.compile(r"[\w./-]{1,120}\.(?:[cm]?js|ts|sh|py|rb|pl|ps1|bat|cmd)\b")
_ALIAS: Final = re.compile(r"^npm:(@?[\w./-]{1,120}?)(?:@|$)")
_COMMANDS: Final = words(
    "git ls cat cd cp mv rm sh bash zsh node npm npx yarn pnpm python python3 pip pip3 sudo ssh scp"
    " curl wget docker kubectl aws gcloud az gh claude codex gemini cargo go make vim code brew"
)
_RESOLVED: Final = re.compile(
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


def _dependency(text: str, setting: Setting, name: str, spec: str) -> Iterator[Remark]:
    known = taken_for(name.partition(">")[0], "npm")
    if known:
        yield Remark("supply-chain/look-alike-name", *place(text, f'"{name}"'), f"{name}, {known}")
    alias = _ALIAS.match(spec)
    if alias:
        other = taken_for(alias[1], "npm")
        if other:
            yield Remark("supply-chain/look-alike-name", *place(text, name, spec), alias[1])
        return
    yield from _source(text, setting, spec, name, spec)


def _source(text: str, setting: Setting, address: str, *where: str) -> Iterator[Remark]:
    rule = judge(address, setting.own)
    if rule:
        yield Remark(rule, *place(text, *where), address[:80])


def _shadows(text: str, value: Any) -> Iterator[Remark]:
    commands = value.get("bin") if isinstance(value, dict) else None
    for name in commands if isinstance(commands, dict) else ():
        if name in _COMMANDS:
            yield Remark("supply-chain/shadows-command", *place(text, '"bin"', f'"{name}"'), name)
