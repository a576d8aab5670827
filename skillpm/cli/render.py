"""The only printer: rich tables on a terminal, plain tab-separated text when piped, JSON."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final

import click

from skillpm.formats import envelope
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.text import safe, safe_block

_MARKS: Final = {"note": "", "warning": "warning: ", "error": "error: "}
_COLOURS: Final = {"note": None, "warning": "yellow", "error": "red"}
_QUIET_SECONDS: Final = 1.0
_SHORTENED: Final = ("summary", "description")  # prose: one line is enough in a table


def show(command: str, outcome: Outcome, *, as_json: bool) -> int:
    """Print an outcome and return its exit status."""
    if as_json:
        click.echo(envelope.of_outcome(command, outcome))
        return outcome.status
    if outcome.text:
        click.echo(safe_block(outcome.text).rstrip("\n"))
    pretty = bool(outcome.tables) and sys.stdout.isatty()
    for number, table in enumerate(outcome.tables):
        if number:
            click.echo()
        (_pretty if pretty else _plain)(table)
    for message in outcome.messages:
        _tell(message, to_stderr=bool(outcome.tables or outcome.text))
    return outcome.status


def say(text: str) -> None:
    """One line on standard error while something takes long."""
    click.echo(safe(text), err=True)


def progress() -> Callable[[str, int, int], None]:
    """A progress line on a terminal's standard error, for anything over a second."""
    start = time.monotonic()
    last = [0.0]

    def report(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - start < _QUIET_SECONDS or now - last[0] < 0.2:
            return
        last[0] = now
        amount = f"{done / 1024:.0f}" + (f" of {total / 1024:.0f}" if total else "")
        line = f"{safe(what, 60)}: {amount} kB" if done else safe(what, 70)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{line}\r")
            sys.stderr.flush()
        elif last[0] == now and done and not hasattr(report, "said"):
            report.said = True  # type: ignore[attr-defined]  # one line is enough in a log
            click.echo(line, err=True)

    return report


def confirm(question: str) -> bool:
    """Ask on the terminal; the default is no."""
    return click.confirm(question, default=False, err=True)


def _tell(message: Message, *, to_stderr: bool) -> None:
    text = f"{_MARKS[message.level]}{safe_block(message.text)}"
    err = to_stderr or message.level != "note"
    click.secho(text, fg=_COLOURS[message.level], err=err)


def _plain(table: Table) -> None:
    if not table.rows:
        click.echo(table.empty, err=True)
        return
    for row in table.rows:
        click.echo("\t".join(safe(cell) for cell in row).rstrip("\t"))


def _pretty(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console(markup=False, highlight=False, emoji=False)
    if not table.rows:
        console.print(Text(table.empty))
        return
    titled = any(table.columns)
    grid = RichTable(show_header=titled, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(table.columns):
        short = column in _SHORTENED
        grid.add_column(
            column,
            style="bold" if number == 0 else "",
            overflow="ellipsis" if short else "fold",
            no_wrap=short,
        )
    for row in table.rows:
        grid.add_row(*(Text(safe(cell)) for cell in row))
    console.print(grid)
