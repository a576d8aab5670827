"""Readers for what Python packages need: requirements, pyproject, setup, Pipfile, settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.manifests.addresses import GIT, UNKNOWN, host_of, judge
from skillpm.scanning.manifests.names import look_alike
from skillpm.scanning.manifests.remarks import WELL_KNOWN, Remark, Setting

INDEX: Final = "supply-chain/package-index"

_MAX_LINES: Final = 5_000
_OPTION: Final = regex(
    r"^\s{0,8}(--?[a-z-]{1,20})[ \t=]{1,8}(\S{1,500})|\s(--(?:extra-)?index-url|--trusted-host"
    r"|--find-links)[ =](\S{1,500})"
)
_INDEX_OPTIONS: Final = (
    "-i",
    "--index-url",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--pypi-url",
)
_REQUIREMENT: Final = regex(
    r"^\s{0,8}(?:(-e|--editable)[ =]{1,4})?((?!\w{2,5}(?:\+\w{2,5})?://)[A-Za-z0-9][\w.-]{0,80})?(?:\[[^\]]{0,200}\])?"
    r"\s{0,8}(?:@\s{0,8})?((?:(?:git|hg|svn|bzr)\+)?(?:https?|ssh|git|ftp)://\S{1,500})?"
)
_SECTION: Final = regex(r"^\s{0,8}\[{1,2}([^\]]{1,200})\]{1,2}")
_QUOTED: Final = regex(r"[\"']([^\"'\n]{1,500})[\"']")
_ENTRY: Final = regex(r"^\s{0,8}[\"']?([A-Za-z0-9][\w.-]{0,80})[\"']?\s{0,8}=\s{0,8}(.{1,600})$")
_ADDRESS: Final = regex(
    r"\b(?:url|git|index|index-url|extra-index-url|find-links|index_servers"
    r"|repository)\s{0,4}[=:]\s{0,4}"
    r"[\"']?([^\s\"',}\]]{4,500})",
    re.IGNORECASE,
)
_TABLES: Final = regex(
    r"^(?:tool\.poetry\.(?:dev-)?dependencies|tool\.poetry\.group\.[\w-]{1,40}\.dependencies"
    r"|packages|dev-packages|dependencies|tool\.pdm\.dev-dependencies|tool\.uv\.sources)$"
)
_SOURCES: Final = regex(
    r"(?:index|source|indexes|global|install|distutils|server|registry)", re.IGNORECASE
)
_LISTS: Final = regex(
    r"\b(?:install_requires|dependencies|requires|setup_requires|tests_require|extras_require"
    r"|dev-dependencies|optional-dependencies)\b"
)
_INLINE: Final = regex(
    r"^[ \t]{0,8}# /// script[ \t]*\n((?:[ \t]{0,8}#[^\n]{0,500}\n){1,200}?)[ \t]{0,8}# ///[ \t]*$",
    re.MULTILINE,
)
_COMMANDS: Final = regex(r"^(?:project\.scripts|tool\.poetry\.scripts|options\.entry_points)$")
_OTHER_INDEX: Final = regex(
    r"^[ \t]{0,8}(?:--|-)?(?:extra-)?(?:index-url|i)[ \t=]{1,6}[\"']?(https?://[^\s\"']{4,300})",
    re.MULTILINE,
)
_UNCHECKED: Final = regex(r"^[ \t]{0,8}(?:--)?trusted-host[ \t=]{1,6}([\w.-]{4,120})", re.MULTILINE)
_CLASSES: Final = regex(r"\bcmdclass\s{0,4}=")


def read_requirements(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Options and requirements, line by line."""
    yield from _unchecked(facts, setting)
    for at, line in _lines(facts.layers[0].text):
        bare = line.partition(" #")[0]
        if bare.lstrip().startswith("#"):
            continue
        for found in _OPTION.finditer(bare):
            yield from _option(setting, at, found)
        if bare.lstrip().startswith("-") and not bare.lstrip().startswith(("-e", "--editable")):
            continue
        yield from _requirement(setting, at, bare)


def read_toml(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`pyproject.toml`, `Pipfile`, `uv.toml`, `poetry.toml`: dependencies, sources, own backend."""
    section, listing = "", False
    for at, line in _lines(facts.layers[0].text):
        head = _SECTION.match(line)
        if head:
            section, listing = head[1].strip().lower(), False
            continue
        bare = line.partition(" #")[0]
        if _COMMANDS.match(section):
            yield from _shadows(at, bare)
        listing = bool(_LISTS.search(bare)) or (listing and "=" not in bare.partition('"')[0])
        entry = _ENTRY.match(bare)
        if _TABLES.match(section) and entry:
            yield from _name(at, bare, entry[1])
        elif listing or section in ("project.optional-dependencies", "dependency-groups"):
            for quoted in _QUOTED.finditer(bare):
                yield from _requirement(setting, at + quoted.start(1), quoted[1])
        if _TABLES.match(section) or _SOURCES.search(section):
            yield from _addresses(setting, at, bare, index=not _TABLES.match(section))
        if section == "build-system" and bare.lstrip().startswith("backend-path"):
            yield Remark("supply-chain/own-build-backend", at, at + len(bare))


def read_script(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """The needs that a Python script names in the comment at its top (`# /// script`)."""
    text = facts.layers[0].text
    block = _INLINE.search(text) if "/// script" in text else None
    for quoted in _QUOTED.finditer(text, *block.span(1)) if block else ():
        yield from _requirement(setting, quoted.start(1), quoted[1])


def _shadows(at: int, line: str) -> Iterator[Remark]:
    entry = _ENTRY.match(line)
    if entry and entry[1] in WELL_KNOWN:
        yield Remark("supply-chain/shadows-command", at, at + len(line), entry[1])


def read_setup(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`setup.py` and `setup.cfg`: what they require, and commands of their own."""
    text = facts.layers[0].text
    classes = _CLASSES.search(text)
    if classes:
        deeds = deeds_of(text)
        acts = deeds.fetches or deeds.decodes or deeds.hides or deeds.secrets
        rule = "supply-chain/install-script-acts" if acts else "supply-chain/install-script"
        if deeds.hostile:
            rule = "supply-chain/install-script-hostile"
        yield Remark(rule, *classes.span(), deeds.telling)
    listing = False
    for at, line in _lines(text):
        listing = bool(_LISTS.search(line)) or (listing and bool(line.strip(" \t),]")))
        if listing:
            if facts.file.path.endswith(".cfg") and "=" not in line.partition(">")[0]:
                yield from _requirement(setting, at, line)
            for quoted in _QUOTED.finditer(line):
                yield from _requirement(setting, at + quoted.start(1), quoted[1])


def read_settings(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """`pip.conf`, `.pypirc`, `.condarc` and the like: other indexes for all packages."""
    yield from _unchecked(facts, setting)
    for at, line in _lines(facts.layers[0].text):
        if not line.lstrip().startswith(("#", ";")):
            yield from _addresses(setting, at, line, index=True)
        if line.replace(" ", "").lower().startswith("trusted-host="):
            yield from _trusted(at, line, line.partition("=")[2])


def _unchecked(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """An unknown index whose certificate is not to be checked either."""
    text = facts.layers[0].text
    index, host = _OTHER_INDEX.search(text), _UNCHECKED.search(text)
    if index and host and judge(index[1], setting.own) and host_of(index[1]) == host[1].lower():
        yield Remark("remote-code/untrusted-index", *index.span(1), host[1])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for _, line in zip(range(_MAX_LINES), text.split("\n"), strict=False):
        yield at, line[:4_000]
        at += len(line) + 1


def _option(setting: Setting, at: int, found: re.Match[str]) -> Iterator[Remark]:
    name, value = found[1] or found[3], found[2] or found[4]
    if name in _INDEX_OPTIONS:
        yield from _index(setting, at + found.start(), at + found.end(), value)
    elif name == "--trusted-host":
        yield from _trusted(at + found.start(), found[0], value)


def _trusted(at: int, line: str, host: str) -> Iterator[Remark]:
    if judge(f"https://{host.strip()}/", frozenset()) == "":
        return
    yield Remark("supply-chain/trusted-host", at, at + len(line), host.strip()[:80])


def _index(setting: Setting, start: int, end: int, address: str) -> Iterator[Remark]:
    rule = judge(address, setting.own)
    if rule:
        yield Remark(INDEX if rule in (UNKNOWN, GIT) else rule, start, end, host_of(address))


def _addresses(setting: Setting, at: int, line: str, *, index: bool) -> Iterator[Remark]:
    for found in _ADDRESS.finditer(line):
        start, end = at + found.start(1), at + found.end(1)
        if index:
            yield from _index(setting, start, end, found[1])
        elif rule := judge(found[1], setting.own):
            yield Remark(rule, start, end, found[1][:80])


def _requirement(setting: Setting, at: int, line: str) -> Iterator[Remark]:
    found = _REQUIREMENT.match(line)
    if not found or not (found[2] or found[3]):
        return
    if found[2] and not found[1]:
        yield from _name(at, line, found[2])
    rule = judge(found[3], setting.own) if found[3] else ""
    if rule:
        yield Remark(rule, at + found.start(3), at + found.end(3), found[3][:80])


def _name(at: int, line: str, name: str) -> Iterator[Remark]:
    rule, told = look_alike(name, "pypi")
    if rule:
        start = at + max(line.find(name), 0)
        yield Remark(rule, start, start + len(name), told)
