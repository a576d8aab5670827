"""Which tools a list of permissions opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex

_TOKEN: Final = regex(r"[^\s,\[\]\"'()]{1,120}(?:\([^)\n]{0,400}\))?|\*")
_ANY_COMMAND: Final = regex(
    r"^(?:bash|shell|run_shell_command|terminal|execute_command|runcommands?)(?:\(\s{0,4}(?:\*"
    r"|:\*|\*:\*|\*\*|\.\*)?\s{0,4}\))?$",
    re.IGNORECASE,
)
_WILD: Final = regex(
    r"^(?:bash|shell)\(\s{0,4}(?:\*|:\*|\*:\*|\*\*)\s{0,4}\)$|^shelltool\(\*\)$", re.IGNORECASE
)
_EVERYTHING: Final = regex(r"^(?:\*|\*\*|all|\.\*|mcp__\*|any)$", re.IGNORECASE)
_DANGEROUS: Final = regex(
    r"^(?:bash|shell|run_shell_command)\(\s{0,4}(?:sudo|doas|su|rm|dd|mkfs\S{0,8}|chmod|chown"
    r"|bash|sh|zsh|eval|exec|source|nc|ncat"
    r"|netcat|ssh|scp|crontab|launchctl|systemctl|osascript|powershell|pwsh|python3? -c|node -e"
    r"|base64|openssl|security|env|printenv)"
    r"(?::\*| \*|:| \*:\*)?\s{0,4}\)$",
    re.IGNORECASE,
)
_NETWORK: Final = regex(
    r"^(?:bash|shell|run_shell_command)\(\s{0,4}(?:curl|wget)(?::\*| \*"
    r"|:)?\s{0,4}\)$",
    re.IGNORECASE,
)


def tokens(value: str) -> Iterator[re.Match[str]]:
    """The single permissions in a value, whether a list, a line with commas, or one with spaces."""
    yield from _TOKEN.finditer(value[:20_000])


def rule_in_skill(token: str) -> str:
    """The rule for a permission that a skill asks for; "" when it needs no word."""
    if _EVERYTHING.match(token):
        return "grants/all-tools"
    if _DANGEROUS.match(token):
        return "grants/dangerous-command"
    if _ANY_COMMAND.match(token):
        return "grants/any-command"
    return "grants/network-command" if _NETWORK.match(token) else ""


def rule_in_settings(token: str) -> str:
    """The rule for a permission that settings give, without the user being asked."""
    if _EVERYTHING.match(token) or _WILD.match(token):
        return "grants/everything-allowed"
    if _DANGEROUS.match(token) or _ANY_COMMAND.match(token) or _NETWORK.match(token):
        return "grants/command-allowed"
    return ""
