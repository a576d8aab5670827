"""Searching everything that has a name; what did not answer is said, never hidden."""

from __future__ import annotations

import dataclasses

from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations import indexing
from skillpm.operations.workspace import Workspace
from skillpm.store.searching import Page, Query


def search(workspace: Workspace, query: Query) -> Outcome:
    """Search the bundled registry, every tap and the hubs, best matches first.

    Raises:
        StateError: our own state is damaged.
    """
    notes = Notes()
    index = indexing.opened(workspace)
    indexing.follow(workspace, index, query.words, notes)
    page = index.search(query)
    if page.corrected:
        notes.note(f"nothing has {query.words!r}; this is for {page.corrected!r}")
    _tell_more(query, page, notes)
    skills = [{**dataclasses.asdict(entry), "tags": list(entry.tags)} for entry in page.entries]
    data = {
        "query": query.words,
        "corrected": page.corrected,
        "total": page.total,
        "exact": page.exact,
        "page": query.page,
        "skills": skills,
    }
    return Outcome(data, tuple(notes.messages), (_table(query, page),))


def _tell_more(query: Query, page: Page, notes: Notes) -> None:
    shown = (query.page - 1) * query.limit + len(page.entries)
    if page.total > shown:
        more = f"{page.total - shown} more" if page.exact else f"over {page.total - shown} more"
        notes.note(f"{more}; the next page is --page {query.page + 1}")


def _table(query: Query, page: Page) -> Table:
    rows = tuple(
        (entry.reference, entry.version, entry.trust, entry.registry, entry.description)
        for entry in page.entries
    )
    empty = f"no skill matches {query.words!r}" if query.words else "no skills"
    return Table(("name", "version", "trust", "registry", "description"), rows, empty)
