"""From an address to the files of one skill: the table of sources."""

from __future__ import annotations

from skillpm.formats.address import is_plain
from skillpm.model.address import Bundled, Git, Hub, Local, Source, Web
from skillpm.model.listing import Listing
from skillpm.model.outcome import Notes
from skillpm.model.policy import Policy
from skillpm.model.provenance import Revision
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled, files, repo
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.hubs import client_for


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
        case Local():
            return files.fetch_local(workspace.host, want.source, want)


def newest(workspace: Workspace, want: Want) -> Revision:
    """The revision a source stands at now, as cheaply as the source allows.

    Raises:
        SkillError: as the source that the address names.
    """
    match want.source:
        case Git():
            return repo.resolve(workspace.git, want.source, want)[0]
        case Hub():
            published = client_for(workspace.hubs, want.source).published(want.source)
            return Revision("version", published.version.version)
        case Bundled() | Web() | Local():
            return fetch(workspace, want).revision


def policy_of(listing: Listing) -> Policy:
    """Who named the listing's address: the user, or a registry."""
    return Policy(typed=listing.registry.kind != "tap", near=listing.near)


def warn_if_plain(source: Source, notes: Notes) -> None:
    """Say that a source travels unencrypted."""
    if is_plain(source):
        notes.warn(f"{source} is not encrypted: anyone on the way can read and change it")
