"""`skill review` and `skill trust`."""

from __future__ import annotations

from collections.abc import Callable

import click

from skillpm.cli import render
from skillpm.cli.completion import installed
from skillpm.cli.shared import command, project_option
from skillpm.edges.host import Host
from skillpm.model.outcome import Outcome
from skillpm.operations import trusting
from skillpm.operations.review import Witness, review
from skillpm.operations.workspace import Workspace


@click.command("review")
@click.argument("skill", shell_complete=installed)
@click.option("--upstream", is_flag=True, help="Review what an update would bring.")
@project_option
@command("review")
def review_command(workspace: Workspace, skill: str, upstream: bool) -> Outcome:
    """Show what changed in SKILL since it was last reviewed, and mark these files as reviewed.

    SKILL is the name of an installed skill, or anything that install takes. Only a person can
    mark it, on a terminal; elsewhere it is shown, and the exit status is 5.
    """
    return review(workspace, skill, _witness(workspace.host), upstream=upstream)


@click.group("trust")
def trust_command() -> None:
    """Say which sources need no question."""


@trust_command.command("add")
@click.argument("source")
@command("trust add")
def trust_add(workspace: Workspace, source: str) -> Outcome:
    """Let skills from SOURCE in without a question: host/owner/repo, tap:name, @handle.

    Only a person can say so, on a terminal. Skills are scanned as before, and remain community.
    """
    return trusting.trust(workspace, source, _ask(workspace.host))


@trust_command.command("remove")
@click.argument("source")
@command("trust remove")
def trust_remove(workspace: Workspace, source: str) -> Outcome:
    """Ask about skills from SOURCE again."""
    return trusting.distrust(workspace, source)


@trust_command.command("list")
@command("trust list")
def trust_list(workspace: Workspace) -> Outcome:
    """Show the trusted sources."""
    return trusting.trusted(workspace)


def _is_present(host: Host) -> bool:
    """Whether a person sees what is printed and can answer."""
    return host.present and not click.get_current_context().params.get("as_json", False)


def _ask(host: Host) -> Callable[[str], bool] | None:
    """How a person is asked for a yes; None when nobody is there."""
    if not _is_present(host):
        return None
    return lambda question: render.typed(f"{question} Type yes:", "yes")


def _witness(host: Host) -> Witness | None:
    """How a person is shown files and asked for the start of their digest; None without one."""
    if not _is_present(host):
        return None

    def witness(text: str, question: str, word: str) -> bool:
        render.say_block(text)
        return render.typed(f"{question} Type {word} to say so:", word)

    return witness
