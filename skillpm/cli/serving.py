"""`skill mcp serve`."""

from __future__ import annotations

from dataclasses import replace

import click

from skillpm.cli.shared import command
from skillpm.errors import UsageError
from skillpm.model.outcome import Outcome
from skillpm.operations.workspace import Workspace

PORT = 8427


@click.group("mcp")
def mcp_command() -> None:
    """Serve skills to agents over the Model Context Protocol."""


@mcp_command.command("serve")
@click.option("--http", is_flag=True, help="Over HTTP on this machine, instead of stdio.")
@click.option(
    "--port", default=PORT, type=click.IntRange(0, 65_535), help=f"The port; {PORT} by default."
)
@command("mcp serve")
def mcp_serve(workspace: Workspace, http: bool, port: int) -> Outcome:
    """Let agents search, install, read and run skills, as far as no person is needed.

    On standard input and output, for a client that starts it; with --http for programs of this
    machine that have the token, whose place is told on standard error.
    """
    quiet = replace(workspace, progress=lambda *_: None)
    try:
        return _over_http(quiet, port) if http else _over_stdio(quiet)
    except ModuleNotFoundError as error:
        raise UsageError(
            f"the MCP server needs more libraries: {error.name} is not here",
            hint="install skillpm-cli[mcp]",
        ) from None


def _over_stdio(workspace: Workspace) -> Outcome:
    from skillpm.mcp.server import serve_stdio

    return Outcome({"transport": "stdio", "calls": serve_stdio(workspace)})


def _over_http(workspace: Workspace, port: int) -> Outcome:
    from skillpm.mcp.token import token
    from skillpm.mcp.web import serve_web

    secret, place = token(workspace.host)

    def ready(address: str) -> None:
        workspace.say(f"listening at {address}; the token is in {place}")

    return Outcome({"transport": "http", "calls": serve_web(workspace, port, secret, ready)})
