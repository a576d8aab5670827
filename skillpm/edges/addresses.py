"""Which addresses anyone on the internet could have named, and which are this network's own."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from typing import Final

from skillpm.errors import RefusedError, UnreachableError
from skillpm.model.text import safe

LOOK_UP: Final = 15.0

_UNICAST: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_SPECIAL: Final = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24")))


def looked_up(host: str, port: int, seconds: float) -> list[str]:
    """Every address of a host, in the system's order.

    The system waits for a silent name server as long as it likes, so it is asked beside us.

    Raises:
        OSError, UnicodeError: the name has no address.
        TimeoutError: nobody said in time.
    """
    found: list[str] = []
    failed: list[Exception] = []

    def ask() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend(str(info[4][0]) for info in infos)
        except (OSError, UnicodeError) as error:
            failed.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(max(seconds, 0))
    if failed:
        raise failed[0]
    if thread.is_alive():
        raise TimeoutError
    return found


def public_address(host: str, port: int, *, proxied: bool = False, seconds: float = LOOK_UP) -> str:
    """One address of a host, when every address it has is public.

    Args:
        host: a name or an address, however it is written.
        port: the port.
        proxied: a proxy will look the name up and connect; a name that this machine does not
            know is then no fault, and the answer "".
        seconds: how long the look-up may take.

    Raises:
        RefusedError: one of them is private, loopback, link-local or reserved.
        UnreachableError: the name has no address.
    """
    with contextlib.suppress(OSError, UnicodeError):
        host = socket.inet_ntoa(socket.inet_aton(host))  # 2130706433, 0x7f.1 and their like
    try:
        found = looked_up(host.strip("[]"), port, min(seconds, LOOK_UP))
    except (OSError, UnicodeError) as error:
        if proxied:
            return ""
        late = isinstance(error, TimeoutError)
        why = "was not found in time" if late else "has no address"
        raise UnreachableError(f"the name {safe(host)} {why}") from None
    addresses = [address.partition("%")[0] for address in found]
    for address in addresses:
        if not is_public(address):
            raise RefusedError(
                f"{safe(host)} is the private address {address}, and a registry named it",
                hint="if you trust it, install it yourself with --source",
            )
    return "" if proxied else addresses[0]


def is_literal_private(host: str) -> bool:
    """Whether a host, without being looked up, is this machine or on this network."""
    with contextlib.suppress(OSError, UnicodeError):
        host = socket.inet_ntoa(socket.inet_aton(host))
    bare = host.strip("[]").rstrip(".").lower()
    try:
        ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return bare == "localhost" or bare.endswith((".localhost", ".local", ".internal"))
    return not is_public(bare.partition("%")[0])


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
