"""Sockets, threads, byte counts and faults of the loopback HTTP server."""

from __future__ import annotations

import io
import math
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from .exchange import Body, Faults, Reply, Request

Take = Callable[[Request], Reply]
_NO_BODY: Final = (204, 304)


class _StopError(Exception):
    """The connection ends here, on purpose."""


class _Reader(io.RawIOBase):
    """A connection's input that counts."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        size = self._connection.recv_into(memoryview(buffer).cast("B"))
        self.count += size
        return size


class _Writer(io.BufferedIOBase):
    """A connection's output that counts for the request it answers, before the bytes leave."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.request: Request | None = None

    def writable(self) -> bool:
        return True

    def write(self, buffer: Any, /) -> int:
        data = bytes(buffer)
        if self.request:
            self.request.sent += len(data)
        self._connection.sendall(data)
        return len(data)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server
    connection: socket.socket

    def setup(self) -> None:
        self.connection = self.request
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._counted = 0
        self._reader = _Reader(self.connection)
        self._writer = _Writer(self.connection)
        self.rfile = io.BufferedReader(self._reader)
        self.wfile = self._writer

    def handle(self) -> None:
        with suppress(OSError, _StopError):
            super().handle()

    def handle_one_request(self) -> None:
        self.close_connection = True
        self._writer.request = None
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            return
        request = Request(self.command, self.path, self.headers, self._body())
        request.received = self._reader.count - self._counted
        self._counted = self._reader.count
        self._writer.request = request
        reply = self.server.take(request)
        try:
            self._send(reply)
        finally:
            getattr(reply.body, "close", lambda: None)()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").casefold() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _send(self, reply: Reply) -> None:
        faults = reply.faults
        self.server.pause(faults.delay)
        if reply.raw is not None:
            self.close_connection = True
            self.wfile.write(reply.raw)
            return
        chunked = self._head(reply)
        if self.command == "HEAD" or reply.status in _NO_BODY:
            return
        for piece in self._pieces(reply.body, faults):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, reply: Reply) -> bool:
        """Send status and headers; the answer is whether the body goes in chunks."""
        claimed = reply.faults.length
        if claimed is None and isinstance(reply.body, bytes):
            claimed = len(reply.body)
        bodiless = reply.status in _NO_BODY
        chunked = claimed is None and not bodiless and self.request_version != "HTTP/1.0"
        self.close_connection |= reply.faults.length is not None
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif claimed is not None and not bodiless:
            self.send_header("Content-Length", str(claimed))
        self.end_headers()
        return chunked

    def _pieces(self, body: Body, faults: Faults) -> Iterator[bytes]:
        left = math.inf if faults.cut_after is None else faults.cut_after
        for piece in self._dripping(body, faults.drip):
            if len(piece) >= left:
                yield piece[: int(left)]
                self._cut(faults)
            left -= len(piece)
            if piece:
                yield piece

    def _dripping(self, body: Body, pause: float) -> Iterator[bytes]:
        for piece in [body] if isinstance(body, bytes) else body:
            if not pause:
                yield piece
                continue
            for byte in piece:
                self.server.pause(pause)
                yield bytes([byte])

    def _cut(self, faults: Faults) -> None:
        if faults.reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        raise _StopError


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Accepts on a free loopback port and gives every request of every connection to `take`."""

    allow_reuse_address = True
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, take: Take, context: ssl.SSLContext | None) -> None:
        self.take = take
        self._context = context
        self._stopping = threading.Event()
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port: int = self.socket.getsockname()[1]
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def pause(self, seconds: float) -> None:
        """Wait, and leave the connection when the server stops meanwhile."""
        if seconds and self._stopping.wait(None if math.isinf(seconds) else seconds):
            raise _StopError

    def close(self) -> None:
        """Stop accepting, drop the connections and wait for their threads."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self.shutdown()
        for connection in tuple(self._connections):
            _drop(connection)
        self.server_close()
        self._thread.join()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        connection: socket.socket = request
        try:
            if self._context:
                connection = self._context.wrap_socket(
                    request, server_side=True, do_handshake_on_connect=False
                )
        except OSError:  # the client is gone already
            self.shutdown_request(request)
            return
        self._connections.add(connection)
        try:
            if self._stopping.is_set():
                _drop(connection)
            super().process_request_thread(connection, client_address)
        finally:
            self._connections.discard(connection)

    def finish_request(self, request: Any, client_address: Any) -> None:
        with suppress(OSError):
            if isinstance(request, ssl.SSLSocket):
                request.do_handshake()
            super().finish_request(request, client_address)


def _drop(connection: socket.socket) -> None:
    # The plain socket's method: SSLSocket.shutdown would pull the TLS state from under its thread.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
