"""The token of the HTTP server: from the environment, else made once and kept for its owner."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from skillpm.edges import disk, folders
from skillpm.edges.host import Host
from skillpm.errors import StateError, UsageError
from skillpm.mcp.gate import SHORTEST

VARIABLE: Final = "SKILL_MCP_TOKEN"
_NAME: Final = "mcp-token"
_LIMIT: Final = 4_096


def token(host: Host) -> tuple[str, str]:
    """The token, and where whoever needs it finds it.

    Raises:
        UsageError: the variable holds one that is too short or can be in no header.
        StateError: the file cannot be read or written, or holds no token.
    """
    given = host.env.get(VARIABLE, "")
    if given:
        if not _is_usable(given):
            raise UsageError(f"{VARIABLE} needs {SHORTEST} visible ASCII characters or more")
        return given, VARIABLE
    place = host.dirs.config / _NAME
    kept = disk.read_file(place, _LIMIT)
    if kept is None:
        return _made(place), str(place)
    text = kept.decode("ascii", errors="replace").strip()
    if not _is_usable(text):
        raise StateError(f"{place} holds no token", hint="move it away; a new one is made then")
    return text, str(place)


def _made(place: Path) -> str:
    text = secrets.token_urlsafe(32)
    folders.private_folder(place.parent)
    folders.write_atomic(place, f"{text}\n".encode())
    return text


def _is_usable(text: str) -> bool:
    return len(text) >= SHORTEST and text.isascii() and text.isprintable() and " " not in text
