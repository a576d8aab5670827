"""What skills.sh answers: rows that name a skill and a repository, and nothing else of it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillpm.errors import UnreachableError
from skillpm.formats.skillssh import SharedSkill, read_search

ROW = {"skillId": "tidy-up", "source": "mia/skills", "installs": 3, "name": "Tidy up"}


def read(*rows: Any) -> tuple[SharedSkill, ...]:
    return read_search(json.dumps({"skills": list(rows)}).encode(), "skills.sh")


def test_a_row_is_its_skill_its_repository_and_its_installs() -> None:
    assert read(ROW) == (SharedSkill("tidy-up", "mia/skills", "", 3),)
    assert read() == ()


@pytest.mark.parametrize("repo", ["a/b", "A1/b_c.d", "a-b/c-d", "a.b/c", "_a/b", "a/1"])
def test_a_repository_is_taken_as_it_is_written(repo: str) -> None:
    assert read(ROW | {"source": repo})[0].repo == repo


@pytest.mark.parametrize("site", ["docs.example.com", "Example.COM", "a-b.example"])
def test_a_row_can_name_a_site(site: str) -> None:
    (found,) = read(ROW | {"source": site})
    assert (found.repo, found.domain) == ("", site.lower())


@pytest.mark.parametrize(
    "change",
    [
        {"skillId": None}, {"skillId": 7}, {"skillId": ""}, {"skillId": "../x"}, {"skillId": "A"},
        {"skillId": "a/b"}, {"skillId": "con"}, {"skillId": "x" * 65}, {"skillId": "a\x1b[2J"},
        {"skillId": "a\0"}, {"skillId": "t\u0456dy"}, {"skillId": ["tidy-up"]}, {"skillId": {}},
        {"skillId": "x" * 100_000},
        {"source": None}, {"source": 7}, {"source": ""}, {"source": "mia"}, {"source": "/mia/x"},
        {"source": "mia/"}, {"source": "a/b/c"}, {"source": "../x"}, {"source": "a/.."},
        {"source": "a/."}, {"source": "a/.git"}, {"source": "a..b/c"}, {"source": "a/b..c"},
        {"source": "-a/b"}, {"source": "a/-b"}, {"source": "a/b#x"}, {"source": "a/b@x"},
        {"source": "a/b?x"}, {"source": "a b/c"}, {"source": "a\nb/c"}, {"source": "a/b\x1b[2J"},
        {"source": "a\0/b"}, {"source": "https://github.com/a/b"}, {"source": "git@h:a/b"},
        {"source": "localhost"}, {"source": "203.0.113.9"}, {"source": "a.example:80"},
        {"source": "-a.example"}, {"source": "a..example"}, {"source": ".example"},
        {"source": "file:///etc"}, {"source": "\uff41/b"}, {"source": "a/\u202eb"},
        {"source": ["a/b"]}, {"source": {"repo": "a/b"}},
    ],
    ids=lambda change: ascii(change)[:40],
)  # fmt: skip
def test_a_row_that_names_nothing_usable_is_left_out_and_hides_no_other(
    change: dict[str, Any],
) -> None:
    assert read(ROW | change, ROW) == read(ROW)


@pytest.mark.parametrize("row", [None, 7, "x", [], [ROW], True, {}, {"skills": [ROW]}])
def test_what_is_no_row_is_left_out(row: Any) -> None:
    assert read(row, ROW, row) == read(ROW)


@pytest.mark.parametrize(
    "installs", [None, True, False, "9", 1.5, -1, 10**12, 10**4_000, [], {}, "x" * 9_999],
    ids=lambda value: ascii(value)[:20] if not isinstance(value, int) else "a number",
)  # fmt: skip
def test_installs_that_are_no_count_are_none(installs: Any) -> None:
    (row,) = read(ROW | {"installs": installs})
    assert row.installs == 0
    assert type(row.installs) is int


def test_twins_stay_in_their_order() -> None:
    other = ROW | {"source": "zed/skills"}
    assert [row.repo for row in read(ROW, other, ROW)] == ["mia/skills", "zed/skills", "mia/skills"]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"<html>log in</html>", b"null", b"[]", b"7", b'"x"', b"{}", b'{"skills": null}',
        b'{"skills": {}}', b'{"skills": "x"}', b'{"skills": [], "skills": []}',
        b'{"skills": [NaN]}', b'{"skills": [' + b"[" * 100_000, b'{"skills": ["\xff"]}',
        b"\xff\xfe{\x00}\x00", b'{"skills": ["\\ud800"]}',
        b'{"skills": [' + b"9" * 10_000 + b"]}",
        b'{"skills": []}' + b" " * 6_000_000,
    ],
    ids=lambda data: ascii(data[:24]),
)  # fmt: skip
def test_an_answer_of_another_shape_is_unreachable_and_named(data: bytes) -> None:
    with pytest.raises(UnreachableError, match=r"skills\.sh") as caught:
        read_search(data, "skills.sh")
    assert caught.value.message.isprintable()


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["tidy-up", "mia/skills", "a/..", "../x", "a\n/b", "\x1b[2J"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["skills", "skillId", "source", "installs"]), inner, max_size=4),
    max_leaves=15,
)  # fmt: skip
WHOLE = st.lists(st.fixed_dictionaries({"skillId": ANY, "source": ANY, "installs": ANY}))
ANSWERS = (ANY | WHOLE.map(lambda rows: {"skills": rows})).map(lambda v: json.dumps(v).encode())


@given(ANSWERS | st.binary(max_size=500))
def test_any_answer_is_rows_that_can_be_shown_or_our_error(data: bytes) -> None:
    with suppress(UnreachableError):
        for row in read_search(data, "skills.sh"):
            assert f"{row.repo}@{row.name}".isprintable()
            assert ".." not in row.repo
            assert 0 <= row.installs < 10**12
