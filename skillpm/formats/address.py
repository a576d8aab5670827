"""Reading addresses: what people paste, and what registries write, into `model.address`."""

from __future__ import annotations

import re
from typing import Final

from skillpm.errors import UsageError
from skillpm.formats.forges import GITHUB, PAIR, git, is_file, read_forge, repository
from skillpm.formats.url import HOST, USER, Url, split_url
from skillpm.formats.wellknown import PLACES
from skillpm.model.address import (
    Address,
    Bundled,
    Git,
    Hub,
    Local,
    Named,
    Site,
    Source,
    Tapped,
    Unknown,
    Web,
    checked_ref,
)
from skillpm.model.name import (
    handle_name,
    is_skill_name,
    relative_path,
    show,
    skill_name,
    version_text,
)

_HUB: Final = re.compile(r"@(?P<handle>[^/@]+)/(?P<name>[^/@]+)(?:@(?P<version>[^/@]+))?")
_LABELLED: Final = re.compile(r"(?P<hub>[a-z0-9]+(?:-[a-z0-9]+)*):(?P<reference>@.+)")
_SCP: Final = re.compile(
    rf"(?P<user>{USER.pattern})@(?P<host>[A-Za-z0-9.-]+):(?P<path>[^-:#][^:#]*)"
)
_SHORT: Final = re.compile(
    rf"(?P<pair>{PAIR.pattern})(?P<path>(?:/[\w.+ -]+)*)(?:@(?P<pick>[^@#]+))?", re.ASCII
)
_MAX: Final = 2_048


def parse_request(text: str) -> Address:
    """What stands where a command wants a skill: a name, `tap/name`, `@handle/name`, an address.

    Raises:
        UsageError: it is none of them; nothing that climbs out of a folder is ever taken.
    """
    _check_text(text)
    if not text.strip("/"):
        raise UsageError(f"{show(text)} is the whole disk, not a skill")
    if _looks_like_source(text):
        return parse_source(text)
    pair = PAIR.fullmatch(text)
    if pair and ".." not in text:
        return Tapped(pair["owner"], pair["repo"])
    return _shorthand(text) or Named(skill_name(text))


def parse_source(text: str) -> Source:
    """What stands after `--source` and in records: an address from which bytes come.

    Raises:
        UsageError: the text is not an address, with the spelling that would be.
    """
    _check_text(text)
    if text.startswith("@"):
        return _hub(text)
    if labelled := _LABELLED.fullmatch(text):
        return _hub(labelled["reference"], labelled["hub"])
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
    if isinstance(source, Web | Unknown):
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
    url = source.url if isinstance(source, Git | Web | Site | Unknown) else ""
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
        or bool(_LABELLED.fullmatch(text))
        or _is_file_here(text)
    )


def _is_file_here(text: str) -> bool:
    """Whether it names a document or archive in the current folder; no name has a dot."""
    return is_file(text) and "/" not in text and "\\" not in text


def _short(text: str) -> Source:
    found = _shorthand(text)
    if found:
        return found
    if _is_file_here(text):
        return Local(f"./{text}")
    hint = f"did you mean './{text}'?" if text.replace("/", "").replace("-", "").isalnum() else ""
    raise UsageError(f"{show(text)} is not an address", hint=hint)


def _shorthand(text: str) -> Git | None:
    """`owner/repo` on GitHub, with a path, `@x`, or `#ref:path` behind it."""
    head, _, fragment = text.partition("#")
    match = _SHORT.fullmatch(head)
    if not match or ".." in head or (is_file(head) and not match["path"]):
        return None
    found = git(f"https://{GITHUB}/{repository(match['pair'])}", fragment)
    path, pick = relative_path(match["path"]), match["pick"] or ""
    if (path and (pick or found.path)) or (pick and fragment):
        raise UsageError(f"{show(text)} says where in the repository twice")
    if pick:
        return Git(found.url, pick=checked_ref(pick))
    return found.at(found.ref, path) if path else found


def _hub(text: str, host: str = "") -> Hub:
    match = _HUB.fullmatch(text)
    if not match:
        raise UsageError(f"{show(text)} is not a hub reference", hint="write @handle/name")
    version = version_text(match["version"]) if match["version"] else ""
    return Hub(handle_name(match["handle"]), skill_name(match["name"]), version, host)


def _scp(match: re.Match[str], fragment: str) -> Git:
    host = match["host"].lower()
    if not HOST.fullmatch(host):
        raise UsageError(f"{show(match['host'])} is not a host name")
    return git(f"{match['user']}@{host}:{match['path']}", fragment)


def _url_source(text: str) -> Source:
    forced = text.startswith("git+")
    url = split_url(text.removeprefix("git+"))
    if url.scheme == "file":
        return _file_url(url, forced)
    if url.scheme in ("ssh", "git") or forced:
        return git(url.clone(), url.fragment)
    found = _hub_page(url) or _site(url) or read_forge(url)
    if found is not None:
        return found
    if is_file(url.path):
        return Web(url.plain)
    if url.path.endswith(".git") or (url.fragment and url.parts and not url.query):
        return git(url.clone(), url.fragment)
    if url.parts:
        git(url.clone())  # it may turn out to be a repository: the same names are refused now
    return Unknown(url.plain)


def _file_url(url: Url, forced: bool) -> Source:
    if not forced and is_file(url.path):
        return Local(f"/{url.path}")
    return git(url.clone(), url.fragment)


def _hub_page(url: Url) -> Source | None:
    if len(url.parts) != 3 or url.parts[0] not in ("skills", "packages"):
        return None
    if not url.parts[1].startswith("@"):
        return None
    return _hub(f"{url.parts[1]}/{url.parts[2]}", host=f"{url.host}{url.port}")


def _site(url: Url) -> Source | None:
    """The entry of a site's index, as `Site` prints it."""
    if not f"/{url.path}".endswith(PLACES):
        return None
    if not url.fragment:
        return Unknown(url.plain)
    return Site(url.plain, skill_name(url.fragment))


def derived_name(source: Source) -> str:
    """The name a source suggests for its skill, or "" when it suggests none."""
    match source:
        case Hub() | Bundled() | Site():
            return source.name
        case Git():
            wanted = source.path or source.tail or source.pick or source.url
            last = wanted.rstrip("/").split("/")
        case Web() | Unknown():
            last = source.url.partition("?")[0].split("/")
        case Local():
            last = source.path.rstrip("/").split("/")
    stem = last[-1]
    if stem.lower() == "skill.md" and len(last) > 1:
        stem = last[-2]
    for ending in (".git", ".tar.gz", ".tgz", ".tar", ".zip", ".markdown", ".mdx", ".md"):
        stem = stem.removesuffix(ending)
    return stem.lower() if is_skill_name(stem.lower()) else ""
