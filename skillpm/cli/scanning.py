"""`skill scan`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed_or_path
from skillpm.cli.shared import allow_options, check_output, command, policy_option, sarif_option
from skillpm.errors import UsageError
from skillpm.model.judgement import LEVELS
from skillpm.model.outcome import Outcome
from skillpm.operations import scanning, telling
from skillpm.operations.judging import Said
from skillpm.operations.workspace import Workspace


@click.command("scan")
@click.argument("skill", required=False, default="", shell_complete=installed_or_path)
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    help="Exit with 1 from this on; by default when an install would be refused.",
)
@sarif_option
@click.option("--baseline", default="", metavar="FILE", help="What was accepted before.")
@click.option(
    "--write-baseline", default="", metavar="FILE", help="Accept what is open, with --reason."
)
@allow_options
@click.option("--until", default="", metavar="DATE", help="The last day on which that holds.")
@policy_option
@click.option("--explain", default="", metavar="RULE", help="Say what a rule means; scan nothing.")
@click.option("--rules", "list_rules", is_flag=True, help="List the rules; scan nothing.")
@command("scan")
def scan_command(
    workspace: Workspace,
    skill: str,
    source: str,
    fail_on: str | None,
    sarif: str,
    baseline: str,
    write_baseline: str,
    allow: tuple[str, ...],
    reason: str,
    by: str,
    until: str,
    policy: str,
    explain: str,
    list_rules: bool,
) -> Outcome:
    """Scan SKILL: an installed name, any file or folder, any address, or - for standard input.

    A collection gives one report for each of its skills. What is accepted (--baseline, --allow)
    stays in the report and does not count.
    """
    if explain or list_rules:
        if skill:
            raise UsageError("--explain and --rules scan nothing: leave SKILL out")
        return telling.explain(explain) if explain else telling.rules()
    if not skill:
        raise UsageError("name what to scan, or - for standard input", hint="skill scan ./NAME")
    check_output(sarif)
    said = Said(policy, allow, reason, by, until, baseline)
    asked = scanning.Asked(skill, source, said, fail_on or "", sarif, write_baseline)
    return scanning.scan_skills(workspace, asked)
