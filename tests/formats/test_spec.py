"""What the specification demands: every rule with a skill that breaks it and one that does not."""

from __future__ import annotations

import time
from typing import Final

import pytest

from skillpm.formats.spec import Problem, validate
from skillpm.model.tree import File, Tree

HEAD: Final = "name: read-pdf\ndescription: Use when there is a PDF.\n"

ERRORS: Final[dict[str, list[str]]] = {
    "header_missing": ["# No header\n"],
    "header_invalid": ["---\nname: x\n", "---\n[\n---\nx", "---\na: &x 1\n---\nx",
    "---\n- a\n---\nx"],
    "name_missing": [f"---\n{HEAD[15:]}---\nx", f"---\nname: ''\n{HEAD[15:]}---\nx",
    "---\nname:\n---\nx"],
    "name_type": ["---\nname: 7\n---\nx", "---\nname: [a]\n---\nx", "---\nname: true\n---\nx"],
    "name_length": [f"---\nname: {'x' * 65}\n---\nx"],
    "name_format": [
        f"---\nname: {name}\n---\nx"
        for name in ("Read-PDF", "a--b", "-a", "a-", "a_b", "a.b", "'a b'", "a/b", "'..'", "'  '")
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
}  # fmt: skip

ADVICE: Final[dict[str, str]] = {
    "header_recovered": "---\nname: read-pdf\ndescription: Use when: always\n---\nx",
    "allowed_tools_list": f"---\n{HEAD}allowed-tools: [Bash]\n---\nx",
    "body_long": f"---\n{HEAD}---\n" + "x\n" * 501,
    "no_trigger": "---\nname: read-pdf\ndescription: Reads a PDF.\n---\nx",
    "dangling_reference": f"---\n{HEAD}---\nSee references/deep.md and scripts/run.sh.\n",
}

GOOD: Final = [
    f"---\n{HEAD}---\nx",
    f"---\n{HEAD}license: MIT\ncompatibility: any\nmetadata:\n  a: b\nallowed-tools: Bash\n---\nx",
    f"---\nname: read-pdf\ndescription: Use when {'x' * 1015}\n---\nx",
    f"---\n{HEAD}compatibility: {'x' * 500}\nunknown: [1]\n---\n" + "x\n" * 499,
]


def check(text: str, name: str = "read-pdf", *more: str) -> tuple[Problem, ...]:
    files = [File("SKILL.md", text.encode()), *(File(path, b"x") for path in more)]
    return validate(Tree.of(files), name)


def rules(problems: tuple[Problem, ...], severity: str) -> set[str]:
    return {problem.rule for problem in problems if problem.severity == severity}


@pytest.mark.parametrize(("rule", "text"), [(r, t) for r, texts in ERRORS.items() for t in texts])
def test_a_broken_rule_is_an_error(rule: str, text: str) -> None:
    assert rule in rules(check(text), "error")


def test_the_errors_are_those_of_the_list_we_replace_and_two_of_our_own() -> None:
    """`facts/pepe.md` 2.14 has the sixteen; an unreadable document has no header."""
    listed = {
        "header_missing",
        "header_invalid",
        "name_missing",
        "name_type",
        "name_length",
        "name_format",
        "name_mismatch",
        "description_missing",
        "description_type",
        "description_length",
        "license_type",
        "compatibility_type",
        "compatibility_length",
        "metadata_type",
        "allowed_tools_type",
        "no_summary",
    }
    assert set(ERRORS) == listed
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
    problems = check("---\nlicense: 7\nname: A\ndescription: Reads.\n---\nscripts/x.sh\n")
    assert [(p.severity, p.rule, p.line) for p in problems] == [
        ("error", "license_type", 2),
        ("error", "name_format", 3),
        ("error", "name_mismatch", 3),
        ("advice", "no_trigger", 4),
        ("advice", "dangling_reference", 6),
    ]


def test_a_megabyte_of_references_does_not_take_long() -> None:
    lines = "".join(f"references/r{n}.md\n" for n in range(45_000))
    start = time.process_time()
    assert len(check(f"---\n{HEAD}---\n{lines}", "read-pdf", *(f"d{n}/f" for n in range(1_500))))
    assert time.process_time() - start < 5
