"""From an address to the files of one skill: the table of sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from skillpm.errors import IntegrityError
from skillpm.formats.address import is_plain, parse_source
from skillpm.model.address import Bundled, Git, Hub, Local, Site, Source, Unknown, Web
from skillpm.model.listing import Listing
from skillpm.model.outcome import Notes
from skillpm.model.policy import Policy, origin
from skillpm.model.provenance import Revision
from skillpm.operations.deciding import check_promised
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled, files, probing, repo, sites
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.hubs import client_for

FORGES: Final = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""Hosts that a project's lock may name for ssh without the user's settings doing so."""


def fetch(workspace: Workspace, want: Want) -> Fetched:
    """Fetch what is wanted from wherever it lives.

    Raises:
        SkillError: as the source that the address names.
    """
    match want.source:
        case Bundled():
            return bundled.fetch(want.source)
        case Hub():
            return client_for(workspace.hubs, want.source).fetch(want.source, want)
        case Git():
            return repo.fetch(workspace.git, want.source, want)
        case Web():
            return files.fetch_web(workspace.http, want.source, want)
        case Site():
            return sites.fetch(workspace.http, want.source, want)
        case Local():
            return files.fetch_local(workspace.host, want.source, want)
        case Unknown():
            return fetch(workspace, settle(workspace, want, Notes()))


def fetch_promised(workspace: Workspace, want: Want, listing: Listing) -> Fetched:
    """The same, with the digest that the registry promises.

    An index may be newer than what a cache on the way still holds of the bytes; other bytes than
    those promised are therefore asked for once more, past every cache.

    Raises:
        IntegrityError: they are others still.
        SkillError: as `fetch`.
    """
    try:
        return _checked(fetch(workspace, want), listing)
    except IntegrityError:
        if not isinstance(want.source, Web | Site | Hub):
            raise
    with workspace.http.past_caches():
        return _checked(fetch(workspace, want), listing)


def _checked(fetched: Fetched, listing: Listing) -> Fetched:
    check_promised(listing, fetched.tree)
    return fetched


def settle(workspace: Workspace, want: Want, notes: Notes) -> Want:
    """The same, where the address says by itself what it is: no URL to be probed, no `@x`.

    Raises:
        SkillError: the address turns out to be nothing that can be fetched.
    """
    if isinstance(want.source, Unknown):
        found = probing.identify(workspace.http, want.source, want.name, want.policy)
        return settle(workspace, replace(want, source=found), notes)
    if isinstance(want.source, Git) and want.source.pick:
        settled, said = repo.settle(workspace.git, want.source, want)
        notes.note(said)
        return settled
    return want


def same_source(listed: Source, recorded: str) -> bool:
    """Whether a registry still names the source that was recorded when it was settled."""
    if str(listed) == recorded:
        return True
    known = parse_source(recorded)
    if isinstance(listed, Unknown):
        return isinstance(known, Git | Web | Site | Unknown) and known.url == listed.url
    return isinstance(listed, Git) and bool(listed.pick) and listed.url == getattr(known, "url", "")


def newest(workspace: Workspace, want: Want) -> Revision:
    """The revision a source stands at now, as cheaply as the source allows.

    Raises:
        SkillError: as the source that the address names.
    """
    match want.source:
        case Git():
            return repo.resolve(workspace.git, want.source, want)[0]
        case Hub():
            return client_for(workspace.hubs, want.source).newest(want.source)
        case Site():
            return sites.newest(workspace.http, want.source, want)
        case Bundled() | Web() | Local() | Unknown():
            return fetch(workspace, want).revision


def policy_of(listing: Listing) -> Policy:
    """Who named the listing's address: the user, or a registry.

    A hub that gives the bytes itself was named by the user; one that is an index names others.
    """
    kind = listing.registry.kind
    named = kind == "tap" or (kind == "hub" and not isinstance(listing.source, Hub))
    return Policy(typed=not named, near=listing.near)


def policy_for(workspace: Workspace, target: Listing) -> Policy:
    """The policy for what somebody asks for now: an agent's address is nobody's typing."""
    policy = policy_of(target)
    given = workspace.for_agent and target.registry.kind == "none"
    return _narrowed(workspace, policy, target.source) if given else policy


def lent(workspace: Workspace, policy: Policy, source: Source) -> Policy:
    """The policy for an address out of a record: nobody here typed what a project's lock names.

    Left to it are public addresses, those that the user's own settings name, and places on this
    machine, whose files are no more than anybody could copy by hand. By ssh, which shows who the
    user is, only the great forges and hosts that the settings name are reached.
    """
    return _narrowed(workspace, policy, source) if workspace.in_project else policy


def _narrowed(workspace: Workspace, policy: Policy, source: Source) -> Policy:
    near = (*policy.near, *workspace.explained, origin("file:///"))
    host = ssh_host(source)
    named = {urlsplit(one).hostname for one in workspace.explained}
    if host and (host in FORGES or host in named):
        near = (*near, origin(getattr(source, "url", "")))
    return Policy(typed=False, near=near)


def ssh_host(source: Source) -> str:
    """The host that a repository is reached on by ssh; "" for any other address."""
    if not isinstance(source, Git):
        return ""
    if source.url.startswith("ssh://"):
        return urlsplit(source.url).hostname or ""
    return "" if "://" in source.url else source.url.partition(":")[0].rpartition("@")[2].lower()


def warn_if_plain(source: Source, notes: Notes) -> None:
    """Say that a source travels unencrypted."""
    if is_plain(source):
        notes.warn(f"{source} is not encrypted: anyone on the way can read and change it")
