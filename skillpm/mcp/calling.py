"""One call, from what a client sent to what it is told; whatever happens, it is told something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skillpm.errors import SkillError
from skillpm.mcp.answers import Answer, of_bug, of_error
from skillpm.mcp.arguments import checked
from skillpm.mcp.tools import BY_NAME, Call, workspace_for
from skillpm.operations.workspace import Workspace


def answer(
    workspace: Workspace,
    name: str,
    given: Mapping[str, Any],
    is_stopped: Callable[[], bool] = lambda: False,
) -> Answer:
    """Call a tool that exists; runs in a thread of its own, with a workspace of its own."""
    tool = BY_NAME[name]
    try:
        args = checked(tool.params, given)
    except SkillError as error:
        return of_error(error, ours=True)
    own = workspace_for(workspace, args)
    try:
        return tool.run(Call(own, args, is_stopped))
    except SkillError as error:
        return of_error(error)
    except Exception as error:  # noqa: BLE001 - a bug must not end the server, nor show its words
        workspace.say(f"a bug in the tool {name}: {type(error).__name__}{_place(error)}")
        return of_bug(error)
    finally:
        own.close()


def _place(error: Exception) -> str:
    """Where a bug is, for the log."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
