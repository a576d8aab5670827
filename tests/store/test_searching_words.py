"""Words, and the nearest known one for a word that was mistyped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from skillpm.store import wording


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("Read PDF-files_now!", ["read", "pdf", "files", "now"]),
        ("Straße É ﬁne", ["strasse", "e", "fine"]),
        ("don't C++", ["don", "t", "c"]),
        ("日本go", ["日", "本", "go"]),
        ("§name ¶label ¤tag ¬trust °i é", ["name", "label", "tag", "trust", "i", "e"]),
        ("a\0b\x1fc\ud800d", ["a", "b", "c", "d"]),
    ],
)
def test_words_are_letters_and_digits(text: str, words: list[str]) -> None:
    assert wording.words_of(text) == words


@given(st.text())
def test_a_word_is_one_word_again(text: str) -> None:
    marks = set(wording.NAME + wording.START + wording.LABEL + wording.TAG + wording.TRUST)
    for word in wording.words_of(text):
        assert word.isalnum()
        assert not marks & set(word)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("review", "review", 0),
        ("reveiw", "review", 1),
        ("revew", "review", 1),
        ("revieww", "review", 1),
        ("rexiew", "review", 1),
        ("ervieww", "review", 2),
        ("abcdef", "review", 3),
        ("review", "reviewing", 3),
    ],
)
def test_slips_are_counted_up_to_a_limit(one: str, other: str, distance: int) -> None:
    assert wording.slips(one, other, 2) == wording.slips(other, one, 2) == distance


WORD = st.text("abcd", min_size=1, max_size=9)
SLIP = st.tuples(st.integers(0, 9), st.integers(0, 2), st.sampled_from(["", "a", "d", "ab"]))


@settings(max_examples=500)
@given(known=WORD, slips=st.lists(SLIP, max_size=2))
def test_words_within_reach_share_a_key(known: str, slips: list[tuple[int, int, str]]) -> None:
    typed = known
    for at, gone, put in slips:
        typed = typed[:at] + put + typed[at + gone :]
    if wording.slips(typed, known, 2) <= wording.reach(typed):
        assert wording.keys(typed) & wording.keys(known)


@pytest.mark.parametrize(
    ("typed", "known", "found"),
    [
        ("ab", {"abc": 1}, ""),
        ("tset", {"test": 1, "tset-x": 9}, "test"),
        ("tesst", {"test": 1, "tess": 7}, "tess"),
        ("tessst", {"test": 9, "tesst": 1}, "tesst"),
        ("cxde", {"cade": 3, "code": 3, "bode": 9}, "cade"),
        ("xode", {"code": 1, "xodes": 1}, "xodes"),
        ("codes", {}, ""),
    ],
)
def test_the_nearest_word_is_the_closest_then_the_commonest(
    typed: str, known: dict[str, int], found: str
) -> None:
    assert wording.nearest(typed, known.items()) == found
