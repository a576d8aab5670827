"""Claude plugins: where `marketplace.json` and `plugin.json` say that skills lie.

A marketplace lists plugins, each with a `source` inside the same repository (`./plugins/x`, or
`.`) and perhaps `skills`; a plugin's own manifest stands in its folder, and its skills lie in
`skills/` below it unless `skills` says otherwise. Sources outside the repository are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, Final

from skillpm.errors import UsageError
from skillpm.formats import json
from skillpm.model.name import relative_path

FOLDER: Final = ".claude-plugin"
MANIFESTS: Final = ("marketplace.json", "plugin.json")
MAX_PATHS: Final = 2_000


def is_manifest(path: str) -> bool:
    """Whether a path inside a repository is that of a plugin's or marketplace's manifest."""
    return path.endswith(tuple(f"{FOLDER}/{name}" for name in MANIFESTS))


def declared_folders(path: str, data: bytes) -> tuple[str, ...]:
    """The folders that a manifest declares: of skills, or of one skill each.

    What is unusable in it is left out: a manifest only ever adds to what is found by looking.
    """
    try:
        value = json.load(data)
    except json.JsonError:
        return ()
    if not isinstance(value, dict):
        return ()
    base = str(PurePosixPath(path).parent.parent)
    found = _of_plugin(value, base) if path.endswith(MANIFESTS[1]) else _of_market(value, base)
    return tuple(islice(found, MAX_PATHS))


def _of_market(value: dict[str, Any], base: str) -> Iterator[str]:
    root = _joined(base, json.field(_dict(value.get("metadata")), "pluginRoot"))
    plugins = value.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else ():
        source = _dict(plugin).get("source")
        place = _joined(root, source) if isinstance(source, str) and "://" not in source else None
        if place is not None:
            yield from _of_plugin(_dict(plugin), place)


def _of_plugin(value: dict[str, Any], base: str) -> Iterator[str]:
    listed = value.get("skills")
    for item in ("skills", *(listed if isinstance(listed, list) else [listed])):
        folder = _joined(base, item) if isinstance(item, str) else None
        if folder is not None:
            yield folder


def _joined(base: str | None, path: str) -> str | None:
    """A path below a base; None when it climbs out, or when there is no base."""
    if base is None:
        return None
    try:
        below = relative_path(path.removeprefix("./"))
    except UsageError:
        return None
    return str(PurePosixPath(base) / below).removeprefix("./")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
