"""Jobs side by side: each answers for itself, and nothing ends in a thread that nobody sees."""

from __future__ import annotations

import threading
from typing import NoReturn

import pytest

from skillpm.errors import StateError, UnreachableError
from skillpm.operations.catalog import in_parallel


def failing(error: Exception) -> NoReturn:
    raise error


def test_a_failure_is_the_answer_of_its_own_job_alone() -> None:
    down = UnreachableError("down")
    answers = in_parallel(
        {
            "good": lambda: 7,
            "down": lambda: failing(down),
            "disk": lambda: failing(OSError(28, "No space left on device")),
        },
        5,
    )
    assert answers["good"] == 7
    assert answers["down"] is down
    assert isinstance(answers["disk"], StateError)
    assert "No space left" in str(answers["disk"])


def test_a_bug_in_a_job_is_raised_where_it_is_seen() -> None:
    with pytest.raises(KeyError):
        in_parallel({"good": lambda: 7, "bug": lambda: failing(KeyError("x"))}, 5)


def test_what_is_late_is_an_error_and_no_wait() -> None:
    answers = in_parallel({"late": threading.Event().wait}, 0.05)
    assert isinstance(answers["late"], UnreachableError)
