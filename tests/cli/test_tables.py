"""Tables on a terminal: what fits is laid out at once, what does not is folded."""

from __future__ import annotations

import re

import pytest

from skillpm.cli.tables import draw
from skillpm.model.outcome import Table

LONG = "Use it when somebody asks for something that takes many words to say, and then some more."


def drawn(table: Table, columns: int, patch: pytest.MonkeyPatch, out: pytest.CaptureFixture[str]
          ) -> list[str]:  # fmt: skip
    """The lines of a table, without the codes for bold."""
    patch.setenv("COLUMNS", str(columns))
    draw(table)
    return re.sub(r"\x1b\[\d*m", "", out.readouterr().out).splitlines()


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("tidy-up", LONG),
        ("tidy-up", "Short."),
        ("tidy-up", "読み書き" * 20),
        ("e\u0301t\u00e9", LONG),
    ],
    ids=["cut", "whole", "wide characters", "combined characters"],
)
def test_every_line_fits_and_columns_stand_below_each_other(
    name: str, summary: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.cells import cell_len

    table = Table(("name", "state", "summary"), ((name, "ok", summary), ("x", "edited", "Y.")))
    head, first, second = drawn(table, 60, monkeypatch, capsys)
    assert all(cell_len(line.rstrip()) <= 60 for line in (head, first, second))
    column = cell_len(head[: head.index("summary")])
    assert cell_len(second[: second.index("Y.")]) == column
    assert cell_len(first[: first.index(summary[0], 10)]) == column
    assert ("…" in first) == (len(summary) > 10)


def test_what_cannot_fit_is_folded_and_nothing_of_it_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = "0123456789abcdef" * 4
    lines = drawn(Table(("name", "digest"), (("x", digest),)), 40, monkeypatch, capsys)
    assert "".join("".join(lines[1:]).split()) == f"x{digest}"
    assert all(len(line) <= 40 for line in lines)


def test_an_empty_table_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drawn(Table(("name",), (), "none here"), 40, monkeypatch, capsys) == ["none here"]


def test_nothing_in_a_cell_steers_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    draw(Table(("name", "state"), (("\x1b[2Jx", "a\rb\u202e"),)))
    out = capsys.readouterr().out
    assert "\x1b[2J" not in out
    assert not {"\r", "\u202e"} & set(out)
