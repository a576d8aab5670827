"""What checking an installed skill gives: verified, not verifiable, or failed; never a mixture."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class Answer(StrEnum):
    """The three answers; `not verifiable` is neither of the others, and never counts as yes."""

    VERIFIED = "verified"
    NOT_VERIFIABLE = "not verifiable"
    FAILED = "FAILED"


class Check(NamedTuple):
    """One thing that was looked at.

    Attributes:
        what: `files`, `source`, `tap` or `signature`.
        detail: what agrees and with what, or why it does not, or cannot be told.
    """

    what: str
    answer: Answer
    detail: str


def together(checks: Sequence[Check]) -> Answer:
    """The answer of several checks: a failure first, then what could not be told."""
    found = {check.answer for check in checks}
    if Answer.FAILED in found:
        return Answer.FAILED
    return Answer.VERIFIED if found == {Answer.VERIFIED} else Answer.NOT_VERIFIABLE
