"""The user's `config.toml`: every key has a default and an environment override."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from skillpm.errors import StateError, UsageError
from skillpm.model.retention import FOREVER, Retention, retention

DEFAULT_HUB: Final = "https://hub.pepe-agent.com"
_OFF: Final = ("", "off", "none", "0")


@dataclass(frozen=True, slots=True)
class Config:
    """Settings in force.

    Attributes:
        hub: base URL of the hub that `@handle/name` means; "" when hubs are off. Override:
            `SKILL_HUB` (`off` for none).
        search_seconds: how long a search waits for taps and hubs. Override:
            `SKILL_SEARCH_SECONDS`.
        mirrors: URL prefixes and what replaces them, for HTTP and git alike.
        offline: nothing is looked up and nobody connected to. Override: `SKILL_OFFLINE`.
        tokens: origin (`https://git.corp:8443`) to the name of the environment variable that
            holds its token; a token itself never stands in the file.
        use_gh: whether `gh auth token` may be asked. Override: `SKILL_USE_GH`.
        history: how long `cache prune` leaves what was replaced or removed; forever unless
            somebody says otherwise, as nothing of the user's is lost. Override:
            `SKILL_HISTORY_KEEP`.

    The table `[scan]` is read by `formats.scanpolicy`, when something is scanned.
    """

    hub: str = DEFAULT_HUB
    search_seconds: float = 3.0
    mirrors: Mapping[str, str] = field(default_factory=dict)
    offline: bool = False
    tokens: Mapping[str, str] = field(default_factory=dict)
    use_gh: bool = False
    history: Retention = FOREVER


def read_config(data: bytes, env: Mapping[str, str], path: str) -> Config:
    """Settings from a file's bytes (empty when there is none) and the environment.

    Raises:
        StateError: the file is not TOML, or a value has the wrong type.
        UsageError: an environment override is unusable.
    """
    try:
        table = read_toml(data)
    except ValueError as error:
        raise StateError(
            f"{path} is not TOML: {error}", hint="correct it or move it away"
        ) from None
    hub = _text(_table(table, "hub", path), "url", DEFAULT_HUB, path)
    seconds = _table(table, "search", path).get("seconds", 3.0)
    if not isinstance(seconds, int | float) or not 0 < seconds <= 60:
        raise StateError(f"{path}: search.seconds is not a number of seconds up to 60")
    mirrors = _table(table, "mirrors", path)
    for prefix in mirrors:
        _text(mirrors, prefix, "", path)
    hub = _base(env.get("SKILL_HUB", hub))
    return Config(
        hub,
        _seconds(env.get("SKILL_SEARCH_SECONDS", ""), float(seconds)),
        mirrors,
        _flag(_table(table, "network", path), "offline", env.get("SKILL_OFFLINE", ""), path),
        _tokens(_table(table, "tokens", path), path),
        _flag(_table(table, "github", path), "use_gh", env.get("SKILL_USE_GH", ""), path),
        _kept(_table(table, "history", path), env.get("SKILL_HISTORY_KEEP", ""), path),
    )


def read_toml(data: bytes) -> dict[str, Any]:
    """The top table of a TOML file.

    Raises:
        ValueError: it is not TOML; the message says why, with the line where it can be told.
    """
    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _table(table: Mapping[str, Any], key: str, path: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise StateError(f"{path}: [{key}] is not a table")
    return value


def _text(table: Mapping[str, Any], key: str, default: str, path: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise StateError(f"{path}: {key} is not text")
    return value


def _flag(table: Mapping[str, Any], key: str, override: str, path: str) -> bool:
    """A setting that is on or off; the environment's word counts more than the file's."""
    if override:
        return override.lower() not in (*_OFF, "false", "no")
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise StateError(f"{path}: {key} is not true or false")
    return value


def _kept(table: Mapping[str, Any], override: str, path: str) -> Retention:
    """How long history is kept; a word that is not understood never means less than it says."""
    try:
        if override:
            return retention(override)
    except ValueError as error:
        raise UsageError(f"SKILL_HISTORY_KEEP: {error}") from None
    try:
        return retention(table.get("keep", "forever"))
    except ValueError as error:
        raise StateError(f"{path}: history.keep: {error}") from None


def _tokens(table: Mapping[str, Any], path: str) -> Mapping[str, str]:
    """Origins and variable names; whatever else stands there is not repeated, it may be secret."""
    for origin, name in table.items():
        if not re.fullmatch(r"https?://[^/@\s?#]+/?", origin):
            raise StateError(f"{path}: in [tokens], {origin} is not scheme, host and port alone")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Z_][A-Z0-9_]{0,99}", name):
            raise StateError(
                f"{path}: in [tokens], {origin} does not name an environment variable",
                hint="write the variable's name there, not the token",
            )
    return table


def _base(url: str) -> str:
    if url.lower() in _OFF:
        return ""
    if not re.fullmatch(r"https?://[^/@\s][^@\s]*", url) or not url.isprintable():
        raise UsageError("the hub's address (SKILL_HUB, hub.url) is not an http or https URL")
    return url.rstrip("/")


def _seconds(text: str, default: float) -> float:
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 60:
        raise UsageError("SKILL_SEARCH_SECONDS is not a number of seconds up to 60")
    return seconds
