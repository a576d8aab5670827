"""The network as the user set it up: mirrors, proxies, certificates, credentials, or none at all.

HTTP and git are given the same answers, so that what works for one works for the other. The
rules for proxies are curl's: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, of each
the lower-case name first.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from skillpm.edges.credentials import Credentials
from skillpm.errors import UnreachableError
from skillpm.model.text import safe

Progress = Callable[[str, int, int], None]
"""Called with what is fetched, the bytes so far, and the total (0 when unknown)."""


@dataclass(frozen=True, slots=True)
class Network:
    """What both ports are told about the way out.

    Attributes:
        env: the environment, for proxies and certificates.
        mirrors: URL prefixes and what replaces them.
        offline: nothing is looked up and nobody connected to.
        credentials: secrets by origin.
    """

    env: Mapping[str, str] = field(default_factory=dict)
    mirrors: Mapping[str, str] = field(default_factory=dict)
    offline: bool = False
    credentials: Credentials = field(default_factory=Credentials)

    def mirrored(self, url: str) -> str:
        """The URL as the user's `[mirrors]` rewrite it; the longest prefix wins."""
        for prefix in sorted(self.mirrors, key=len, reverse=True):
            if url.startswith(prefix) or url == prefix.removesuffix("/"):
                return self.mirrors[prefix] + url[len(prefix) :]
        return url

    def check_online(self, url: str) -> None:
        """Stop before anything is looked up or connected to.

        Raises:
            UnreachableError: the user asked to stay offline.
        """
        if self.offline:
            raise UnreachableError(
                f"offline: {safe(host_of(url) or url)} was not asked",
                hint="without --offline, SKILL_OFFLINE and network.offline it would be",
            )

    def proxy(self, url: str) -> str:
        """The proxy that a URL is fetched through, with its user and password; "" for none.

        Raises:
            UnreachableError: the variable holds no usable address.
        """
        check_usable(url)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or self._is_near(parts.hostname or ""):
            return ""
        name = f"{parts.scheme}_proxy"
        found = self._variable(name) or self._variable(name := "all_proxy")
        return _checked_proxy(name, found) if found else ""

    def _variable(self, name: str) -> str:
        return (self.env.get(name) or self.env.get(name.upper()) or "").strip()

    def _is_near(self, host: str) -> bool:
        """Whether `no_proxy` names a host: by name, by a domain above it, or by network."""
        host = host.lower().rstrip(".")
        for word in self._variable("no_proxy").lower().replace(",", " ").split():
            entry = word.strip("[]")
            if entry in ("*", host):
                return True
            with_port = entry.rpartition(":")
            if with_port[2].isdigit() and ":" not in with_port[0]:
                entry = with_port[0]
            domain = entry.removeprefix("*").lstrip(".").rstrip(".")
            if domain and (host == domain or host.endswith(f".{domain}")):
                return True
            if _is_inside(host, entry):
                return True
        return False


def check_usable(url: str) -> None:
    """Stop at an address whose host or port is none.

    Raises:
        UnreachableError: it is not an address.
    """
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise UnreachableError(f"{safe(url)} is no usable URL") from None


def host_of(url: str) -> str:
    """Host and port of a URL, fit to be shown: never a user or a password."""
    authority = url.partition("://")[2].partition("/")[0].partition("?")[0].partition("#")[0]
    return safe(authority.rpartition("@")[2])


def _is_inside(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False


def _checked_proxy(name: str, text: str) -> str:
    """A proxy's address with its scheme; its password is in no message."""
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if not usable or parts.scheme not in ("http", "https") or not url.isprintable() or " " in url:
        kind = f" ({safe(parts.scheme)} is not supported)" if "socks" in parts.scheme else ""
        raise UnreachableError(
            f"{name} holds no usable http proxy{kind}", hint=f"correct {name.upper()}"
        )
    return url.rstrip("/")
