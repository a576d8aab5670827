"""Inputs that once went wrong, kept on disk with the right answer beside them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

import pytest
from support.cli import ROOT

from skillpm.edges.archive import open_archive
from skillpm.errors import InvalidSkillError
from skillpm.formats.document import read_document
from skillpm.formats.spec import validate
from skillpm.model.tree import Tree

FIXTURES: Final = ROOT / "fixtures"
DOCUMENTS: Final = sorted(
    folder.parent
    for kind in ("good", "broken")
    for folder in (FIXTURES / kind).glob("*/answer.json")
)
ARCHIVES: Final[dict[str, str]] = json.loads((FIXTURES / "archives/answer.json").read_bytes())


@pytest.mark.parametrize("folder", DOCUMENTS, ids=lambda folder: folder.name)
def test_a_kept_document_has_the_answer_beside_it(folder: Path) -> None:
    answer = json.loads((folder / "answer.json").read_bytes())
    data = (folder / "SKILL.md").read_bytes()
    problems = validate(Tree.single(data), folder.name)
    assert [p.rule for p in problems if p.severity == "error"] == answer["errors"]
    if "summary" in answer:
        document = read_document(data)
        assert (document.summary, document.version) == (answer["summary"], answer["version"])


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_kept_archive_is_refused_at_once(name: str) -> None:
    start = time.process_time()
    with pytest.raises(InvalidSkillError, match=ARCHIVES[name]):
        open_archive((FIXTURES / "archives" / name).read_bytes())
    assert time.process_time() - start < 2


def test_there_are_kept_inputs() -> None:
    assert len(DOCUMENTS) >= 15
    assert set(ARCHIVES) == {p.name for p in (FIXTURES / "archives").iterdir()} - {"answer.json"}
