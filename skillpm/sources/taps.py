"""Taps: registries that someone keeps in a git repository or at a URL.

A repository's index is `skills_registry.json` or `tap.json` at its root; a repository without
one is read as a collection, each package folder an entry. Everything of one refresh is read from
one commit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from skillpm.edges.git import Commit, Git as GitPort, Refs
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.errors import IntegrityError, NotFoundError, SkillError, UnreachableError
from skillpm.formats.address import parse_source
from skillpm.formats.document import read_document
from skillpm.formats.index import Index, TapPlace, read_tap_index
from skillpm.model.address import Git, Unknown, Web
from skillpm.model.name import is_skill_name
from skillpm.model.policy import Policy, origin
from skillpm.model.text import safe
from skillpm.sources.collection import is_internal, skills_in
from skillpm.sources.repo import locate

INDEX_NAMES: Final = ("skills_registry.json", "tap.json")
MAX_INDEX: Final = 5 * 1024 * 1024

_TYPED: Final = Policy(typed=True)
_FETCH_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tap's index as it was at one moment.

    Attributes:
        commit: the commit it was read from; "" for a plain URL.
        body: the index, JSON.
    """

    commit: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap by its short name and URL, with the commit of its last good index."""

    name: str
    url: str
    commit: str = ""


def read(tap: Tap, body: bytes) -> Index:
    """The entries of a tap's index.

    Raises:
        UnreachableError: it is no index.
    """
    source = parse_source(tap.url)
    repository = source if isinstance(source, Git) else None
    if isinstance(source, Unknown) and tap.commit:
        repository = Git(source.url)
    base = repository.url if repository else tap.url
    near = (origin(base),) if "://" in base else ()
    return read_tap_index(body, TapPlace(tap.name, repository, near))


def refresh(http: Http, git: GitPort, tap: Tap, seconds: float, body: bytes = b"") -> Snapshot:
    """Fetch a tap's index; `body`, the last good one, comes back while its commit is the newest.

    Raises:
        SkillError: the tap is down, gone, or no registry; the old index is then still good.
    """
    source = parse_source(tap.url)
    if isinstance(source, Web):
        return _from_url(http, tap, source.url, seconds, None)
    repository = Git(source.url) if isinstance(source, Unknown) else source
    if not isinstance(repository, Git):
        raise UnreachableError(f"{safe(tap.url)} is not a tap")
    try:
        refs = git.refs(Remote(repository.url, _TYPED), seconds=seconds)
    except (NotFoundError, UnreachableError) as error:
        if not isinstance(source, Unknown):
            raise
        return _from_url(http, tap, source.url, seconds, error)
    return _from_repository(git, repository, tap, refs, body)


def default_name(url: str) -> str:
    """A short name for a tap: the owner of a repository, or the host of an index."""
    source = parse_source(url)
    text = source.url if isinstance(source, Git | Web | Unknown) else url
    rest = text.rpartition("://")[2].removesuffix(".git")
    parts = [part for part in rest.replace(":", "/").split("/") if part]
    candidates = [parts[-2] if len(parts) > 2 else "", *reversed(parts)]
    if isinstance(source, Web):
        candidates = [parts[0].partition(":")[0].replace(".", "-")]
    for candidate in candidates:
        name = candidate.rpartition("@")[2].lower().replace("_", "-").replace(".", "-")
        if is_skill_name(name):
            return name
    return "tap"


def _from_repository(git: GitPort, source: Git, tap: Tap, refs: Refs, body: bytes) -> Snapshot:
    revision, path = locate(source, refs)
    if body and revision.value == tap.commit:
        return Snapshot(tap.commit, body)
    remote = Remote(source.url, _TYPED)
    if body and not git.is_ancestor(remote, tap.commit, revision.value):
        raise IntegrityError(
            f"its history was rewritten: the commit {tap.commit[:12]} that was read before is not"
            f" part of {revision.value[:12]}",
            hint=f"if you trust it: skill tap remove {tap.name}, then: skill tap add {tap.url}",
        )
    commit = git.open(remote, revision.value, seconds=_FETCH_SECONDS)
    prefix = f"{path}/" if path else ""
    for name in INDEX_NAMES:
        for node in commit.nodes:
            if node.path == prefix + name and node.kind == "file":
                found = commit.read([node])[node.path]
                read_tap_index(found, TapPlace(tap.name, source))
                return Snapshot(commit.sha, found)
    return Snapshot(commit.sha, _as_collection(commit, tap, prefix))


def _as_collection(commit: Commit, tap: Tap, prefix: str) -> bytes:
    """An index made of a repository's package folders, with the descriptions they carry."""
    nodes = [node for node in commit.nodes if node.path.startswith(prefix)]
    folders = {name: path for name, path in skills_in(nodes).items() if is_skill_name(name)}
    if not folders:
        raise UnreachableError(
            f"{safe(tap.url)} is no tap: it has neither {' nor '.join(INDEX_NAMES)} at its root,"
            " nor folders with a SKILL.md"
        )
    wanted = {f"{path}/SKILL.md" for path in folders.values()}
    entries = [node for node in nodes if node.path in wanted and node.kind == "file"]
    data = commit.read(entries)
    internal = {path for path in folders.values() if is_internal(data.get(f"{path}/SKILL.md", b""))}
    index = {
        name: {"source": f"./{path}", **_described(data.get(f"{path}/SKILL.md", b""))}
        for name, path in folders.items()
        if path not in internal
    }
    return json.dumps(index).encode()


def _described(data: bytes) -> dict[str, str]:
    try:
        document = read_document(data)
    except SkillError:
        return {"description": ""}
    return {"description": document.summary, "version": document.version}


def _from_url(
    http: Http, tap: Tap, url: str, seconds: float, as_git: SkillError | None
) -> Snapshot:
    try:
        response = http.get(url, _TYPED, Limits(MAX_INDEX, max(seconds, 1.0), cache=True))
        read_tap_index(response.body, TapPlace(tap.name))
    except SkillError as error:
        if as_git is None:
            raise
        raise type(error)(
            f"{safe(url)} is neither a git repository ({as_git.message})"
            f" nor an index ({error.message})",
            hint=error.hint,
        ) from None
    return Snapshot("", response.body)
