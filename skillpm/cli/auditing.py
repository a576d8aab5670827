"""`skill audit`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed
from skillpm.cli.shared import check_output, command, policy_option, project_option, sarif_option
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.audit import Asked, audit
from skillpm.operations.judging import Said
from skillpm.operations.workspace import Workspace


@click.command("audit")
@click.argument("names", nargs=-1, shell_complete=installed)
@click.option("--no-network", is_flag=True, help="Ask no source whether it moved on.")
@sarif_option
@click.option("--html", "page", default="", metavar="FILE", help="Write one HTML page to FILE.")
@policy_option
@project_option
@command("audit")
def audit_command(
    workspace: Workspace,
    names: tuple[str, ...],
    no_network: bool,
    sarif: str,
    page: str,
    policy: str,
) -> Outcome:
    """Check installed skills, all or NAMES: digest, provenance, trust, scan, copies, source.

    Exit status 6 when files are not those that were installed, 1 when a skill would be refused as
    it is now.
    """
    check_output(sarif)
    named = tuple(skill_name(name) for name in names)
    return audit(workspace, Asked(named, Said(policy), not no_network, sarif, page))
