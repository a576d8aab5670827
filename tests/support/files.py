"""Folders as values: write them from a mapping, read them back, compare."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

Snapshot = dict[str, tuple[bytes, int]]
"""Path to content and mode; what `tree_of` returns."""


def build(folder: Path, spec: Mapping[str, bytes | str], executable: Iterable[str] = ()) -> Path:
    """Write files below a folder and return the folder.

    Args:
        folder: made when it does not exist; files already there are replaced.
        spec: path to content; a path that ends in `/` makes an empty folder.
        executable: those of the paths that get mode 0755.
    """
    runnable = set(executable)
    folder.mkdir(parents=True, exist_ok=True)
    for path, data in spec.items():
        place = folder / path
        if path.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data.encode() if isinstance(data, str) else data)
        place.chmod(0o755 if path in runnable else 0o644)
    return folder


def tree_of(folder: Path) -> Snapshot:
    """Everything below a folder, links not followed; {} when the folder does not exist.

    Regular files have their permission bits as mode. A link has its target as content and a
    mode with `stat.S_IFLNK`; an empty folder is a path that ends in `/`; a fifo, socket or
    device has no content and its type in the mode.
    """
    found: Snapshot = {}
    for place, names, files in os.walk(folder):
        here = Path(place)
        links = [name for name in names if (here / name).is_symlink()]
        for name in [*files, *links]:
            found[(here / name).relative_to(folder).as_posix()] = _entry(here / name)
        if not names and not files and here != folder:
            found[here.relative_to(folder).as_posix() + "/"] = (b"", here.stat().st_mode & 0o7777)
    return dict(sorted(found.items()))


def assert_same(before: Snapshot, after: Snapshot) -> None:
    """Assert that two snapshots are equal, naming every path that is not."""
    lines = [
        f"{_change(path, before, after)} {path}"
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    assert not lines, "the folders differ:\n" + "\n".join(lines)


def _entry(place: Path) -> tuple[bytes, int]:
    mode = place.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.fsencode(place.readlink()), mode
    if stat.S_ISREG(mode):
        return place.read_bytes(), stat.S_IMODE(mode)
    return b"", mode


def _change(path: str, before: Snapshot, after: Snapshot) -> str:
    if path not in before:
        return "added"
    if path not in after:
        return "removed"
    if before[path][0] == after[path][0]:
        return f"mode {before[path][1]:o} -> {after[path][1]:o}"
    return "changed"
