"""The long sets of every fault, played from the checkout.

    python -m tests.faults [--full] [kill|refuse|power|pairs|links|truncate|malformed]… [SCENE]…

Without a word all of them are played, which takes an hour; `--full` plays several times as many
points. Each prints one line of counts; the status is 1 when a point failed.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

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
    """Play what was asked for; the status is 1 when a point failed."""
    words = [arg for arg in args if not arg.startswith("--")]
    scenes = [word for word in words if word not in KINDS]
    failures = 0
    for kind in KINDS:
        if kind in words or not set(words) & set(KINDS):
            failures += _play(kind, scenes, full="--full" in args)
    return int(failures > 0)


def _play(kind: str, scenes: Sequence[str], *, full: bool) -> int:
    module = importlib.import_module(f"faults.{KINDS[kind]}")
    reason = module.reason()
    if reason:
        print(f"{kind}: skipped, {reason}", flush=True)  # noqa: T201 - a program of its own
        return 0
    start = time.monotonic()
    tally = getattr(module, kind)(full=full, scenes=scenes)
    print(f"{tally} ({time.monotonic() - start:.0f} s)", flush=True)  # noqa: T201
    return int(tally.failures)


if __name__ == "__main__":
    sys.path[:0] = [str(_CHECKOUT / "tests"), str(_CHECKOUT)]
    sys.exit(main(sys.argv[1:]))
