"""Install commands in prose and scripts: names taken for others, and where they are from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.facts import Layer
from skillpm.scanning.manifests.addresses import GIT, UNKNOWN, judge
from skillpm.scanning.manifests.names import look_alike
from skillpm.scanning.manifests.remarks import Remark, Setting

_MAX_COMMANDS: Final = 2_000
_MAX_LINE: Final = 4_000
_INSTALLERS: Final = regex(
    r"\b(?:(?P<pypi>pip[0-9.]{0,4} install|uv pip install|uv add|uv tool (?:install|run)|uvx"
    r"|pipx (?:install|run)"
    r"|poetry add|pdm add|pipenv install|python[0-9.]{0,4} -m pip install|conda install|--with)"
    r"|(?P<npm>npm (?:install|i|add|exec)|npx(?: -y| --yes)?|pnpm (?:add|install|i|dlx)"
    r"|yarn (?:global )?(?:add|dlx)"
    r"|bun (?:add|install|i)|bunx)"
    r"|(?P<crates>cargo (?:install|add|binstall))"
    r"|(?P<gems>gem install|bundle add))[ \t]{1,4}([^\n;|&`<>()]{1,300})"
)
_RUNNERS: Final = ("npx", "uvx", "bunx", "--with", "pipx run", "uv tool run", "npm exec")
_AT_ONCE: Final = (*_RUNNERS, "pnpm dlx", "yarn dlx")
_WORD: Final = regex(r"[^\s\"',]{1,200}")
_NAME: Final = regex(
    r"^(@?[a-z0-9][\w.-]{1,60}(?:/[\w.-]{1,60})?)(?:\[[^\]]{0,60}\])?(?:@[\w.^~*-]{1,40}"
    r"|[=<>!~].{0,40})?[.:,]?$"
)
_VALUED: Final = (
    "-r", "-c", "-i", "-f", "-t", "--index-url", "--extra-index-url", "--find-links",
    "--target", "--prefix", "--registry", "--python", "-n", "--name", "--channel",
    "--index", "--default-index", "--git", "--branch", "--tag", "--rev", "--version", "-v",
    "--features", "--source", "--path", "--trusted-host",
)  # fmt: skip
_NOISE: Final = frozenset(
    ("and", "or", "to", "the", "for", "with", "in", "if", "then", "from", "it", "on", "is", "as")
)
_INDEX: Final = regex(
    r"(?:\b(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:DEFAULT_|EXTRA_)?INDEX(?:_URL)?|npm_config_registry"
    r"|NPM_CONFIG_REGISTRY|YARN_NPM_REGISTRY_SERVER|GOPROXY|CARGO_REGISTRIES_\w{1,40}_INDEX)"
    r"[ \t]{0,2}[=:]"
    r"|\b(?:pip[0-9.]{0,4} config (?:--\w{1,10} )?set \S{1,40}index-url"
    r"|(?:npm|pnpm|yarn) config set (?:-g |--global )?(?:@[\w-]{1,40}:)?"
    r"(?:registry|npmRegistryServer)"
    r"|go env -w GOPROXY|bundle config (?:set )?(?:--\w{1,10} )?mirror\.\S{1,80}"
    r"|gem sources (?:-a|--add))[ =]"
    r"|\b(?:pip|uv|npm|pnpm|yarn|bun|poetry|pipx|uvx|npx|gem|cargo)\b[^\n|;&]{0,160}[ \t]"
    r"(?:--index-url|--extra-index-url|--default-index|--index|--registry|--find-links|--source|-i))"
    r"[ \t=]{0,4}[\"']?(https?://[^\s\"'`,)|]{4,300})"
)
_MARKS: Final = (
    " install ", "npx ", "uvx ", "bunx ", "npm ", "yarn ", " add ", "dlx ", "pipx ", "--with ",
    "bun i ", "INDEX", "index-url", "registry", "REGISTRY", "PROXY", "--index", "mirror.",
    "gem sources", "tool run ", "binstall ",
)  # fmt: skip


def read_commands(layer: Layer, setting: Setting) -> Iterator[Remark]:
    """A remark for each name that is taken for another, and each place that nobody vouches for."""
    text = layer.text
    for start, end in _lines(text):
        for found in _INSTALLERS.finditer(text, start, end):
            ecosystem = next(name for name, value in found.groupdict().items() if value)
            single = found[ecosystem].startswith(_RUNNERS)
            yield from _arguments(found, ecosystem, single=single)
            if "://" in found[5]:
                at_once = found[ecosystem].startswith(_AT_ONCE)
                yield from _addresses(found, setting, at_once=at_once)
        if "://" in text[start:end]:
            for index in _INDEX.finditer(text, start, end):
                if judge(index[1], setting.own):
                    yield Remark("supply-chain/index-in-command", *index.span(1), index[1][:80])


def _lines(text: str) -> list[tuple[int, int]]:
    """The lines that can hold an install command, cut at `_MAX_LINE`; at most `_MAX_COMMANDS`."""
    found: set[int] = set()
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0 and len(found) < _MAX_COMMANDS:
            found.add(text.rfind("\n", 0, at) + 1)
            end = text.find("\n", at)
            at = text.find(mark, end) if end >= 0 else -1
    ends = ((start, text.find("\n", start)) for start in sorted(found))
    return [(s, min(e if e >= 0 else len(text), s + _MAX_LINE)) for s, e in ends]


def _arguments(found: re.Match[str], ecosystem: str, *, single: bool) -> Iterator[Remark]:
    skip = False
    for word in _words(found):
        text = word[0]
        if skip or text.startswith("-"):
            skip = text in _VALUED
            continue
        name = _NAME.match(text.lower())
        if not name or text in _NOISE:
            return
        rule, told = look_alike(name[1], ecosystem)
        if rule:
            yield Remark(rule, *word.span(), told)
        if single or text.endswith((".", ",", ":")):
            return


def _addresses(found: re.Match[str], setting: Setting, *, at_once: bool) -> Iterator[Remark]:
    """Packages that are named by their address; that of an index is told by itself."""
    before = ""
    for word in _words(found):
        text = word[0].partition("@")[2] if "@http" in word[0] or "@git+" in word[0] else word[0]
        if "://" in text and (before not in _VALUED or before == "--git"):
            rule = judge(text, setting.own)
            if rule and rule != GIT:
                unknown = "supply-chain/package-from-address" if rule == UNKNOWN else rule
                name = "supply-chain/runs-from-address" if at_once else unknown
                yield Remark(name, *word.span(), text[:80])
        before = word[0]


def _words(found: re.Match[str]) -> Iterator[re.Match[str]]:
    return _WORD.finditer(found.string, found.start(5), found.end(5))
