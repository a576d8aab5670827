"""A team's policy: `[scan]` of `config.toml`, or a TOML file of its own."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from skillpm.errors import UsageError
from skillpm.formats.config import read_toml
from skillpm.model.finding import Verdict
from skillpm.model.judgement import NEVER, REFUSALS, SETTINGS, ScanPolicy
from skillpm.model.provenance import Origin
from skillpm.model.text import safe

_KEYS: Final = ("rules", "refuse")


@dataclass(frozen=True, slots=True)
class _Source:
    """The text that is read: where it stands and what rules there are."""

    text: str
    place: str
    known: Collection[str]

    def fault(self, key: str, reason: str) -> UsageError:
        """The error about a key, with its line where that can be told."""
        line = next((n for n, at in enumerate(self.text.split("\n"), 1) if _names(at, key)), 0)
        where = f", line {line}" if line else ""
        return UsageError(f"{safe(self.place)}{where}: {safe(key, 100)} {reason}")


def read_policy(
    data: bytes, place: str, known: Collection[str], *, section: str = ""
) -> ScanPolicy:
    """The policy in a file's bytes.

    Args:
        data: the file; empty when there is none.
        place: its path, for messages.
        known: the ids of all rules.
        section: the table that holds it; "" when the file is the policy.

    Raises:
        UsageError: no TOML, an unknown key, rule, origin or value; key and line are named.
    """
    try:
        table: Any = read_toml(data)
    except ValueError as error:
        raise UsageError(f"{safe(place)} is not TOML: {error}") from None
    source = _Source(data.decode(), place, known)
    if section:
        table = table.get(section, {})
    for key in _mapping(source, section, table):
        if key not in _KEYS:
            raise source.fault(key, f"is not a key of the policy: {', '.join(_KEYS)}")
    rules = _mapping(source, "rules", table.get("rules", {}))
    refuse = _mapping(source, "refuse", table.get("refuse", {}))
    return ScanPolicy(dict(_rules(source, rules)), dict(_refuse(source, refuse)), place)


def _mapping(source: _Source, key: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise source.fault(key, "is not a table")
    return value


def _rules(source: _Source, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    categories = {f"{rule.partition('/')[0]}/*" for rule in source.known}
    for rule, value in table.items():
        if rule not in source.known and rule not in categories:
            meant = close(rule, {*source.known, *categories})
            raise source.fault(rule, f"is no rule{meant}")
        if value not in SETTINGS:
            raise source.fault(rule, f"is not one of {', '.join(SETTINGS)}")
        yield rule, value


def _refuse(source: _Source, table: Mapping[str, Any]) -> Iterator[tuple[Origin, Verdict | None]]:
    for origin, value in table.items():
        if origin not in list(Origin):
            raise source.fault(origin, f"is no origin: {', '.join(Origin)}")
        if value not in REFUSALS:
            raise source.fault(origin, f"is not one of {', '.join(REFUSALS)}")
        yield Origin(origin), None if value == NEVER else Verdict(value)


def close(rule: str, known: Collection[str]) -> str:
    """`; did you mean …?` for an id that is close to known ones, else ""."""
    found = difflib.get_close_matches(rule, sorted(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(found)}?" if found else ""


def _names(line: str, key: str) -> bool:
    """Whether a line of TOML sets or opens the key."""
    quoted = re.escape(key)
    return bool(re.match(rf"""\s*\[?[\w."'-]*?["']?{quoted}["']?\s*[\].=]""", line))
