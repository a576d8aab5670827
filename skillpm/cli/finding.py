"""`skill search` and `skill info`."""

from __future__ import annotations

import click

from skillpm.cli.completion import offered
from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations.candidate import Request
from skillpm.operations.info import info
from skillpm.operations.search import search
from skillpm.operations.workspace import Workspace
from skillpm.store.searching import Query


@click.command("search")
@click.argument("words", nargs=-1)
@click.option(
    "--trust",
    multiple=True,
    type=click.Choice(["builtin", "official", "community"]),
    help="Only of this trust; may be given several times.",
)
@click.option(
    "--source",
    multiple=True,
    metavar="REGISTRY",
    help="Only from bundled, tap, hub, or one of them.",
)
@click.option("--tag", multiple=True, help="Only with this tag; all of them when several.")
@click.option("--limit", default=20, type=click.IntRange(1, 1_000), help="How many on a page.")
@click.option("--page", default=1, type=click.IntRange(1, 10_000), help="Which page.")
@command("search")
def search_command(
    workspace: Workspace,
    words: tuple[str, ...],
    trust: tuple[str, ...],
    source: tuple[str, ...],
    tag: tuple[str, ...],
    limit: int,
    page: int,
) -> Outcome:
    """Find skills by WORDS in their name or description; without words, list all.

    Asks the bundled registry, every tap and the hubs, best matches first, and says which of them
    did not answer. A word that occurs nowhere is taken for the nearest name.
    """
    return search(workspace, Query(" ".join(words), trust, source, tag, limit, page))


@click.command("info")
@click.argument("skill", shell_complete=offered)
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@command("info")
def info_command(workspace: Workspace, skill: str, source: str) -> Outcome:
    """Show what SKILL is, where it would come from, its files and its scan.

    SKILL is a name, tap/name, @handle/name, or any address. Nothing is installed.
    """
    return info(workspace, Request(skill, source))
