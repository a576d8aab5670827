"""Where errors end: each becomes one message, one JSON envelope or one log, and a status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, Literal

import click

from skillpm import __version__
from skillpm.errors import SkillError, StateError, UsageError
from skillpm.formats import envelope
from skillpm.model.text import safe, safe_block

INTERRUPTED: Final = 130
GROUPS: Final = ("tap", "hub", "registry", "cache", "trust", "config", "mcp", "agents")
_STREAMS: Final = ("stdout", "stderr")


def guarded(main: Callable[[list[str]], Any], args: list[str]) -> int:
    """Run `main` and turn whatever comes out of it into an exit status; prints errors."""
    try:
        return _guarded(main, args)
    except OSError:  # not even the error could be printed
        _detach_unwritable()
        return StateError.status


def _guarded(main: Callable[[list[str]], Any], args: list[str]) -> int:
    as_json = "--json" in args[: args.index("--") if "--" in args else len(args)]
    command = _command(args)
    try:
        result = main(args)
        sys.stdout.flush()
    except SkillError as error:
        return _tell(error, command, as_json=as_json)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return UsageError.status
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _tell(_from_click(error), command, as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click leaves so when the reader of our output has left
        _detach("stdout")
        return 0
    except OSError as error:
        _detach_unwritable()
        return _tell(StateError(f"the system refuses: {error}"), command, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last boundary: a bug gets a log and a status
        return _tell(_bug(error), command, as_json=as_json)
    return int(result or 0)


def _command(args: list[str]) -> str:
    """The command as its own envelope names it, as far as the words tell."""
    words = [word for word in args if not word.startswith("-")]
    grouped = words[:1] and words[0] in GROUPS
    return " ".join(words[: 2 if grouped else 1])


def _tell(error: SkillError, command: str, *, as_json: bool) -> int:
    if as_json:
        click.echo(envelope.of_error(command, error))
    else:
        click.echo(f"error: {safe_block(error.message)}", err=True)
        if error.hint:
            click.echo(f"  try: {safe(error.hint)}", err=True)
    return error.status


def _from_click(error: click.ClickException) -> UsageError:
    hint = ""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        hint = f"{error.ctx.command_path} --help"
    return UsageError(error.format_message(), hint=hint)


def _detach(stream: Literal["stdout", "stderr"]) -> None:
    """Whoever read our output has left, or it cannot be written; say nothing more there.

    What was not written yet is let go of, or Python tries again when it ends.
    """
    import io
    import os

    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, getattr(sys, stream).fileno())
    setattr(sys, stream, io.StringIO())


def _detach_unwritable() -> None:
    for stream in _STREAMS:
        try:
            getattr(sys, stream).flush()
        except OSError:
            _detach(stream)


def _bug(error: Exception) -> SkillError:
    """What a person can do about a bug: send us the log."""
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    where = "no log could be written"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="skill-bug-", suffix=".log", delete=False, encoding="utf-8"
        ) as log:
            log.write(f"skillpm {__version__}, Python {sys.version}\n{text}")
            where = f"details in {log.name}"
    except OSError as refused:
        where = f"no log could be written: {refused}"
    kind = type(error).__name__
    return SkillError(f"this is a bug in skill ({kind}: {safe(str(error), 200)}); {where}")
