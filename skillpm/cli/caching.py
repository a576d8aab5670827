"""`skill cache info|prune|clear`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations import caching
from skillpm.operations.workspace import Workspace


@click.group("cache")
def cache_command() -> None:
    """What is kept to be fast; everything in the cache may vanish at any time."""


@cache_command.command("info")
@command("cache info")
def info_command(workspace: Workspace) -> Outcome:
    """Show how much is kept, by kind."""
    return caching.info(workspace)


@cache_command.command("prune")
@click.option(
    "--days",
    type=click.IntRange(0, 36_500),
    default=caching.DAYS,
    show_default=True,
    help="Keep what was used in so many days.",
)
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@command("cache prune")
def prune_command(workspace: Workspace, days: int, dry_run: bool) -> Outcome:
    """Remove what was not used lately, and files of skills that no record names any more."""
    return caching.prune(workspace, days=days, dry_run=dry_run)


@cache_command.command("clear")
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@command("cache clear")
def clear_command(workspace: Workspace, dry_run: bool) -> Outcome:
    """Remove the whole cache; installed skills and their history stay."""
    return caching.clear(workspace, dry_run=dry_run)
