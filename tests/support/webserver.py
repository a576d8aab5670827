"""A small web server with scripted routes."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping

from .exchange import Body, Reply, Request, matches
from .httpd import LoopbackServer

Handler = Callable[[Request], Reply]


class WebServer(LoopbackServer):
    """Answers what the test scripted and 404 to everything else.

    A path may carry a query, which then has to match too, or end in `*` for all below it. The
    route added last wins. Faults are put on a path with `fault`.

    Args:
        context: a server's TLS context; None serves plain HTTP.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._routes: dict[str, Handler] = {}
        super().__init__(context)

    def on(self, path: str, handler: Handler) -> str:
        """Let a closure answer a path; returns the path's address."""
        self._routes = {path: handler} | {k: v for k, v in self._routes.items() if k != path}
        return self.url + path

    def serve(
        self,
        path: str,
        body: Body | str,
        content_type: str = "application/octet-stream",
        *,
        headers: Mapping[str, str] | None = None,
        status: int = 200,
    ) -> str:
        """Serve a body at a path; returns the path's address.

        Args:
            path: where.
            body: bytes, text, or an iterable of chunks (`exchange.endless()` never ends).
            content_type: the Content-Type.
            headers: further headers.
            status: the status.
        """
        data = body.encode() if isinstance(body, str) else body
        reply = Reply(status, data, {"Content-Type": content_type, **(headers or {})})
        return self.on(path, lambda _: reply)

    def redirect(self, path: str, to: str, status: int = 302) -> str:
        """Redirect a path to a path or an address; returns the path's address."""
        reply = Reply.redirect(to, status)
        return self.on(path, lambda _: reply)

    def answer(self, request: Request) -> Reply:
        """What the test scripted for the request."""
        return self._replacement(request) or super().answer(request)

    def _replacement(self, request: Request) -> Reply | None:
        found = next((h for path, h in self._routes.items() if matches(path, request)), None)
        return found(request) if found else None
