"""`skill tap add|list|remove|update`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import tapping
from skillpm.operations.tapping import Keys
from skillpm.operations.workspace import Workspace


@click.group("tap")
def tap_command() -> None:
    """Registries that someone keeps in a git repository or at a URL."""


@tap_command.command("add")
@click.argument("url")
@click.option("--name", default=None, help="A short name for it; by default made from the URL.")
@click.option(
    "--signer",
    "keys",
    multiple=True,
    metavar="KEY",
    help="A public SSH key, 'ssh-ed25519 AAAA…': one of them must have signed every commit read.",
)
@click.option(
    "--signers", "file", default="", metavar="FILE", help="The same, from an allowed-signers file."
)
@command("tap add")
def add_command(
    workspace: Workspace, url: str, name: str | None, keys: tuple[str, ...], file: str
) -> Outcome:
    """Add the tap URL: owner/repo, any git URL, or the URL of an index.

    What it may not change later is written down and shown: where its history begins, its keys.
    """
    short = "" if name is None else skill_name(name)
    return tapping.add(workspace, url, short, Keys(keys, file))


@tap_command.command("accept")
@click.argument("tap")
@click.argument("names", nargs=-1, required=True)
@command("tap accept")
def accept_command(workspace: Workspace, tap: str, names: tuple[str, ...]) -> Outcome:
    """Follow TAP to the other sources that it now names for the skills NAMES."""
    return tapping.accept(workspace, tap, tuple(skill_name(name) for name in names))


@tap_command.command("reset")
@click.argument("tap")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@command("tap reset")
def reset_command(workspace: Workspace, tap: str, dry_run: bool) -> Outcome:
    """Take TAP as it is now, after its history was rewritten or its version went back.

    The keys that are pinned for it stay, and must have signed it.
    """
    return tapping.reset(workspace, tap, dry_run=dry_run)


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
    """Fetch every tap's index anew; what did not move forward is refused with status 6."""
    return tapping.update(workspace)
