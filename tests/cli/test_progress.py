"""The progress line: silent for a second, rewritten on a terminal, once in a log."""

from __future__ import annotations

import time

import pytest

from skillpm.cli.render import ProgressLine


def waited(line: ProgressLine, seconds: float) -> ProgressLine:
    """The line as it is when the command has run for so long."""
    line._start -= seconds
    return line


def test_what_takes_less_than_a_second_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    ProgressLine()("host.example", 1_024, 2_048)
    assert capsys.readouterr().err == ""


def test_a_log_has_one_line_with_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    line = waited(ProgressLine(), 2)
    line("host.example", 1_024, 4_096)
    time.sleep(0.25)
    line("host.example", 2_048, 4_096)
    line.clear()
    assert capsys.readouterr().err == "host.example: 1 of 4 kB\n"


def test_the_rate_and_the_step_of_a_longer_work_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = ProgressLine()
    line("3 of 20: tidy-up", 0, 0)
    line("host.example", 1, 0)
    time.sleep(0.3)
    waited(line, 2)("host.example", 307_200, 0)
    told = capsys.readouterr().err
    assert told.startswith("3 of 20: tidy-up  host.example: 300 kB, ")
    assert told.endswith(" kB/s\n")


def test_text_from_outside_is_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    waited(ProgressLine(), 2)("\x1b]0;evil\x07", 1_024, 0)
    assert "\x1b" not in capsys.readouterr().err
