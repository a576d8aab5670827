"""`skill audit`, `skill scan` and `skill validate`."""

from __future__ import annotations

import click

from skillpm.cli.shared import allow_options, command, policy_option
from skillpm.errors import UsageError
from skillpm.model.judgement import LEVELS
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import checking, telling
from skillpm.operations.audit import audit
from skillpm.operations.judging import Said
from skillpm.operations.scanning import STDOUT, Asked, scan_skills
from skillpm.operations.workspace import Workspace


@click.command("audit")
@click.argument("names", nargs=-1)
@policy_option
@command("audit")
def audit_command(workspace: Workspace, names: tuple[str, ...], policy: str) -> Outcome:
    """Check installed skills, all or NAMES: digest, provenance, trust and a fresh scan.

    Exit status 6 when files are not those that were installed, 1 when a skill would be refused as
    it is now.
    """
    return audit(workspace, tuple(skill_name(name) for name in names), Said(policy))


@click.command("scan")
@click.argument("skill", required=False, default="")
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    help="Exit with 1 from this on; by default when an install would be refused.",
)
@click.option(
    "--sarif",
    is_flag=False,
    flag_value="-",
    default="",
    metavar="[FILE]",
    help="Write SARIF 2.1.0 to FILE, or to standard output instead of the report.",
)
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
    as_json = click.get_current_context().params.get("as_json")
    if sarif == STDOUT and as_json:
        raise UsageError("--json and --sarif both want standard output", hint="--sarif FILE")
    said = Said(policy, allow, reason, by, until, baseline)
    asked = Asked(skill, source, said, fail_on or "", sarif, write_baseline)
    return scan_skills(workspace, asked)


@click.command("validate")
@click.argument("skill")
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@command("validate")
def validate_command(workspace: Workspace, skill: str, source: str) -> Outcome:
    """Check SKILL against the Agent Skills specification: an installed name, path or address.

    Exit status 4 when it does not meet the specification.
    """
    return checking.validate_skill(workspace, skill, source)
