"""The only printer: rich tables on a terminal, plain tab-separated text when piped, JSON."""

from __future__ import annotations

import sys
import time
from typing import Final

import click

from skillpm.cli.tables import draw
from skillpm.formats import envelope
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.text import LIMIT, safe, safe_block

_MARKS: Final = {"note": "", "warning": "warning: ", "error": "error: "}
_COLOURS: Final = {"note": None, "warning": "yellow", "error": "red"}
_QUIET_SECONDS: Final = 1.0
_REDRAW_SECONDS: Final = 0.2


def show(command: str, outcome: Outcome, *, as_json: bool) -> int:
    """Print an outcome and return its exit status."""
    if as_json:
        click.echo(envelope.of_outcome(command, outcome))
        return outcome.status
    if outcome.text:
        click.echo(safe_block(outcome.text).rstrip("\n"))
    if outcome.errors:
        click.echo(safe_block(outcome.errors).rstrip("\n"), err=True)
    pretty = bool(outcome.tables) and sys.stdout.isatty()
    for number, table in enumerate(outcome.tables):
        if number:
            click.echo()
        (draw if pretty else _plain)(table)
    for message in outcome.messages:
        _tell(message, to_stderr=bool(outcome.tables or outcome.text))
    return outcome.status


def say(text: str) -> None:
    """One line on standard error while something takes long."""
    _wipe()
    click.echo(safe(text), err=True)


def say_block(text: str) -> None:
    """Several lines on standard error, before a question about them."""
    _wipe()
    click.echo(safe_block(text), err=True)


class ProgressLine:
    """One line on standard error about bytes that arrive, for anything over a second.

    On a terminal the line is rewritten in place and gone at the end; in a log it stands once.
    """

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._last = 0.0
        self._shown = False
        self._group = ""
        self._began: dict[str, float] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say that `done` of `total` bytes (0 when unknown) of something are here.

        Without bytes, `what` is the step of a longer work (`3 of 20: read-pdf`) that the lines
        after it belong to.
        """
        now = time.monotonic()
        began = self._began.setdefault(what, now)
        if not done:
            self._group = what
        if now - self._start < _QUIET_SECONDS or now - self._last < _REDRAW_SECONDS:
            return
        self._last = now
        line = self._line(what, done, total, now - began)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
            _standing[:] = [self]
        elif not self._shown:
            click.echo(line, err=True)
        self._shown = True

    def _line(self, what: str, done: int, total: int, seconds: float) -> str:
        if not done:
            return safe(what, 70)
        amount = f"{done / 1024:.0f}" + (f" of {total / 1024:.0f}" if total else "")
        rate = f", {done / 1024 / seconds:.0f} kB/s" if seconds > _REDRAW_SECONDS else ""
        group = f"{safe(self._group, 40)}  " if self._group else ""
        return f"{group}{safe(what, 60)}: {amount} kB{rate}"

    def clear(self) -> None:
        """Take the line away."""
        if self._shown and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self._shown = False
        _standing.clear()


_standing: Final[list[ProgressLine]] = []
"""The line that stands on the terminal, which gives way to whatever is said."""


def _wipe() -> None:
    for line in tuple(_standing):
        line.clear()


def confirm(question: str) -> bool:
    """Ask on the terminal; the default is no."""
    _wipe()
    return click.confirm(question, default=False, err=True)


def typed(question: str, word: str) -> bool:
    """Ask a person for a word on the terminal; whatever was typed before the question is dropped.

    So neither a paste that has the answer in it nor anything that was waiting can give it.
    """
    _drop_waiting()
    click.echo(f"{safe(question)} ", nl=False, err=True)
    return sys.stdin.readline().strip() == word


def _drop_waiting() -> None:
    try:
        import termios
    except ImportError:
        return  # Windows
    termios.tcflush(sys.stdin, termios.TCIFLUSH)


def _tell(message: Message, *, to_stderr: bool) -> None:
    text = f"{_MARKS[message.level]}{safe_block(message.text)}"
    err = to_stderr or message.level != "note"
    click.secho(text, fg=_COLOURS[message.level], err=err)


def _plain(table: Table) -> None:
    if not table.rows:
        click.echo(table.empty, err=True)
        return
    click.echo("\n".join(_line(row) for row in table.rows))


def _line(row: tuple[str, ...]) -> str:
    whole = "".join(row)  # most rows are plain: one look instead of one for each cell
    plain = len(whole) <= LIMIT and whole.isascii() and whole.isprintable()
    return "\t".join(row if plain else map(safe, row)).rstrip("\t")
