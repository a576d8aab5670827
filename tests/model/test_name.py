"""The one grammar of names: what is a name, what is none, and what an error says."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.errors import UsageError
from skillpm.model.name import (
    handle_name,
    is_skill_name,
    name_fault,
    show,
    skill_name,
    version_text,
)

GOOD = ["a", "0", "cut-a-release", "read-pdf", "a1-b2-c3", "x" * 64, "con-artist", "com10", "nul1"]
BAD = [
    "", " ", "..", ".", "../../evil", "a/b", "a\\b", "/abs", "~", "A", "PDF", "Read-Pdf",
    "CON", "con", "prn", "aux", "nul", "com0", "com1", "lpt9", "-a", "a-", "a--b", "-rf", "--",
    "a_b", "a.b", ".git", "a b", "a ", " a", "a\t", "a\n", "a\0", "a\x1b[31m", "x" * 65,
    "\u0430bc", "p\u0434f", "\uff41bc", "\u03bfmega", "\u212aey", "caf\u00e9", "a\u200bb",
    "a\u202eb", "ⅳ", "\uff11", "@a/b", "a@1", "a:b", "a*", "%2e%2e", "a;rm", "$(x)",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_words_of_letters_and_digits_with_single_hyphens_are_names(text: str) -> None:
    assert skill_name(text) == text
    assert is_skill_name(text)
    assert name_fault(text) == ""


@pytest.mark.parametrize("text", BAD)
def test_everything_else_is_a_usage_error_with_a_reason(text: str) -> None:
    assert not is_skill_name(text)
    with pytest.raises(UsageError) as caught:
        skill_name(text)
    assert name_fault(text) in caught.value.message
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    assert caught.value.status == 2


def test_a_look_alike_is_shown_by_its_code_point() -> None:
    with pytest.raises(UsageError, match=r"U\+0430"):
        skill_name("p\u0430f")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("PDF", "pdf"), ("Read PDF", "read-pdf"), ("read_pdf", "read-pdf"), ("a--b", "a-b")],
)
def test_the_right_spelling_is_suggested_and_is_itself_a_name(typed: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        skill_name(typed)
    assert caught.value.hint == f"did you mean '{meant}'?"
    assert skill_name(meant)


@pytest.mark.parametrize("typed", ["", "..", "CON", "---", "\u0430"])
def test_nothing_is_suggested_that_would_be_refused(typed: str) -> None:
    with pytest.raises(UsageError) as caught:
        skill_name(typed)
    assert caught.value.hint == ""


@given(st.text(max_size=100))
def test_a_name_is_never_more_than_a_plain_word(text: str) -> None:
    if is_skill_name(text):
        assert text.isascii()
        assert 1 <= len(text) <= 64
        assert set(text) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert not text.startswith("-")
        assert not text.endswith("-")


@given(st.characters(min_codepoint=128))
def test_no_character_beyond_ascii_is_part_of_a_name_or_handle(char: str) -> None:
    assert not is_skill_name(f"a{char}b")
    with pytest.raises(UsageError):
        handle_name(f"a{char}b")


@pytest.mark.parametrize(
    ("text", "handle"), [("jhonathas", "jhonathas"), ("Some_One.x-y", "some_one.x-y"), ("a", "a")]
)
def test_a_handle_is_held_in_lower_case(text: str, handle: str) -> None:
    assert handle_name(text) == handle


@pytest.mark.parametrize("text", ["", "..", "a..b", ".a", "a.", "-a", "a/b", "a b", "x" * 65, "é"])
def test_what_no_hub_calls_its_people_is_no_handle(text: str) -> None:
    with pytest.raises(UsageError):
        handle_name(text)


@pytest.mark.parametrize("text", ["1", "1.2.3", "1.0.0-rc.1+build_5", "v2"])
def test_versions_as_hubs_write_them(text: str) -> None:
    assert version_text(text) == text


@pytest.mark.parametrize("text", ["", "../1", "1/2", "1..2", "-1", "1 2", "1\n", "1" * 65, "é"])
def test_texts_that_are_no_version(text: str) -> None:
    with pytest.raises(UsageError):
        version_text(text)


@given(st.text())
def test_a_shown_text_is_short_printable_ascii(text: str) -> None:
    shown = show(text)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 80
