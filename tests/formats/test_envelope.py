"""The JSON envelope: one shape for every command, on failure too."""

from __future__ import annotations

import json
from typing import Final

import pytest

from skillpm import errors
from skillpm.errors import SkillError
from skillpm.formats.envelope import of_error, of_outcome
from skillpm.model.outcome import Message, Outcome

KEYS: Final = ["schema", "command", "status", "data", "messages", "error"]
CLASSES: Final = [
    found
    for found in vars(errors).values()
    if isinstance(found, type) and issubclass(found, SkillError) and found is not SkillError
]


def test_the_keys_are_frozen() -> None:
    ran = json.loads(of_outcome("list", Outcome({"skills": []}, (Message("hi", "warning"),))))
    failed = json.loads(of_error("list", SkillError("no", hint="do")))
    assert list(ran) == list(failed) == KEYS
    assert ran == {
        "schema": 1, "command": "list", "status": 0, "data": {"skills": []},
        "messages": [{"level": "warning", "text": "hi"}], "error": None,
    }  # fmt: skip
    assert failed["error"] == {"code": "error", "message": "no", "hint": "do"}
    assert (failed["data"], failed["messages"]) == ({}, [])


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.code)
def test_every_error_says_its_code_and_status(kind: type[SkillError]) -> None:
    envelope = json.loads(of_error("install", kind("why")))
    assert envelope["status"] == kind.status
    assert envelope["status"] in range(2, 10)
    assert envelope["error"]["code"] == kind.code


def test_the_codes_of_errors_are_all_different() -> None:
    assert len({kind.code for kind in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202e", "\x9b", "\ud800", "\u2028", "é", "\0"])
def test_nothing_but_printable_ascii_leaves_in_an_envelope(text: str) -> None:
    out = of_outcome("x", Outcome({"k": text}, (Message(text),)))
    assert out.replace("\n", "").isprintable()
    assert out.isascii()
    assert json.loads(out)["data"]["k"] == text


def test_a_failed_outcome_keeps_its_data() -> None:
    envelope = json.loads(of_outcome("update", Outcome({"done": ["a"]}, status=9)))
    assert (envelope["status"], envelope["data"]) == (9, {"done": ["a"]})
