"""Profiles: what single agents demand of a skill, as rows of `data/profiles.yaml`."""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from skillpm.errors import UsageError
from skillpm.formats import yaml
from skillpm.formats.document import Document
from skillpm.model.name import is_skill_name
from skillpm.model.problem import Problem
from skillpm.model.text import safe

_TAG: Final = re.compile(r"<[^<>\s][^<>]*>")


@dataclass(frozen=True, slots=True)
class Profile:
    """What one agent demands and knows; the words of `data/profiles.yaml` are its attributes."""

    name: str
    about: str
    source: str
    fields: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    reserved: tuple[str, ...] = ()
    untagged: tuple[str, ...] = ()
    ascii: bool = False
    texts: bool = False
    one_line: bool = False
    flow: bool = False


@cache
def profiles() -> tuple[Profile, ...]:
    """Every profile."""
    place = importlib.resources.files("skillpm") / "data" / "profiles.yaml"
    rows = yaml.load_rows(place.read_text("utf-8"))
    sets = {"fields": frozenset, "lists": frozenset, "reserved": tuple, "untagged": tuple}
    return tuple(
        Profile(**{key: sets[key](value) if key in sets else value for key, value in row.items()})
        for row in rows
    )


def profile(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    found = next((one for one in profiles() if one.name == name), None)
    if found is None:
        names = ", ".join(one.name for one in profiles())
        raise UsageError(f"there is no profile {safe(name, 64)!r}", hint=f"one of: {names}")
    return found


def demanded(document: Document, wanted: Profile) -> Iterator[Problem]:
    """What the skill lacks for that agent."""
    yield from _name(document, wanted)
    yield from _tags(document, wanted)
    if wanted.texts:
        yield from _texts(document, wanted)
    if wanted.one_line:
        yield from _lines(document, wanted)


def _problem(wanted: Profile, rule: str, message: str, at: tuple[int, int], fix: str) -> Problem:
    told = f"{wanted.about}: {message}"
    return Problem("error", f"{wanted.name}_{rule}", told, *at, fix)


def _name(document: Document, wanted: Profile) -> Iterator[Problem]:
    at = document.place_of("name")
    for word in wanted.reserved:
        if word in document.name.lower():
            message = f"the name has the reserved word '{word}' in it"
            yield _problem(wanted, "reserved", message, at, "choose a name without it")
    if wanted.ascii and document.name and not is_skill_name(document.name):
        message = "the name has more in it than a-z, 0-9 and single hyphens"
        yield _problem(wanted, "name", message, at, "rename the skill and its folder")


def _tags(document: Document, wanted: Profile) -> Iterator[Problem]:
    for key in wanted.untagged:
        found = _TAG.search(document.header.raw.get(key, ""))
        if found:
            message = f"the {key} has a tag in it, {safe(found[0], 40)}"
            yield _problem(wanted, "tag", message, document.place_of(key), "write it without <>")


def _texts(document: Document, wanted: Profile) -> Iterator[Problem]:
    metadata = document.header.values.get("metadata")
    for key, value in metadata.items() if isinstance(metadata, dict) else ():
        if not isinstance(value, str):
            at = document.place_of("metadata", key)
            message = f"metadata.{safe(key, 60)} is not text"
            yield _problem(wanted, "metadata", message, at, "put the value in quotes")


def _lines(document: Document, wanted: Profile) -> Iterator[Problem]:
    for path, spot in document.header.spots.items():
        if len(path) == 1 and (spot.end[0] - (spot.end[1] == 1) > spot.line):
            message = f"{safe(str(path[0]), 60)} goes over several lines"
            at = (spot.line + 1, spot.column)
            fix = 'write it on one line; a mapping as {"key": "value"}'
            yield _problem(wanted, "lines", message, at, fix)
