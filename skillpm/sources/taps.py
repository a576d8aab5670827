"""Taps: registries that someone keeps in a git repository or at a URL.

A repository's index is `skills_registry.json` or `tap.json` at its root; a repository without
one is read as a collection, each package folder an entry. Everything of one refresh is read from
one commit, and a tap may only move forward: its history and signatures as `sources.lineage`, its
version and its names as `sources.pinning` say.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
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
from skillpm.model.pins import Pins
from skillpm.model.policy import Policy, origin
from skillpm.model.text import safe
from skillpm.sources import pinning
from skillpm.sources.collection import is_internal, skills_in
from skillpm.sources.lineage import Lineage, text_of
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
        pins: what is held of the tap when this index is taken.
    """

    commit: str
    body: bytes
    pins: Pins


@dataclass(frozen=True, slots=True)
class Tap:
    """A tap as it is known.

    Attributes:
        commit: of its last good index.
        body: that index; b"" when its commit is to be looked at again.
        pins: what is held of it.
    """

    name: str
    url: str
    commit: str = ""
    body: bytes = b""
    pins: Pins = field(default_factory=Pins)


def read(tap: Tap, body: bytes) -> Index:
    """The entries of a tap's index, with what is held of the tap.

    Raises:
        UnreachableError: it is no index.
    """
    return pinning.applied(tap.pins, read_tap_index(body, _place(tap)))


def _place(tap: Tap) -> TapPlace:
    source = parse_source(tap.url)
    repository = source if isinstance(source, Git) else None
    if isinstance(source, Unknown) and tap.commit:
        repository = Git(source.url)
    base = repository.url if repository else tap.url
    near = (origin(base),) if "://" in base else ()
    return TapPlace(tap.name, repository, near, tap.commit)


def refresh(http: Http, git: GitPort, tap: Tap, seconds: float, now: str) -> Snapshot:
    """Fetch a tap's index; the last good one comes back while its commit is the newest.

    Args:
        http: for an index at a URL.
        git: for one in a repository.
        tap: as it is known.
        seconds: how long asking may take.
        now: the time, by which keys hold.

    Raises:
        IntegrityError: it did not move forward, or is not signed as it must be.
        SkillError: the tap is down, gone, or no registry; the old index is then still good.
    """
    source = parse_source(tap.url)
    if isinstance(source, Web):
        _check_unsigned(tap)
        return _from_url(http, tap, source.url, seconds, None)
    repository = Git(source.url) if isinstance(source, Unknown) else source
    if not isinstance(repository, Git):
        raise UnreachableError(f"{safe(tap.url)} is not a tap")
    try:
        refs = git.refs(Remote(repository.url, _TYPED), seconds=seconds)
    except (NotFoundError, UnreachableError) as error:
        if not isinstance(source, Unknown) or tap.commit:
            raise  # what was a repository does not become a file
        _check_unsigned(tap)
        return _from_url(http, tap, source.url, seconds, error)
    return _from_repository(git, repository, tap, refs, now)


def _check_unsigned(tap: Tap) -> None:
    if tap.pins.signers:
        raise IntegrityError(
            f"{safe(tap.url)} is an index at a URL, which nobody can sign: not verifiable",
            hint="keep it in a git repository, whose commits can be signed",
        )


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


def _from_repository(git: GitPort, source: Git, tap: Tap, refs: Refs, now: str) -> Snapshot:
    revision, path = locate(source, refs)
    if tap.body and revision.value == tap.commit:
        return Snapshot(tap.commit, tap.body, tap.pins)
    remote = Remote(source.url, _TYPED)
    pins = Lineage(git, remote, tap.name, tap.commit, tap.pins, now).extended(revision.value)
    commit = git.open(remote, revision.value, seconds=_FETCH_SECONDS)
    prefix = f"{path}/" if path else ""
    texts = (text_of(commit, prefix + name) for name in INDEX_NAMES)
    found = next((text for text in texts if text is not None), None)
    if found is None:
        found = _as_collection(commit, tap, prefix)
    return _taken(tap, pins, commit.sha, found)


def _taken(tap: Tap, pins: Pins, commit: str, body: bytes) -> Snapshot:
    """A new index, when the one in force may give way to it."""
    old = read_tap_index(tap.body, _place(tap)) if tap.body else None
    new = read_tap_index(body, _place(replace(tap, commit=commit)))
    return Snapshot(commit, body, pinning.advanced(tap.name, pins, old, new))


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
        snapshot = _taken(tap, tap.pins, "", response.body)
    except SkillError as error:
        if as_git is None:
            raise
        raise type(error)(
            f"{safe(url)} is neither a git repository ({as_git.message})"
            f" nor an index ({error.message})",
            hint=error.hint,
        ) from None
    return snapshot
