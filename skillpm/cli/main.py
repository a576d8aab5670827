"""The command line: the table of commands, each loaded only when it is used."""

from __future__ import annotations

import gc
import importlib
import signal
import sys
from types import FrameType
from typing import Any, Final, NoReturn

import click

from skillpm import __version__
from skillpm.cli import boundary

COMMANDS: Final = {
    "search": ("finding", "Find skills in the bundled registry, taps and hubs."),
    "info": ("finding", "Show what a skill is and where it would come from."),
    "install": ("installing", "Install a skill by name, reference or address."),
    "list": ("library", "Show the skills that can be used here."),
    "outdated": ("installing", "Show which skills their source has moved past."),
    "update": ("installing", "Update skills from the source they came from."),
    "remove": ("library", "Remove an installed skill."),
    "history": ("history", "Show the versions of a skill that were here."),
    "diff": ("history", "Show what differs between two versions of a skill."),
    "rollback": ("history", "Put an older version of a skill back."),
    "undo": ("history", "Take back the last change."),
    "log": ("history", "Show what happened here, checked."),
    "pin": ("library", "Hold a skill at its revision."),
    "unpin": ("library", "Let a held skill be updated again."),
    "sync": ("syncing", "Make the project here match its skills.lock."),
    "adopt": ("adopting", "Take over skills that another tool installed."),
    "tap": ("tapping", "Add, list, refresh and remove taps."),
    "hub": ("hubs", "Add, list and remove hubs."),
    "audit": ("auditing", "Check installed skills: digest, provenance, trust, scan."),
    "review": ("reviewing", "Look at what changed in a skill, and say that you looked."),
    "trust": ("reviewing", "Say which sources need no question."),
    "verify": ("verifying", "Check installed skills against record, source and signatures."),
    "provenance": ("verifying", "Show where an installed skill came from."),
    "scan": ("scanning", "Scan a skill without installing it."),
    "validate": ("validating", "Check a skill against the specification."),
    "agents": ("agents", "Show agents what is installed: list, link, unlink, doctor."),
    "index": ("calling", "Print a line for each skill, for an agent's prompt."),
    "read": ("calling", "Print a skill's text, or one of its files."),
    "path": ("calling", "Print where a skill, or one of its files, lies."),
    "commands": ("calling", "Show the slash commands of skills."),
    "exec": ("calling", "Run a script of a skill that is trusted."),
    "mcp": ("serving", "Serve skills to agents over the Model Context Protocol."),
    "new": ("authoring", "Write a new skill to begin with."),
    "pack": ("authoring", "Write an archive of a skill, and its entry for a registry."),
    "doctor": ("doctor", "Check the whole installation."),
    "config": ("config", "Show and change settings."),
    "completion": ("completion", "Print the script that completes words in a shell."),
    "cache": ("caching", "Show, prune or clear what is kept to be fast."),
    "registry": ("registry", "Build and verify a registry of skills."),
}


class _Commands(click.Group):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of a day's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command, and only that one."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"skillpm.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was perhaps meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(_unknown(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="skill")
@click.option("--offline", is_flag=True, help="Connect to nothing; use what is here.")
def cli(offline: bool) -> None:
    """Find, install, update and audit skills for AI agents.

    Exit status: 0 done, 1 findings or out of date, 2 usage, 3 not found or ambiguous, 4 invalid
    skill, 5 refused, 6 integrity, 7 source unreachable, 8 own state damaged or locked, 9 some of
    many failed, 70 a bug, 130 interrupted.
    """


def run() -> NoReturn:
    """Run the command and exit with its status; being told to stop is being interrupted."""
    gc.set_threshold(50_000)  # thousands of rows are no garbage
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    sys.exit(boundary.guarded(_main, sys.argv[1:]))


def _interrupted(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _main(args: list[str]) -> Any:
    return cli.main(args, prog_name="skill", standalone_mode=False)


def _unknown(word: str) -> str:
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, n=1)
    meant = f" Did you mean '{close[0]}'?" if close else " See 'skill --help'."
    return f"There is no command {ascii(word)}.{meant}"
