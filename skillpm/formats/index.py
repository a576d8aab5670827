"""The indexes of taps.

A tap's index is a JSON object of names, each with a `source` and usually a `description`, at the
top level (`skills_registry.json`) or under `skills` (`tap.json`). One bad entry is skipped and
named; it never hides the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from skillpm.errors import UnreachableError, UsageError
from skillpm.formats import json
from skillpm.formats.address import parse_registry_source
from skillpm.model.address import Git, Source, relative_path
from skillpm.model.listing import Listing
from skillpm.model.name import is_skill_name, name_fault, show, skill_name
from skillpm.model.provenance import Origin, Registry
from skillpm.model.tree import DIGEST_PREFIX

SCHEMA: Final = 1
MAX_ENTRIES: Final = 20_000


@dataclass(frozen=True, slots=True)
class Index:
    """The usable entries of a registry and, in words, what was wrong with the others."""

    listings: tuple[Listing, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TapPlace:
    """Where a tap's index was read: its short name, and its repository when it is one."""

    name: str
    repository: Git | None = None
    near: tuple[str, ...] = ()


def read_tap_index(data: bytes, tap: TapPlace) -> Index:
    """Read a tap's index.

    Raises:
        UnreachableError: the whole is not JSON, or not an object of names.
    """
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"the index of the tap {tap.name} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnreachableError(f"the index of the tap {tap.name} is not an object of names")
    entries = _entries(value)
    if len(entries) > MAX_ENTRIES:
        raise UnreachableError(f"the index of the tap {tap.name} has over {MAX_ENTRIES} entries")
    listings, problems = [], []
    for name, entry in entries.items():
        try:
            listings.append(_tap_listing(name, entry, tap))
        except UsageError as error:
            problems.append(f"{tap.name}: the entry {show(name)} is skipped: {error.message}")
    return Index(tuple(listings), tuple(problems))


def _entries(value: dict[str, Any]) -> dict[str, Any]:
    """The names of an index: those under `skills`, or all keys when nothing wraps them.

    Raises:
        UnreachableError: it is written for a newer program.
    """
    wrapped = value.get("skills")
    if not isinstance(wrapped, dict) or isinstance(wrapped.get("source"), str):
        return value
    schema = value.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise UnreachableError(
            f"the index has the schema {show(str(schema))}, and {SCHEMA} is what we read",
            hint="update skillpm",
        )
    return wrapped


def _tap_listing(name: str, entry: Any, tap: TapPlace) -> Listing:
    if not is_skill_name(name):
        raise UsageError(f"its name is unusable, {name_fault(name)}")
    if not isinstance(entry, dict):
        raise UsageError("it is not an object with a source")
    digest = json.field(entry, "digest")
    return Listing(
        name=skill_name(name),
        source=_source(entry, tap),
        registry=Registry("tap", tap.name),
        origin=Origin.COMMUNITY,
        description=json.field(entry, "description"),
        version=json.field(entry, "version", 64),
        digest=digest if digest.startswith(DIGEST_PREFIX) else "",
        near=tap.near,
        tags=_tags(entry.get("tags")),
    )


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
