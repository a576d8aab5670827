"""The one door for HTTP: bytes under caps, a redirect loop of our own, three tries.

Bodies are asked for unencoded and are whole or an error: what was cut off is asked for again
from its start, never spliced. Each hop of a redirect is checked again: never from https to
http, never to another scheme, at most five. For what a registry named, only public addresses
are connected to, and the address that was checked is the one that is used. A credential goes to
the origin it belongs to when that says no without one, and never through a redirect.
"""

from __future__ import annotations

import collections
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from skillpm.edges import answering, certificates, deadline, retry
from skillpm.edges.addresses import public_address
from skillpm.edges.credentials import Credential
from skillpm.edges.httpcache import HttpCache, Kept
from skillpm.edges.network import Network, Progress, check_usable, host_of
from skillpm.edges.retry import BrokenError
from skillpm.errors import NotFoundError, RefusedError, UnreachableError
from skillpm.model.policy import Policy, origin
from skillpm.model.text import safe

if TYPE_CHECKING:
    import httpx

MAX_HOPS: Final = 5
READ: Final = 20.0
USER_AGENT: Final = "skillpm"

_MOVED: Final = (301, 302, 303, 307, 308)
_PAST_CACHES: Final = ContextVar("past_caches", default=False)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost, and what may come of it.

    Attributes:
        size: bytes of the body.
        seconds: the whole, from the first connect to the last byte, all tries and pauses in it.
        accept: statuses besides 200 that are an answer and no error.
        cache: keep the body and ask conditionally the next time; for indexes.
    """

    size: int
    seconds: float = 60.0
    accept: tuple[int, ...] = ()
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer with status 200, or with one of those that were accepted."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    status: int = 200

    @property
    def is_html(self) -> bool:
        """Whether the server says that this is a web page."""
        return self.headers.get("content-type", "").lower().startswith("text/html")


@dataclass(slots=True)
class _Run:
    """One `get`: what it may cost, and what is left of that."""

    policy: Policy
    limits: Limits
    headers: Mapping[str, str]
    until: float
    tries: int = field(default=retry.TRIES)

    @property
    def left(self) -> float:
        return self.until - time.monotonic()


class Http:
    """GET requests over one pool of connections.

    Args:
        network: mirrors, proxies, certificates, credentials, and whether there is a network.
        progress: told about bytes as they arrive.
        cache: folder for bodies that may be asked for conditionally; None keeps none.
    """

    def __init__(
        self,
        network: Network | None = None,
        progress: Progress = lambda _what, _done, _total: None,
        cache: Path | None = None,
    ) -> None:
        self._network = network or Network()
        self._progress = progress
        self._cache = HttpCache(cache)
        self._lock = threading.Lock()
        self._clients: dict[str, httpx.Client] = {}

    def get(
        self,
        url: str,
        policy: Policy,
        limits: Limits,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Fetch a URL, following redirects.

        Raises:
            NotFoundError: 404 or 410, or private and we have no access.
            RefusedError: a redirect or an address that policy forbids.
            UnreachableError: everything else that is not a complete 200 answer in time.
        """
        run = _Run(policy, limits, headers or {}, time.monotonic() + limits.seconds)
        current = url
        for _ in range(MAX_HOPS + 1):
            answer = self._hop(current, run)
            if answer.status not in _MOVED:
                return answer
            target = _checked_redirect(current, answer.headers.get("location", ""))
            if origin(target) != origin(current):
                run.headers = {}  # they were meant for the first address
            current = target
        raise UnreachableError(f"{safe(url)} redirects more than {MAX_HOPS} times")

    @contextmanager
    def past_caches(self) -> Iterator[None]:
        """Inside, caches on the way are told to ask the server that they stand for."""
        before = _PAST_CACHES.set(True)
        try:
            yield
        finally:
            _PAST_CACHES.reset(before)

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()

    def _hop(self, url: str, run: _Run) -> Response:
        """One address: without a credential first, then once with that of its origin."""
        answer = self._tried(url, run, None)
        if answer.status in (401, 404):
            credential = self._network.credentials.of(self._network.mirrored(url))
            if credential:
                answer = self._tried(url, run, credential)
                if answer.status in (401, 403, 404) and answer.status not in run.limits.accept:
                    raise NotFoundError(
                        f"{safe(url)} was not found, or is private and"
                        f" {credential.name} gives no access to it (HTTP {answer.status})"
                    )
        if answer.status != 200 and answer.status not in (*_MOVED, *run.limits.accept):
            raise answering.status_error(url, answer.status, answer.headers)
        return answer

    def _tried(self, url: str, run: _Run, credential: Credential | None) -> Response:
        """An answer of any status but the passing ones, after at most three tries."""
        attempt = 0
        while True:
            run.tries -= 1
            try:
                return self._conditional(url, run, credential)
            except BrokenError as error:
                wait = retry.pause(attempt, error.wait)
                if run.tries <= 0 or wait > retry.PATIENCE or wait >= run.left:
                    raise
                if error.wait:
                    said = f"{host_of(url)} asks to wait {wait:.0f} s"
                    self._progress(said, 0, 0)
                time.sleep(wait)
                attempt += 1

    def _conditional(self, url: str, run: _Run, credential: Credential | None) -> Response:
        """The kept body when the server says that it still holds, else what it sends."""
        identity = credential.id if credential else ""
        kept = self._cache.get(url, identity) if run.limits.cache else None
        if kept and len(kept.body) <= run.limits.size:
            answer = self._request(url, run, credential, kept)
            if answer.status == 304 and kept.confirmed_by(dict(answer.headers)):
                return Response(url, kept.headers, kept.body)
            if answer.status == 304:
                answer = self._request(url, run, credential, None)
        else:
            answer = self._request(url, run, credential, None)
        if answer.status == 200 and run.limits.cache:
            self._cache.put(url, identity, dict(answer.headers), answer.body)
        return answer

    def _request(
        self, url: str, run: _Run, credential: Credential | None, kept: Kept | None
    ) -> Response:
        """One request and its whole answer.

        Raises:
            BrokenError: it may be worth another try.
        """
        target, extensions, host = self._target(url, run)
        sent = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **run.headers}
        sent |= {"Host": host} if host else {}
        sent |= {"Cache-Control": "no-cache"} if _PAST_CACHES.get() else {}
        sent |= kept.conditions if kept else {}
        sent |= {"Authorization": credential.basic} if credential else {}
        client = self._open(self._network.proxy(target if not host else url))
        with self._translated(url, run):
            import httpx

            left = max(run.left, 0.001)
            timeout = httpx.Timeout(min(READ, left), connect=left, write=left)
            with client.stream(
                "GET", target, headers=sent, extensions=extensions, timeout=timeout
            ) as answer:
                reading = answering.Reading(url, run.limits.size, run.until, self._progress)
                headers = answering.checked_headers(url, answer.headers.multi_items())
                wanted = answer.status_code == 200 or answer.status_code in run.limits.accept
                body = reading.body(answer.iter_raw(), headers) if wanted else b""
                status = answer.status_code
                if not wanted and answering.is_short(headers):
                    with suppress(httpx.TransportError):  # read to its end, the connection stays
                        collections.deque(answer.iter_raw(), maxlen=0)
        wait = retry.asked_wait(status, headers)
        passing = retry.is_passing(status) or wait is not None
        if passing and status not in run.limits.accept:
            error = answering.status_error(url, status, headers)
            raise BrokenError(error.message, hint=error.hint, wait=wait)
        return Response(url, headers, body, status)

    @contextmanager
    def _translated(self, url: str, run: _Run) -> Iterator[None]:
        import httpx

        where = host_of(url)
        try:
            yield
        except httpx.TimeoutException:
            raise UnreachableError(f"{where} did not answer in time") from None
        except httpx.ProxyError as error:
            raise UnreachableError(f"{where}: the proxy refuses: {_reason(error)}") from None
        except httpx.TransportError as error:
            cause = answering.certificate_fault(error)
            if cause:
                raise UnreachableError(f"{where}: {cause}", hint=answering.TLS_HINT) from error
            if run.left <= 0:
                raise UnreachableError(f"{where} did not answer in time") from None
            cut = any(word in str(error) for word in ("closed connection", "disconnected"))
            nonsense = isinstance(error, httpx.ProtocolError) and not cut
            kind = UnreachableError if nonsense else BrokenError
            raise kind(f"{where}: {_reason(error)}") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise UnreachableError(f"{where}: {_reason(error)}") from error
        except UnicodeError:
            raise UnreachableError(f"{safe(url)} is no usable URL") from None

    def _target(self, url: str, run: _Run) -> tuple[str, dict[str, str], str]:
        """The URL to connect to, extensions, and the Host header when the URL has an address."""
        mirrored = self._network.mirrored(url)
        check_usable(mirrored)
        self._network.check_online(mirrored)
        if mirrored != url or run.policy.allows_private(url):
            return mirrored, {}, ""
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise RefusedError(
                f"{safe(url)} is not encrypted, and it was not you who typed it",
                hint=f"if you trust it: skill install {safe(url)}",
            )
        host = parts.hostname or ""
        proxied = bool(self._network.proxy(url))
        address = public_address(host, parts.port or 443, proxied=proxied, seconds=run.left)
        if not address:
            return url, {}, ""
        literal = f"[{address}]" if ":" in address else address
        port = f":{parts.port}" if parts.port else ""
        return parts._replace(netloc=literal + port).geturl(), {"sni_hostname": host}, host + port

    def _open(self, proxy: str) -> httpx.Client:
        """The client that goes through a proxy, or ("") directly."""
        with self._lock:
            if proxy not in self._clients:
                self._clients[proxy] = self._made(proxy)
            return self._clients[proxy]

    def _made(self, proxy: str) -> httpx.Client:
        from http.cookiejar import CookieJar, DefaultCookiePolicy

        import httpx

        client = httpx.Client(
            verify=certificates.context(self._network.env),
            proxy=proxy or None,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )
        for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001
            if isinstance(transport, httpx.HTTPTransport):
                deadline.watch(transport._pool)  # noqa: SLF001 - there is no other way in
        return client


def _checked_redirect(current: str, location: str) -> str:
    where = host_of(current)
    try:
        target = urljoin(current, location)
        parts = urlsplit(target)
        _ = parts.port
    except ValueError:
        raise RefusedError(f"{where} redirects to {safe(location)}") from None
    if not location or parts.scheme not in ("https", "http") or "@" in parts.netloc:
        raise RefusedError(f"{where} redirects to {safe(location) or 'nowhere'}")
    if parts.scheme == "http" and urlsplit(current).scheme == "https":
        raise RefusedError(f"{where} redirects to an unencrypted address: {safe(target)}")
    return target


def _reason(error: Exception) -> str:
    return safe(str(error) or type(error).__name__, 200)
