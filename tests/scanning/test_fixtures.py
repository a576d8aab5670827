"""Hostile skills are caught, and the harmless skills that look like them are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanning.fixtures import folders, tree_of
from skillpm.model.finding import Verdict
from skillpm.scanning.scanner import scan

# Kinds whose rules weigh less: a person may well want them, but should see them first.
CAUTION = {
    "cloud-destroy-1", "database-1", "db-wipe-python-1", "force-push-1", "compose-socket-1",
    "grant-base-url-1", "grant-env-file-1", "grant-tools-1", "manifest-conda-1",
    "manifest-entry-point-1", "manifest-maven-1", "manifest-npm-alias-1", "manifest-pip-config-1",
    "pipeline-target-1",
}  # fmt: skip


@pytest.mark.parametrize("folder", folders("hostile"), ids=lambda f: f.name)
def test_a_hostile_skill_is_caught(folder: Path) -> None:
    expected = Verdict.CAUTION if folder.name in CAUTION else Verdict.DANGER
    assert scan(tree_of(folder)).verdict is expected


@pytest.mark.parametrize("folder", folders("lookalike"), ids=lambda f: f.name)
def test_its_look_alike_is_safe(folder: Path) -> None:
    report = scan(tree_of(folder))
    assert report.verdict is Verdict.SAFE, [f.as_json() for f in report.findings]


def test_they_come_in_pairs() -> None:
    assert [f.name for f in folders("hostile")] == [f.name for f in folders("lookalike")]
