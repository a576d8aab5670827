"""One deadline for a whole HTTP answer, its head included, and for finding an address that answers.

The client's own timeouts count from one read to the next, so that a server which sends a byte
every few seconds would be waited for without end. Here every read of an answer gets what is
left of the time that its request was given.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import Any, Final

from skillpm.edges.addresses import looked_up

CONNECT: Final = 5.0
CONNECT_ALL: Final = 15.0
_LEAST: Final = 0.001


def watch(pool: Any) -> None:
    """Give the connections of an httpcore pool their deadlines."""
    pool._network_backend = Backend(pool._network_backend)  # noqa: SLF001


class Backend:
    """Opens connections as the wrapped network backend does, each with a deadline."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> Stream:
        """See httpcore's `NetworkBackend`; the time is for all addresses, each gets a part of it.

        The look-up of the name is in it.
        """
        import httpcore

        until = time.monotonic() + min(timeout or CONNECT_ALL, CONNECT_ALL)
        failure: Exception | None = None
        for address in _addresses(host, port, until - time.monotonic()):
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                stream = self._inner.connect_tcp(address, port, min(CONNECT, left), **options)
                return Stream(stream)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectTimeout

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Stream:
    """A connection on which the write timeout of a request is the time of its whole answer."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._until = math.inf

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """See httpcore's `NetworkStream`."""
        left = max(self._until - time.monotonic(), _LEAST)
        data: bytes = self._inner.read(max_bytes, min(left, timeout or left))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """See httpcore's `NetworkStream`."""
        self._until = math.inf if timeout is None else time.monotonic() + timeout
        self._inner.write(buffer, timeout)

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> Stream:
        """See httpcore's `NetworkStream`."""
        each = min(timeout or CONNECT, CONNECT)
        return Stream(self._inner.start_tls(ssl_context, server_hostname, each))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _addresses(host: str, port: int, seconds: float) -> list[str]:
    """A name's addresses in the order to try: a dead IPv6 must not use up all the time."""
    import httpcore

    try:
        return in_turns(looked_up(host, port, seconds))
    except TimeoutError as error:
        raise httpcore.ConnectTimeout from error
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"the name has no address ({error})") from error


def in_turns(found: list[str]) -> list[str]:
    """Addresses, each once, IPv6 and IPv4 by turns, beginning with the family of the first."""
    sixes = [address for address in dict.fromkeys(found) if ":" in address]
    fours = [address for address in dict.fromkeys(found) if ":" not in address]
    pair = (sixes, fours) if found and ":" in found[0] else (fours, sixes)
    turns = itertools.zip_longest(*pair)
    return [address for turn in turns for address in turn if address]
