"""`[policy]` of `config.toml` and of a project's `skills.toml`: what may come in at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from skillpm.errors import RefusedError
from skillpm.formats.config import read_toml
from skillpm.model.demands import Demands
from skillpm.model.provenance import Origin
from skillpm.model.text import safe

PROJECT_FILE: Final = "skills.toml"
_KEYS: Final = ("min_origin", "require_reviewed", "min_age", "allowed_hosts")
_SPAN: Final = re.compile(r"([0-9]{1,5})([mhd])")
_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400}
_HOST: Final = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


def read_demands(data: bytes, place: str) -> Demands:
    """The demands in a file's bytes; none when it has no table `[policy]`.

    Args:
        data: the file; empty when there is none.
        place: its path, for messages.

    Raises:
        RefusedError: what is written can't be understood, and so nothing may come in; file, line
            where it can be told, and reason are named.
    """
    try:
        table: Any = read_toml(data).get("policy", {})
    except ValueError as error:
        raise RefusedError(
            f"{safe(place)} is not TOML: {error}", hint="correct it; until then nothing comes in"
        ) from None
    text = data.decode("utf-8", "replace")
    if not isinstance(table, Mapping):
        _fault(text, place, "policy", "is not a table")
    for key in table:
        if key not in _KEYS:
            _fault(text, place, key, f"is not a key of [policy]: {', '.join(_KEYS)}")
    return Demands(
        place,
        _origin(table.get("min_origin", Origin.LOCAL.value), text, place),
        _flag(table.get("require_reviewed", False), text, place),
        _age(table.get("min_age", "0m"), text, place),
        _hosts(table.get("allowed_hosts"), text, place),
    )


def _origin(value: Any, text: str, place: str) -> Origin:
    if not isinstance(value, str) or value not in tuple(Origin):
        _fault(text, place, "min_origin", f"is none of {', '.join(Origin)}")
    return Origin(value)


def _flag(value: Any, text: str, place: str) -> bool:
    if not isinstance(value, bool):
        _fault(text, place, "require_reviewed", "is not true or false")
    return value


def _age(value: Any, text: str, place: str) -> int:
    found = _SPAN.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        _fault(text, place, "min_age", 'is not a length of time such as "7d", "12h" or "30m"')
    return int(found[1]) * _SECONDS[found[2]]


def _hosts(value: Any, text: str, place: str) -> frozenset[str] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        _fault(text, place, "allowed_hosts", "is not a list of host names")
    for one in value:
        if not isinstance(one, str) or not _HOST.fullmatch(one) or ".." in one:
            _fault(
                text, place, "allowed_hosts", f"has {safe(repr(one), 60)}, which is no host name"
            )
    return frozenset(value)


def _fault(text: str, place: str, key: str, reason: str) -> NoReturn:
    lines = enumerate(text.split("\n"), 1)
    line = next((n for n, at in lines if at.lstrip(" \t[\"'").startswith(key)), 0)
    where = f", line {line}" if line else ""
    raise RefusedError(
        f"{safe(place)}{where}: {safe(key, 60)} {reason}",
        hint="correct it; until then nothing comes in",
    )
