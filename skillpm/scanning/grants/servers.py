"""MCP servers in configuration: what starts them, where they are, what they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.behaviour.scene import is_its_own
from skillpm.scanning.checks import not_placeholder
from skillpm.scanning.grants.remarks import Grant, Scene
from skillpm.scanning.lenient import place, strings, walk
from skillpm.scanning.manifests.addresses import GIT, THROWAWAY, UNPROTECTED, judge
from skillpm.scanning.manifests.names import look_alike

_KEYS: Final = frozenset(("mcpservers", "servers", "mcp_servers", "context_servers", "mcp"))
_FETCHERS: Final = regex(
    r"(?:^|/)(?:npx|bunx|uvx|pipx|pnpm|yarn|uv|deno|docker"
    r"|podman)(?:\.cmd|\.exe)?$"
)
_SHELLS: Final = regex(
    r"(?:^|/)(?:ba|z|da|fi)?sh$|(?:^|[/\\])(?:powershell|pwsh"
    r"|cmd)(?:\.exe)?$",
    re.IGNORECASE,
)
_PACKAGE: Final = regex(
    r"^(@?[a-z0-9][\w.-]{1,60}(?:/[\w.-]{1,60})?)(?:@[\w.^~-]{1,40}"
    r"|[=<>~]{1,2}[\w.]{1,30})?$",
    re.IGNORECASE,
)
_SECRET: Final = regex(r"key|token|secret|password|credential", re.IGNORECASE)
_SERVICE_KEY: Final = regex(
    r"\$\{?(?:env:)?((?:ANTHROPIC|CLAUDE|OPENAI|AWS|GITHUB|GITLAB|GOOGLE|GEMINI|AZURE|NPM|PYPI|STRIPE|GH"
    r"|HF|HUGGINGFACE|CLOUDFLARE)_\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)\w{0,20})"
)
_NONE: Final[frozenset[str]] = frozenset()
_MAX_SERVERS: Final = 200


def read_servers(scene: Scene, value: Any) -> Iterator[Grant]:
    """Every server that a configuration declares."""
    count = 0
    for path, one in walk(value):
        if not path or path[-1].lower() not in _KEYS or not isinstance(one, dict):
            continue
        for name, server in one.items():
            if isinstance(server, dict) and count < _MAX_SERVERS:
                count += 1
                yield from _server(scene, name, server)


def _server(scene: Scene, name: str, server: dict[str, Any]) -> Iterator[Grant]:
    command = strings(server.get("command"))
    yield from _command(scene, name, [*command, *strings(server.get("args"))])
    for key in ("url", "serverUrl", "httpUrl", "endpoint"):
        for address in strings(server.get(key)):
            rule = judge(address, frozenset())
            away = rule in (UNPROTECTED, THROWAWAY)
            found = "grants/server-unprotected" if away else "grants/server-elsewhere"
            if rule or address.startswith("http"):
                yield Grant(found, *place(scene.text, name, address), address[:80])
            for variable in _given(server.get("headers")):
                if not is_its_own((variable,), address):
                    yield Grant(
                        "grants/server-given-key", *place(scene.text, name, variable), variable
                    )
    for key in ("env", "headers"):
        variables = server.get(key)
        for variable, secret in variables.items() if isinstance(variables, dict) else ():
            if isinstance(secret, str) and _is_secret(scene, variable, secret):
                yield Grant("grants/server-secret", *place(scene.text, name, variable), variable)
    if server.get("trust") is True or "*" in strings(server.get("autoApprove")):
        yield Grant(
            "grants/server-trusted",
            *place(scene.text, name, "tr" if "trust" in server else "autoApprove"),
        )


def _given(headers: Any) -> Iterator[str]:
    """The keys of well-known services among the variables that headers are made of."""
    for value in headers.values() if isinstance(headers, dict) else ():
        if isinstance(value, str):
            yield from (found[1] for found in _SERVICE_KEY.finditer(value[:2_000]))


def _command(scene: Scene, name: str, parts: list[str]) -> Iterator[Grant]:
    if not parts:
        return
    line = " ".join(parts)
    span = place(scene.text, name, parts[0])
    severity = scene.severity_of(line)
    if severity is Severity.DANGER:
        yield Grant("grants/server-hostile", *span, line[:80])
    elif _SHELLS.search(parts[0]) and any(
        part in ("-c", "-Command", "/c", "-lc") for part in parts
    ):
        yield Grant("grants/server-by-shell", *span, line[:80])
    elif _FETCHERS.search(parts[0]):
        yield Grant("grants/server-fetched", *span, line[:80])
        yield from _look_alike(scene, parts, span)
    else:
        yield Grant("grants/server", *span, line[:80])
    if severity is not Severity.DANGER:
        yield from _from_addresses(parts, span)


def _from_addresses(parts: list[str], span: tuple[int, int]) -> Iterator[Grant]:
    """A package that is named by its address; an address that the server talks to is its own."""
    fetched = bool(_FETCHERS.search(parts[0]))
    for number, part in enumerate(parts[1:], 1):
        rule = judge(part.partition("@")[2] if "@http" in part or "@git+" in part else part, _NONE)
        package = parts[number - 1] in ("--from", "--with", "--package", "-p") or not any(
            _PACKAGE.match(before) for before in parts[1:number]
        )
        if rule in (UNPROTECTED, THROWAWAY):
            yield Grant("grants/server-unprotected", *span, part[:80])
        if fetched and package and rule and rule != GIT:
            yield Grant("grants/server-from-address", *span, part[:80])


def _look_alike(scene: Scene, parts: list[str], span: tuple[int, int]) -> Iterator[Grant]:
    del scene
    ecosystem = "pypi" if "uv" in parts[0] or "pip" in parts[0] else "npm"
    for part in parts[1:]:
        found = _PACKAGE.match(part)
        rule, told = look_alike(found[1], ecosystem) if found else ("", "")
        if rule:
            yield Grant(rule, *span, told)


def _is_secret(scene: Scene, name: str, value: str) -> bool:
    plain = len(value) >= 20 and not re.search(r"[${}<>\s]", value.removeprefix("Bearer "))
    named = _SECRET.search(name) or name.lower() == "authorization"
    return bool(plain and named and not_placeholder(value, scene.rules))
