"""`skill tap add|list|remove|update`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import tapping
from skillpm.operations.workspace import Workspace


@click.group("tap")
def tap_command() -> None:
    """Registries that someone keeps in a git repository or at a URL."""


@tap_command.command("add")
@click.argument("url")
@click.option("--name", default=None, help="A short name for it; by default made from the URL.")
@command("tap add")
def add_command(workspace: Workspace, url: str, name: str | None) -> Outcome:
    """Add the tap URL: owner/repo, any git URL, or the URL of an index."""
    return tapping.add(workspace, url, "" if name is None else skill_name(name))


@tap_command.command("list")
@command("tap list")
def list_command(workspace: Workspace) -> Outcome:
    """Show the taps in the order in which names are looked up."""
    return tapping.listed(workspace)


@tap_command.command("remove")
@click.argument("tap")
@command("tap remove")
def remove_command(workspace: Workspace, tap: str) -> Outcome:
    """Forget TAP, a short name or URL; what was installed from it stays."""
    return tapping.remove(workspace, tap)


@tap_command.command("update")
@command("tap update")
def update_command(workspace: Workspace) -> Outcome:
    """Fetch every tap's index anew."""
    return tapping.update(workspace)
