"""A forward proxy on loopback: CONNECT for https, whole addresses for http, with a password."""

from __future__ import annotations

import base64
import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class ForwardProxy:
    """Forwards to loopback whatever the host is called; logs what it was asked.

    Args:
        port: where everything is forwarded to.
        user: `name:password` that it wants; "" for no password.

    Attributes:
        asked: the first line of each request.
        authorizations: the Proxy-Authorization of each request.
    """

    def __init__(self, port: int, user: str = "") -> None:
        self.asked: list[str] = []
        self.authorizations: list[str] = []
        self._target = port
        self._wanted = f"Basic {base64.b64encode(user.encode()).decode()}" if user else ""
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listener.close()
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
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

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                chunk = client.recv(65536)
                if not chunk:
                    return
                head += chunk
            lines = head.decode("latin-1").split("\r\n")
            self.asked.append(lines[0])
            sent = [line[21:] for line in lines if line.lower().startswith("proxy-authorization:")]
            self.authorizations += sent
            if self._wanted and sent != [self._wanted]:
                client.sendall(
                    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
                    b'Proxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n'
                    b"Connection: close\r\n\r\n"
                )
                client.close()
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            self._open.append(server)
            if lines[0].startswith("CONNECT"):
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                method, url, version = lines[0].split(" ")
                path = urlsplit(url)._replace(scheme="", netloc="").geturl() or "/"
                first = f"{method} {path} {version}\r\nConnection: close\r\n"
                kept = [
                    line
                    for line in lines[1:]
                    if not line.lower().startswith(("proxy-", "connection:"))
                ]
                server.sendall((first + "\r\n".join(kept)).encode("latin-1"))
            back = threading.Thread(target=_pump, args=(server, client), daemon=True)
            back.start()
            _pump(client, server)
            back.join(5)


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
