"""Who may speak to the server over HTTP: programs of this machine that have the token.

A web page that a browser shows can send requests to this machine too, and by a name of its own that
leads here (DNS rebinding). So the name that was asked for must be this machine's, with our port, a
page that sends must be of ours, and every request bears a token that is compared in constant time.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SHORTEST: Final = 16
"""Characters of a token that is taken."""

_HERE: Final = ("127.0.0.1", "localhost")
_WRONG_HOST: Final = (421, "this is not the address of this server")
_WRONG_ORIGIN: Final = (403, "no page of another site may ask here")
_WRONG_TOKEN: Final = (401, "a token is needed: Authorization: Bearer TOKEN")


class Gate:
    """An ASGI application in front of another.

    Args:
        app: what is behind it.
        port: on which we listen.
        token: what every request must bear.
    """

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app = app
        self._hosts = frozenset(f"{host}:{port}".encode() for host in _HERE)
        self._origins = frozenset(f"http://{host}:{port}".encode() for host in _HERE)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refused = self.refusal(scope["headers"])
            if refused:
                await _answer(send, *refused)
            else:
                await self._app(scope, receive, send)

    def refusal(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[int, str] | None:
        """Why a request with those headers is not answered: status and reason; None when it is."""
        found: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            found.setdefault(name.lower(), []).append(value)
        hosts, origins = found.get(b"host", []), found.get(b"origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _WRONG_HOST
        if any(origin.lower() not in self._origins for origin in origins):
            return _WRONG_ORIGIN
        tokens = found.get(b"authorization", [])
        scheme, _, given = (tokens[0] if len(tokens) == 1 else b"").partition(b" ")
        right = hmac.compare_digest(given.strip(), self._token)
        return None if right and scheme.lower() == b"bearer" else _WRONG_TOKEN


async def _answer(send: Send, status: int, reason: str) -> None:
    body = f"{reason}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status == _WRONG_TOKEN[0]:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
