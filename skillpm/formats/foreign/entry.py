"""What every reader of another tool's records gives back, and what the readers share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from skillpm.errors import UsageError
from skillpm.formats import json
from skillpm.model.name import relative_path, show
from skillpm.model.text import safe

Algorithm = Literal["", "git-tree", "npx-folder", "clawhub-fingerprint", "file-lines"]
"""How a hash was made that we can make ourselves; "" for a way that we do not know."""

MAX_ENTRIES: Final = 10_000

_TOLD: Final = 20
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Foreign:
    """What another tool wrote down about one skill; all of it is somebody's word.

    Attributes:
        tool: as people know it.
        source: an address as `formats.address` reads it, a local path as `./…` or absolute; ""
            when the tool knows none.
        path: the folder of the skill inside the source.
        ref: the branch, tag or commit that was followed.
        revision: the commit or version that was taken; "" when it is not recorded.
        hash: over the files, as the tool writes it; "" for none.
        folder: where the skill lies, relative to the place of the record; "" is that place.
        pinned: whether the tool was told to leave it as it is.
    """

    tool: str
    name: str
    source: str = ""
    path: str = ""
    ref: str = ""
    revision: str = ""
    hash: str = ""
    algorithm: Algorithm = ""
    folder: str = ""
    pinned: bool = False

    @property
    def is_commit(self) -> bool:
        """Whether the revision is a commit rather than a version."""
        return bool(_COMMIT.fullmatch(self.revision))


class Reading(NamedTuple):
    """What a record holds.

    Attributes:
        problems: what in it could not be used, one line each.
        readable: whether it could be read at all.
    """

    found: tuple[Foreign, ...] = ()
    problems: tuple[str, ...] = ()
    readable: bool = True


Reader = Callable[[bytes], Reading]


class UnusableError(ValueError):
    """A record, or an entry of it, says nothing that can be used; the message says why."""


def table(data: bytes, limit: int = json.MAX_BYTES) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        UnusableError: it is something else.
    """
    try:
        value = json.load(data, limit=limit)
    except json.JsonError as error:
        raise UnusableError(str(error)) from None
    return _object(value)


def guarded(read: Callable[[bytes], Reading]) -> Reader:
    """A reader that tells what is malformed as a problem instead of raising it."""

    def reader(data: bytes) -> Reading:
        try:
            return read(data)
        except UnusableError as error:
            return Reading((), (f"it cannot be read: {safe(str(error), 300)}",), readable=False)

    return reader


def collect(
    entries: Iterable[tuple[str, Any]], read: Callable[[str, dict[str, Any]], Iterable[Foreign]]
) -> Reading:
    """Read each entry for itself: what is wrong with one is told and hides no other."""
    found: list[Foreign] = []
    problems: list[str] = []
    rest = iter(entries)
    for name, value in islice(rest, MAX_ENTRIES):
        try:
            found += read(name, _object(value))
        except (UnusableError, UsageError) as error:
            problems.append(f"{show(name)}: {safe(str(error), 300)}")
    if next(rest, None) is not None:
        problems.append(f"only the first {MAX_ENTRIES} entries were read")
    if len(problems) > _TOLD:
        problems[_TOLD:] = [f"and {len(problems) - _TOLD} problems more"]
    return Reading(tuple(found), tuple(problems))


def mapping(value: dict[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    """The entries of an object inside an object.

    Raises:
        UnusableError: there is none.
    """
    inner = value.get(key)
    if not isinstance(inner, dict):
        raise UnusableError(f"it has no object {key!a}")
    return iter(inner.items())


def below(*parts: str) -> str:
    """A folder below the place of a record.

    Raises:
        UnusableError: it would lie elsewhere, or it is the place itself.
    """
    try:
        path = relative_path("/".join(part for part in parts if part))
    except UsageError as error:
        raise UnusableError(error.message) from None
    if not path or any(part.startswith("/") for part in parts):
        raise UnusableError(f"{show('/'.join(parts))} is no folder of a skill")
    return path


def skill_folder(path: str) -> str:
    """The folder of a skill, of whose entry document or folder this is the path in a source.

    Raises:
        UsageError: the path climbs out.
    """
    inside = relative_path(path.removeprefix("./"))
    head, _, last = inside.rpartition("/")
    return head if last.lower() == "skill.md" else inside


def local(path: str) -> str:
    """A path as an address that is read as one."""
    looks_local = path.startswith(("/", "./", "../", "~/")) or path in (".", "..")
    return path if looks_local else f"./{path}"


def commit(text: str) -> str:
    """The text when it is a commit, else ""."""
    return text if _COMMIT.fullmatch(text) else ""


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnusableError("it is not an object")
    return value
