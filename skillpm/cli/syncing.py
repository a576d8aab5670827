"""`skill sync`."""

from __future__ import annotations

import click

from skillpm.cli.shared import agreement, command, permission_options
from skillpm.errors import UsageError
from skillpm.model.outcome import Outcome
from skillpm.operations.deciding import Permissions
from skillpm.operations.sync import Wish, sync
from skillpm.operations.workspace import Workspace


@click.command("sync")
@click.option("--frozen", is_flag=True, help="Change nothing; fail when anything differs.")
@click.option("--dry-run", is_flag=True, help="Fetch and scan, show the plan, change nothing.")
@click.option("--yes", "-y", is_flag=True, help="Agree to community skills without a question.")
@command("sync", in_project=True)
@permission_options(
    force="Past any finding.",
    replace="Over edits and links; their bytes are kept.",
)
def sync_command(
    workspace: Workspace, frozen: bool, dry_run: bool, yes: bool, permissions: Permissions
) -> Outcome:
    """Make .agents/skills of the project here what its skills.lock says, to the byte.

    What is missing comes from the store, else from its source at the pinned revision, and is
    checked and scanned like an install. What a person made or edited is kept. Exit status 9 when
    something was kept that the lock has otherwise, 6 when a source has other files than the lock,
    or, with --frozen, when anything differs.
    """
    if frozen and (dry_run or permissions.replace):
        raise UsageError("--frozen changes nothing: it goes with neither --dry-run nor --replace")
    wish = Wish(frozen, dry_run)
    agree = agreement(workspace.host, "Install these skills?", yes=yes)
    return sync(workspace, wish, permissions, agree)
