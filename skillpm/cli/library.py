"""`skill list`, `remove`, `pin` and `unpin`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed
from skillpm.cli.shared import agreement, command, project_option
from skillpm.errors import UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace


@click.command("list")
@project_option
@command("list")
def list_command(workspace: Workspace) -> Outcome:
    """Show installed, hand-written and builtin skills, checked against their records."""
    from skillpm.operations.listing import list_skills

    return list_skills(workspace)


@click.command("remove")
@click.argument("name", required=False, default="", shell_complete=installed)
@click.option("--discard", is_flag=True, help="Also what was edited or hand-written.")
@click.option("--orphans", is_flag=True, help="What came for another skill that is gone.")
@project_option
@command("remove")
def remove_command(workspace: Workspace, name: str, discard: bool, orphans: bool) -> Outcome:
    """Remove the skill NAME, or --orphans; the files stay in the store."""
    from skillpm.operations.removing import remove, remove_orphans

    if bool(name) == orphans:
        raise UsageError("name one skill, or give --orphans", hint="skill remove --orphans")
    if orphans:
        return remove_orphans(workspace)
    agree = agreement(workspace.host, "Remove them as well?", yes=False)
    return remove(workspace, skill_name(name), agree, discard=discard)


@click.command("pin")
@click.argument("name", shell_complete=installed)
@project_option
@command("pin")
def pin_command(workspace: Workspace, name: str) -> Outcome:
    """Hold the skill NAME at its revision; update leaves it alone."""
    from skillpm.operations.removing import pin

    return pin(workspace, skill_name(name), pinned=True)


@click.command("unpin")
@click.argument("name", shell_complete=installed)
@project_option
@command("unpin")
def unpin_command(workspace: Workspace, name: str) -> Outcome:
    """Let the skill NAME be updated again."""
    from skillpm.operations.removing import pin

    return pin(workspace, skill_name(name), pinned=False)
