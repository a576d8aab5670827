"""Sites that publish their skills under `/.well-known/`: finding the index, fetching one skill.

The index below the given path is tried before the host's own, 0.2.0 before 0.1.0. A digest that
does not match is an error, and so is one file of several that is missing: never a part.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from skillpm.edges.archive import MAX_ARCHIVE
from skillpm.edges.http import Http, Limits
from skillpm.errors import AmbiguousError, IntegrityError, InvalidSkillError, NotFoundError
from skillpm.formats.document import MAX_DOCUMENT
from skillpm.formats.wellknown import PLACES, SiteEntry, SiteIndex, read_site_index
from skillpm.model.address import Site
from skillpm.model.policy import Policy, origin
from skillpm.model.provenance import Revision
from skillpm.model.text import safe
from skillpm.model.tree import MAX_BYTES, File, Tree
from skillpm.sources.collection import check_entry, single
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.files import from_archive

MAX_INDEX: Final = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """A site's index and where it stands."""

    url: str
    index: SiteIndex


def index_places(base: str) -> tuple[str, ...]:
    """Where the index of an address may stand, in the order in which it is asked."""
    if base.endswith(PLACES):
        return (base,)
    parts = urlsplit(base)
    host = f"{parts.scheme}://{parts.netloc}"
    below = f"{host}{parts.path.rstrip('/')}"
    places = [f"{root}{place}" for place in PLACES for root in (below, host)]
    return tuple(dict.fromkeys(places))


def read_index(http: Http, url: str, policy: Policy, seconds: float = 20.0) -> Found:
    """Fetch and read one index.

    Raises:
        SkillError: as the HTTP port; UnreachableError when it is no index.
    """
    response = http.get(url, policy, Limits(MAX_INDEX, seconds, cache=True))
    return Found(url, read_site_index(response.body, response.url))


def fetch(http: Http, source: Site, want: Want) -> Fetched:
    """One skill of a site, complete and with the digest that its index promises.

    Raises:
        NotFoundError: the index no longer has the name, or a listed file is missing.
        IntegrityError: the bytes are not those that the index promises.
        SkillError: as the HTTP port and the readers.
    """
    entry = _entry(http, source, want.policy)
    near = (origin(source.url), *want.policy.near)
    named = replace(want, policy=Policy(typed=False, near=near))  # the index names what follows
    if entry.kind == "files":
        return _fetch_files(http, entry, named)
    return _fetch_artifact(http, entry, named)


def newest(http: Http, source: Site, want: Want) -> Revision:
    """What the index promises now; without a digest in it, what the files amount to.

    Raises:
        SkillError: as `fetch`.
    """
    entry = _entry(http, source, want.policy)
    if entry.sha256:
        return Revision("content", entry.sha256)
    return fetch(http, source, want).revision


def _entry(http: Http, source: Site, policy: Policy) -> SiteEntry:
    try:
        index = read_index(http, source.url, policy).index
    except NotFoundError:
        if not source.url.endswith(PLACES[0]):
            raise
        older = source.url.removesuffix(PLACES[0]) + PLACES[1]
        index = read_index(http, older, policy).index
    found = [entry for entry in index.entries if entry.name == source.name]
    if len(found) > 1:
        raise AmbiguousError(f"{safe(source.url)} lists {source.name} {len(found)} times")
    if found:
        return found[0]
    names = ", ".join(e.name for e in index.entries[:12]) or "nothing usable"
    wrong = "".join(f"\n  {problem}" for problem in index.problems[:6])
    raise NotFoundError(f"{safe(source.url)} has no skill {source.name}; it has {names}{wrong}")


def _fetch_artifact(http: Http, entry: SiteEntry, want: Want) -> Fetched:
    size = MAX_DOCUMENT if entry.kind == "skill-md" else MAX_ARCHIVE
    body = http.get(entry.urls[0], want.policy, Limits(size)).body
    actual = hashlib.sha256(body).hexdigest()
    if actual != entry.sha256:
        raise IntegrityError(
            f"{entry.name}: the bytes have SHA-256 {actual[:16]}…, the site's index promises"
            f" {entry.sha256[:16]}…"
        )
    revision = Revision("content", actual)
    if entry.kind == "skill-md":
        return Fetched(single(body), revision, "", package=True)
    return from_archive(body, Want(want.source, "", want.policy), revision)


def _fetch_files(http: Http, entry: SiteEntry, want: Want) -> Fetched:
    left, files = MAX_BYTES, []
    for url, path in zip(entry.urls, entry.paths, strict=True):
        try:
            body = http.get(url, want.policy, Limits(max(left, 1))).body
        except NotFoundError as error:
            raise InvalidSkillError(f"{entry.name} is incomplete: {error.message}") from None
        left -= len(body)
        files.append(File(path, body))
    tree = Tree.of(files)
    check_entry(tree.entry)
    return Fetched(tree, Revision("content", tree.digest.rpartition(":")[2]), "", package=True)
