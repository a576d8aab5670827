"""JSON as untrusted input: what breaks other readers is refused in one line."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from skillpm.formats import json
from skillpm.formats.json import JsonError

REFUSED: dict[str, bytes] = {
    "nothing": b"",
    "half": b'{"a": 1',
    "text after it": b"{} x",
    "HTML": b"<!doctype html><html>",
    "nested arrays": b"[" * 100_000,
    "nested and closed": b"[" * 100_000 + b"]" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "an integer of 5,000 digits": b"1" * 5_000,
    "NaN": b"[NaN]",
    "Infinity": b"[Infinity]",
    "-Infinity": b"[-Infinity]",
    "a number that is too large": b"[1e999]",
    "a key twice": b'{"a": 1, "a": 2}',
    "an inner key twice": b'{"x": {"a": 1, "\\u0061": 2}}',
    "half a surrogate pair": b'["\\ud800"]',
    "half a surrogate pair as a key": b'{"\\udfff": 1}',
    "Latin-1": b'["\xe9"]',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "a control character": b'["\x01"]',
    "single quotes": b"{'a': 1}",
    "a comment": b"{} // x",
    "a trailing comma": b"[1,]",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_others_read_differently_is_refused_in_one_line(case: str) -> None:
    start = time.process_time()
    with pytest.raises(JsonError) as caught:
        json.load(REFUSED[case])
    assert str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.process_time() - start < 5


def test_the_size_is_capped() -> None:
    with pytest.raises(JsonError, match="larger"):
        json.load(b'"' + b"x" * json.MAX_BYTES + b'"')
    with pytest.raises(JsonError, match="larger"):
        json.load(b'"xx"', limit=3)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"{}", {}), (b"\xef\xbb\xbf[1]", [1]), (b'"\\ud83d\\ude00"', "\U0001f600"), (b"1.5e3",
        1500.0),
        (' ["é"]\n'.encode(), ["é"]), (b"9007199254740993", 9007199254740993), (b"null", None),
    ],
)  # fmt: skip
def test_plain_json_is_read(data: bytes, value: object) -> None:
    assert json.load(data) == value


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read_back(value: object) -> None:
    assert json.load(json.dump(value).encode()) == value


def test_a_field_is_one_line_of_text_or_empty() -> None:
    entry = {"a": " x\n y\t", "n": 1, "long": "y" * 50, "none": None, "list": ["x"]}
    assert json.field(entry, "a") == "x y"
    assert json.field(entry, "long", 5) == "yyyyy"
    assert [json.field(entry, key) for key in ("n", "none", "list", "missing")] == ["", "", "", ""]
