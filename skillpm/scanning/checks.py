"""Predicates that a rule can name, for what a pattern alone can't say."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from skillpm.model.regex import regex
from skillpm.scanning.rules import RuleSet

_STATEMENT: Final = 600
_URL: Final = regex(r"https?://[^\s\"'`<>|)\\]{1,300}")
_VARIABLE: Final = regex(
    r"(?:\$\{?(?:env:)?|environ(?:\.get\(|\[)[\"']|getenv\([\"']|process\.env\.)([a-z_][a-z0-9_]{2,60})"
)
_GENERIC: Final = frozenset(
    [
        "api",
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "access",
        "auth",
        "client",
        "app",
        "private",
        "id",
        "user",
        "service",
        "account",
        "bearer",
        "my",
        "the",
        "bot",
        "env",
        "prod",
        "dev",
        "test",
        "read",
        "write",
        "admin",
        "personal",
        "url",
    ]
)


def statement(text: str, start: int, end: int) -> str:
    """The line or lines of the match, from its own start to the end of its last line."""
    begin = max(text.rfind("\n", 0, start) + 1, start - _STATEMENT)
    stop = text.find("\n", end)
    return text[begin : min(stop if stop >= 0 else len(text), end + _STATEMENT)]


def unknown_installer(words: str, rules: RuleSet) -> bool:
    """Whether anything but well-known installers over https is fetched."""
    urls = _URL.findall(words)
    return not urls or not all(_well_known(url, rules) for url in urls)


def public_address(words: str, rules: RuleSet) -> bool:  # noqa: ARG001 - the shape of a check
    """Whether a URL names a bare IP address that is not private, loopback or link-local."""
    return any(_is_public_ip(_host(url)) for url in _URL.findall(words))


def foreign_host(words: str, rules: RuleSet) -> bool:  # noqa: ARG001 - the shape of a check
    """Whether a secret goes to a host that its own name does not speak of.

    `$GITHUB_TOKEN` to `api.github.com` is an ordinary call; to another host it is not. A secret
    whose name speaks of nobody (`$API_KEY`), or a host that is a variable, says nothing.
    """
    hosts = [_host(url) for url in _URL.findall(words)]
    names = [name for name in _VARIABLE.findall(words) if _speaks_of(name)]
    public = [host for host in hosts if "." in host and "$" not in host]
    return bool(public) and any(
        not any(word in host for host in hosts for word in _speaks_of(name)) for name in names
    )


def not_placeholder(words: str, rules: RuleSet) -> bool:  # noqa: ARG001 - the shape of a check
    """Whether a literal looks like a real secret and not like one of a manual."""
    lowered = words.lower()
    if re.search(r"example|placeholder|your[-_ ]|xxxx|\.\.\.|dummy|fake|redacted|<[a-z]", lowered):
        return False
    body = max(re.findall(r"[A-Za-z0-9+/]{12,}", words) or [""], key=len)
    return len(set(body)) >= 10 and not re.search(r"1234567|abcdefg|0000000", lowered)


def _speaks_of(variable: str) -> list[str]:
    secret = any(word in variable for word in ("token", "secret", "key", "password", "passwd"))
    words = variable.split("_") if secret else []
    return [word for word in words if len(word) > 2 and word not in _GENERIC]


def _well_known(url: str, rules: RuleSet) -> bool:
    parts = urlsplit(url.rstrip(".,;"))
    address = f"{parts.netloc}{parts.path}"
    return parts.scheme == "https" and any(
        address == known or address.startswith(known.rstrip("/") + "/")
        for known in rules.trusted_installers
    )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_public_ip(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    documentation = (
        address in ipaddress.ip_network("203.0.113.0/24") if address.version == 4 else False
    )
    return documentation or not (
        address.is_private or address.is_loopback or address.is_link_local or address.is_unspecified
    )


CHECKS: Final[dict[str, Callable[[str, RuleSet], bool]]] = {
    "unknown-installer": unknown_installer,
    "public-address": public_address,
    "foreign-host": foreign_host,
    "not-placeholder": not_placeholder,
}
