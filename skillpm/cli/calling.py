"""`skill index`, `read`, `path`, `commands` and `exec`: what agents and their hosts call."""

from __future__ import annotations

import click

from skillpm.cli.completion import readable
from skillpm.cli.shared import command, project_option
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace


@click.command("index")
@click.option("--xml", is_flag=True, help="The block <available_skills>, as agents are given it.")
@project_option
@command("index")
def index_command(workspace: Workspace, xml: bool) -> Outcome:
    """Print name, one line and what is missing of every skill, for an agent's prompt.

    About how many tokens that is stands on standard error. Summaries of skills that are neither
    builtin nor official, and that nobody reviewed, come inside a fence that they cannot forge.
    """
    from skillpm.operations.offering import index

    return index(workspace, xml=xml)


@click.command("read")
@click.argument("name", shell_complete=readable)
@click.argument("file", default="")
@project_option
@command("read")
def read_command(workspace: Workspace, name: str, file: str) -> Outcome:
    """Print the text of the skill NAME, or of one FILE of it.

    What it needs and is not here comes first. Text that is neither builtin nor official, and that
    nobody reviewed, comes inside a fence that it cannot forge.
    """
    from skillpm.operations.reading import read

    return read(workspace, skill_name(name), file)


@click.command("path")
@click.argument("name", shell_complete=readable)
@click.argument("file", default="")
@project_option
@command("path")
def path_command(workspace: Workspace, name: str, file: str) -> Outcome:
    """Print where the skill NAME, or one FILE of it, lies on this machine."""
    from skillpm.operations.reading import path_of

    return path_of(workspace, skill_name(name), file)


@click.command("commands")
@click.option(
    "--taken", multiple=True, metavar="COMMAND", help="A command that the host has itself."
)
@project_option
@command("commands")
def commands_command(workspace: Workspace, taken: tuple[str, ...]) -> Outcome:
    """Show the slash command of every skill.

    A host's own commands win, as does the first of two skills that would have the same; the
    others are named.
    """
    from skillpm.operations.offering import commands

    return commands(workspace, taken)


@click.command("exec")
@click.argument("name", shell_complete=readable)
@click.argument("file")
@click.argument("args", nargs=-1)
@click.option(
    "--timeout", default=120.0, metavar="SECONDS", help="How long it may take; 120 by default."
)
@project_option
@command("exec")
def exec_command(
    workspace: Workspace, name: str, file: str, args: tuple[str, ...], timeout: float
) -> Outcome:
    """Run the script FILE of the skill NAME with ARGS; those with a dash stand after --.

    Only scripts of builtin, official and reviewed skills run, and only as they were checked. The
    exit status is the script's own; 124 when its time was up.
    """
    from skillpm.operations.executing import Asked, execute

    return execute(workspace, Asked(skill_name(name), file, args, timeout))
