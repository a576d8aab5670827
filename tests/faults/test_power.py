"""A power cut leaves the old state or the new one; what was said to be done is not lost."""

from __future__ import annotations

import pytest

from faults.killing import SCENES
from faults.power import MOUNTS, Cut, Machine, reason, room

REASON = reason()
CUTS = (
    Cut(),
    Cut(flushed=True),
    Cut("renameat2", 1, flushed=True),
    Cut("fdatasync", 3, flushed=True),
)


@pytest.mark.skipif(bool(REASON), reason=REASON or "a disk can be mounted")
def test_without_power_nothing_is_mixed_and_nothing_is_lost() -> None:
    scene = next(scene for scene in SCENES if scene.name == "update")
    with room() as folder:
        machine = Machine(scene, folder, MOUNTS[1])
        for cut in CUTS:
            machine.play(cut)
