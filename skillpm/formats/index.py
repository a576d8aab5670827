"""The indexes of taps.

A tap's index is a JSON object of names, each with a `source` and usually a `description`, at the
top level (`skills_registry.json`) or under `skills` (`tap.json`). One bad entry is skipped and
named; it never hides the others. Beside `skills` may stand `version`, a whole number that only
grows, `expires`, an RFC 3339 time, and `removed`, names that were taken out with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from skillpm.errors import UnreachableError, UsageError
from skillpm.formats import json
from skillpm.formats.address import parse_registry_source
from skillpm.model.address import Git, Source
from skillpm.model.listing import Listing
from skillpm.model.name import is_skill_name, name_fault, relative_path, show, skill_name
from skillpm.model.pins import MAX_VERSION
from skillpm.model.provenance import Origin, Registry
from skillpm.model.tree import DIGEST_PREFIX

SCHEMA: Final = 1
MAX_ENTRIES: Final = 20_000
GONE: Final = ("removed", "yanked")
"""The keys with which an entry says, instead of a source or beside it, that it was taken out."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")
_REASON: Final = 300


@dataclass(frozen=True, slots=True)
class Index:
    """The usable entries of a registry and, in words, what was wrong with the others.

    Attributes:
        version: the number that its keeper gave it; None when there is none.
        expires: until when it holds, `YYYY-MM-DDTHH:MM:SSZ`; "" for ever.
        retired: name to the reason for which it was taken out; "" when none was given.
    """

    listings: tuple[Listing, ...] = ()
    problems: tuple[str, ...] = ()
    version: int | None = None
    expires: str = ""
    retired: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class TapPlace:
    """Where a tap's index was read: its short name, and its repository when it is one.

    Attributes:
        commit: the commit of that repository.
    """

    name: str
    repository: Git | None = None
    near: tuple[str, ...] = ()
    commit: str = ""


def read_tap_index(data: bytes, tap: TapPlace) -> Index:
    """Read a tap's index.

    Raises:
        UnreachableError: the whole is not JSON, or not an object of names, or what it says of
            itself as a whole makes no sense.
    """
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"the index of the tap {tap.name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnreachableError(f"the index of the tap {tap.name} is not an object of names")
    entries, told = _entries(value)
    gone = _removed(told, tap)
    if len(entries) + len(gone) > MAX_ENTRIES:
        raise UnreachableError(f"the index of the tap {tap.name} has over {MAX_ENTRIES} entries")
    listings, problems = [], []
    for name, entry in entries.items():
        try:
            if _is_retired(name, entry, gone):
                continue
            listings.append(_tap_listing(name, entry, tap))
        except UsageError as error:
            problems.append(f"{tap.name}: the entry {show(name)} is skipped: {error.message}")
    return Index(tuple(listings), tuple(problems), _version(told, tap), _expires(told, tap), gone)


def _is_retired(name: str, entry: Any, gone: dict[str, str]) -> bool:
    """Whether an entry was taken out, by its own words or by the list of those that were."""
    key = next((key for key in GONE if isinstance(entry, dict) and entry.get(key)), "")
    if key and is_skill_name(name):
        gone.setdefault(name, _reason(entry[key]))
    return name in gone


def _removed(told: dict[str, Any], tap: TapPlace) -> dict[str, str]:
    """The names that the index lists as taken out."""
    value = told.get("removed", {})
    if not isinstance(value, dict):
        raise UnreachableError(
            f"`removed` in the index of the tap {tap.name} is no object of names"
        )
    return {name: _reason(reason) for name, reason in value.items() if is_skill_name(name)}


def _reason(value: Any) -> str:
    entry = value if isinstance(value, dict) else {"reason": value}
    return json.field(entry, "reason", _REASON)


def _version(told: dict[str, Any], tap: TapPlace) -> int | None:
    value = told.get("version")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_VERSION:
        raise UnreachableError(
            f"the index of the tap {tap.name} has the version {show(str(value)[:40])}, which is no"
            f" whole number from 0 to {MAX_VERSION}"
        )
    return value


def _expires(told: dict[str, Any], tap: TapPlace) -> str:
    value = told.get("expires")
    if value is None:
        return ""
    text = value if isinstance(value, str) and _TIME.fullmatch(value) else "no time"
    try:
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UnreachableError(
            f"the index of the tap {tap.name} expires at {show(str(value)[:40])}, which is no"
            " RFC 3339 time"
        ) from None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _entries(value: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The names of an index, and what it says beside them.

    The names are those under `skills`, or all keys when nothing wraps them; then nothing stands
    beside them.

    Raises:
        UnreachableError: it is written for a newer program.
    """
    wrapped = value.get("skills")
    if not isinstance(wrapped, dict) or isinstance(wrapped.get("source"), str):
        return value, {}
    schema = value.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise UnreachableError(
            f"the index has the schema {show(str(schema))}, and {SCHEMA} is what we read",
            hint="update skillpm",
        )
    return wrapped, value


def _tap_listing(name: str, entry: Any, tap: TapPlace) -> Listing:
    if not is_skill_name(name):
        raise UsageError(f"its name is unusable, {name_fault(name)}")
    if not isinstance(entry, dict):
        raise UsageError("it is not an object with a source")
    digest = json.field(entry, "digest")
    source = _source(entry, tap)
    return Listing(
        name=skill_name(name),
        source=source,
        registry=Registry("tap", tap.name),
        origin=Origin.COMMUNITY,
        description=json.field(entry, "description"),
        version=json.field(entry, "version", 64),
        digest=digest if digest.startswith(DIGEST_PREFIX) else "",
        near=tap.near,
        tags=_tags(entry.get("tags")),
        commit=tap.commit if _is_own(source, tap) else "",
    )


def _is_own(source: Source, tap: TapPlace) -> bool:
    """Whether a source is a place in the tap's own repository, on the branch it is read from."""
    own = tap.repository
    return own is not None and isinstance(source, Git) and source == own.at(own.ref, source.path)


def _tags(value: Any) -> tuple[str, ...]:
    """Tags as a list of texts or one text with commas; others are left out."""
    parts = value.split(",") if isinstance(value, str) else value
    listed = parts if isinstance(parts, list) else []
    tags = (" ".join(part.split())[:64] for part in listed if isinstance(part, str))
    return tuple(tag for tag in tags if tag)[:32]


def _source(entry: dict[str, Any], tap: TapPlace) -> Source:
    text = entry.get("source")
    if not isinstance(text, str) or not text.strip():
        raise UsageError("it has no source")
    path = entry.get("path")
    if tap.repository and (text == "." or text.startswith("./")):
        return tap.repository.at(tap.repository.ref, relative_path(text.removeprefix(".")))
    source = parse_registry_source(text.strip())
    if isinstance(source, Git) and isinstance(path, str) and path:
        below = relative_path(path)
        if source.tail:
            return replace(source, tail=f"{source.tail}/{below}" if below else source.tail)
        return source.at(source.ref, below)
    return source
