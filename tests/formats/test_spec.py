"""What the specification demands: every rule with a skill that breaks it and one that does not."""

from __future__ import annotations

import time
from typing import Final

import pytest

from skillpm.formats.dialect import dialect_of
from skillpm.formats.document import read_document
from skillpm.formats.spec import validate
from skillpm.model.problem import Problem
from skillpm.model.tree import File, Tree

HEAD: Final = "name: read-pdf\ndescription: Use when there is a PDF.\n"

ERRORS: Final[dict[str, list[str]]] = {
    "header_missing": ["# No header\n"],
    "header_invalid": ["---\nname: x\n", "---\n[\n---\nx", "---\na: &x 1\n---\nx",
    "---\n- a\n---\nx"],
    "name_missing": [f"---\n{HEAD[15:]}---\nx", f"---\nname: ''\n{HEAD[15:]}---\nx",
    "---\nname:\n---\nx", "---\nname: '  '\n---\nx"],
    "name_type": ["---\nname: 7\n---\nx", "---\nname: [a]\n---\nx", "---\nname: true\n---\nx"],
    "name_length": [f"---\nname: {'x' * 65}\n---\nx"],
    "name_format": [
        f"---\nname: {name}\n---\nx"
        for name in ("Read-PDF", "a--b", "-a", "a-", "a_b", "a.b", "'a b'", "a/b", "'..'")
    ],
    "name_mismatch": ["---\nname: other\n---\nx"],
    "description_missing": ["---\nname: read-pdf\n---\nx", "---\ndescription: ''\n---\nx",
                            "---\ndescription: '  '\n---\nx", "---\ndescription:\n---\nx"],
    "description_type": ["---\ndescription: 7\n---\nx", "---\ndescription: [a]\n---\nx"],
    "description_length": [f"---\ndescription: {'x' * 1025}\n---\nx"],
    "license_type": [f"---\n{HEAD}license: 7\n---\nx", f"---\n{HEAD}license: [MIT]\n---\nx"],
    "compatibility_type": [f"---\n{HEAD}compatibility: 7\n---\nx"],
    "compatibility_length": [f"---\n{HEAD}compatibility: ''\n---\nx",
                             f"---\n{HEAD}compatibility: {'x' * 501}\n---\nx"],
    "metadata_type": [f"---\n{HEAD}metadata: text\n---\nx", f"---\n{HEAD}metadata: [a]\n---\nx"],
    "allowed_tools_type": [f"---\n{HEAD}allowed-tools: 7\n---\nx",
                           f"---\n{HEAD}allowed-tools: {{a: b}}\n---\nx"],
    "no_summary": ["---\nname: read-pdf\n---\n\n"],
    "header_recovered": ["---\nname: read-pdf\ndescription: Use when: always\n---\nx"],
    "header_tab": [f"---\n{HEAD}metadata:\n\ta: b\n---\nx", f"---\n{HEAD}license:\tMIT\n---\nx"],
    "header_dashes": ["---\ndescription: Use --- when\nname: read-pdf\n---\nx"],
    "field_unknown": [f"---\n{HEAD}version: 1.0\n---\nx", f"---\n{HEAD}Name: x\n---\nx"],
    "flow_style": [f"---\n{HEAD}metadata: {{a: b}}\n---\nx",
                   f"---\n{HEAD}allowed-tools: [A]\n---\nx",
                   f"---\n{HEAD}metadata:\n  a:\n    b: [c]\n---\nx"],
    "indentation": [f"---\n{HEAD}metadata:\n  a:\n    b: c\n  d:\n      e: f\n---\nx"],
    "encoding": ["\ufeff" + f"---\n{HEAD}---\nx"],
}  # fmt: skip

ADVICE: Final[dict[str, str]] = {
    "value_cut": "---\nname: read-pdf\ndescription: Use when #5 is open\n---\nx",
    "header_dashes": "---\nname: read-pdf\ndescription: Use when --- or not\n---\nx",
    "allowed_tools_list": f"---\n{HEAD}allowed-tools:\n  - Bash\n---\nx",
    "metadata_values": f"---\n{HEAD}metadata:\n  version: 1.10\n---\nx",
    "description_long": f"---\nname: read-pdf\ndescription: Use when {'x' * 500}\n---\nx",
    "marketing": "---\nname: read-pdf\ndescription: Use when powerful.\n---\nx",
    "incident_log": f"---\n{HEAD}---\n" + "As issue #12 said.\n" * 4,
    "long": f"---\n{HEAD}---\n" + "x" * 20_000,
    "body_long": f"---\n{HEAD}---\n" + "x\n" * 501,
    "no_trigger": "---\nname: read-pdf\ndescription: Reads a PDF.\n---\nx",
    "dangling_reference": f"---\n{HEAD}---\nSee references/deep.md and scripts/run.sh.\n",
}

GOOD: Final = [
    f"---\n{HEAD}---\nx",
    f"---\n{HEAD}license: MIT\ncompatibility: any\nmetadata:\n  a: b\nallowed-tools: Bash\n---\nx",
    f"---\nname: read-pdf\ndescription: Use when {'x' * 490}\n---\nx",
    f"---\n{HEAD}compatibility: {'x' * 500}\n---\n" + "x\n" * 499,
    f"---\n{HEAD}license:\nmetadata:\ncompatibility:\nallowed-tools:\n---\nx",
    f"---\n{HEAD}version: 1.0.0\ntriggers:\n  - event: x\nactions: [a]\n---\nx",
]


def check(text: str, name: str = "read-pdf", *more: str) -> tuple[Problem, ...]:
    files = [File("SKILL.md", text.encode()), *(File(path, b"x") for path in more)]
    return validate(Tree.of(files), name)


def rules(problems: tuple[Problem, ...], severity: str) -> set[str]:
    return {problem.rule for problem in problems if problem.severity == severity}


@pytest.mark.parametrize(("rule", "text"), [(r, t) for r, texts in ERRORS.items() for t in texts])
def test_a_broken_rule_is_an_error(rule: str, text: str) -> None:
    assert rule in rules(check(text), "error")


def test_the_errors_are_those_of_the_list_we_replace_and_those_of_the_reference_reader() -> None:
    """The list that is replaced has sixteen; an unreadable document has no header."""
    listed = {
        "header_missing", "header_invalid", "name_missing", "name_type", "name_length",
        "name_format", "name_mismatch", "description_missing", "description_type",
        "description_length", "license_type", "compatibility_type", "compatibility_length",
        "metadata_type", "allowed_tools_type", "no_summary",
    }  # fmt: skip
    refused = {
        "header_recovered", "header_tab", "header_dashes", "field_unknown", "flow_style",
        "indentation", "encoding",
    }  # fmt: skip
    assert set(ERRORS) == listed | refused
    assert rules(validate(Tree.of([File("x", b"")]), ""), "error") == {"entry_missing"}
    assert rules(validate(Tree.single(b"\0"), ""), "error") == {"document_unreadable"}


@pytest.mark.parametrize("text", GOOD)
def test_a_good_skill_has_no_problem_at_all(text: str) -> None:
    assert check(text) == ()


@pytest.mark.parametrize("rule", ADVICE)
def test_what_only_trips_over_a_convention_is_advice(rule: str) -> None:
    problems = check(ADVICE[rule])
    assert rule in rules(problems, "advice")
    assert rules(problems, "error") == set()


@pytest.mark.parametrize("path", ["README.md", "CHANGELOG.md", "install.sh", ".env", ".gitignore"])
def test_files_that_have_no_place_in_a_skill_are_advice(path: str) -> None:
    assert "forbidden_file" in rules(check(GOOD[0], "read-pdf", path), "advice")


def test_a_reference_to_a_file_or_folder_that_is_there_is_none() -> None:
    text = f"---\n{HEAD}---\nSee references/deep.md, references/sub, (scripts/run.sh).\n"
    assert check(text, "read-pdf", "references/deep.md", "references/sub/x", "scripts/run.sh") == ()


def test_the_name_is_compared_with_its_folder_only_when_there_is_one() -> None:
    assert check(GOOD[0], "") == ()
    assert rules(check(GOOD[0], "other"), "error") == {"name_mismatch"}


def test_a_unicode_lower_case_name_passes_as_in_the_list_we_replace() -> None:
    assert check(f"---\nname: über-uns\n{HEAD[15:]}---\nx", "über-uns") == ()


def test_all_problems_come_at_once_errors_first_with_their_line() -> None:
    problems = check("---\nlicense: 7\nname: A\ndescription: Reads.\n---\n See scripts/x.sh\n")
    assert [(p.severity, p.rule, p.line, p.column) for p in problems] == [
        ("error", "license_type", 2, 10),
        ("error", "name_format", 3, 7),
        ("error", "name_mismatch", 3, 7),
        ("advice", "no_trigger", 4, 14),
        ("advice", "dangling_reference", 6, 6),
    ]
    assert all(p.fix for p in problems)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("triggers:\n  - event: x", "workflow"), ("triggers:\n  - schedule: every_day", "workflow"),
        ("actions:\n  - brevo/send-email", "workflow"),
        ("actions:\n  - type: http/request", "workflow"),
        ("triggers:\n  - when it rains", "agent-skill"), ("triggers: when", "agent-skill"),
        ("actions:\n  - read", "agent-skill"), ("license: MIT", "agent-skill"),
    ],
)  # fmt: skip
def test_the_dialect_is_told_by_what_triggers_and_actions_are(header: str, name: str) -> None:
    document = read_document(f"---\n{HEAD}{header}\n---\nx".encode())
    assert dialect_of(document.header.values).name == name


def test_a_key_inside_metadata_has_its_own_line_and_column() -> None:
    text = f"---\n{HEAD}metadata:\n  a: b\n  version: 1.0\n---\nx"
    (problem,) = check(text)
    assert (problem.rule, problem.where) == ("metadata_values", "SKILL.md:6:12")


def test_all_that_is_wrong_with_a_header_is_told_not_the_first_thing_alone() -> None:
    problems = check("---\na: &x 1\nb: !t 2\nc: *x\n---\nx")
    assert [(p.rule, p.line, p.column) for p in problems if p.severity == "error"] == [
        ("header_invalid", 2, 4), ("header_invalid", 3, 4), ("header_invalid", 4, 4),
    ]  # fmt: skip
    doubled = check("---\na: 1\na: 2\nb: 1\nb: 2\n---\nx")
    assert [p.line for p in doubled if p.rule == "header_invalid"] == [3, 5]


def test_an_entry_document_in_lower_case_is_checked_under_its_name() -> None:
    problems = validate(Tree.of([File("skill.md", b"---\nname: x\n---\nx")]), "x")
    assert {p.rule: p.path for p in problems} == {
        "description_missing": "skill.md", "entry_name": "skill.md"
    }  # fmt: skip


def test_a_megabyte_of_references_does_not_take_long() -> None:
    lines = "".join(f"references/r{n}.md\n" for n in range(45_000))
    start = time.process_time()
    assert len(check(f"---\n{HEAD}---\n{lines}", "read-pdf", *(f"d{n}/f" for n in range(1_500))))
    assert time.process_time() - start < 5
