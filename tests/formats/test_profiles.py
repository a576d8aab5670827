"""Profiles: what single agents demand, each with a skill that lacks it and one that does not."""

from __future__ import annotations

import pytest

from skillpm.errors import UsageError
from skillpm.formats.profiles import profile, profiles
from skillpm.formats.spec import validate
from skillpm.model.tree import Tree

HEAD = "name: read-pdf\ndescription: Use when there is a PDF.\n"

DEMANDS = [
    ("claude", "name: claude-pdf\ndescription: Use when x.\n", "claude_reserved", (2, 7)),
    ("claude", "name: über-uns\ndescription: Use when x.\n", "claude_name", (2, 7)),
    ("claude", "name: read-pdf\ndescription: Use when <b>x</b>.\n", "claude_tag", (3, 14)),
    ("vscode", "name: über-uns\ndescription: Use when x.\n", "vscode_name", (2, 7)),
    ("opencode", f"{HEAD}metadata:\n  a: 1\n", "opencode_metadata", (5, 6)),
    ("openclaw", f"{HEAD}metadata:\n  a: b\n", "openclaw_lines", (4, 1)),
    ("openclaw", "name: read-pdf\ndescription: |\n  Use when\n  x\n", "openclaw_lines", (3, 1)),
]
ALLOWED = [
    ("claude", f"{HEAD}license: MIT\n"),
    ("claude", "name: read-pdf\ndescription: Use when a < b and c > d.\n"),
    ("claude-code", f"{HEAD}model: opus\nuser-invocable: false\nargument-hint: '[x]'\n"),
    ("claude-code", f"{HEAD}allowed-tools: [Bash, Read]\n"),
    ("vscode", f"{HEAD}disable-model-invocation: true\n"),
    ("openclaw", f'{HEAD}version: 1.0.0\nmetadata: {{"openclaw": {{"emoji": "x"}}}}\n'),
]


def rules(header: str, name: str) -> dict[str, tuple[int, int]]:
    data = f"---\n{header}---\nx".encode()
    found = validate(Tree.single(data), "", profile(name) if name else None)
    return {one.rule: (one.line, one.column) for one in found if one.severity == "error"}


@pytest.mark.parametrize(("name", "header", "rule", "at"), DEMANDS)
def test_a_demand_is_an_error_for_that_agent_alone(
    name: str, header: str, rule: str, at: tuple[int, int]
) -> None:
    assert rules(header, name)[rule] == at
    assert rule not in rules(header, "")


@pytest.mark.parametrize(("name", "header"), ALLOWED)
def test_what_an_agent_knows_is_no_error_for_it(name: str, header: str) -> None:
    assert rules(header, name) == {}


def test_every_profile_says_what_it_is_and_where_that_stands() -> None:
    assert len({one.name for one in profiles()}) == len(profiles()) >= 5
    assert all(one.about and one.source.startswith("https://") for one in profiles())
    assert {name for name, *_ in DEMANDS} | {name for name, _ in ALLOWED} == {
        one.name for one in profiles()
    }


def test_an_unknown_profile_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no profile 'x'") as caught:
        profile("x")
    assert "claude-code" in caught.value.hint
