"""A TCP proxy on loopback that does to a connection what bad networks do."""

from __future__ import annotations

import random
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_CHUNK: Final = 64 * 1024


class EndError(Exception):
    """The connection ends here; `reset` says how."""

    def __init__(self, *, reset: bool = False) -> None:
        super().__init__(reset)
        self.reset = reset


class Direction:
    """The toxics of one direction; they count from the start of each connection and add up.

    Attributes:
        bytes: bytes passed on, over all connections.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> Self:
        """Heal: take every toxic back. Connections that are open feel it too."""
        self._latency = (0.0, 0.0)
        self._end: tuple[int, bool] | None = None
        self._flip: int | None = None
        self._slice: tuple[int, float] | None = None
        self._blackhole = False
        return self

    def latency(self, seconds: float, jitter: float = 0) -> Self:
        """Hold every chunk back for that long, give or take the jitter."""
        self._latency = (seconds, jitter)
        return self

    def cut_after(self, count: int) -> Self:
        """Close both sides in order when that many bytes were passed on."""
        self._end = (count, False)
        return self

    def reset_after(self, count: int) -> Self:
        """Reset both sides when that many bytes were passed on."""
        self._end = (count, True)
        return self

    def flip(self, offset: int) -> Self:
        """Turn one bit (which one, the seed says) of the byte at that offset."""
        self._flip = offset
        return self

    def slice(self, size: int, delay: float = 0) -> Self:
        """Pass bytes on in pieces of at most that size, with a pause after each."""
        self._slice = (size, delay)
        return self

    def blackhole(self) -> Self:
        """Swallow everything and leave the connection open."""
        self._blackhole = True
        return self

    def count(self, size: int) -> None:
        """Add to `bytes`; done before they leave, so that who received them can look."""
        with self._lock:
            self.bytes += size

    def pieces(
        self, chunk: bytes, passed: int, luck: random.Random, pause: Callable[[float], None]
    ) -> Iterator[bytes]:
        """What of a chunk goes on, after every toxic, in which pieces and when.

        Raises:
            EndError: the connection ends here.
        """
        seconds, jitter = self._latency
        pause(seconds + luck.uniform(-jitter, jitter))
        if self._blackhole:
            return
        last = len(chunk) if self._end is None else self._end[0] - passed
        chunk = self._flipped(chunk, passed, luck)[:last]
        size, delay = self._slice or (_CHUNK, 0)
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]
            pause(delay)
        if self._end is not None and passed + len(chunk) >= self._end[0]:
            raise EndError(reset=self._end[1])

    def _flipped(self, chunk: bytes, passed: int, luck: random.Random) -> bytes:
        if self._flip is None or not 0 <= self._flip - passed < len(chunk):
            return chunk
        at = self._flip - passed
        changed = chunk[at] ^ (1 << luck.randrange(8))
        return chunk[:at] + bytes([changed]) + chunk[at + 1 :]


class FaultProxy:
    """Forwards connections to a port of 127.0.0.1; toxics are set on `up` and `down`.

    Args:
        upstream_port: the port of the real server.
        seed: decides jitter and flipped bits.

    Attributes:
        up: what the client sends. down: what the server answers.
        connections: how many were accepted.
    """

    def __init__(self, upstream_port: int, seed: int = 0) -> None:
        self.up = Direction()
        self.down = Direction()
        self.connections = 0
        self._upstream = upstream_port
        self._luck = random.Random(seed)  # noqa: S311 - reproducible on purpose
        self._stopping = threading.Event()
        self._open: list[socket.socket] = []
        self._reset: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    @property
    def url(self) -> str:
        """The address of the proxy, for an upstream that speaks plain HTTP."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Stop, drop every connection and wait for the threads."""
        self._stopping.set()
        with suppress(OSError):  # wake the thread that accepts
            socket.create_connection(("127.0.0.1", self.port)).close()
        self._threads.pop(0).join()
        for end in self._open:
            _shut(end)
        for thread in self._threads:
            thread.join()
        for end in (self._listener, *self._open):
            end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self, work: object, *args: object) -> None:
        assert callable(work)
        thread = threading.Thread(target=work, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            self._open.append(client)
            if self._stopping.is_set():
                return
            self.connections += 1
            try:
                server = socket.create_connection(("127.0.0.1", self._upstream))
            except OSError:
                _shut(client)
                continue
            self._open.append(server)
            self._start(self._pump, client, server, self.up)
            self._start(self._pump, server, client, self.down)

    def _pump(self, source: socket.socket, target: socket.socket, way: Direction) -> None:
        passed = 0
        try:
            while chunk := source.recv(_CHUNK):
                for piece in way.pieces(chunk, passed, self._luck, self._pause):
                    way.count(len(piece))
                    target.sendall(piece)
                passed += len(chunk)
            if source not in self._reset:
                target.shutdown(socket.SHUT_WR)
        except EndError as end:
            if end.reset:
                self._reset.update((source, target))
            for side in (source, target):
                (_reset if end.reset else _shut)(side)
        except OSError:
            for side in (source, target):
                _shut(side)

    def _pause(self, seconds: float) -> None:
        if seconds > 0 and self._stopping.wait(seconds):
            raise EndError


def _reset(side: socket.socket) -> None:
    with suppress(OSError):
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        side.shutdown(socket.SHUT_RD)  # wakes a thread that reads from it and keeps it open
    side.close()


def _shut(side: socket.socket) -> None:
    with suppress(OSError):
        side.shutdown(socket.SHUT_RDWR)
