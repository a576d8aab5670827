"""The exact files that a project's lock pins: from the store, or from their source as it was."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from skillpm.edges.gitrun import Remote
from skillpm.errors import IntegrityError, RefusedError, SkillError
from skillpm.formats.address import parse_source
from skillpm.model.address import Bundled, Git, Hub
from skillpm.model.listing import Listing
from skillpm.model.lock import Locked
from skillpm.model.policy import Policy
from skillpm.model.provenance import Origin, Record
from skillpm.model.tree import Tree, manifest
from skillpm.operations.fetching import fetch, lent
from skillpm.operations.workspace import Workspace
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.hubs import client_for


def pinned(workspace: Workspace, entry: Locked, record: Record) -> tuple[Listing, Fetched]:
    """The files of an entry, and what their source amounts to.

    What the store has is not fetched; then nobody is asked how far a hub trusts it.

    Args:
        workspace: the ports and the state.
        entry: what the lock says.
        record: the same as a record, with its origin as it is.

    Raises:
        IntegrityError: the source has other files there now.
        RefusedError: its hub does not call it official, as the lock does.
        SkillError: as the source.
    """
    source = parse_source(record.source)
    listing = Listing(
        entry.name, source, entry.registry, record.origin, version=entry.version, owner=entry.owner
    )
    if workspace.store.trees.has(entry.digest) and not isinstance(source, Bundled):
        tree = workspace.store.trees.read(entry.digest)
        fetched = Fetched(tree, entry.revision, entry.path, entry.package)
    else:
        listing = _asked(workspace, entry, listing)
        fetched = fetch(workspace, _want(workspace, entry, listing))
    check_files(entry, fetched.tree)
    return listing, replace(fetched, revision=entry.revision)


def bring_together(workspace: Workspace, entries: Iterable[Locked]) -> None:
    """Fetch the files of all skills of one commit in one request; what fails is told later."""
    wanted: dict[tuple[str, str], list[Locked]] = {}
    for entry in entries:
        source = parse_source(entry.source)
        here = workspace.store.trees.has(entry.digest)
        if isinstance(source, Git) and entry.revision.kind == "commit" and not here and entry.path:
            wanted.setdefault((source.url, entry.revision.value), []).append(entry)
    for (url, revision), together in wanted.items():
        policy = lent(workspace, Policy(typed=False), Git(url))
        if len(together) > 1:
            with contextlib.suppress(SkillError):
                commit = workspace.git.open(Remote(url, policy), revision)
                starts = tuple(f"{entry.path}/" for entry in together)
                names = {entry.path for entry in together}
                workspace.git.bring(
                    commit,
                    [
                        node
                        for node in commit.nodes
                        if node.kind == "file"
                        and (node.path in names or node.path.startswith(starts))
                    ],
                )


def check_files(entry: Locked, tree: Tree) -> None:
    """Compare files with what the lock says of them.

    Raises:
        IntegrityError: they are others, or the lock's list of them is not that of its digest.
    """
    if tree.digest != entry.digest:
        lasting = "" if not entry.revision.is_mutable else " (that source keeps no old revisions)"
        raise IntegrityError(
            f"the lock wants {entry.digest[:28]}…, and {entry.source} has {tree.digest[:28]}… at"
            f" the {entry.revision}{lasting}",
            hint=f"find out who changed it; to take what is there now: skill update {entry.name}"
            " --project",
        )
    listed = {file.path: (file.sha256, file.size, file.mode) for file in entry.files}
    if listed != dict(manifest(tree)) or entry.git_tree != tree.git_sha1:
        raise IntegrityError(
            "the files that the lock lists are not those of its digest",
            hint="take skills.lock from the last good commit",
        )


def _want(workspace: Workspace, entry: Locked, listing: Listing) -> Want:
    source, revision = listing.source, entry.revision
    if isinstance(source, Git) and revision.kind == "commit":
        source = source.at(revision.value, source.path)
    ref = revision.value if isinstance(source, Hub) and revision.kind == "version" else ""
    policy = lent(workspace, Policy(typed=False), source)
    return Want(source, entry.name, policy, entry.path, ref)


def _asked(workspace: Workspace, entry: Locked, listing: Listing) -> Listing:
    """A hub's own word on what it lists; the lock's word that it is official counts for nothing."""
    source = listing.source
    if not isinstance(source, Hub):
        return listing
    found = client_for(workspace.hubs, source).listing(source)
    if found.owner != entry.owner:
        raise RefusedError(
            f"{source} changed hands: the lock has owner {entry.owner}, it now belongs to"
            f" {found.owner}",
            hint=f"to accept the new owner: skill install {source} --project --force",
        )
    if entry.origin is Origin.OFFICIAL and found.origin is not Origin.OFFICIAL:
        raise RefusedError(f"it is said to be official, and {found.registry} does not say so")
    return replace(listing, origin=found.origin)
