"""`skill validate`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed_or_path
from skillpm.cli.shared import agreement, check_output, command, sarif_option
from skillpm.errors import UsageError
from skillpm.model.outcome import Outcome
from skillpm.operations import checking, validating
from skillpm.operations.workspace import Workspace


@click.command("validate")
@click.argument("skill", shell_complete=installed_or_path)
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@click.option("--profile", default="", metavar="AGENT", help="Also what this agent demands.")
@click.option("--fix", is_flag=True, help="Fix what can be, after showing it and a yes.")
@click.option("--yes", "-y", is_flag=True, help="Write what --fix shows without a question.")
@sarif_option
@command("validate")
def validate_command(
    workspace: Workspace,
    skill: str,
    source: str,
    profile: str,
    fix: bool,
    yes: bool,
    sarif: str,
) -> Outcome:
    """Check SKILL against the Agent Skills specification: an installed name, path or address.

    Of a collection each skill is checked. Exit status 4 when one does not meet the specification.
    """
    check_output(sarif)
    if yes and not fix:
        raise UsageError("--yes agrees to what --fix shows", hint="skill validate --fix --yes NAME")
    asked = checking.Asked(skill, source, profile, sarif, fix)
    return validating.validate_skills(
        workspace, asked, agreement(workspace.host, "Write this?", yes=yes)
    )
