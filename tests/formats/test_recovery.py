"""What is forgiven in a header, what it is read as, and what it is not stretched to."""

from __future__ import annotations

import pytest

from skillpm.formats import yaml
from skillpm.formats.document import read_document
from skillpm.formats.recovery import read

READ: dict[str, tuple[str, str, str, list[tuple[str, int, int]]]] = {
    "a colon": ("description: a: b\n", "description", "a: b", [("header_recovered", 1, 14)]),
    "a colon at the end": ("x: 1\nlicense: a:\n", "license", "a:", [("header_recovered", 2, 10)]),
    "quotes inside": (
        'license: say: "a" \\ b\n', "license", 'say: "a" \\ b', [("header_recovered", 1, 10)]
    ),
    "a hash in prose": ("description: fix #5 now\n", "description", "fix #5 now",
                        [("value_cut", 1, 14)]),
    "a hash after a colon": ("description: a: b #5\n", "description", "a: b #5",
                             [("header_recovered", 1, 14)]),
    "more lines": ("description: a: b\n  and c: d\nx: 1\n", "description", "a: b and c: d",
                   [("header_recovered", 1, 14)]),
    "an at sign": ("description: @me does it\n", "description", "@me does it",
                   [("header_recovered", 1, 14)]),
    "a back quote": ("description: `skill` runs\n", "description", "`skill` runs",
                     [("header_recovered", 1, 14)]),
    "a tab after the colon": ("license:\tMIT\n", "license", "MIT", [("header_tab", 1, 9)]),
    "a tab at the end": ("license: MIT\t\n", "license", "MIT", [("header_tab", 1, 13)]),
    "two at once": ("license: a: b\ndescription: c: d\n", "description", "c: d",
                    [("header_recovered", 1, 10), ("header_recovered", 2, 14)]),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_what_can_only_be_meant_one_way_is_read_and_told(case: str) -> None:
    header, key, value, remarks = READ[case]
    found = read(header)
    assert found.mapping.values[key] == value
    assert [(one.rule, one.line, one.column) for one in found.remarks] == remarks
    assert found.text.count("\n") == header.count("\n")


def test_tabs_that_indent_are_read_as_spaces() -> None:
    found = read("metadata:\n\ta: b\n\tc:\n\t\td: e\n")
    assert found.mapping.values == {"metadata": {"a": "b", "c": {"d": "e"}}}
    assert [one.line for one in found.remarks] == [2, 3, 4]


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("description: text # a comment\n", {"description": "text"}),
        ("name: x #y\n", {"name": "x"}),
        ("description: a#b\n", {"description": "a#b"}),
        ("description: 'a: b #5'\n", {"description": "a: b #5"}),
        ("description: |\n  a: b #5\n", {"description": "a: b #5\n"}),
        ("description: http://x.example/#a\n", {"description": "http://x.example/#a"}),
    ],
)
def test_what_is_good_yaml_is_left_as_it_is(header: str, values: dict[str, str]) -> None:
    found = read(header)
    assert (found.mapping.values, found.remarks, found.text) == (values, (), header)


@pytest.mark.parametrize(
    "header",
    ["a: &x 1\n", "a: *x\n", "a: !t b\n", "a: 1\na: 2\n", "- a: b: c\n", "a: b: c\nb: [\n",
     "metadata:\n  a: b: c\n", "a: 'x\n", "text\n"],
)  # fmt: skip
def test_anything_else_stays_an_error(header: str) -> None:
    with pytest.raises(yaml.YamlError):
        read(header)


def test_lines_are_those_of_the_file() -> None:
    found = read_document(b"---\r\nname: x\r\ndescription: a: b\r\nlicense: c: d\r\n---\r\nx\r\n")
    assert [(one.line, one.column) for one in found.remarks] == [(3, 14), (4, 10)]
    assert "line 3" in found.problem
    assert found.place_of("description") == (3, 14)


def test_a_line_that_is_no_yaml_is_told_with_braces_as_they_are() -> None:
    assert "line 3" in read_document(b"---\na: {b\n---\nx").problem
    assert read_document(b"---\n'{': 1\n'{': 2\n---\nx").problem.count("{") == 1
