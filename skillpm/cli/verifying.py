"""`skill verify` and `skill provenance`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.errors import UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace


@click.command("verify")
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every installed skill.")
@click.option("--signed", is_flag=True, help="A signature by a pinned key must cover the files.")
@command("verify")
def verify_command(
    workspace: Workspace, names: tuple[str, ...], everything: bool, signed: bool
) -> Outcome:
    """Check the skills NAMES, or --all: files against record, record against source, signatures.

    Exit status 0 only when everything is verified, 6 when something FAILED, 1 when something is
    not verifiable.
    """
    from skillpm.operations.verifying import Asked, verify

    if bool(names) == everything:
        raise UsageError("name skills, or give --all", hint="skill verify --all")
    return verify(workspace, tuple(skill_name(name) for name in names), Asked(signed))


@click.command("provenance")
@click.argument("name")
@click.option("--statement", is_flag=True, help="Print the in-toto statement alone.")
@command("provenance")
def provenance_command(workspace: Workspace, name: str, statement: bool) -> Outcome:
    """Show where the installed skill NAME came from.

    With --json the data of the envelope is an in-toto Statement v1; --statement prints it alone.
    """
    from skillpm.operations.provenance import provenance

    if statement and click.get_current_context().params.get("as_json"):
        raise UsageError("--json and --statement both want standard output")
    return provenance(workspace, skill_name(name), raw=statement)
