"""Claude plugins: where `marketplace.json` and `plugin.json` say that skills lie.

A marketplace lists plugins, each with a `source` inside the same repository (`./plugins/x`, or
`.`) and perhaps `skills`; a plugin's own manifest stands in its folder, and its skills lie in
`skills/` below it unless `skills` says otherwise. Sources outside the repository are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from skillpm.errors import UsageError
from skillpm.formats import json
from skillpm.model.address import relative_path

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
    return tuple(found)[:MAX_PATHS]


def _of_market(value: dict[str, Any], base: str) -> Iterator[str]:
    root = json.field(_dict(value.get("metadata")), "pluginRoot")
    plugins = value.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else ():
        source = _dict(plugin).get("source")
        if isinstance(source, str) and "://" not in source:
            yield from _of_plugin(_dict(plugin), _joined(_joined(base, root), source))


def _of_plugin(value: dict[str, Any], base: str) -> Iterator[str]:
    yield _joined(base, "skills")
    listed = value.get("skills")
    for item in listed if isinstance(listed, list) else [listed]:
        if isinstance(item, str) and _joined(base, item):
            yield _joined(base, item)


def _joined(base: str, path: str) -> str:
    """A path below a base; "" when there is none or it climbs out."""
    try:
        below = relative_path(path.removeprefix("./"))
    except UsageError:
        return ""
    return str(PurePosixPath(base) / below).removeprefix("./")


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
