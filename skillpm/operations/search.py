"""Searching everything that has a name; what did not answer is said, never hidden."""

from __future__ import annotations

from skillpm.model.listing import Listing
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations import catalog, describing
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled
from skillpm.sources.ranking import rank


def search(workspace: Workspace, query: str, limit: int) -> Outcome:
    """Rank the skills of the bundled registry, every tap and the hubs.

    All words of the query must match a name or description; "" lists everything. At most
    `limit` are shown.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    answers = catalog.ask_taps(workspace)
    notes.extend(catalog.told(answers))
    found: list[Listing] = [*bundled.listings()]
    found += [listing for answer in answers for listing in answer.listings]
    if query:
        from_hubs, messages = catalog.search_hubs(workspace, query)
        found += from_hubs
        notes.extend(messages)
    ranked = rank(found, query)
    if len(ranked) > limit:
        notes.note(f"{len(ranked) - limit} more; show them with --limit {len(ranked)}")
    shown = ranked[:limit]
    data = {"query": query, "total": len(ranked), "skills": [*map(describing.listing_data, shown)]}
    return Outcome(data, tuple(notes.messages), (_table(shown, query),))


def _table(listings: tuple[Listing, ...], query: str) -> Table:
    rows = tuple(
        (entry.qualified, entry.version, entry.origin.value, str(entry.registry), entry.description)
        for entry in listings
    )
    empty = f"no skill matches {query!r}" if query else "no skills"
    return Table(("name", "version", "trust", "registry", "description"), rows, empty)
