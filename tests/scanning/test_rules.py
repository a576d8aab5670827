"""Every rule of the rule data, held to what it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import Any

import pytest

from scanning import rulebook
from skillpm.model.finding import Finding, Severity
from skillpm.model.tree import File, Tree
from skillpm.scanning.checks import CHECKS
from skillpm.scanning.rules import RuleSet, default_rules
from skillpm.scanning.scanner import scan

ROWS = rulebook.rows()
CASES = [
    pytest.param(row, text, expected, id=f"{row['id']}-{key}-{number}")
    for row in ROWS
    for key, expected in (("match", True), ("no_match", False))
    for number, text in enumerate(row.get(key, []))
]
PATTERNS = [
    pytest.param(row, pattern, id=f"{row['id']}-{number}")
    for row in rulebook.compile_rules()["rules"]
    for number, (pattern, *_) in enumerate(row["patterns"])
]

TERMS = sorted(default_rules().terms)


def findings_of(row: dict[str, Any], text: str) -> list[Finding]:
    tree = Tree.of([File(row.get("path", "SKILL.md"), text.encode())])
    category = row["id"].partition("/")[0]
    return [
        f
        for f in scan(tree).findings
        if f.rule == row["id"] or (not row.get("patterns") and f.category == category)
    ]


@pytest.mark.parametrize(("row", "text", "expected"), CASES)
def test_examples_match_as_their_rule_says(row: dict[str, Any], text: str, expected: bool) -> None:
    severities = [f.severity for f in findings_of(row, text)]
    if expected:
        assert max(severities) >= Severity[row["severity"].upper()]
    else:
        assert max(severities, default=Severity.INFO) is Severity.INFO


def test_every_rule_with_patterns_has_examples_of_both_kinds() -> None:
    bare = [
        row["id"]
        for row in ROWS
        if row.get("patterns") and not (row.get("match") and row.get("no_match"))
    ]
    assert bare == []


def test_ids_are_unique() -> None:
    assert [i for i, n in Counter(row["id"] for row in ROWS).items() if n > 1] == []


def test_the_compiled_rules_are_up_to_date() -> None:
    assert rulebook.COMPILED.read_text("utf-8") == rulebook.rendered(), (
        "run: python tests/scanning/rulebook.py"
    )


def test_checks_and_rules_of_code_exist() -> None:
    assert {row["check"] for row in ROWS if row.get("check")} <= set(CHECKS)


def test_what_a_rule_says_has_three_examples_of_both_kinds() -> None:
    few = [
        row["id"]
        for row in ROWS
        if row.get("says") and min(len(row.get("match", [])), len(row.get("no_match", []))) < 3
    ]
    assert few == []


@pytest.mark.parametrize("name", TERMS)
def test_terms_are_linear_and_need_literals(name: str) -> None:
    """RE2 takes them, their group is the words alone, and some literal is in every match."""
    re2 = pytest.importorskip("re2")
    term = default_rules().terms[name]
    assert re2.compile(term.expression).groups == 1
    assert min(map(len, term.needs)) >= 1


@pytest.mark.parametrize(("row", "pattern"), PATTERNS)
def test_patterns_are_linear(row: dict[str, Any], pattern: str) -> None:
    """RE2 accepts only what can be matched in linear time; and no match is unbounded."""
    re2 = pytest.importorskip("re2")
    re2.compile(pattern.replace("\\x00", "\\x{0}"))
    assert rulebook.width(pattern) <= 20_000
    for extra in chain(row["near"], row["unless"]):
        re2.compile(extra)


@pytest.mark.parametrize(("row", "pattern"), PATTERNS)
def test_every_pattern_has_literals_to_look_for(row: dict[str, Any], pattern: str) -> None:
    literals = rulebook.needs(pattern)
    assert literals, row["id"]
    assert all(literals[0])


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("abc", [["abc"]]),
        ("(?:ab|cd)e", [["abe", "cde"]]),
        ("x?yz", [["yz"]]),
        (r"\w{0,5}token", [["token"]]),
        (r"(?:curl|wget)\s{1,8}-o", [["curl", "wget"]]),
        (r"a{0,3}", []),
    ],
)
def test_the_literals_of_a_pattern(pattern: str, literals: list[list[str]]) -> None:
    assert rulebook.needs(pattern) == literals


def test_a_rule_explains_itself() -> None:
    about = default_rules().explain("remote-code/pipe-to-shell")
    told = about.as_json()
    assert all(told[key] for key in ("rule", "severity", "confidence", "what", "why", "fix"))
    assert "CWE-494" in about.references


def test_references_are_ids_of_known_catalogues() -> None:
    form = r"CWE-[1-9]\d{0,3}|T1\d{3}(\.\d{3})?|AML\.T\d{4}(\.\d{3})?|LLM\d{2}:2025|ASI\d{2}:2026"
    found = [one for rule in default_rules().rules.values() for one in rule.references]
    assert len(found) > 60
    assert [one for one in found if not re.fullmatch(form, one)] == []


def test_an_unknown_rule_can_not_be_explained() -> None:
    with pytest.raises(KeyError):
        default_rules().explain("no/such-rule")


def test_the_version_names_the_rules() -> None:
    rules: RuleSet = default_rules()
    compiled = json.loads(rulebook.COMPILED.read_text("utf-8"))
    assert compiled["hash"].startswith(rules.version.partition(".")[2])
