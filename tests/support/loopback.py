"""Which network calls leave this machine; decided from Python's audit events.

Stands alone and imports next to nothing: it runs inside every process the tests start.
"""

from __future__ import annotations

from typing import Any, Final

_CONNECTS: Final = ("socket.connect", "socket.sendto", "socket.sendmsg")
_LOOKUPS: Final = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def fault(event: str, arguments: tuple[Any, ...]) -> str:
    """What is wrong with an audited call: it reaches outside loopback; "" when nothing is.

    A look-up of a numeric address asks nobody and is allowed; connecting to it is not.
    """
    if event in _CONNECTS:
        address = arguments[1]
        if isinstance(address, tuple) and not _is_loopback(_word(address[0])):
            return f"{event} to {address!r}, which is not loopback"
    elif event in _LOOKUPS:
        name = _word(arguments[0])
        if not (_is_loopback(name) or _is_numeric(name)):
            return f"{event} of {name!r}, which is not loopback"
    return ""


def _word(name: Any) -> str:
    text = name.decode("latin-1") if isinstance(name, bytes) else str(name or "")
    return text.rstrip(".").lower()


def _is_loopback(name: str) -> bool:
    # "" is the wildcard of a server that listens; connecting to it reaches this machine.
    if name in ("", "localhost", "::1", "::ffff:127.0.0.1") or name.endswith(".localhost"):
        return True
    return name.startswith("127.") and _is_numeric(name)


def _is_numeric(name: str) -> bool:
    parts = name.partition("%")[0].split(".")
    if ":" in name:
        return all(char in "0123456789abcdef:." for char in name.partition("%")[0])
    return len(parts) == 4 and all(part.isdigit() and int(part) < 256 for part in parts)
