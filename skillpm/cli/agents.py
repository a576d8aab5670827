"""`skill agents list`, `link`, `unlink` and `doctor`; and the question that is asked once."""

from __future__ import annotations

import click

from skillpm.cli import render
from skillpm.cli.shared import agreement, command, project_option
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace


@click.group("agents")
def agents_command() -> None:
    """Show agents what is installed, and see what stands in their folders."""


@agents_command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also agents that are not here.")
@project_option
@command("agents list")
def list_command(workspace: Workspace, everything: bool) -> Outcome:
    """Show the agents that are here, and who is shown what is installed."""
    from skillpm.operations.linking import list_agents

    return list_agents(workspace, everything=everything)


@agents_command.command("link")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option("--skill", "skills", multiple=True, metavar="NAME", help="Only this skill.")
@click.option("--replace", multiple=True, metavar="NAME", help="Over anything of that name.")
@project_option
@command("agents link")
def link_command(
    workspace: Workspace, agents: tuple[str, ...], skills: tuple[str, ...], replace: tuple[str, ...]
) -> Outcome:
    """Show installed skills to each AGENT, or to those that are here; and those to come.

    In each agent's folder and in ~/.agents/skills stands a link to the skill, or a copy where the
    agent does not follow links. What you or another tool put there stays, with status 9, unless
    --replace names it (its bytes are kept). With --skill nothing is remembered.
    """
    from skillpm.operations.linking import Wish, link

    names = tuple(map(skill_name, skills))
    return link(workspace, Wish(agents, names, frozenset(map(skill_name, replace))))


@agents_command.command("unlink")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option("--skill", "skills", multiple=True, metavar="NAME", help="Only this skill.")
@project_option
@command("agents unlink")
def unlink_command(
    workspace: Workspace, agents: tuple[str, ...], skills: tuple[str, ...]
) -> Outcome:
    """Take out of the folders of each AGENT, or of all, what skill put there, and nothing else."""
    from skillpm.operations.linking import Wish, unlink

    return unlink(workspace, Wish(agents, tuple(map(skill_name, skills))))


@agents_command.command("doctor")
@click.option("--fix", is_flag=True, help="Put right what is skill's own, after a yes.")
@click.option("--yes", "-y", is_flag=True, help="Agree to the fixes without a question.")
@project_option
@command("agents doctor")
def doctor_command(workspace: Workspace, fix: bool, yes: bool) -> Outcome:
    """Tell what in agents' folders is missing, broken, stale, changed or somebody else's.

    --fix puts right what skill put there, and leaves the rest alone. Exit status 1 while anything
    is wrong.
    """
    from skillpm.operations.agentdoctor import doctor

    agree = agreement(workspace.host, "Put that right?", yes=yes)
    return doctor(workspace, agree, fix=fix)


def offer(workspace: Workspace) -> None:
    """Ask a person once whether the agents that are here are shown what they install."""
    if not workspace.host.interactive:
        return
    from skillpm.operations.linking import Wish, link, undecided, unlink

    here = undecided(workspace)
    if not here:
        return
    for line in here:
        render.say(line)
    said = render.confirm("Show them the skills that you install?")
    (link if said else unlink)(workspace, Wish())
