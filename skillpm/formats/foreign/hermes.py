"""hermes: `.hub/lock.json` in its folder of skills, which lie in folders by category.

Its hash is a part of a SHA-256 over we don't know what; it is kept and never compared.
"""

from __future__ import annotations

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
    table,
)
from skillpm.formats.json import field

TOOL: Final = "hermes"


@guarded
def read_lock(data: bytes) -> Reading:
    """`.hub/lock.json`, in `~/.hermes/skills`."""
    value = table(data)
    if value.get("version") != 1:
        raise UnusableError("its version is not 1")
    return collect(mapping(value, "installed"), _entry)


def _entry(name: str, value: dict[str, Any]) -> Iterator[Foreign]:
    source, path = _source(field(value, "source"), field(value, "identifier"))
    metadata = value.get("metadata")
    revision = field(metadata, "source_revision") if isinstance(metadata, dict) else ""
    folder = below(field(value, "install_path") or name)
    digest = field(value, "content_hash")
    yield Foreign(TOOL, name, source, path, "", commit(revision), digest, "", folder)


def _source(kind: str, identifier: str) -> tuple[str, str]:
    """The address and the path inside it; ("", "") for a registry that we can't ask."""
    match kind, identifier.split("/"):
        case "github", (owner, repo, *path):
            return f"{owner}/{repo}", "/".join(path)
        case "skills.sh", ("skills-sh", owner, repo, *_):
            return f"{owner}/{repo}", ""
        case "clawhub", ("clawhub", owner, slug):
            return f"clawhub:@{owner.removeprefix('@')}/{slug}", ""
        case "url", _:
            return identifier, ""
        case "well-known", _:
            return identifier.removeprefix("well-known:"), ""
    return "", ""
