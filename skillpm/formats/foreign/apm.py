"""apm: `apm.lock.yaml` at a project's root.

A dependency is a repository, or a folder of one, and may put several skills into several agents'
folders; each folder that holds a `SKILL.md` of its is one skill. Hashes are per file: of texts
with `\\n` line ends, of anything else as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.formats import yaml
from skillpm.formats.foreign.entry import (
    Foreign,
    Reading,
    UnusableError,
    below,
    collect,
    commit,
    guarded,
    local,
    skill_folder,
)
from skillpm.formats.json import field

TOOL: Final = "apm"

MAX_BYTES: Final = 512 * 1024

_BLOCK: Final = re.compile(r"^dependencies:.*\n?(?:[ #-].*\n?|\n)*", re.MULTILINE)
_MERGE: Final = re.compile(r"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_HEX: Final = re.compile(r"[0-9a-f]{64}")


@guarded
def read_lock(data: bytes) -> Reading:
    """`apm.lock.yaml`, at a project's root."""
    try:
        text = _dependencies(data.decode("utf-8-sig").replace("\r\n", "\n"))
        values = yaml.load_mapping(text, limit=MAX_BYTES).values
    except UnicodeDecodeError:
        raise UnusableError("it is not UTF-8") from None
    except yaml.YamlError as error:
        raise UnusableError(str(error)) from None
    listed = values.get("dependencies")
    if not isinstance(listed, list):
        raise UnusableError("it has no list of dependencies")
    return collect(((_name(item), item) for item in listed), _entries)


def _dependencies(text: str) -> str:
    """The one key that matters; the rest of the file is often much longer."""
    if _MERGE.search(text):
        raise UnusableError("a merge was not finished")
    found = _BLOCK.search(text)
    return found[0] if found else ""


def _name(item: Any) -> str:
    named = field(item, "virtual_path") or field(item, "repo_url") if isinstance(item, dict) else ""
    return named or "a dependency"


def _entries(_name: str, value: dict[str, Any]) -> Iterator[Foreign]:
    source = _source(value)
    revision = commit(field(value, "resolved_commit"))
    base = skill_folder(field(value, "virtual_path"))
    hashes = _hashes(value)
    for folder in _folders(value):
        name = folder.rpartition("/")[2]
        path = base if base.rpartition("/")[2] == name else ""
        lines = _lines(hashes, folder)
        yield Foreign(
            TOOL, name, source, path, field(value, "resolved_ref"), revision,
            lines, "file-lines" if lines else "", folder,
        )  # fmt: skip


def _source(value: dict[str, Any]) -> str:
    if field(value, "source") == "local":
        place = field(value, "local_path")
        return local(place) if place else ""
    url = field(value, "repo_url")
    if not url:
        raise UnusableError("it names no repository")
    if "://" in url or url.startswith("git@"):
        return f"git+{url}" if url.startswith("https://") else url
    host = field(value, "host") or "github.com"
    port = value.get("port")
    where = f"{host}:{port}" if isinstance(port, int) and port else host
    return f"git+https://{where}/{url.removeprefix(f'{host}/')}"


def _folders(value: dict[str, Any]) -> list[str]:
    """The folders that this dependency's skills were put into, in the order they are named."""
    listed = value.get("deployed_files")
    paths = [path for path in listed if isinstance(path, str)] if isinstance(listed, list) else []
    entries = [path for path in paths if path.endswith("/SKILL.md")]
    named = [path.removesuffix("/SKILL.md") for path in entries]
    whole = [path for path in paths if re.search(r"(?:^|/)skills/[^/]+/?$", path)]
    return list(dict.fromkeys(below(path) for path in (*named, *whole)))


def _hashes(value: dict[str, Any]) -> dict[str, str]:
    found = value.get("deployed_file_hashes")
    pairs = found.items() if isinstance(found, dict) else ()
    texts = {path: str(text).removeprefix("sha256:") for path, text in pairs}
    return {path: text for path, text in texts.items() if _HEX.fullmatch(text)}


def _lines(hashes: dict[str, str], folder: str) -> str:
    """`path:sha256` for each file of a skill, the path inside it."""
    start = f"{folder}/"
    inside = {p.removeprefix(start): h for p, h in hashes.items() if p.startswith(start)}
    return "\n".join(f"{path}:{digest}" for path, digest in sorted(inside.items()))
