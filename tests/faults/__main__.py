"""The sets of faults, played from the checkout, and a table of what came of them.

    python -m tests.faults [--full] [kill|refuse|power|pairs|links|truncate|malformed]… [SCENE]…

`--full` plays the long sets, which takes an hour; without it each is short. Each point that fails
is told, each set prints its flows with their points, and at the end a table says how many points
were played, and in how many something was lost, mixed or a bug. The status is 1 when one failed.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from faults.tally import Tally

_CHECKOUT = Path(__file__).resolve().parents[2]
KINDS = {
    "kill": "matrix",
    "refuse": "matrix",
    "power": "power",
    "pairs": "pairs",
    "links": "links",
    "truncate": "truncate",
    "malformed": "malformed",
}


def main(args: Sequence[str]) -> int:
    """Play what was asked for; the status is 1 when a point failed, 2 for an unknown option."""
    if {arg for arg in args if arg.startswith("-")} - {"--full"}:
        print(__doc__)  # noqa: T201 - a program of its own
        return 0 if "--help" in args else 2
    sys.path[:0] = [str(_CHECKOUT / "tests"), str(_CHECKOUT)]
    words = [arg for arg in args if arg != "--full"]
    scenes = [word for word in words if word not in KINDS]
    kinds = [kind for kind in KINDS if kind in words or not set(words) & set(KINDS)]
    played = [_play(kind, scenes, full="--full" in args) for kind in kinds]
    tally = importlib.import_module("faults.tally")
    done = [one for one in played if one]
    print(tally.table(done), flush=True)  # noqa: T201
    return int(any(one.failures for one, _ in done))


def _play(kind: str, scenes: Sequence[str], *, full: bool) -> tuple[Tally, float] | None:
    module = importlib.import_module(f"faults.{KINDS[kind]}")
    reason = module.reason()
    if reason:
        print(f"{kind}: skipped, {reason}", flush=True)  # noqa: T201
        return None
    start = time.monotonic()
    tally: Tally = getattr(module, kind)(full=full, scenes=scenes)
    seconds = time.monotonic() - start
    print(f"{tally} ({seconds:.0f} s)", flush=True)  # noqa: T201
    return tally, seconds


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
