"""YAML as untrusted input: flat and small, and nothing of what makes it dangerous."""

from __future__ import annotations

import time

import pytest

from skillpm.formats.yaml import MAX_BYTES, MAX_DEPTH, YamlError, load_mapping

BOMB = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)

REFUSED = {
    "an alias bomb": (BOMB, "anchors", 1),
    "an anchor": ("a: &x 1", "anchors", 1),
    "an alias": ("a: *x", "anchors", 1),
    "a merge key": ("base: &b {x: 1}\nc:\n  <<: *b", "anchors", 1),
    "a python tag": ("a: !!python/object/apply:os.system ['id']", "tags", 1),
    "a standard tag": ("a: !!str 1", "tags", 1),
    "a tag of its own": ("x: 1\na: !mine 1", "tags", 2),
    "the empty tag": ("a: ! 1", "tags", 1),
    "a key twice": ("a: 1\nb: 2\na: 3", "twice", 3),
    "an inner key twice": ("m:\n  a: 1\n  a: 2", "twice", 3),
    "a key that is a list": ("? [a, b]\n: 1", "plain text", 1),
    "two documents": ("a: 1\n---\nb: 2", "expected a single document", 0),
    "a list": ("- a", "not a mapping", 1),
    "a scalar": ("just text", "not a mapping", 1),
    "a tab for an indent": ("a:\n\tb: 1", "", 2),
    "an unquoted colon": ("a: b: c", "", 1),
    "an open quote": ('a: "x', "", 0),
    "a NUL": ("a: \0", "", 0),
    "half a surrogate pair": ("a: \ud800", "", 0),
    "nested flow": ("a: " + "[" * 401 + "]" * 401, "deep", 0),
    "nested mappings": ("".join(f"{' ' * n}a:\n" for n in range(MAX_DEPTH + 2)), "deep", 0),
    "nested dashes": ("a:\n" + "- " * 300 + "x", "deep", 0),
    "over 64 kB": ("a: " + "x" * MAX_BYTES, "64 kB", 0),
    "over 64 kB in bytes": ("a: " + "é" * (MAX_BYTES // 2), "64 kB", 0),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_dangerous_or_ambiguous_is_refused_with_its_line(case: str) -> None:
    text, reason, line = REFUSED[case]
    with pytest.raises(YamlError) as caught:
        load_mapping(text)
    assert reason in caught.value.reason
    assert "\n" not in str(caught.value)
    if line:
        assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"), ("Norway",
        "Norway"),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("1", 1), ("-7", -7), ("0", 0), ("007", "007"), ("0x1f", "0x1f"), ("1_000", "1_000"),
        ("1.5", 1.5), ("1.10", 1.1), ("1.2.3", "1.2.3"), ("12:30:45", "12:30:45"), (".inf", ".inf"),
        ("2024-01-01", "2024-01-01"), ("'1'", "1"), ('"true"', "true"), ("9" * 19, "9" * 19),
        ("[a, 1, no]", ["a", 1, "no"]), ("{x: no}", {"x": "no"}), ("|\n  x\n  y", "x\ny\n"),
        (">\n  x\n  y", "x y\n"), ("'a: b'", "a: b"), ("a # comment", "a"), ("1e3", "1e3"),
    ],
)  # fmt: skip
def test_scalars_are_those_of_the_core_schema(text: str, value: object) -> None:
    found = load_mapping(f"k: {text}\n").values["k"]
    assert found == value
    assert type(found) is type(value)


def test_each_scalar_is_kept_as_it_was_written_with_its_line() -> None:
    read = load_mapping("version: 1.10\nname: no\nlist: [1]\nquoted: '1'\n")
    assert read.raw == {"version": "1.10", "name": "no", "quoted": "1"}
    assert read.lines == {"version": 1, "name": 2, "list": 3, "quoted": 4}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "{}"])
def test_nothing_is_an_empty_mapping(text: str) -> None:
    assert load_mapping(text).values == {}


def test_the_deepest_mapping_that_is_allowed_is_read() -> None:
    load_mapping("".join(f"{' ' * n}a:\n" for n in range(MAX_DEPTH - 1)))


@pytest.mark.parametrize(
    "text",
    [
        "? " * 30_000, "- ? " * 10_000, "a: " + "{a: " * 300, "[" * 399, "{" * 399,
        "- " * 230 + "x",
        "a: '" + "''" * 30_000, 'a: "' + "\\x41" * 16_000, "a: |\n" + " x\n" * 20_000,
        "".join(f"k{n}: v\n" for n in range(7_000)), "".join(f"{' ' * n}a:\n" for n in range(350)),
        "%YAML 1.1\n" * 1_000, "&a " * 20_000, "*a " * 20_000, "!" * 60_000, "#" * 65_000,
        ":" * 60_000,
        "\n" * 65_000, "a: " + " " * 65_000, ": \n" * 20_000, "? a\n" * 16_000, "--- \n" * 13_000,
    ],
    ids=lambda text: ascii(text[:8]),
)  # fmt: skip
def test_no_text_of_64_kilobytes_takes_long(text: str) -> None:
    start = time.process_time()
    try:
        load_mapping(text)
    except YamlError as error:
        assert error.reason  # noqa: PT017 - both ends are fine, and soon
    assert time.process_time() - start < 5
