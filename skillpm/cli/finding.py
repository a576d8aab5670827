"""`skill search` and `skill info`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations.candidate import Request
from skillpm.operations.info import info
from skillpm.operations.search import search
from skillpm.operations.workspace import Workspace


@click.command("search")
@click.argument("words", nargs=-1)
@click.option("--limit", default=25, type=click.IntRange(1, 10_000), help="How many to show.")
@command("search")
def search_command(workspace: Workspace, words: tuple[str, ...], limit: int) -> Outcome:
    """Find skills by WORDS in their name or description; without words, list all.

    Asks the bundled registry, every tap and the hub, best matches first, and says which of them
    did not answer.
    """
    return search(workspace, " ".join(words), limit)


@click.command("info")
@click.argument("skill")
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@command("info")
def info_command(workspace: Workspace, skill: str, source: str) -> Outcome:
    """Show what SKILL is, where it would come from, its files and its scan.

    SKILL is a name, tap/name, @handle/name, or any address. Nothing is installed.
    """
    return info(workspace, Request(skill, source))
