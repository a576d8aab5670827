"""Pointers of Git LFS: a few lines that stand in a repository for a file that lies elsewhere.

Format: <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
"""

from __future__ import annotations

import re
from typing import Final

MAX_POINTER: Final = 1024

_FIRST: Final = re.compile(
    rb"version (https://git-lfs\.github\.com/spec/v\d+|http://git-media\.io/v/\d+"
    rb"|https://hawser\.github\.com/spec/v\d+)\r?\n"
)
_OID: Final = re.compile(rb"^oid [a-z0-9]+:[0-9a-f]{32,128}\r?$", re.MULTILINE)
_SIZE: Final = re.compile(rb"^size \d{1,20}\r?$", re.MULTILINE)


def is_pointer(data: bytes) -> bool:
    """Whether bytes are a pointer and not the file that somebody meant."""
    return bool(
        len(data) < MAX_POINTER and _FIRST.match(data) and _OID.search(data) and _SIZE.search(data)
    )
