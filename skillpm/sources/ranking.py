"""Ranking listings for a query: names before descriptions, whole words before parts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillpm.model.listing import Listing
from skillpm.model.provenance import Origin

_TRUST = {Origin.BUILTIN: 0, Origin.OFFICIAL: 0, Origin.COMMUNITY: 1, Origin.LOCAL: 1}


def rank(listings: Iterable[Listing], query: str) -> tuple[Listing, ...]:
    """The listings that match every word of the query, best first; all of them for no words."""
    words = re.findall(r"\w+", query.lower())
    scored = []
    for listing in listings:
        score = _score(listing, words)
        if score is not None:
            scored.append((-score, _TRUST[listing.origin], listing.name, listing))
    return tuple(row[-1] for row in sorted(scored, key=lambda row: row[:3]))


def _score(listing: Listing, words: list[str]) -> int | None:
    """The sum over the words, or None when one of them is nowhere."""
    total = 100 if "-".join(words) == listing.name else 0
    for word in words:
        score = _word_score(listing, word)
        if not score:
            return None
        total += score
    return total


def _word_score(listing: Listing, word: str) -> int:
    parts = listing.name.split("-")
    if word in parts:
        return 20
    if any(part.startswith(word) for part in parts):
        return 12
    if word in listing.name or word in listing.owner:
        return 8
    described = re.findall(r"\w+", listing.description.lower())
    if word in described:
        return 4
    return 2 if any(part.startswith(word) for part in described) else 0
