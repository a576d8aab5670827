"""`skill verify` and `skill provenance`."""

from __future__ import annotations

import click

from skillpm.cli.completion import installed
from skillpm.cli.shared import command, project_option
from skillpm.errors import UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace


@click.command("verify")
@click.argument("names", nargs=-1, shell_complete=installed)
@click.option("--all", "everything", is_flag=True, help="Check every installed skill.")
@click.option("--signed", is_flag=True, help="A signature by a pinned key must cover the files.")
@click.option(
    "--identity", default="", metavar="WHO", help="Who must have signed a Sigstore bundle."
)
@click.option("--issuer", default="", metavar="URL", help="Who vouched for that identity.")
@click.option(
    "--bundle", default="", metavar="FILE", help="The bundle, instead of the one beside the source."
)
@click.option(
    "--trusted-root", default="", metavar="FILE", help="The keys of a Sigstore of your own."
)
@project_option
@command("verify")
def verify_command(
    workspace: Workspace,
    names: tuple[str, ...],
    everything: bool,
    signed: bool,
    identity: str,
    issuer: str,
    bundle: str,
    trusted_root: str,
) -> Outcome:
    """Check the skills NAMES, or --all: files against record, record against source, signatures.

    Exit status 0 only when everything is verified, 6 when something FAILED, 1 when something is
    not verifiable. Sigstore bundles need the extra skillpm-cli[sigstore].
    """
    from skillpm.operations.bundles import Asked
    from skillpm.operations.verifying import verify

    if bool(names) == everything:
        raise UsageError("name skills, or give --all", hint="skill verify --all")
    if bool(identity) != bool(issuer) or ((bundle or trusted_root) and not identity):
        raise UsageError(
            "an identity means nothing without who vouched for it, nor a bundle without both",
            hint="give --identity WHO and --issuer URL",
        )
    if bundle and len(names) != 1:
        raise UsageError("--bundle is about one skill")
    asked = Asked(signed, identity, issuer, bundle, trusted_root)
    return verify(workspace, tuple(skill_name(name) for name in names), asked)


@click.command("provenance")
@click.argument("name", shell_complete=installed)
@click.option("--statement", is_flag=True, help="Print the in-toto statement alone.")
@project_option
@command("provenance")
def provenance_command(workspace: Workspace, name: str, statement: bool) -> Outcome:
    """Show where the installed skill NAME came from.

    With --json the data of the envelope is an in-toto Statement v1; --statement prints it alone.
    """
    from skillpm.operations.provenance import provenance

    if statement and click.get_current_context().params.get("as_json"):
        raise UsageError("--json and --statement both want standard output")
    return provenance(workspace, skill_name(name), raw=statement)
