"""`skill history`, `diff`, `rollback`, `undo` and `log`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed
from skillpm.cli.shared import command, permission_options, project_option
from skillpm.errors import UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import history
from skillpm.operations.deciding import Permissions
from skillpm.operations.diff import Side, diff
from skillpm.operations.workspace import Workspace


@click.command("history")
@click.argument("name", shell_complete=installed)
@project_option
@command("history")
def history_command(workspace: Workspace, name: str) -> Outcome:
    """Show every version of the skill NAME that was in the library, removed ones too."""
    return history.history(workspace, skill_name(name))


@click.command("rollback")
@click.argument("name", shell_complete=installed)
@click.option("--to", default="", metavar="VERSION", help="A number or digest of its history.")
@project_option
@command("rollback")
@permission_options(
    force="Past any finding.",
    replace="Over edits; their bytes are kept.",
)
def rollback_command(
    workspace: Workspace,
    name: str,
    to: str,
    permissions: Permissions,
) -> Outcome:
    """Put an older version of the skill NAME back: the one before, or that of --to."""
    return history.rollback(workspace, skill_name(name), to, permissions)


@click.command("diff")
@click.argument("name", shell_complete=installed)
@click.argument("versions", metavar="[A B]", nargs=-1)
@click.option("--local", is_flag=True, help="What was edited since the install.")
@click.option("--upstream", is_flag=True, help="What an update would bring.")
@project_option
@command("diff")
def diff_command(
    workspace: Workspace, name: str, versions: tuple[str, ...], local: bool, upstream: bool
) -> Outcome:
    """Show what differs: edits, what an update would bring, or two versions A and B.

    What the new side can do more and what was found in it come first, then the files. Exit
    status 1 when anything differs.
    """
    if local + upstream + bool(versions) > 1:
        raise UsageError("--local, --upstream and two versions exclude each other")
    side: Side = "local" if local else "upstream" if upstream else ""
    return diff(workspace, skill_name(name), side, versions)


@click.command("undo")
@click.option("--dry-run", is_flag=True, help="Say what would be taken back, and leave it.")
@command("undo")
def undo_command(workspace: Workspace, dry_run: bool) -> Outcome:
    """Take back the last operation that changed skills."""
    return history.undo(workspace, dry_run=dry_run)


@click.command("log")
@click.argument("name", default="", shell_complete=installed)
@command("log")
def log_command(workspace: Workspace, name: str) -> Outcome:
    """Show every change of what is installed here, or of the skill NAME.

    Each line is chained to those before it; the exit status is 6 when the log was altered.
    """
    from skillpm.operations.log import log

    return log(workspace, skill_name(name) if name else "")
