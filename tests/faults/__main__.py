"""The whole kill matrix: every scene, every system call, every number. Takes a quarter of an hour.

Run it from the checkout: `PYTHONPATH=tests python -m faults [SCENE]…`; `--full` adds `openat`
and `close`. `--refuse` lets the system refuse calls (full disk, failing disk) instead of killing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from faults.killing import EVERY, SCENES, Stage, reason_to_skip

_MANY = ("openat", "close")
_MOST = 60


def main(args: list[str]) -> int:
    """Play the matrix; the status is 1 when a point left something mixed."""
    reason = reason_to_skip()
    if reason:
        print(reason)  # noqa: T201 - a program of its own
        return 1
    chosen = [arg for arg in args if not arg.startswith("--")]
    calls = EVERY if "--full" in args else [call for call in EVERY if call not in _MANY]
    failures = 0
    for scene in SCENES:
        if chosen and scene.name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            stage = Stage(scene, Path(folder))
            for call in calls:
                if "--refuse" in args:
                    failures += _refuse(stage, scene.name, call)
                else:
                    failures += _play(stage, scene.name, call)
    return int(failures > 0)


def _play(stage: Stage, scene: str, call: str) -> int:
    number = failures = 0
    reached = True
    while reached:
        number += 1
        try:
            reached = stage.play(call, number)
        except AssertionError as error:
            failures += 1
            print(f"FAILED {error}")  # noqa: T201
    print(f"{scene}: {call}, {number - 1} points, {failures} failures", flush=True)  # noqa: T201
    return failures


def _refuse(stage: Stage, scene: str, call: str) -> int:
    played = failures = 0
    for error in ("ENOSPC", "EIO"):
        for lasting in (False, True):
            number, reached = 0, True
            while reached and number < _MOST:
                number += 1
                try:
                    reached = stage.refuse(call, number, error, lasting=lasting)
                except AssertionError as failed:
                    failures += 1
                    print(f"FAILED {failed}")  # noqa: T201
                played += reached
    print(f"{scene}: {call} refused, {played} points, {failures} failures", flush=True)  # noqa: T201
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
