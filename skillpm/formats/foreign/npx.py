"""`npx skills`: `skills-lock.json` of a project, and `.skill-lock.json` beside the user's skills.

The project's file has version 1 and a hash over the folder as it was in the source; the user's has
version 3 and git's tree id, or the same kind of hash when the forge did not tell the id. Neither
records a commit. `gh skill` writes into the user's file as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from skillpm.formats.foreign.entry import (
    Algorithm,
    Foreign,
    Reading,
    UnusableError,
    below,
    collect,
    commit,
    guarded,
    local,
    mapping,
    skill_folder,
    table,
)
from skillpm.formats.json import field

TOOL: Final = "npx skills"

_HASHES: Final[dict[int, Algorithm]] = {40: "git-tree", 64: "npx-folder"}
_HEX: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@guarded
def read_project(data: bytes) -> Reading:
    """`skills-lock.json`, at a project's root."""
    value = _checked(table(data), 1)
    read = partial(_entry, home=".agents/skills", key="computedHash")
    return collect(mapping(value, "skills"), read)


@guarded
def read_user(data: bytes) -> Reading:
    """`.skill-lock.json`, in `~/.agents`."""
    value = _checked(table(data), 3)
    read = partial(_entry, home="skills", key="skillFolderHash")
    return collect(mapping(value, "skills"), read)


def _checked(value: dict[str, Any], version: int) -> dict[str, Any]:
    if value.get("version") != version:
        raise UnusableError(f"its version is not {version}")
    return value


def _entry(name: str, value: dict[str, Any], home: str, key: str) -> Iterator[Foreign]:
    found = field(value, key)
    digest = found if _HEX.fullmatch(found) else ""
    source = _source(value)
    ref = field(value, "pinnedRef") or field(value, "ref")
    yield Foreign(
        TOOL,
        name,
        source,
        skill_folder(field(value, "skillPath")) if _is_git(value) else "",
        ref if _is_git(value) else "",
        commit(ref) if _is_git(value) else "",
        digest,
        _HASHES.get(len(digest), ""),
        below(home, name),
        bool(field(value, "pinnedRef")),
    )


def _is_git(value: dict[str, Any]) -> bool:
    return field(value, "sourceType") in ("github", "gitlab", "git")


def _source(value: dict[str, Any]) -> str:
    source, url = field(value, "source"), field(value, "sourceUrl")
    match field(value, "sourceType"):
        case "github":
            return source if re.fullmatch(r"[\w.-]+/[\w.-]+", source) else url or source
        case "gitlab" | "git":
            return _as_git(url or source)
        case "local":
            return local(source) if source else ""
        case "well-known":
            return url or (f"https://{source}" if source and "://" not in source else source)
        case "node_modules":
            return ""
    raise UnusableError("its sourceType is none that we know")


def _as_git(url: str) -> str:
    """A URL that is known to be a repository's, whatever it looks like."""
    return f"git+{url}" if url.startswith(("https://", "http://", "file://")) else url
