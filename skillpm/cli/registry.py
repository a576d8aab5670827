"""`skill registry build|verify`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations import building
from skillpm.operations.workspace import Workspace


@click.group("registry")
def registry_command() -> None:
    """Keep a registry: a folder with skills/ and a registry.json made from it."""


@registry_command.command("build")
@click.argument("folder", type=click.Path())
@command("registry build")
def build_command(workspace: Workspace, folder: str) -> Outcome:
    """Write FOLDER/registry.json from FOLDER/skills; each must validate and scan safe."""
    return building.build(workspace, folder)


@registry_command.command("verify")
@click.argument("folder", type=click.Path())
@command("registry verify")
def verify_command(workspace: Workspace, folder: str) -> Outcome:
    """Check that FOLDER/registry.json is what FOLDER/skills would make."""
    return building.verify(workspace, folder)
