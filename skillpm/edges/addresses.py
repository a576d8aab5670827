"""Which addresses anyone on the internet could have named, and which are this network's own."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from typing import Final

from skillpm.errors import RefusedError, UnreachableError
from skillpm.model.text import safe

_UNICAST: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_SPECIAL: Final = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24")))


def public_address(host: str, port: int, *, proxied: bool = False) -> str:
    """One address of a host, when every address it has is public.

    Args:
        host: a name or an address, however it is written.
        port: the port.
        proxied: a proxy will look the name up and connect; a name that this machine does not
            know is then no fault, and the answer "".

    Raises:
        RefusedError: one of them is private, loopback, link-local or reserved.
        UnreachableError: the name has no address.
    """
    with contextlib.suppress(OSError, UnicodeError):
        host = socket.inet_ntoa(socket.inet_aton(host))  # 2130706433, 0x7f.1 and their like
    try:
        infos = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        if proxied:
            return ""
        raise UnreachableError(f"the name {safe(host)} has no address") from None
    addresses = [str(info[4][0]).partition("%")[0] for info in infos]
    for address in addresses:
        if not is_public(address):
            raise RefusedError(
                f"{safe(host)} is the private address {address}, and a registry named it",
                hint="if you trust it, install it yourself with --source",
            )
    return "" if proxied else addresses[0]


def is_public(address: str) -> bool:
    """Whether an IP address is one that anyone on the internet could have named."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
        return ip in _UNICAST and ip.is_global
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in _SPECIAL)
