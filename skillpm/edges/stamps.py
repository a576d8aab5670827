"""What the system says of files without reading them: enough to see that nobody touched them."""

from __future__ import annotations

import os
from typing import Final

RACY_NS: Final = 2_000_000_000
"""Within so long after a change, another one may leave the times as they are."""


def everything(root: str, name: str) -> str:
    """The paths of an entry of a folder and of all below it, from that folder, a line each.

    Links are not followed. "" when a name holds a line end.
    """
    paths = [name]
    for folder, folders, files in os.walk(f"{root}/{name}"):
        inner = os.path.relpath(folder, root)
        paths += [f"{inner}/{one}" for one in (*folders, *files)]
    return "" if any("\n" in path for path in paths) else "\n".join(paths)


def stamp(root: str, paths: str) -> str:
    """Mode, size, times and inode of each path; "" when one of them is not there."""
    lines = []
    try:
        for path in paths.split("\n"):
            s = os.lstat(f"{root}/{path}")
            lines.append(f"{s.st_mode} {s.st_size} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_ino}")
    except (OSError, ValueError):
        return ""
    return "\n".join(lines)


def is_settled(stamped: str, at: int) -> bool:
    """Whether a later change would show in a stamp that was taken at that time.

    Args:
        stamped: the stamp.
        at: nanoseconds since 1970.
    """
    times = [int(time) for line in stamped.split("\n") for time in line.split(" ")[2:4]]
    return max(times) < at - RACY_NS
