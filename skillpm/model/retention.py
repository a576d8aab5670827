"""How long what was replaced or removed is kept."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_DAYS: Final = re.compile(r"([1-9][0-9]{0,4})d")


class Retention(NamedTuple):
    """What the history needs of the store; with neither number, everything.

    Attributes:
        days: what was done in so many days; 0 for no such limit.
        operations: what the last so many operations did; 0 for no such limit.
    """

    days: int = 0
    operations: int = 0

    def __str__(self) -> str:
        if self.days:
            return f"{self.days}d"
        return f"the last {self.operations} operations" if self.operations else "forever"


FOREVER: Final = Retention()


def retention(value: object) -> Retention:
    """Read `forever`, `90d` or a number of operations.

    Raises:
        ValueError: it is something else.
    """
    text = str(value) if type(value) in (str, int) else repr(value)
    days = _DAYS.fullmatch(text)
    if days:
        return Retention(days=int(days[1]))
    if re.fullmatch(r"[1-9][0-9]{0,5}", text):
        return Retention(operations=int(text))
    if text != "forever":
        raise ValueError(f"{text!a} is not forever, a number of days (90d) or of operations (200)")
    return FOREVER
