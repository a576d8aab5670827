"""`skill audit`, `skill scan` and `skill validate`."""

from __future__ import annotations

import click

from skillpm.cli.shared import agreement, allow_options, command, policy_option, sarif_option
from skillpm.errors import UsageError
from skillpm.model.judgement import LEVELS
from skillpm.model.name import skill_name
from skillpm.model.outcome import STDOUT, Outcome
from skillpm.operations import checking, scanning, telling, validating
from skillpm.operations.audit import Asked, audit
from skillpm.operations.judging import Said
from skillpm.operations.workspace import Workspace


@click.command("audit")
@click.argument("names", nargs=-1)
@click.option("--no-network", is_flag=True, help="Ask no source whether it moved on.")
@sarif_option
@click.option("--html", "page", default="", metavar="FILE", help="Write one HTML page to FILE.")
@policy_option
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
    _check_output(sarif)
    named = tuple(skill_name(name) for name in names)
    return audit(workspace, Asked(named, Said(policy), not no_network, sarif, page))


@click.command("scan")
@click.argument("skill", required=False, default="")
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
    _check_output(sarif)
    said = Said(policy, allow, reason, by, until, baseline)
    asked = scanning.Asked(skill, source, said, fail_on or "", sarif, write_baseline)
    return scanning.scan_skills(workspace, asked)


@click.command("validate")
@click.argument("skill")
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
    _check_output(sarif)
    if yes and not fix:
        raise UsageError("--yes agrees to what --fix shows", hint="skill validate --fix --yes NAME")
    asked = checking.Asked(skill, source, profile, sarif, fix)
    return validating.validate_skills(
        workspace, asked, agreement(workspace.host, "Write this?", yes=yes)
    )


def _check_output(sarif: str) -> None:
    if sarif == STDOUT and click.get_current_context().params.get("as_json"):
        raise UsageError("--json and --sarif both want standard output", hint="--sarif FILE")
