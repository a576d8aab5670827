"""Reading addresses: what people paste, and what registries write, into `model.address`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from skillpm.errors import UsageError
from skillpm.model.address import (
    Address,
    Bundled,
    Git,
    Hub,
    Local,
    Named,
    Source,
    Tapped,
    Web,
    checked_ref,
    is_archive,
    is_document,
    relative_path,
)
from skillpm.model.name import handle_name, is_skill_name, show, skill_name, version_text

GITHUB: Final = "github.com"
GITLAB: Final = "gitlab.com"
GIST: Final = "gist.github.com"

_HUB: Final = re.compile(r"@(?P<handle>[^/@]+)/(?P<name>[^/@]+)(?:@(?P<version>[^/@]+))?")
_HOST: Final = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})*\.?")
_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SCP: Final = re.compile(
    rf"(?P<user>{_USER.pattern})@(?P<host>[A-Za-z0-9.-]+):(?P<path>[^-:#][^:#]*)"
)
_PAIR: Final = re.compile(r"(?P<owner>\w[\w.-]*)/(?P<repo>\w[\w.-]*)", re.ASCII)
_SHA: Final = re.compile(r"[0-9a-f]{40}")
_MAX: Final = 2_048


@dataclass(frozen=True, slots=True)
class _Url:
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

    def clone(self, count: int | None = None) -> str:
        """The address of a repository at this path, or at its first so many parts."""
        return f"{self.origin}/{quote('/'.join(self.parts[:count]), safe='/@:~+,=')}"


def parse_request(text: str) -> Address:
    """What stands where a command wants a skill: a name, `tap/name`, `@handle/name`, an address.

    Raises:
        UsageError: it is none of them; nothing that climbs out of a folder is ever taken.
    """
    _check_text(text)
    if _looks_like_source(text):
        return parse_source(text)
    pair = _PAIR.fullmatch(text)
    if pair and ".." not in text:
        return Tapped(pair["owner"], pair["repo"])
    return Named(skill_name(text))


def parse_source(text: str) -> Source:
    """What stands after `--source` and in records: an address from which bytes come.

    Raises:
        UsageError: the text is not an address, with the spelling that would be.
    """
    _check_text(text)
    if text.startswith("@"):
        return _hub(text)
    if text.startswith("bundled:"):
        return Bundled(skill_name(text.removeprefix("bundled:")))
    if "://" in text:
        return _url_source(text)
    if text.startswith(("/", "./", "../", "~/")) or text in (".", ".."):
        return Local(text)
    if scp := _SCP.fullmatch(text.partition("#")[0]):
        return _scp(scp, text.partition("#")[2])
    return _short(text)


def parse_registry_source(text: str) -> Source:
    """A source as a tap or a hub may name it: nothing on this machine, nothing in the clear.

    Raises:
        UsageError: the source is local, not encrypted, or no address at all.
    """
    source = parse_source(text)
    if isinstance(source, Local | Bundled) or _scheme(source) == "file":
        raise UsageError(f"a registry may not name a place on this machine: {show(text)}")
    if _scheme(source) in ("http", "git"):
        raise UsageError(f"a registry may not name an unencrypted source: {show(text)}")
    return source


def tap_url(text: str) -> str:
    """The URL of a tap as typed: `owner/repo`, any git URL, or the URL of an index.

    Raises:
        UsageError: it is none of them.
    """
    source = parse_source(text)
    if isinstance(source, Git):
        return str(source)
    if isinstance(source, Web):
        return source.url
    if isinstance(source, Local):
        raise UsageError(
            f"a tap is a git repository or a URL, {show(text)} is a path",
            hint="a repository on this machine is a tap as file:///path/to/repository",
        )
    raise UsageError(f"{show(text)} is not a tap: give owner/repo, a git URL, or an index URL")


def is_plain(source: Source) -> bool:
    """Whether the source would travel unencrypted."""
    return _scheme(source) in ("http", "git")


def _scheme(source: Source) -> str:
    url = source.url if isinstance(source, Git | Web) else ""
    return url.partition("://")[0] if "://" in url else ""


def _check_text(text: str) -> None:
    if not text or len(text) > _MAX:
        raise UsageError(f"an empty or overlong text is no skill: {show(text)}")
    if text != text.strip() or not text.isprintable():
        raise UsageError(f"{show(text)} has white space or control characters in the wrong place")


def _looks_like_source(text: str) -> bool:
    return (
        "://" in text
        or text.startswith(("@", "/", "./", "~/", "bundled:"))
        or bool(_SCP.fullmatch(text.partition("#")[0]))
    )


def _short(text: str) -> Source:
    head, _, fragment = text.partition("#")
    pair = _PAIR.fullmatch(head)
    if pair and ".." not in head and not _is_file(head):
        return _git(f"https://{GITHUB}/{_repository(head)}", fragment)
    if _is_file(text) and "/" not in text and "\\" not in text:
        return Local(f"./{text}")
    hint = f"did you mean './{text}'?" if text.replace("/", "").replace("-", "").isalnum() else ""
    raise UsageError(f"{show(text)} is not an address", hint=hint)


def _hub(text: str, host: str = "") -> Hub:
    match = _HUB.fullmatch(text)
    if not match:
        raise UsageError(f"{show(text)} is not a hub reference", hint="write @handle/name")
    version = version_text(match["version"]) if match["version"] else ""
    return Hub(handle_name(match["handle"]), skill_name(match["name"]), version, host)


def _scp(match: re.Match[str], fragment: str) -> Git:
    host = match["host"].lower()
    if not _HOST.fullmatch(host):
        raise UsageError(f"{show(match['host'])} is not a host name")
    return _git(f"{match['user']}@{host}:{match['path']}", fragment)


def _url_source(text: str) -> Source:
    forced = text.startswith("git+")
    url = _split(text.removeprefix("git+"))
    if url.scheme == "file":
        return _file_url(url, forced)
    if url.scheme in ("ssh", "git") or forced:
        return _git(url.clone(), url.fragment)
    for read in (_hub_page, _gist, _github, _gitlab):
        found = read(url)
        if found is not None:
            return found
    if url.query or _is_file(url.path) or not url.parts:
        return Web(url.text.partition("#")[0])
    return _git(url.clone(), url.fragment)


def _file_url(url: _Url, forced: bool) -> Source:
    if not forced and _is_file(url.path):
        return Local(f"/{url.path}")
    return _git(url.clone(), url.fragment)


def _hub_page(url: _Url) -> Source | None:
    if len(url.parts) != 3 or url.parts[0] not in ("skills", "packages"):
        return None
    if not url.parts[1].startswith("@"):
        return None
    return _hub(f"{url.parts[1]}/{url.parts[2]}", host=f"{url.host}{url.port}")


def _gist(url: _Url) -> Source | None:
    if url.host not in (GIST, "gist.githubusercontent.com") or not url.parts:
        return None
    parts = url.parts if len(url.parts) > 1 else ("", *url.parts)
    identity, rest = parts[1].removesuffix(".git"), list(parts[2:])
    if not re.fullmatch(r"[0-9a-f]{20,40}|[0-9]+", identity):
        raise UsageError(f"{show(url.text)} names no gist")
    if rest and rest[0] == "raw":
        rest = rest[1:]
    revision = rest.pop(0) if rest and _SHA.fullmatch(rest[0]) else ""
    clone = f"https://{GIST}/{identity}.git"
    if rest or url.fragment.startswith("file-"):
        return Git(clone, revision, relative_path("/".join(rest) or url.fragment))
    return _git(clone, url.fragment) if url.fragment else Git(clone, revision)


def _github(url: _Url) -> Source | None:
    parts = url.parts
    raw = url.host == "raw.githubusercontent.com" and _PAIR.fullmatch("/".join(parts[:2]))
    if raw and len(parts) > 3:
        return _tailed(f"https://{GITHUB}/{parts[0]}/{parts[1]}", parts[2:])
    if url.host not in (GITHUB, f"www.{GITHUB}") or len(parts) < 2:
        return Web(url.text) if url.host == "codeload.github.com" else None
    if not _PAIR.fullmatch("/".join(parts[:2])):
        raise UsageError(f"{show(url.text)} names no repository of {GITHUB}")
    clone = f"https://{GITHUB}/{_repository('/'.join(parts[:2]))}"
    if len(parts) > 3 and parts[2] in ("tree", "blob", "raw"):
        return _tailed(clone, parts[3:])
    if _is_file(url.path) and len(parts) > 2:
        return Web(url.text.partition("#")[0])
    if len(parts) == 2:
        return _git(clone, url.fragment)
    raise UsageError(f"{show(url.text)} is a page of {GITHUB}, not a skill's address")


def _gitlab(url: _Url) -> Source | None:
    if "-" in url.parts:
        at = url.parts.index("-")
        clone = f"{_repository(url.clone(at))}.git"
        rest = url.parts[at + 1 :]
        if len(rest) > 1 and rest[0] in ("tree", "blob", "raw") and at > 1:
            return _tailed(clone, rest[1:])
        return None
    if url.host != GITLAB or len(url.parts) < 2 or _is_file(url.path):
        return None
    return _git(f"{_repository(url.clone())}.git", url.fragment)


def _tailed(clone: str, parts: tuple[str, ...]) -> Git:
    """A repository with the run-together `ref/path` of a tree, blob or raw URL."""
    tail = relative_path("/".join(parts))
    head, _, path = tail.partition("/")
    if _SHA.fullmatch(head):
        return Git(clone, head, path)
    return Git(clone, tail=tail)


def _git(url: str, fragment: str = "") -> Git:
    if url.rpartition("/")[2].startswith("-") or url.endswith("/"):
        raise UsageError(f"{show(url)} is not a git repository")
    if fragment.startswith("~"):
        return Git(url, tail=relative_path(unquote(fragment[1:])))
    ref, _, path = fragment.partition(":")
    return Git(url, checked_ref(unquote(ref)) if ref else "", relative_path(unquote(path)))


def _split(text: str) -> _Url:
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in ("https", "http", "ssh", "file", "git") or "\\" in text:
        raise UsageError(
            f"{show(text)} is not an address: https, http, ssh and file are understood"
        )
    authority, slash, tail = rest.partition("/")
    before, _, fragment = tail.partition("#")
    path, _, query = before.partition("?")
    user, host, port = _authority(scheme, authority, text)
    parts = _parts(path, text)
    rebuilt = f"{scheme}://{user + '@' if user else ''}{host}{port}{slash}{tail}"
    return _Url(scheme, user, host, port, parts, query, fragment, rebuilt)


def _authority(scheme: str, authority: str, text: str) -> tuple[str, str, str]:
    user, at, host = authority.rpartition("@")
    if at and (scheme != "ssh" or not _USER.fullmatch(user)):
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
        return bool(_HOST.fullmatch(host))
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


def _repository(path: str) -> str:
    return path.removesuffix("/").removesuffix(".git")


def _is_file(path: str) -> bool:
    return is_document(path) or is_archive(path) or path.lower().endswith(".json")


def derived_name(source: Source) -> str:
    """The name a source suggests for its skill, or "" when it suggests none."""
    match source:
        case Hub() | Bundled():
            return source.name
        case Git():
            last = (source.path or source.tail or source.url).rstrip("/").split("/")
        case Web():
            last = source.url.partition("?")[0].split("/")
        case Local():
            last = source.path.rstrip("/").split("/")
    stem = last[-1]
    if stem.lower() == "skill.md" and len(last) > 1:
        stem = last[-2]
    for ending in (".git", ".tar.gz", ".tgz", ".tar", ".zip", ".markdown", ".mdx", ".md"):
        stem = stem.removesuffix(ending)
    return stem.lower() if is_skill_name(stem.lower()) else ""
