"""What a place holds, before anything of it is read: the same for git, archives and folders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NodeKind = Literal["file", "link", "repository", "other"]


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a place.

    Attributes:
        path: relative to the place, `/`-separated; not checked yet.
        kind: a regular file, a link (symbolic or hard), a nested repository, or a device.
        executable: whether the executable bit is set.
        key: how the place finds the bytes again: an object id, a position.
    """

    path: str
    kind: NodeKind
    executable: bool = False
    key: str = ""
