"""ClawHub: `.clawhub/lock.json` of a working folder, `.clawhub/origin.json` inside a skill.

Older versions call the folder `.clawdhub`. The keys of the lock are a slug, `@owner/slug`, or
`skills-sh:owner/repo/slug` for what the hub only passes on from a repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.formats.foreign.entry import (
    Foreign,
    Reading,
    UnusableError,
    below,
    collect,
    commit,
    guarded,
    mapping,
    skill_folder,
    table,
)
from skillpm.formats.json import field

TOOL: Final = "clawhub"

_HOST: Final = "clawhub.ai"
_FORWARDED: Final = "skills-sh:"
_PAIR: Final = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")
_HEX: Final = re.compile(r"[0-9a-f]{64}")


@guarded
def read_lock(data: bytes) -> Reading:
    """`.clawhub/lock.json`, in a working folder whose skills lie in `skills/`."""
    return collect(mapping(_checked(table(data)), "skills"), _entry)


@guarded
def read_origin(data: bytes) -> Reading:
    """`.clawhub/origin.json`, inside a skill."""
    value = _checked(table(data))
    slug = field(value, "slug")
    if not slug:
        raise UnusableError("it names no skill")
    return collect([(slug, value)], _origin)


def _checked(value: dict[str, Any]) -> dict[str, Any]:
    if value.get("version") != 1:
        raise UnusableError("its version is not 1")
    return value


def _entry(key: str, value: dict[str, Any]) -> Iterator[Foreign]:
    owner, slug = _split(key)
    place = ("skills", slug) if key.startswith(_FORWARDED) else ("skills", key)
    yield _foreign(slug, field(value, "ownerHandle") or owner, value, below(*place))


def _origin(slug: str, value: dict[str, Any]) -> Iterator[Foreign]:
    owner, name = _split(slug)
    yield _foreign(name, field(value, "ownerHandle") or owner, value, "")


def _split(key: str) -> tuple[str, str]:
    """Owner and slug of a key."""
    bare = key.removeprefix(_FORWARDED).removeprefix("@")
    owner, _, slug = bare.rpartition("/")
    return ("" if key.startswith(_FORWARDED) else owner), slug


def _foreign(slug: str, owner: str, value: dict[str, Any], folder: str) -> Foreign:
    version = field(value, "version") if folder else field(value, "installedVersion")
    source = _repository(value)
    path = skill_folder(field(value, "sourcePath")) if source else ""
    if not source and owner:
        source = f"{_hub(field(value, 'registry'))}@{owner.removeprefix('@')}/{slug}"
    found = field(value, "fingerprint")
    digest = found if _HEX.fullmatch(found) else ""
    ref = version if path and commit(version) else ""
    return Foreign(
        TOOL, slug, source, path, ref, version, digest,
        "clawhub-fingerprint" if digest else "", folder, value.get("pinned") is True,
    )  # fmt: skip


def _repository(value: dict[str, Any]) -> str:
    """The repository of what the hub only passes on; "" for what it holds itself."""
    if field(value, "sourceKind") != "skills-sh":
        return ""
    repository = field(value, "sourceRepository")
    return repository if _PAIR.fullmatch(repository) else field(value, "sourceUrl")


def _hub(registry: str) -> str:
    """How the hub is named in front of `@owner/slug`."""
    host = registry.removeprefix("https://").strip("/") or _HOST
    return "clawhub:" if host == _HOST else f"https://{host}/skills/"
