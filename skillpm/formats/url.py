"""URLs taken apart and checked, before anything else reads meaning into them."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, quote, unquote

from skillpm.errors import UsageError
from skillpm.model.name import show

HOST: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*\.?")
USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

_SCHEMES: Final = ("https", "http", "ssh", "file", "git")
_NAMES_ITS_ORGANISATION: Final = ("dev.azure.com",)


@dataclass(frozen=True, slots=True)
class Url:
    """A URL taken apart and checked; the host is lower case, the path decoded once."""

    scheme: str
    user: str
    host: str
    port: str
    parts: tuple[str, ...]
    query: str
    fragment: str
    text: str

    @property
    def origin(self) -> str:
        """`scheme://host[:port]`, with the user in front of the host for ssh."""
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.host}{self.port}"

    @property
    def path(self) -> str:
        """The decoded path without its leading slash."""
        return "/".join(self.parts)

    @property
    def plain(self) -> str:
        """The URL without its fragment."""
        return self.text.partition("#")[0]

    def clone(self, count: int | None = None) -> str:
        """The address of a repository at this path, or at its first so many parts."""
        return f"{self.origin}/{quote('/'.join(self.parts[:count]), safe='/@:~+,=')}"

    def parameter(self, name: str) -> str:
        """The first value of a query parameter; "" when it is absent."""
        return parse_qs(self.query).get(name, [""])[0]


def split_url(text: str) -> Url:
    """Take a URL apart.

    Raises:
        UsageError: another scheme, a user name or password, an unusable host or port, or a path
            that climbs or holds what no path should.
    """
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in _SCHEMES or "\\" in text:
        raise UsageError(
            f"{show(text)} is not an address: https, http, ssh and file are understood"
        )
    authority, slash, tail = rest.partition("/")
    before, _, fragment = tail.partition("#")
    path, _, query = before.partition("?")
    user, host, port = _authority(scheme, authority, text)
    parts = _parts(path, text)
    rebuilt = f"{scheme}://{user + '@' if user else ''}{host}{port}{slash}{tail}"
    return Url(scheme, user, host, port, parts, query, fragment, rebuilt)


def _authority(scheme: str, authority: str, text: str) -> tuple[str, str, str]:
    user, at, host = authority.rpartition("@")
    if at and scheme == "https" and host in _NAMES_ITS_ORGANISATION and USER.fullmatch(user):
        user = at = ""  # Azure's own clone button repeats the organisation there; it is no secret
    if at and (scheme != "ssh" or not USER.fullmatch(user)):
        raise UsageError(
            "an address may not carry a user name or password",
            hint="git's credential helpers and tokens in the environment are for that",
        )
    end = host.find("]") + 1 if host.startswith("[") else 0
    name, colon, port = host[end:].partition(":")
    host = (host[:end] + name).lower()
    if scheme == "file":
        if host:
            raise UsageError(f"{show(text)} names another machine: write file:///path")
        return "", "", ""
    if not _is_host(host) or (colon and not _is_port(port)):
        raise UsageError(f"{show(text)} has no usable host name", hint=_punycode(host))
    return user, host, f":{port}" if colon else ""


def _is_host(host: str) -> bool:
    if not host.startswith("["):
        return bool(HOST.fullmatch(host))
    try:
        return host.endswith("]") and bool(ipaddress.IPv6Address(host[1:-1]))
    except ValueError:
        return False


def _is_port(text: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{1,5}", text)) and 0 < int(text) < 65_536


def _punycode(host: str) -> str:
    try:
        return f"in ASCII that host is {host.encode('idna').decode()}" if host else ""
    except UnicodeError:
        return ""


def _parts(path: str, text: str) -> tuple[str, ...]:
    decoded = unquote(path)
    parts = tuple(part for part in decoded.split("/") if part)
    bad = set(parts) & {".", ".."} or set(decoded) & {"\\", "\ufffd"}
    if bad or not decoded.isprintable():
        raise UsageError(f"{show(text)} has a path that no skill could have")
    return parts
