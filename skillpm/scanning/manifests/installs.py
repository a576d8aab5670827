"""Install commands in prose, fences and scripts: names that are taken for others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.scanning.facts import Layer
from skillpm.scanning.manifests.names import taken_for
from skillpm.scanning.manifests.remarks import Remark

_MAX_COMMANDS: Final = 500
_INSTALLERS: Final = re.compile(
    r"\b(?:(?P<pypi>pip[0-9.]{0,4} install|uv pip install|uv add|uv tool install|uvx"
    r"|pipx (?:install|run)"
    r"|poetry add|pdm add|pipenv install|python[0-9.]{0,4} -m pip install|conda install|--with)"
    r"|(?P<npm>npm (?:install|i|add)|npx(?: -y| --yes)?|pnpm (?:add|install|i|dlx)"
    r"|yarn (?:global )?add"
    r"|bun (?:add|install|i)|bunx))[ \t]{1,4}([^\n;|&`<>()]{1,300})"
)
_WORD: Final = re.compile(r"[^\s\"',]{1,120}")
_NAME: Final = re.compile(
    r"^(@?[a-z0-9][\w.-]{1,60}(?:/[\w.-]{1,60})?)(?:\[[^\]]{0,60}\])?(?:@[\w.^~*-]{1,40}"
    r"|[=<>!~].{0,40})?[.:,]?$"
)
_VALUED: Final = (
    "-r", "-c", "-i", "-f", "-t", "--index-url", "--extra-index-url", "--find-links",
    "--target", "--prefix", "--registry", "--python", "-n", "--name", "--channel",
)  # fmt: skip
_NOISE: Final = frozenset(
    ("and", "or", "to", "the", "for", "with", "in", "if", "then", "from", "it", "on", "is", "as")
)


def read_commands(layer: Layer) -> Iterator[Remark]:
    """A remark for each such name."""
    text = layer.text
    if not any(word in text for word in ("install", "npm ", "npx ", "add ", "uvx ", "dlx ")):
        return
    for _, found in zip(range(_MAX_COMMANDS), _INSTALLERS.finditer(text), strict=False):
        ecosystem = "pypi" if found["pypi"] else "npm"
        single = (found["pypi"] or found["npm"]).startswith(("npx", "uvx", "bunx", "--with"))
        yield from _arguments(found, ecosystem, single=single)


def _arguments(found: re.Match[str], ecosystem: str, *, single: bool) -> Iterator[Remark]:
    skip = False
    for word in _WORD.finditer(found.string, found.start(3), found.end(3)):
        text = word[0]
        if skip or text.startswith("-"):
            skip = text in _VALUED
            continue
        name = _NAME.match(text.lower())
        if not name or text in _NOISE:
            return
        known = taken_for(name[1], ecosystem)
        if known:
            yield Remark("supply-chain/look-alike-name", *word.span(), f"{name[1]}, {known}")
        if single or text.endswith((".", ",", ":")):
            return
