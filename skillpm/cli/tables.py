"""Tables on a terminal: columns as wide as they must be, prose cut to what is left of the line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import Final

import click

from skillpm.model.outcome import Table
from skillpm.model.text import safe

_GAP: Final = 2
_LEAST: Final = 20
_SHORTENED: Final = ("summary", "description")  # prose: one line is enough in a table

Width = Callable[[str], int]


def draw(table: Table) -> None:
    """Print a table; one that fits is laid out here: rich takes seconds for thousands of rows."""
    rows = [tuple(map(safe, row)) for row in table.rows]
    plain = all(cell.isascii() for row in rows for cell in row)
    widths = _widths(table.columns, rows, len if plain else _cell_len())
    if not rows or widths is None:
        _drawn(table)
        return
    width = len if plain else _cell_len()
    lines = [_line(row, widths, width) for row in rows]
    if any(table.columns):
        lines.insert(0, "".join(_bold(cell) for cell in _cells(table.columns, widths, width)))
    click.echo("\n".join(lines))


def _line(row: Sequence[str], widths: Sequence[int], width: Width) -> str:
    first, *others = _cells(row, widths, width)
    return (_bold(first) + "".join(others)).rstrip()


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def _cells(row: Sequence[str], widths: Sequence[int], width: Width) -> list[str]:
    """The cells of a row, padded to their columns."""
    cells = []
    for cell, most in zip(row, widths, strict=True):
        taken = width(cell)
        if taken > most:
            cell, taken = _cut(cell, most, width), most  # noqa: PLW2901 - the same cell, cut
        cells.append(cell + " " * (most - taken + _GAP))
    return cells


def _cut(text: str, most: int, width: Width) -> str:
    kept = text[: most - 1]
    while width(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…" + " " * (most - 1 - width(kept))


def _widths(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: Width
) -> list[int] | None:
    """How wide each column is; None when the table does not fit on a line."""
    screen = shutil.get_terminal_size().columns
    widths = [max(map(width, column)) for column in zip(columns, *rows, strict=True)]
    prose = [n for n, column in enumerate(columns) if column in _SHORTENED]
    fixed = sum(w + _GAP for n, w in enumerate(widths) if n not in prose)
    if len(prose) == 1:
        left = max(_LEAST, screen - fixed)
        widths[prose[0]] = min(widths[prose[0]], left)
    return widths if sum(widths) + _GAP * (len(widths) - 1) <= screen else None


def _cell_len() -> Width:
    from rich.cells import cell_len

    return cell_len


def _drawn(table: Table) -> None:
    """Drawn by rich, which folds what is too wide."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(markup=False, highlight=False, emoji=False)
    if not table.rows:
        console.print(Text(table.empty))
        return
    grid = RichTable(
        show_header=any(table.columns), box=None, pad_edge=False, padding=(0, _GAP, 0, 0)
    )
    for number, column in enumerate(table.columns):
        short = column in _SHORTENED
        grid.add_column(
            column,
            style="bold" if number == 0 else "",
            overflow="ellipsis" if short else "fold",
            no_wrap=short,
            max_width=_left(table, number, console.width) if short else None,
        )
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row))
    console.print(grid)


def _left(table: Table, number: int, width: int) -> int:
    """What the other columns leave of the terminal's width to one."""
    others = [n for n in range(len(table.columns)) if n != number]
    cells = [[table.columns[n], *(row[n] for row in table.rows)] for n in others]
    return max(_LEAST, width - sum(max(map(len, column)) + _GAP for column in cells))
