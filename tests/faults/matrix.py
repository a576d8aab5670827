"""The kill matrix and the matrix of refused calls: every scene, every system call, its numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from faults.killing import EVERY, SCENES, Stage, reason_to_skip
from faults.tally import Tally, spread

_MANY = ("openat", "close")
"""Hundreds of them belong to the start of the interpreter."""
_CHANGING = [call for call in EVERY if call not in _MANY]


def kill(*, full: bool, scenes: Sequence[str]) -> Tally:
    """`kill -9` before every system call that changes something, and before some of the others.

    Without `full` it is before at most two of each. Only a git that we started, which writes into
    pipes, makes more than sixty of one.
    """
    tally = Tally("kill")
    for name, stage in _stages(scenes):
        for call, count in stage.reached(EVERY).items():
            most = 2 if not full else 4 if call in _MANY else 60
            for number in spread(count, most):
                tally.play(name, f"{call} {number}", lambda: stage.play(call, number))  # noqa: B023
    return tally


def refuse(*, full: bool, scenes: Sequence[str]) -> Tally:
    """ENOSPC and EIO instead of each call, once and from then on; at most so many of each."""
    tally, most = Tally("refuse"), 2 if full else 1
    for name, stage in _stages(scenes):
        for call, count in stage.reached(_CHANGING).items():
            for number in spread(count, most):
                for error in ("ENOSPC", "EIO"):
                    for lasting in (False, True):
                        tally.play(
                            name,
                            f"{call} {number} {error}{'+' if lasting else ''}",
                            lambda: stage.refuse(call, number, error, lasting=lasting),  # noqa: B023
                        )
    return tally


def reason() -> str:
    """Why neither can be played here; "" when they can."""
    return reason_to_skip()


def _stages(scenes: Sequence[str]) -> Iterator[tuple[str, Stage]]:
    for scene in SCENES:
        if not scenes or scene.name in scenes:
            with tempfile.TemporaryDirectory() as folder:
                yield scene.name, Stage(scene, Path(folder))
