"""The page URLs of forges, read as repositories with a ref and a path.

Each reader takes a URL apart and gives the address it stands for, or None when it is not one of
its own. What cannot be told from the text alone (a self-hosted forge's pages, where a branch that
holds a slash ends) is left to the repository itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote

from skillpm.errors import UsageError
from skillpm.formats.url import Url
from skillpm.model.address import (
    Git,
    Source,
    Web,
    checked_ref,
    is_archive,
    is_document,
)
from skillpm.model.name import relative_path, show

GITHUB: Final = "github.com"
GITLAB: Final = "gitlab.com"
BITBUCKET: Final = "bitbucket.org"
GIST: Final = "gist.github.com"
SOURCEHUT: Final = "git.sr.ht"

PAIR: Final = re.compile(r"(?P<owner>\w[\w.-]*)/(?P<repo>\w[\w.-]*)", re.ASCII)
SHA: Final = re.compile(r"[0-9a-f]{40}")

_AZURE_REF: Final = {"GB": "refs/heads/", "GT": "refs/tags/", "GC": ""}
_GITEA_REF: Final = {"branch": "refs/heads/", "tag": "refs/tags/", "commit": ""}


def read_forge(url: Url) -> Source | None:
    """The address that a forge's page stands for; None when the URL is no such page.

    Raises:
        UsageError: it is a page of a forge and names nothing that can be fetched.
    """
    return next((found for read in _READERS if (found := read(url)) is not None), None)


def guessed(url: Url) -> Git | None:
    """What a `tree` or `blob` URL of an unknown host would be, were it a forge like GitHub."""
    if len(url.parts) > 3 and url.parts[2] in ("tree", "blob"):
        return tailed(repository(url.clone(2)), url.parts[3:])
    return None


def git(url: str, fragment: str = "") -> Git:
    """A repository with what its fragment asks for: `ref`, `ref:path`, `:path`, `@x`, `~tail`.

    Raises:
        UsageError: the fragment is none of these, or the URL cannot be a repository's.
    """
    if url.rpartition("/")[2].startswith("-") or url.endswith("/"):
        raise UsageError(f"{show(url)} is not a git repository")
    if fragment.startswith("~"):
        return Git(url, tail=relative_path(unquote(fragment[1:])))
    if fragment.startswith("@"):
        return Git(url, pick=checked_ref(unquote(fragment[1:])))
    ref, _, path = fragment.partition(":")
    return Git(url, checked_ref(unquote(ref)) if ref else "", relative_path(unquote(path)))


def tailed(clone: str, parts: tuple[str, ...]) -> Git:
    """A repository with the run-together `ref/path` of a tree, blob or raw URL."""
    tail = relative_path("/".join(parts))
    head, _, path = tail.partition("/")
    if SHA.fullmatch(head):
        return Git(clone, head, path)
    return Git(clone, tail=tail)


def repository(path: str) -> str:
    """A repository's path or URL without what may stand at its end."""
    return path.removesuffix("/").removesuffix(".git")


def is_file(path: str) -> bool:
    """Whether a path ends as a document, an archive or an index does."""
    return is_document(path) or is_archive(path) or path.lower().endswith(".json")


def _gist(url: Url) -> Source | None:
    if url.host not in (GIST, "gist.githubusercontent.com") or not url.parts:
        return None
    parts = url.parts if len(url.parts) > 1 else ("", *url.parts)
    identity, rest = parts[1].removesuffix(".git"), list(parts[2:])
    if not re.fullmatch(r"[0-9a-f]{20,40}|[0-9]+", identity):
        raise UsageError(f"{show(url.text)} names no gist")
    if rest and rest[0] == "raw":
        rest = rest[1:]
    revision = rest.pop(0) if rest and SHA.fullmatch(rest[0]) else ""
    clone = f"https://{GIST}/{identity}.git"
    if rest or url.fragment.startswith("file-"):
        return Git(clone, revision, relative_path("/".join(rest) or url.fragment))
    return git(clone, url.fragment) if url.fragment else Git(clone, revision)


def _github(url: Url) -> Source | None:
    parts = url.parts
    raw = url.host == "raw.githubusercontent.com" and PAIR.fullmatch("/".join(parts[:2]))
    if raw and len(parts) > 3:
        return tailed(f"https://{GITHUB}/{parts[0]}/{parts[1]}", parts[2:])
    if url.host not in (GITHUB, f"www.{GITHUB}") or len(parts) < 2:
        return Web(url.text) if url.host == "codeload.github.com" else None
    if not PAIR.fullmatch("/".join(parts[:2])):
        raise UsageError(f"{show(url.text)} names no repository of {GITHUB}")
    clone = f"https://{GITHUB}/{repository('/'.join(parts[:2]))}"
    if len(parts) > 3 and parts[2] in ("tree", "blob", "raw"):
        return tailed(clone, parts[3:])
    if is_file(url.path) and len(parts) > 2:
        return Web(url.plain)
    if len(parts) == 2:
        return git(clone, url.fragment)
    raise UsageError(f"{show(url.text)} is a page of {GITHUB}, not a skill's address")


def _gitlab(url: Url) -> Source | None:
    if "-" in url.parts:
        at = url.parts.index("-")
        rest = url.parts[at + 1 :]
        if len(rest) > 1 and rest[0] in ("tree", "blob", "raw") and at > 1:
            return tailed(f"{repository(url.clone(at))}.git", rest[1:])
        return None
    if url.host != GITLAB or len(url.parts) < 2 or is_file(url.path):
        return None
    return git(f"{repository(url.clone())}.git", url.fragment)


def _bitbucket(url: Url) -> Source | None:
    parts = url.parts
    if url.host != BITBUCKET or len(parts) < 2:
        return _bitbucket_server(url)
    clone = f"{repository(url.clone(2))}.git"
    if len(parts) > 3 and parts[2] in ("src", "raw"):
        return tailed(clone, parts[3:])
    return git(clone, url.fragment) if len(parts) == 2 else None


def _bitbucket_server(url: Url) -> Source | None:
    """`/projects/KEY/repos/name/browse/path?at=refs/heads/x` on a host of one's own."""
    match url.parts:
        case ("projects", key, "repos", name, ("browse" | "raw"), *path):
            clone = f"{url.origin}/scm/{key.lower()}/{name}.git"
            ref = url.parameter("at")
            return Git(clone, checked_ref(ref) if ref else "", relative_path("/".join(path)))
    return None


def _gitea(url: Url) -> Source | None:
    """Gitea, Forgejo, Codeberg: `/owner/repo/src/branch/x/path`, on any host."""
    match url.parts:
        case (_, _, ("src" | "raw"), ("branch" | "tag" | "commit") as kind, *rest) if rest:
            return tailed(f"{repository(url.clone(2))}.git", _full(_GITEA_REF[kind], rest))
    if url.host == "codeberg.org" and len(url.parts) == 2:
        return git(f"{repository(url.clone(2))}.git", url.fragment)
    return None


def _azure(url: Url) -> Source | None:
    """Azure Repos: `…/_git/repo?path=/x&version=GBmain`."""
    if "_git" not in url.parts or url.parts[-1] == "_git":
        return None
    clone = url.clone(url.parts.index("_git") + 2)
    kind, name = url.parameter("version")[:2], url.parameter("version")[2:]
    ref = f"{_AZURE_REF.get(kind, '')}{name}"
    path = relative_path(url.parameter("path"))
    if not name:
        return git(clone, url.fragment) if url.fragment else Git(clone, path=path)
    return Git(clone, checked_ref(ref), path)


def _sourcehut(url: Url) -> Source | None:
    if url.host != SOURCEHUT or len(url.parts) < 2 or not url.parts[0].startswith("~"):
        return None
    clone = url.clone(2)
    match url.parts[2:]:
        case ("tree", ref, "item", *path):
            return Git(clone, checked_ref(ref), relative_path("/".join(path)))
        case (("tree" | "blob"), ref, *path):
            return Git(clone, checked_ref(ref), relative_path("/".join(path)))
        case ():
            return git(clone, url.fragment)
    return None


def _full(prefix: str, rest: list[str]) -> tuple[str, ...]:
    return (*prefix.strip("/").split("/"), *rest) if prefix else tuple(rest)


_READERS: Final[tuple[Callable[[Url], Source | None], ...]] = (
    _gist,
    _github,
    _azure,
    _gitlab,
    _gitea,
    _bitbucket,
    _sourcehut,
)
