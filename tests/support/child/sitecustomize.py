"""The loopback guard inside the processes that the tests start.

Python imports this by its name at start-up, because `support.cli` puts this folder on the
path. It imports next to nothing, so that start-up time and `sys.modules` stay as they are.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def _install(log: str) -> None:
    from support.loopback import fault

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        found = fault(event, arguments)
        if found:
            with open(log, "a", encoding="utf-8") as out:  # noqa: PTH123 - pathlib is slow to import
                out.write(f"{found}\n")
            raise OSError(found)

    sys.addaudithook(guard)


if "LOOPBACK_GUARD_LOG" in os.environ:
    _install(os.environ["LOOPBACK_GUARD_LOG"])
