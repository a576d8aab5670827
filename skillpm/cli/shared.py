"""What every command has: the JSON option, the workspace, and consent."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from skillpm.cli import render
from skillpm.edges.host import Host
from skillpm.errors import SkillError, UsageError
from skillpm.model.outcome import STDOUT, Outcome
from skillpm.operations.workspace import Workspace

if TYPE_CHECKING:
    from skillpm.operations.candidate import Candidate

_SHELVED: Final = re.compile(
    r"\bskill (install|update|outdated|remove|list|history|diff|rollback|audit|verify|pin|unpin|review"
    r"|index|read|path|commands|exec|agents \w+)\b"
)

Command = Callable[..., Outcome]
Function = Callable[..., Any]


def command(name: str, *, in_project: bool = False) -> Callable[[Command], Callable[..., int]]:
    """Give a function the workspace as its first argument, `--json`, and its output printed.

    The workspace is that of the project here when `in_project`, or when `--project` was given.
    """

    def decorate(function: Command) -> Callable[..., int]:
        @click.option("--json", "as_json", is_flag=True, help="Print one JSON envelope.")
        @wraps(function)
        def run(*args: Any, as_json: bool, **kwargs: Any) -> int:
            line = render.ProgressLine()
            workspace = Workspace(_host(), render.say, line, kwargs.pop("project", in_project))
            try:
                outcome = function(workspace, *args, **kwargs)
            except SkillError as error:
                error.hint = _advice(workspace, error.hint)
                raise
            finally:
                workspace.close()
                line.clear()
            told = (m._replace(text=_advice(workspace, m.text)) for m in outcome.messages)
            return render.show(name, outcome._replace(messages=tuple(told)), as_json=as_json)

        return run

    return decorate


def _advice(workspace: Workspace, text: str) -> str:
    """A next step as it must be typed here: whoever asked of a project is advised about it."""
    if not workspace.in_project or "--project" in text:
        return text
    return _SHELVED.sub(r"skill \1 --project", text)


def project_option(function: Function) -> Function:
    """`--project`; stands above `command`, which hands the function a workspace of the project."""
    text = "The project here: .agents/skills and skills.lock, not your library."
    return click.option("--project", is_flag=True, help=text)(function)


def policy_option(function: Function) -> Function:
    """`--policy FILE`."""
    option = click.option(
        "--policy", default="", metavar="FILE", help="A policy, instead of [scan] in config.toml."
    )
    return option(function)


def sarif_option(function: Function) -> Function:
    """`--sarif [FILE]`."""
    option = click.option(
        "--sarif",
        is_flag=False,
        flag_value="-",
        default="",
        metavar="[FILE]",
        help="Write SARIF 2.1.0 to FILE, or to standard output instead of the report.",
    )
    return option(function)


def check_output(sarif: str) -> None:
    """Refuse two documents for one standard output.

    Raises:
        UsageError: `--json` was given, and SARIF is to go to standard output.
    """
    if sarif == STDOUT and click.get_current_context().params.get("as_json"):
        raise UsageError("--json and --sarif both want standard output", hint="--sarif FILE")


def allow_options(function: Function) -> Function:
    """`--allow RULE[=PATH]`, with `--reason` and `--by`."""
    options = (
        click.option("--by", default="", metavar="NAME", help="Who accepts; git's user.name."),
        click.option("--reason", default="", metavar="TEXT", help="Why it is accepted."),
        click.option(
            "--allow",
            multiple=True,
            metavar="RULE[=PATH]",
            help="Accept what this rule finds in these very files; needs --reason.",
        ),
    )
    for option in options:
        function = option(function)
    return function


def permission_options(*, force: str, replace: str) -> Callable[[Command], Command]:
    """What a person may say explicitly, as one argument `permissions`; stands below `command`.

    The options are `--force`, `--replace`, `--allow` with its `--reason` and `--by`, `--policy`.

    Args:
        force: what `--force` says of itself in the help.
        replace: what `--replace` says.
    """

    def decorate(function: Command) -> Command:
        @click.option("--force", is_flag=True, help=force)
        @click.option("--replace", is_flag=True, help=replace)
        @allow_options
        @policy_option
        @wraps(function)
        def run(workspace: Workspace, *args: Any, **kwargs: Any) -> Outcome:
            from skillpm.operations.deciding import Permissions
            from skillpm.operations.judging import Said, terms

            words = (kwargs.pop(key) for key in ("policy", "allow", "reason", "by"))
            said = Said(*words)
            flags = kwargs.pop("force"), kwargs.pop("replace")
            permissions = Permissions(*flags, terms(workspace, said))
            return function(workspace, *args, permissions=permissions, **kwargs)

        return run

    return decorate


def _host() -> Host:
    """The process's surroundings, with what the options before the command say of them."""
    host = Host.from_process()
    if click.get_current_context().find_root().params.get("offline"):
        return replace(host, env={**host.env, "SKILL_OFFLINE": "1"})
    return host


def consent(host: Host, *, yes: bool, accept_new: bool = False) -> Callable[[Candidate], bool]:
    """How a candidate gets somebody's yes: by options, or by an answer on a terminal.

    `--yes` agrees to a community skill; to what an update can do more, `--accept-new` does.
    """

    def ask(candidate: Candidate) -> bool:
        if accept_new if candidate.gains.widens else yes:
            return True
        if not host.interactive:
            return False
        from skillpm.operations.describing import consent_screen

        for line in consent_screen(candidate):
            render.say(line)
        return render.confirm(f"Install {candidate.name}?")

    return ask


def agreement(host: Host, question: str, *, yes: bool) -> Callable[[Sequence[str]], bool]:
    """How a whole plan gets somebody's yes: `--yes`, or one answer on a terminal."""

    def ask(plan: Sequence[str]) -> bool:
        if yes or not host.interactive:
            return yes
        for line in plan:
            render.say(line)
        return render.confirm(question)

    return ask
