"""One deadline for a whole HTTP answer, its head included.

The client's own timeouts count from one read to the next, so that a server which sends a byte
every few seconds would be waited for without end. Here every read of an answer gets what is
left of the time that its request was given.
"""

from __future__ import annotations

import math
import time
from typing import Any

_LEAST = 0.001


class Backend:
    """Opens connections as the wrapped network backend does, each with a deadline."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def connect_tcp(self, *args: Any, **options: Any) -> Stream:
        """See httpcore's `NetworkBackend`."""
        return Stream(self._inner.connect_tcp(*args, **options))

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

    def start_tls(self, *args: Any, **options: Any) -> Stream:
        """See httpcore's `NetworkStream`."""
        return Stream(self._inner.start_tls(*args, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
