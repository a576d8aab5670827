"""`skill adopt`."""

from __future__ import annotations

import click

from skillpm.cli.shared import agreement, command, permission_options
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.adopting import Wish, adopt
from skillpm.operations.deciding import Permissions
from skillpm.operations.workspace import Workspace


@click.command("adopt")
@click.argument("path", default="")
@click.option("--user", is_flag=True, help="Look below your home folder.")
@click.option("--as", "name", default=None, metavar="NAME", help="Call the only one like this.")
@click.option("--dry-run", is_flag=True, help="Show the plan and change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Agree to the plan without a question.")
@command("adopt")
@permission_options(
    force="Past any finding, or over another source.",
    replace="Over a skill of yours, or though files changed.",
)
def adopt_command(
    workspace: Workspace,
    path: str,
    user: bool,
    name: str | None,
    dry_run: bool,
    yes: bool,
    permissions: Permissions,
) -> Outcome:
    """Take over skills that another tool, or a person, put at PATH, with where they came from.

    PATH is a skill's folder, a folder of skills, or a project (here, unless you say otherwise),
    whose agents' folders are looked into. What the other tool wrote is read and never changed.
    Each skill is checked and scanned like an install; the exit status is 9 when some failed.
    """
    wish = Wish(path, user, None if name is None else skill_name(name), dry_run)
    return adopt(
        workspace, wish, permissions, agreement(workspace.host, "Adopt these skills?", yes=yes)
    )
