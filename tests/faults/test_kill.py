"""`kill -9` at any moment leaves the old state or the new one, and the next command heals."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.killing import SCENES, Scene, Stage, reason_to_skip

PLAYED = ("install", "update", "remove", "install in a project", "sync")
REASON = reason_to_skip()
CHANGES = [scene for scene in SCENES if scene.name in PLAYED]
VISIBLE = ("rename", "renameat2", "rmdir")
"""The calls that change what can be seen; all of them are played, of the others a few."""


@pytest.mark.skipif(bool(REASON), reason=REASON or "processes can be traced")
@pytest.mark.parametrize("scene", CHANGES, ids=lambda scene: scene.name)
def test_a_kill_leaves_the_old_or_the_new_state(scene: Scene, tmp_path: Path) -> None:
    stage = Stage(scene, tmp_path)
    played = [n for syscall in VISIBLE for n in stage.points(syscall)]
    played += [n for syscall in ("fsync", "fdatasync", "mkdir") for n in stage.points(syscall, 3)]
    assert len(played) >= 4
