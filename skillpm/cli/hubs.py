"""`skill hub add|list|remove`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import hubbing
from skillpm.operations.workspace import Workspace


@click.group("hub")
def hub_command() -> None:
    """Registries behind HTTP, asked by search; only the default one is on."""


@hub_command.command("add")
@click.argument("url")
@click.option(
    "--kind",
    default="",
    type=click.Choice(("", *hubbing.kinds())),
    help="How it speaks; a well-known site and a static index are told by asking.",
)
@click.option("--name", default=None, help="A short name for it; by default made from the URL.")
@command("hub add")
def add_command(workspace: Workspace, url: str, kind: str, name: str | None) -> Outcome:
    """Add the hub URL, or one of the short forms: clawhub, skills.sh."""
    return hubbing.add(workspace, url, kind, "" if name is None else skill_name(name))


@hub_command.command("list")
@command("hub list")
def list_command(workspace: Workspace) -> Outcome:
    """Show the hubs in the order in which they are asked."""
    return hubbing.listed(workspace)


@hub_command.command("remove")
@click.argument("hub")
@command("hub remove")
def remove_command(workspace: Workspace, hub: str) -> Outcome:
    """Forget HUB, a short name or URL; what was installed from it stays."""
    return hubbing.remove(workspace, hub)
