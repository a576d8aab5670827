"""Keeping the search index in step with the bundled registry, the taps and what hubs answered.

The index is derived: a registry whose stamp is the one the index was built from is left alone, and
an index that is damaged is made anew.
"""

from __future__ import annotations

import hashlib
from typing import Final

from skillpm.edges import folders
from skillpm.edges.database import Database
from skillpm.errors import SkillError, StateError
from skillpm.model.listing import Listing
from skillpm.model.outcome import Notes
from skillpm.operations import catalog
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled, shipped
from skillpm.store.searching import MIGRATIONS, Indexed, Query, SearchIndex

NAME: Final = "index.db"
KNOWN_OF_A_HUB: Final = 5_000
_PAGE_OF_A_HUB: Final = 20


def opened(workspace: Workspace) -> SearchIndex:
    """The search index, made anew when the one on disk is damaged.

    Raises:
        StateError: the disk refuses.
    """
    path = workspace.host.dirs.data / NAME
    try:
        return SearchIndex(Database(path, MIGRATIONS))
    except StateError:
        for tail in ("", "-wal", "-shm"):
            folders.remove_entry(path.with_name(NAME + tail))
        return SearchIndex(Database(path, MIGRATIONS))


def follow(workspace: Workspace, index: SearchIndex, query: str, notes: Notes) -> None:
    """Ask every registry, bring the index up to date, and tell what did not answer.

    Raises:
        StateError: our own state is damaged.
    """
    kept = ["bundled"]
    stamp = _bundled_stamp()
    if index.stamp("bundled") != stamp:
        index.replace("bundled", stamp, map(_indexed, bundled.listings()))
    for refreshed in catalog.refresh_taps(workspace):
        registry = f"tap:{refreshed.state.name}"
        kept.append(registry)
        if refreshed.failure:
            notes.warn(
                f"the tap {refreshed.state.name} did not answer: {refreshed.failure};"
                f" its index of {refreshed.state.fetched_at} is used"
            )
        if refreshed.stale:
            notes.warn(catalog.stale_text(refreshed.state.name, refreshed.stale))
        _follow_tap(index, registry, refreshed, notes)
    kept += _follow_hubs(workspace, index, query, notes)
    index.forget(set(kept))


def _bundled_stamp() -> str:
    digests = "".join(skill.digest for skill in shipped.skills())
    return hashlib.sha256(digests.encode()).hexdigest()


def _follow_tap(
    index: SearchIndex, registry: str, refreshed: catalog.Refreshed, notes: Notes
) -> None:
    if index.stamp(registry) == refreshed.stamp:
        return
    answer = refreshed.answer()
    if answer.failure and not refreshed.failure:
        notes.warn(f"the tap {answer.name} cannot be read: {answer.failure}")
    for problem in answer.problems:
        notes.warn(problem)
    index.replace(registry, refreshed.stamp, map(_indexed, answer.listings))


def _follow_hubs(workspace: Workspace, index: SearchIndex, query: str, notes: Notes) -> list[str]:
    """What hubs answered joins what they answered before; a silent hub keeps its old entries."""
    if not query:
        return [f"hub:{hub.where}" for hub in workspace.hubs]
    kept = []
    for where, answer in catalog.search_hubs(workspace, query).items():
        registry = f"hub:{where}"
        kept.append(registry)
        if isinstance(answer, SkillError):
            known = index.search(Query(registry=(registry,), limit=1)).total
            using = "; what it said before is used" if known else ""
            notes.warn(f"the hub {where} did not answer: {answer.message}{using}")
        else:
            _remember(index, registry, query, answer)
    return kept


def _remember(index: SearchIndex, registry: str, query: str, answer: tuple[Listing, ...]) -> None:
    fresh = {entry.reference: entry for entry in map(_indexed, answer)}
    before = index.search(Query(registry=(registry,), limit=KNOWN_OF_A_HUB)).entries
    complete = len(answer) < _PAGE_OF_A_HUB
    for entry in before:
        gone = complete and _would_match(entry, query)
        if not gone:
            fresh.setdefault(entry.reference, entry)
    entries = sorted(fresh.values(), key=lambda entry: entry.reference)[:KNOWN_OF_A_HUB]
    stamp = hashlib.sha256(repr(entries).encode()).hexdigest()
    if stamp != index.stamp(registry):
        index.replace(registry, stamp, entries)


def _would_match(entry: Indexed, query: str) -> bool:
    """Whether a hub that still had the entry would have answered it: each word is in its text."""
    text = f"{entry.reference} {entry.description}".lower()
    return all(word in text for word in query.lower().split())


def _indexed(listing: Listing) -> Indexed:
    return Indexed(
        name=listing.name,
        reference=listing.qualified,
        description=listing.description,
        version=listing.version,
        trust=listing.origin.value,
        registry=str(listing.registry),
        source=listing.was or str(listing.source),
        owner=listing.owner,
        tags=listing.tags,
    )
