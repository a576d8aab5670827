"""Answers that hold for a whole run: asked once, also when several threads want them at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from skillpm.errors import SkillError

T = TypeVar("T")


class Once(Generic[T]):
    """Remembers what a question was answered with.

    A failure is remembered too, for whoever would not wait longer than was waited for it; so a
    source that is down costs one time-out, not one for each skill that comes from it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._answers: dict[Hashable, T] = {}
        self._failures: dict[Hashable, tuple[SkillError, float]] = {}

    def get(self, key: Hashable, ask: Callable[[], T], seconds: float = 0) -> T:
        """The answer, asked for when nobody has asked yet; who comes second waits.

        Args:
            key: names the question.
            ask: finds the answer.
            seconds: how long `ask` may take before it fails.

        Raises:
            SkillError: as `ask`, now or before.
        """
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key in self._answers:
                return self._answers[key]
            error, waited = self._failures.get(key, (None, 0.0))
            if error is not None and seconds <= waited:
                raise error.with_traceback(None)
            try:
                answer = self._answers[key] = ask()
            except SkillError as failure:
                self._failures[key] = (failure, seconds)
                raise
            return answer
