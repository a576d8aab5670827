"""What a model is told: our own words, and every word of a stranger inside a fence.

Nothing here knows MCP. A result is what a person would see in a terminal, as plain text; nothing is
given as data beside it, since what a client does with data no fence can hold.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from skillpm.errors import SkillError, StateError
from skillpm.model.outcome import Outcome, Table
from skillpm.model.text import safe, safe_block
from skillpm.operations.fencing import fence

_DECIDED: Final = (5, 6)
"""Statuses of what only a person may decide."""

_LONGEST: Final = 200_000


class Answer(NamedTuple):
    """What a call gives back.

    Attributes:
        failed: whether it could not be done.
        changed: whether what is installed may be other than before.
    """

    text: str
    failed: bool = False
    changed: bool = False


def shown(outcome: Outcome) -> str:
    """An outcome as a person would see it: tables, text, messages."""
    parts = [_table(table) for table in outcome.tables]
    parts += [safe_block(text).rstrip() for text in (outcome.text, outcome.errors) if text]
    parts += [
        f"{'' if m.level == 'note' else f'{m.level}: '}{safe(m.text)}" for m in outcome.messages
    ]
    return cut("\n".join(parts))


def fenced(outcome: Outcome, what: str) -> str:
    """The same inside a fence, with the exit status that a terminal would have seen above it."""
    return f"status {outcome.status}\n{fence(shown(outcome), what)}"


def plain(outcome: Outcome) -> str:
    """The same without a fence: nothing in it is a stranger's."""
    return f"status {outcome.status}\n{shown(outcome)}\n"


def of_error(error: SkillError, *, ours: bool = False) -> Answer:
    """What went wrong, with its code, and what to do next.

    Args:
        error: what went wrong.
        ours: whether its words are ours and the caller's alone; many quote a stranger's.
    """
    reason = safe_block(error.message)
    ours = ours or isinstance(error, StateError)
    told = f"{reason}\n" if ours else fence(reason, "the reason, which may quote a stranger")
    lines = f"error: {error.code} (status {error.status})\n{told}"
    if error.hint and error.status in _DECIDED:
        lines += f"Only a person can decide this, in a terminal: {safe(error.hint)}\n"
    elif error.hint:
        lines += f"next: {safe(error.hint)}\n"
    return Answer(lines, failed=True)


def of_bug(error: Exception) -> Answer:
    """A bug of ours: its kind and nothing of its words, which may be anybody's."""
    return Answer(f"error: this is a bug in skill ({type(error).__name__})\n", failed=True)


def cut(text: str) -> str:
    """A text without its middle, when it is too long for anybody."""
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _table(table: Table) -> str:
    if not table.rows:
        return table.empty
    rows = [table.columns, *table.rows] if any(table.columns) else table.rows
    return "\n".join("\t".join(map(safe, row)).rstrip("\t") for row in rows)
