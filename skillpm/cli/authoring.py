"""`skill new` and `skill pack`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command, policy_option
from skillpm.errors import UsageError
from skillpm.formats.skeletons import Kind
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations import authoring
from skillpm.operations.judging import Said, terms
from skillpm.operations.workspace import Workspace


@click.command("new")
@click.argument("name")
@click.option("--package", is_flag=True, help="A folder with a script and a reference.")
@click.option("--workflow", is_flag=True, help="A workflow: triggers, conditions, actions.")
@click.option("--into", default=".", metavar="FOLDER", help="Where to write it; here by default.")
@click.option("--description", default="", metavar="TEXT", help="What it does, and when to use it.")
@command("new")
def new_command(
    workspace: Workspace, name: str, package: bool, workflow: bool, into: str, description: str
) -> Outcome:
    """Write a new skill NAME to begin with: one document, or a folder with --package."""
    if package and workflow:
        raise UsageError("--package and --workflow exclude each other")
    kind: Kind = "package" if package else "workflow" if workflow else "document"
    return authoring.new(
        workspace, authoring.Wish(skill_name(name), kind, into, " ".join(description.split()))
    )


@click.command("pack")
@click.argument("skill")
@click.option("--output", "-o", default="", metavar="FILE", help="NAME-VERSION.zip by default.")
@click.option("--url", default="", metavar="URL", help="Where people will fetch it.")
@policy_option
@command("pack")
def pack_command(workspace: Workspace, skill: str, output: str, url: str, policy: str) -> Outcome:
    """Write an archive of SKILL, a path or an installed name, and its entry for a registry.

    The archive is the same to the byte for the same files.
    """
    asked = authoring.Packing(skill, output, url)
    return authoring.pack(workspace, asked, terms(workspace, Said(policy)))
