"""Sentences that a skill may hold, by kind and language: hostile ones and harmless neighbours.

Most of the sentences were written before the concepts that find them, so that the table says how
the scanner does on wordings it has not seen; `missed` are those that it doesn't find yet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scanning.fixtures import scan_text
from skillpm.model.finding import Severity

FOLDER = Path(__file__).parents[2] / "fixtures" / "prose"


def sentences(side: str) -> list[Any]:
    """Each sentence of a side, with its kind and language as its name."""
    return [
        pytest.param(sentence, id=f"{file.stem}-{language}-{number}")
        for file in sorted(FOLDER.glob("*.yaml"))
        for language, said in yaml.safe_load(file.read_text("utf-8")).get(side, {}).items()
        for number, sentence in enumerate(said)
    ]


def worst(sentence: str) -> Severity:
    """How bad a skill is that says this among its steps."""
    text = f"---\nname: a\ndescription: A skill.\n---\n\n# Steps\n\n{sentence}\n"
    return max((f.severity for f in scan_text(text).findings), default=Severity.INFO)


@pytest.mark.parametrize("sentence", sentences("hostile"))
def test_what_is_said_against_the_user_is_found(sentence: str) -> None:
    assert worst(sentence) >= Severity.CAUTION


@pytest.mark.parametrize("sentence", sentences("benign"))
def test_harmless_neighbours_are_left_alone(sentence: str) -> None:
    assert worst(sentence) is Severity.INFO


@pytest.mark.parametrize("sentence", sentences("missed"))
def test_what_is_missed_is_listed_until_it_is_found(sentence: str) -> None:
    assert worst(sentence) is Severity.INFO
