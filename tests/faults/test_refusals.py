"""A full or failing disk ends a command as it documents, and leaves the old state or the new."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.killing import SCENES, Stage, reason_to_skip

REASON = reason_to_skip()
PLAYED = ("install", "update")


@pytest.mark.skipif(bool(REASON), reason=REASON or "processes can be traced")
@pytest.mark.parametrize("name", PLAYED)
def test_a_refused_call_ends_as_documented(name: str, tmp_path: Path) -> None:
    stage = Stage(next(scene for scene in SCENES if scene.name == name), tmp_path)
    assert stage.refuse("pwrite64", 1, "ENOSPC", lasting=True)
    assert stage.refuse("mkdirat", 2, "ENOSPC")
    assert stage.refuse("fsync", 1, "EIO")
    assert stage.refuse("write", 2, "EIO", lasting=True)


@pytest.mark.skipif(bool(REASON), reason=REASON or "processes can be traced")
def test_a_refused_call_around_git_ends_as_documented(tmp_path: Path) -> None:
    stage = Stage(next(scene for scene in SCENES if scene.name == "tap update"), tmp_path)
    assert stage.refuse("flock", 1, "EIO")
    assert stage.refuse("unlink", 1, "ENOSPC", lasting=True)
    assert stage.refuse("write", 1, "EIO")
