"""Who named an address, and what may therefore be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_PORTS: Final = {"https": "443", "http": "80", "ssh": "22"}


@dataclass(frozen=True, slots=True)
class Policy:
    """Who named the address.

    Attributes:
        typed: the user did: private addresses and plain http are theirs to choose.
        near: origins that the user typed to reach the registry which named this address.
    """

    typed: bool
    near: tuple[str, ...] = ()

    def allows_private(self, url: str) -> bool:
        """Whether the URL's host may be an address that is not public."""
        return self.typed or origin(url) in self.near


def origin(url: str) -> str:
    """`scheme://host:port` with the default port filled in; the user and the path are dropped."""
    scheme, _, rest = url.partition("://")
    authority = rest.partition("/")[0].partition("?")[0].partition("#")[0].rpartition("@")[2]
    host, colon, port = authority.rpartition(":")
    if not colon or not port.isdigit():
        host, port = authority, _PORTS.get(scheme.lower(), "0")
    return f"{scheme.lower()}://{host.lower()}:{port}"
