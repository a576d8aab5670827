"""What ships with the program passes the program's own scan: safe, and read to the last byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import ROOT

from skillpm.edges.disk import read_tree
from skillpm.model.finding import Verdict
from skillpm.scanning.scanner import scan

SKILLS = sorted((ROOT / "registry" / "skills").iterdir())


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_a_bundled_skill_is_safe(skill: Path) -> None:
    report = scan(read_tree(skill))
    assert report.verdict is Verdict.SAFE
    assert report.complete
