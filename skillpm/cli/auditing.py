"""`skill audit`, `skill scan` and `skill validate`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import checking
from skillpm.operations.audit import audit
from skillpm.operations.workspace import Workspace


@click.command("audit")
@click.argument("names", nargs=-1)
@command("audit")
def audit_command(workspace: Workspace, names: tuple[str, ...]) -> Outcome:
    """Check installed skills, all or NAMES: digest, provenance, trust and a fresh scan.

    Exit status 6 when files are not those that were installed, 1 when a scan says danger.
    """
    return audit(workspace, tuple(skill_name(name) for name in names))


@click.command("scan")
@click.argument("skill")
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@click.option(
    "--fail-on",
    type=click.Choice(["caution", "danger"]),
    default="danger",
    help="Exit with 1 from this verdict on.",
)
@command("scan")
def scan_command(workspace: Workspace, skill: str, source: str, fail_on: str) -> Outcome:
    """Scan SKILL: an installed name, a path, or any address."""
    return checking.scan_skill(workspace, skill, source, fail_on)


@click.command("validate")
@click.argument("skill")
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@command("validate")
def validate_command(workspace: Workspace, skill: str, source: str) -> Outcome:
    """Check SKILL against the Agent Skills specification: an installed name, path or address.

    Exit status 4 when it does not meet the specification.
    """
    return checking.validate_skill(workspace, skill, source)
