"""`skill doctor`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations import doctor
from skillpm.operations.workspace import Workspace


@click.command("doctor")
@command("doctor")
def doctor_command(workspace: Workspace) -> Outcome:
    """Check the program, git, folders, state, settings, library, needs and agents' folders.

    Each finding comes with what to do. Nothing is changed; exit status 1 when something is wrong.
    """
    return doctor.doctor(workspace)
