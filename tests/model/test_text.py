"""The gate for text from outside: nothing invisible or active passes, ordinary text does."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, strategies as st

from skillpm.model.text import safe, safe_block

VARIATION = [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x180C, 0x180D, 0x180F]


def dangerous() -> list[int]:
    """Every control, format and separator code point, and samples of what has no meaning."""
    every = [
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zl", "Zp")
    ]
    samples = [0xE000, 0xF8FF, 0xF0000, 0x10FFFD, 0x0378, 0x2FE0, 0xFFFF, 0xD800, 0xDC80, 0xDFFF]
    return [*every, *VARIATION, *samples]


def test_the_table_is_the_one_of_the_threat_model() -> None:
    assert len(dangerous()) >= 490


def test_no_dangerous_code_point_reaches_the_reader() -> None:
    passed = [code for code in dangerous() if chr(code) in safe(f"a{chr(code)}b")]
    assert not passed


def test_every_escape_names_its_code_point() -> None:
    white = {9, 10, 13}
    for code in dangerous():
        if code not in white:
            shown = safe(f"a{chr(code)}b")
            assert shown.startswith("a\\")
            assert int(shown[3:-1], 16) == code


@pytest.mark.parametrize(
    "attack",
    [
        "\x1b[2J\x1b[H", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://evil\x1b\\x", "\x9b31m",
        "\x9d52;c;x\x9c", "\u202egnp.exe", "\U000e0041\U000e0042", "a\x00b", "\x7f\x08\x08",
    ],
)  # fmt: skip
def test_sequences_that_steer_a_terminal_are_shown_as_text(attack: str) -> None:
    assert safe(attack).isprintable()


@pytest.mark.parametrize(
    "text", ["plain", "Grüße", "日本語", "naïve café", "a [bold] b", "👍", "x\\ny", "1 < 2", ""]
)
def test_ordinary_text_passes_unchanged(text: str) -> None:
    assert safe(text) == text


def test_lines_and_tabs_become_spaces_and_long_text_is_cut() -> None:
    assert safe("a\nb\tc\rd") == "a b c d"
    assert safe("x" * 50, limit=10) == "x" * 9 + "…"
    assert len(safe("x" * 5_000)) == 2_000


@given(st.text())
def test_a_safe_text_is_one_printable_line_and_stays_as_it_is(text: str) -> None:
    once = safe(text)
    assert len(once.splitlines()) <= 1
    assert safe(once, 10**9) == once


@given(st.text())
def test_a_block_keeps_its_lines_and_nothing_that_acts(text: str) -> None:
    for line in safe_block(text).split("\n"):
        assert all(part == safe(part, 10**9) for part in line.split("\t"))


def test_a_block_keeps_tabs_and_newlines() -> None:
    assert safe_block("a\tb\r\nc\x1bd\n") == "a\tb\nc\\x1bd\n"
