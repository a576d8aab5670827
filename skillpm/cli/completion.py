"""`skill completion`, and what completes the names of skills.

The shell runs `skill` with a variable set; click answers with the words that fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from skillpm.cli.shared import command
from skillpm.errors import SkillError
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@command("completion")
def completion_command(_: Workspace, shell: str) -> Outcome:
    """Print the script that completes commands, options and installed names in SHELL.

    For bash, in ~/.bashrc: eval "$(skill completion bash)". For zsh the same in ~/.zshrc, after
    compinit. For fish: skill completion fish > ~/.config/fish/completions/skill.fish.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    root = click.get_current_context().find_root()
    assert kind is not None  # noqa: S101 - the choice names those that there are
    made = kind(root.command, {}, "skill", "_SKILL_COMPLETE")
    text = ShellComplete.source(made)  # that of bash would run the bash on PATH to ask its version
    return Outcome({"shell": shell, "script": text}, text=text)


def installed(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names in the library that begin so; none when it cannot be read."""
    from skillpm.edges.host import Host
    from skillpm.store.library import Library

    try:
        return _fitting(Library(Host.from_process().dirs.library, None).found(), begun)
    except SkillError:
        return []


def readable(ctx: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The same, with the builtin skills."""
    from skillpm.sources import shipped

    builtin = (skill.name for skill in shipped.skills() if skill.builtin)
    mine = installed(ctx, parameter, begun)
    known = {item.value for item in mine}
    return mine + [item for item in _fitting(builtin, begun) if item.value not in known]


def installed_or_path(
    ctx: click.Context, parameter: click.Parameter, begun: str
) -> list[CompletionItem]:
    """The names in the library that begin so, and the files and folders here."""
    from click.shell_completion import CompletionItem

    found = installed(ctx, parameter, begun)
    return found or [CompletionItem(begun, type="file")]


def offered(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of the bundled registry that begin so."""
    from skillpm.sources import bundled

    return _fitting((one.name for one in bundled.listings()), begun)


def _fitting(names: Iterable[str], begun: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in sorted(names) if name.startswith(begun)]
