"""The one door for HTTP: bytes under caps, a redirect loop of our own, no credentials.

Bodies are asked for unencoded. Each hop of a redirect is checked again: never from https to
http, never to another scheme, at most five. For what a registry named, only public addresses
are connected to, and the address that was checked is the one that is used.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from skillpm.edges import deadline
from skillpm.errors import NotFoundError, RefusedError, SkillError, UnreachableError
from skillpm.model.policy import Policy
from skillpm.model.text import safe

if TYPE_CHECKING:
    import httpx

MAX_HOPS: Final = 5
MAX_HEADERS: Final = 64 * 1024
CONNECT: Final = 5.0
READ: Final = 20.0
USER_AGENT: Final = "skillpm"

_UNICAST: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_SPECIAL: Final = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24")))

Progress = Callable[[str, int, int], None]
"""Called with what is fetched, the bytes so far, and the total (0 when unknown)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost.

    Attributes:
        size: bytes of the body.
        seconds: the whole, from the first connect to the last byte.
    """

    size: int
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer with status 200."""

    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_html(self) -> bool:
        """Whether the server says that this is a web page."""
        return self.headers.get("content-type", "").lower().startswith("text/html")


class Http:
    """GET requests over one pool of connections.

    Args:
        mirrors: URL prefix to the prefix that replaces it, from the user's configuration.
        ca_file: a certificate file that replaces the built-in ones; "" for those.
        progress: told about bytes as they arrive.
    """

    def __init__(
        self,
        mirrors: Mapping[str, str] | None = None,
        ca_file: str = "",
        progress: Progress = lambda _what, _done, _total: None,
    ) -> None:
        self._mirrors = dict(mirrors or {})
        self._ca_file = ca_file
        self._progress = progress
        self._client: httpx.Client | None = None

    def get(
        self,
        url: str,
        policy: Policy,
        limits: Limits,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Fetch a URL, following redirects.

        Raises:
            NotFoundError: 404 or 410.
            RefusedError: a redirect or an address that policy forbids.
            UnreachableError: everything else that is not a complete 200 answer in time.
        """
        until = time.monotonic() + limits.seconds
        current = url
        for _ in range(MAX_HOPS + 1):
            response = self._hop(current, policy, limits, headers or {}, until)
            if isinstance(response, Response):
                return response
            current = _checked_redirect(current, response)
        raise UnreachableError(f"{safe(url)} redirects more than {MAX_HOPS} times")

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()

    def _hop(
        self,
        url: str,
        policy: Policy,
        limits: Limits,
        headers: Mapping[str, str],
        until: float,
    ) -> Response | str:
        """One request: the answer, or the address it redirects to."""
        import httpx

        target, extensions, host = self._target(url, policy)
        sent = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
        if host:
            sent["Host"] = host
        left = max(until - time.monotonic(), 0.001)
        timeout = httpx.Timeout(min(READ, left), connect=min(CONNECT, left), write=left)
        try:
            with self._open().stream(
                "GET", target, headers=sent, extensions=extensions, timeout=timeout
            ) as answer:
                return self._answer(url, answer, limits, until)
        except httpx.TimeoutException:
            raise UnreachableError(f"{_host(url)} did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise UnreachableError(
                f"{_host(url)}: {_reason(error)}", hint=_tls_hint(error)
            ) from error
        except UnicodeError:
            raise UnreachableError(f"{safe(url)} is no usable URL") from None

    def _answer(
        self, url: str, answer: httpx.Response, limits: Limits, until: float
    ) -> Response | str:
        if sum(len(k) + len(v) for k, v in answer.headers.raw) > MAX_HEADERS:
            raise UnreachableError(f"{_host(url)} sent too many headers")
        if answer.status_code in (301, 302, 303, 307, 308):
            return str(answer.headers.get("location", ""))
        if answer.status_code != 200:
            raise _status_error(url, answer.status_code, answer.headers)
        if answer.headers.get("content-encoding", "identity") not in ("identity", ""):
            raise UnreachableError(f"{_host(url)} sent an encoded body that was not asked for")
        body = self._body(url, answer, limits, until)
        return Response(url, {k.lower(): v for k, v in answer.headers.items()}, body)

    def _body(self, url: str, answer: httpx.Response, limits: Limits, until: float) -> bytes:
        announced = answer.headers.get("content-length", "")
        total = int(announced) if announced.isascii() and announced.isdigit() else 0
        if total > limits.size:
            raise UnreachableError(f"{safe(url)} is larger than {limits.size // 1024} kB")
        chunks, size = [], 0
        for chunk in answer.iter_raw():
            chunks.append(chunk)
            size += len(chunk)
            self._progress(_host(url), size, total)
            if size > limits.size:
                raise UnreachableError(f"{safe(url)} is larger than {limits.size // 1024} kB")
            if time.monotonic() > until:
                raise UnreachableError(f"{_host(url)} did not finish within {limits.seconds:.0f} s")
        if announced and size != total:
            raise UnreachableError(f"{_host(url)} cut the answer off")
        return b"".join(chunks)

    def _target(self, url: str, policy: Policy) -> tuple[str, dict[str, str], str]:
        """The URL to connect to, extensions, and the Host header when the URL has an address."""
        mirrored = mirror(url, self._mirrors)
        if mirrored != url or policy.allows_private(url):
            return mirrored, {}, ""
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise RefusedError(
                f"{safe(url)} is not encrypted, and it was not you who typed it",
                hint=f"if you trust it: skill install {safe(url)}",
            )
        host = parts.hostname or ""
        address = public_address(host, parts.port or 443)
        literal = f"[{address}]" if ":" in address else address
        port = f":{parts.port}" if parts.port else ""
        return parts._replace(netloc=literal + port).geturl(), {"sni_hostname": host}, host + port

    def _open(self) -> httpx.Client:
        if self._client is None:
            import ssl
            from http.cookiejar import CookieJar, DefaultCookiePolicy

            import httpx

            verify: ssl.SSLContext | bool = True
            if self._ca_file:
                try:
                    verify = ssl.create_default_context(cafile=self._ca_file)
                except (OSError, ssl.SSLError) as error:
                    raise UnreachableError(
                        f"{safe(self._ca_file)} holds no certificates: {error}"
                    ) from None
            nobody = CookieJar(DefaultCookiePolicy(allowed_domains=()))
            client = httpx.Client(verify=verify, follow_redirects=False, cookies=nobody)
            for transport in (client._transport, *client._mounts.values()):  # noqa: SLF001
                if isinstance(transport, httpx.HTTPTransport):
                    pool: Any = transport._pool  # noqa: SLF001 - there is no other way in
                    pool._network_backend = deadline.Backend(pool._network_backend)  # noqa: SLF001
            self._client = client
        return self._client


def mirror(url: str, mirrors: Mapping[str, str]) -> str:
    """The URL as the user's `[mirrors]` rewrite it; the longest prefix wins."""
    for prefix in sorted(mirrors, key=len, reverse=True):
        if url.startswith(prefix):
            return mirrors[prefix] + url[len(prefix) :]
    return url


def public_address(host: str, port: int) -> str:
    """One address of a host, when every address it has is public.

    Raises:
        RefusedError: one of them is private, loopback, link-local or reserved.
        UnreachableError: the name has no address.
    """
    with contextlib.suppress(OSError, UnicodeError):
        host = socket.inet_ntoa(socket.inet_aton(host))  # 2130706433, 0x7f.1 and their like
    try:
        infos = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise UnreachableError(f"the name {safe(host)} has no address") from None
    addresses = [str(info[4][0]).partition("%")[0] for info in infos]
    for address in addresses:
        if not is_public(address):
            raise RefusedError(
                f"{safe(host)} is the private address {address}, and a registry named it",
                hint="if you trust it, install it yourself with --source",
            )
    return addresses[0]


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


def _checked_redirect(current: str, location: str) -> str:
    try:
        target = urljoin(current, location)
        parts = urlsplit(target)
        _ = parts.port
    except ValueError:
        raise RefusedError(f"{_host(current)} redirects to {safe(location)}") from None
    if not location or parts.scheme not in ("https", "http") or "@" in parts.netloc:
        raise RefusedError(f"{_host(current)} redirects to {safe(location) or 'nowhere'}")
    if parts.scheme == "http" and urlsplit(current).scheme == "https":
        raise RefusedError(f"{_host(current)} redirects to an unencrypted address: {safe(target)}")
    return target


def _status_error(url: str, status: int, headers: httpx.Headers) -> SkillError:
    where = safe(url)
    if status in (404, 410):
        return NotFoundError(f"{where} is not there (HTTP {status})")
    if status in (401, 403):
        return UnreachableError(f"{where} is not open to us (HTTP {status})")
    if status == 429:
        wait = safe(headers.get("retry-after", ""))[:40]
        hint = f"it asks to wait {wait} s" if wait else "try again in a minute"
        return UnreachableError(f"{_host(url)} says that there were too many requests", hint=hint)
    return UnreachableError(f"{where} answered HTTP {status}")


def _host(url: str) -> str:
    return safe(urlsplit(url).netloc)


def _reason(error: Exception) -> str:
    return safe(str(error) or type(error).__name__, 200)


def _tls_hint(error: Exception) -> str:
    if "CERTIFICATE" in str(error).upper():
        return "if your network has its own authority, set SSL_CERT_FILE to its certificate"
    return ""
