"""When an answer is worth asking for again, and how long to wait before."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from skillpm.errors import UnreachableError

TRIES: Final = 3
PATIENCE: Final = 30.0
_BASE: Final = 0.25
_SERVER: Final = (500, 502, 503, 504)


class BrokenError(UnreachableError):
    """The connection or the server failed in a way that may be over in a moment.

    Attributes:
        wait: seconds the server asked to wait; None when it did not say.
    """

    def __init__(self, message: str, *, hint: str = "", wait: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.wait = wait


def asked_wait(status: int, headers: Mapping[str, str]) -> float | None:
    """The seconds that a refusal asks to wait; None when it names none."""
    if status not in (403, 429, 503):
        return None
    after = headers.get("retry-after", "").strip()
    if after.isascii() and after.isdigit() and len(after) < 10:
        return float(after)
    if after:
        try:
            return max(parsedate_to_datetime(after).timestamp() - time.time(), 0.0)
        except (ValueError, OverflowError, TypeError):
            return None
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
        return max(float(reset[:12]) - time.time(), 0.0)
    return None


def is_passing(status: int) -> bool:
    """Whether a status is a server's trouble of the moment."""
    return status in _SERVER


def pause(attempt: int, wait: float | None) -> float:
    """Seconds before the next try: as asked, or anywhere up to a bound that doubles."""
    if wait is not None:
        return wait
    return random.uniform(0, _BASE * 2**attempt)  # noqa: S311 - it spreads load, it hides nothing
