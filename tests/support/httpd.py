"""The threaded loopback HTTP/1.1 server under the git, web and hub servers of the kit."""

from __future__ import annotations

import ssl
from dataclasses import replace
from types import TracebackType
from typing import Self

from .exchange import Faults, Hook, Reply, Request, matches
from .wire import Server


class LoopbackServer:
    """A server on a free port of 127.0.0.1; it runs until `close` or the end of a `with`.

    Subclasses answer in `answer`. An exception in `answer` or in a hook answers 500 and is
    raised by `close`, so that no test passes over it.

    Args:
        context: a server's TLS context; None serves plain HTTP.

    Attributes:
        requests: every request, in the order of arrival.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.requests: list[Request] = []
        self._hooks: list[Hook] = []
        self._failures: list[Exception] = []
        self._scheme = "https" if context else "http"
        self._server = Server(self._take, context)
        self.port = self._server.port

    @property
    def url(self) -> str:
        """The address of the server, without a slash at its end."""
        return self.url_at("127.0.0.1")

    @property
    def sent(self) -> int:
        """Bytes sent to clients so far."""
        return sum(request.sent for request in self.requests)

    @property
    def received(self) -> int:
        """Bytes received from clients so far."""
        return sum(request.received for request in self.requests)

    def url_at(self, host: str) -> str:
        """The address of the server by another name of loopback, such as `localhost`."""
        return f"{self._scheme}://{host}:{self.port}"

    def paths(self) -> list[str]:
        """Method and path of every request so far, for short assertions."""
        return [f"{request.method} {request.path}" for request in self.requests]

    def forget(self) -> None:
        """Empty the request log, and with it the byte counts."""
        self.requests.clear()

    def on_request(self, hook: Hook) -> None:
        """Let a hook see every request first; the hook added last comes first."""
        self._hooks.insert(0, hook)

    def fault(self, path: str, faults: Faults) -> None:
        """Let the answers for a path go wrong; a path ending in `*` stands for all below it."""
        self.on_request(lambda request: faults if matches(path, request) else None)

    def require_basic(self, user: str, password: str, path: str = "/*") -> None:
        """Answer 401 below a path to whoever does not send that user and password."""

        def check(request: Request) -> Reply | None:
            if not matches(path, request) or request.basic == (user, password):
                return None
            return Reply(401, b"authorization required", {"WWW-Authenticate": 'Basic realm="test"'})

        self.on_request(check)

    def wait(self, seconds: float) -> None:
        """Wait inside a handler, for not longer than the server runs."""
        self._server.pause(seconds)

    def answer(self, request: Request) -> Reply:
        """The answer when no hook gave one."""
        return Reply.text(f"nothing at {request.path}\n", 404)

    def close(self) -> None:
        """Stop, drop every connection, wait for the threads, and raise what failed in a handler.

        Raises:
            AssertionError: a handler or a hook raised; its exception is the cause.
        """
        self._server.close()
        if self._failures:
            failure = self._failures[0]
            self._failures.clear()
            raise AssertionError(f"a handler of the server failed: {failure!r}") from failure

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _take(self, request: Request) -> Reply:
        self.requests.append(request)
        try:
            reply = self._decide(request)
        except Exception as failure:  # noqa: BLE001 - kept, and raised by close()
            self._failures.append(failure)
            reply = Reply.text(f"{failure!r}\n", 500)
        request.status = reply.status
        return reply

    def _decide(self, request: Request) -> Reply:
        faults = None
        for hook in tuple(self._hooks):
            found = hook(request)
            if isinstance(found, Reply):
                return found if faults is None else replace(found, faults=faults)
            faults = faults or found
        reply = self.answer(request)
        return reply if faults is None else replace(reply, faults=faults)
