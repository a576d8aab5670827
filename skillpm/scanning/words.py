"""Tables of words that stand in the source as plain text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words between white space."""
    return frozenset(text.split())
