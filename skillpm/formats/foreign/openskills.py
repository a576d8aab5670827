"""openskills: `.openskills.json` inside a skill. It records neither a commit nor a hash."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from skillpm.formats.foreign.entry import (
    Foreign,
    Reading,
    UnusableError,
    collect,
    guarded,
    local,
    skill_folder,
    table,
)
from skillpm.formats.json import field

TOOL: Final = "openskills"


@guarded
def read_metadata(data: bytes) -> Reading:
    """`.openskills.json`, inside a skill."""
    return collect([("this skill", table(data))], _entry)


def _entry(_name: str, value: dict[str, Any]) -> Iterator[Foreign]:
    path = skill_folder(field(value, "subpath"))
    match field(value, "sourceType"):
        case "git" | "github":
            source = field(value, "repoUrl") or field(value, "source")
            yield Foreign(TOOL, path.rpartition("/")[2], _repository(source), path)
        case "local":
            place = field(value, "localPath") or field(value, "source")
            if not place:
                raise UnusableError("it names no place")
            yield Foreign(TOOL, place.rstrip("/").rpartition("/")[2], local(place))
        case _:
            raise UnusableError("its sourceType is none that we know")


def _repository(source: str) -> str:
    if not source:
        raise UnusableError("it names no repository")
    return f"git+{source}" if source.startswith("https://") else source
