"""The server as clients meet it: a process of its own, spoken to by the SDK's own client."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
import httpx2
import pytest
from journeys.world import document
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from support.cli import environment
from support.files import build
from support.inside import review, workspace

COMMAND: Final = [sys.executable, "-P", "-m", "skillpm", "mcp", "serve"]
OFF: Final = {"SKILL_HUB": "off", "SKILL_OFFLINE": "1"}
TOKEN: Final = "a-token-of-the-tests-0123456789"
HANGS: Final = 'sleep 60 & echo $! > "$1.part"; mv "$1.part" "$1"; wait\n'
HELLO: Final = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip


@pytest.fixture
def mine(home: Path) -> Path:
    """A home with a reviewed skill, `mine`, and a stranger's, `evil`."""
    files: dict[str, bytes | str] = {
        "mine/SKILL.md": document("mine"), "mine/hangs.sh": HANGS, "mine/a.py": "print('ran')\n",
        "evil.md": document("evil", "The stranger says."),
    }  # fmt: skip
    build(home / "library", files)
    review(workspace(home), "mine")
    return home


@asynccontextmanager
async def over_stdio(home: Path) -> AsyncIterator[Client]:
    env = environment(home, OFF)
    server = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=env, cwd=home.parent / "user"
    )
    async with Client(stdio_client(server)) as client:
        yield client


def running(work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        with anyio.fail_after(60):
            await work()

    anyio.run(limited)


def text(result: Any) -> str:
    return str(result.content[0].text)


def test_a_client_finds_what_there_is_and_calls_it(mine: Path) -> None:
    async def work() -> None:
        async with over_stdio(mine) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["read"].annotations
            assert tools["read"].annotations.read_only_hint
            assert tools["read"].input_schema["required"] == ["name"]
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            assert {"mine", "evil", "create-watch"} <= set(prompts)
            said = await client.get_prompt("evil", {"input": "now"})
            assert [message.role for message in said.messages] == ["user"]
            files = [one.uri for one in (await client.list_resources()).resources]
            assert "skill://mine/a.py" in files
            found = await client.read_resource("skill://evil/SKILL.md")
            assert "<<<UNTRUSTED" in getattr(found.contents[0], "text", "")
            with pytest.raises(MCPError, match="not-found"):
                await client.read_resource("skill://nobody/SKILL.md")
            with pytest.raises(MCPError, match="no such tool"):
                await client.call_tool("force", {})
            await tools_answer(client)

    async def tools_answer(client: Client) -> None:
        assert "mine: Use when" in text(await client.call_tool("index", {}))
        ran = await client.call_tool("exec", {"name": "mine", "file": "a.py"})
        assert "ran\n<<<END" in text(ran)
        assert not ran.is_error
        assert ran.structured_content is None
        refused = await client.call_tool("exec", {"name": "evil", "file": "SKILL.md"})
        assert refused.is_error
        assert "Only a person can decide this, in a terminal:" in text(refused)
        assert "Traceback" not in text(refused)
        done = await client.call_tool("install", {"skill": "read-pdf"})
        assert not done.is_error
        assert "read-pdf" in [one.name for one in (await client.list_prompts()).prompts]

    running(work)


def test_a_call_that_takes_long_holds_up_no_other(mine: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    async def work() -> None:
        async with over_stdio(mine) as client, anyio.create_task_group() as group:
            args = {"name": "mine", "file": "hangs.sh", "args": [str(mark)]}
            group.start_soon(client.call_tool, "exec", args)
            await anyio.to_thread.run_sync(wait_for, mark)
            names = ["index", "list", "index", "list"]
            async with anyio.create_task_group() as others:
                for name in names:
                    others.start_soon(client.call_tool, name, {})
            group.cancel_scope.cancel()

    running(work)
    assert is_gone(int(mark.read_text())), "what a client gave up ran on"


def test_standard_output_carries_the_protocol_alone_and_a_signal_ends_all(
    mine: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "pid"
    arguments = {"name": "mine", "file": "hangs.sh", "args": [str(mark)]}
    with server(mine) as process:
        assert process.stdin
        assert process.stdout
        call = {"name": "exec", "arguments": arguments}
        sent: list[dict[str, Any]] = [
            HELLO,
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
             "params": {"name": "audit", "arguments": {"network": False}}},
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call},
        ]  # fmt: skip
        process.stdin.write(b"".join(json.dumps(one).encode() + b"\n" for one in sent))
        process.stdin.write(b"this is no message\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline())]
        while answers[-1].get("id") != 2:
            answers.append(json.loads(process.stdout.readline()))
        wait_for(mark)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130
        answers += [json.loads(line) for line in out.splitlines()]
        assert {1, 2} <= {one.get("id") for one in answers}
        assert b"Traceback" not in err
    assert is_gone(int(mark.read_text()))


@pytest.fixture
def served(mine: Path) -> Iterator[str]:
    """The address of a server over HTTP."""
    with server(mine, "--http", "--port", "0", env={"SKILL_MCP_TOKEN": TOKEN}) as process:
        assert process.stderr
        line = process.stderr.readline().decode()
        assert line.startswith("listening at http://127.0.0.1:"), line
        assert TOKEN not in line
        yield line.split()[2].rstrip(";")


def test_over_http_whoever_has_the_token_is_answered_and_nobody_else(served: str) -> None:
    async def work() -> None:
        right = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=right, trust_env=False) as http,
            Client(streamable_http_client(served, http_client=http)) as client,
        ):
            assert "mine: Use when" in text(await client.call_tool("index", {}))
            assert (await client.get_prompt("mine")).messages
        port = served.rpartition(":")[2].partition("/")[0]
        accept = {"Accept": "application/json, text/event-stream"}
        for more, status in (
            ({"Authorization": "Bearer wrong"}, 401),
            ({}, 401),
            ({**right, "Origin": "http://evil.example"}, 403),
            ({**right, "Host": f"evil.example:{port}"}, 421),
            (right, 200),
        ):
            async with httpx2.AsyncClient(trust_env=False, headers=accept) as http:
                answer = await http.post(served, json=HELLO, headers=more)
                assert answer.status_code == status, more
                assert (await http.get(served, headers=more)).status_code != 200 or status == 200

    running(work)


def test_a_port_that_is_taken_is_an_error_with_a_next_step(mine: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with server(mine, "--http", "--port", port) as process:
            _, err = process.communicate(timeout=20)
    assert process.returncode == 8
    assert b"--port NUMBER" in err


@contextmanager
def server(
    home: Path, *args: str, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a process."""
    variables = environment(home, {**OFF, **(env or {})})
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [*COMMAND, *args], stdin=pipe, stdout=pipe, stderr=pipe, env=variables,
        cwd=home.parent / "user", start_new_session=True,
    )  # fmt: skip
    try:
        with process:
            try:
                yield process
            finally:
                process.terminate()
                process.wait(20)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


def wait_for(path: Path) -> None:
    for _ in range(1_500):
        if path.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} never came")


def is_gone(pid: int) -> bool:
    for _ in range(250):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
