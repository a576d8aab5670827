"""`skill install`, `skill update` and `skill outdated`."""

from __future__ import annotations

from dataclasses import replace

import click

from skillpm.cli.completion import installed, offered
from skillpm.cli.shared import command, consent, permission_options, project_option
from skillpm.errors import UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.batch import install_many
from skillpm.operations.candidate import Request
from skillpm.operations.deciding import Permissions
from skillpm.operations.dependencies import install_needed
from skillpm.operations.update import outdated, update_all, update_one
from skillpm.operations.workspace import Workspace


@click.command("install")
@click.argument("skills", metavar="SKILL...", nargs=-1, required=True, shell_complete=offered)
@click.option("--source", default="", metavar="ADDRESS", help="Take it from this address.")
@click.option("--as", "name", default=None, metavar="NAME", help="Install under another name.")
@click.option("--yes", "-y", is_flag=True, help="Agree to a community skill without a question.")
@click.option("--accept-new", is_flag=True, help="Agree to what a new version can do more.")
@click.option("--no-deps", is_flag=True, help="Leave out the skills that it needs.")
@project_option
@command("install")
@permission_options(
    force="Past any finding, or over another source.",
    replace="Over a hand-written or edited skill of that name.",
)
def install_command(
    workspace: Workspace,
    skills: tuple[str, ...],
    source: str,
    name: str | None,
    yes: bool,
    accept_new: bool,
    no_deps: bool,
    permissions: Permissions,
) -> Outcome:
    """Install each SKILL: a name, tap/name, @handle/name, or any address.

    With --source, SKILL is the name of one skill at that address. Builtin, official and local
    skills install at once; a community skill needs somebody's yes. The skills that it needs come
    too, each for itself, like each of several; the exit status is 9 when some failed.
    """
    if len(skills) > 1 and name is not None:
        raise UsageError("--as names one skill, and several were given")
    local = "" if name is None else skill_name(name)
    requests = [Request(skill, source, local, dependencies=not no_deps) for skill in skills]
    agree = consent(workspace.host, yes=yes, accept_new=accept_new)
    if len(requests) == 1:
        return install_needed(workspace, requests[0], permissions, agree)
    return install_many(workspace, requests, permissions, agree)


@click.command("update")
@click.argument("name", required=False, default="", shell_complete=installed)
@click.option("--all", "everything", is_flag=True, help="Update every installed skill.")
@click.option("--yes", "-y", is_flag=True, help="Agree to community skills without a question.")
@click.option("--accept-new", is_flag=True, help="Agree to what a new version can do more.")
@click.option("--keep-edits", is_flag=True, help="Merge what you edited with what is new.")
@project_option
@command("update")
@permission_options(
    force="Past any finding.",
    replace="Over edits; their bytes are kept.",
)
def update_command(
    workspace: Workspace,
    name: str,
    everything: bool,
    yes: bool,
    accept_new: bool,
    keep_edits: bool,
    permissions: Permissions,
) -> Outcome:
    """Update the skill NAME, or --all, from the source it was installed from.

    What you edited is left alone, unless --keep-edits merges it line by line with what is new; the
    status is then 5, and nothing is changed, when both changed the same lines.
    """
    if bool(name) == everything:
        raise UsageError("name one skill, or give --all", hint="skill update --all")
    if keep_edits and permissions.replace:
        raise UsageError("--keep-edits keeps edits, and --replace overwrites them: give one")
    permissions = replace(permissions, keep_edits=keep_edits)
    agree = consent(workspace.host, yes=yes, accept_new=accept_new)
    if everything:
        return update_all(workspace, permissions, agree)
    return update_one(workspace, skill_name(name), permissions, agree)


@click.command("outdated")
@project_option
@command("outdated")
def outdated_command(workspace: Workspace) -> Outcome:
    """Show how each installed skill stands to its source; changes nothing.

    Exit status 1 when something is behind or needs a decision.
    """
    return outdated(workspace)
