"""The server over streamable HTTP: on this machine alone, for whoever has the token."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

import anyio
import uvicorn

from skillpm.errors import StateError
from skillpm.mcp.gate import Gate
from skillpm.mcp.server import Serving
from skillpm.operations.workspace import Workspace

HOST: Final = "127.0.0.1"
PATH: Final = "/mcp"

_SESSIONS: Final = 64
_BODY: Final = 1024 * 1024


def serve_web(workspace: Workspace, port: int, token: str, ready: Callable[[str], None]) -> int:
    """Serve until we are interrupted; returns how many calls there were.

    Args:
        workspace: whose surroundings and state.
        port: on which we listen; 0 for any.
        token: what every request must bear.
        ready: told the address once we listen.

    Raises:
        StateError: the port is taken.
    """
    with _listening(port) as listener:
        actual = int(listener.getsockname()[1])
        serving = Serving(workspace)
        app = serving.server().streamable_http_app(
            streamable_http_path=PATH,
            host=HOST,
            max_request_body_size=_BODY,
            max_sessions=_SESSIONS,
        )
        config = uvicorn.Config(
            Gate(app, actual, token),
            log_config=None,
            access_log=False,
            lifespan="on",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        ready(f"http://{HOST}:{actual}{PATH}")
        anyio.run(_serve, uvicorn.Server(config), listener)
    return serving.calls


async def _serve(server: uvicorn.Server, listener: socket.socket) -> None:
    await server.serve(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise StateError(
            f"port {port} cannot be used: {reason}", hint="choose another: --port NUMBER, 0 for any"
        ) from None
    return listener
