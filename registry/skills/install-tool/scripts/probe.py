#!/usr/bin/env python3
"""Find out whether a tool is there and answers: a command, or an MCP server on stdio.

  probe.py command NAME [--min 1.2] [--version-arg --version]
  probe.py mcp [--timeout 20] -- PROGRAM [ARGUMENT ...]

`mcp` starts the server, greets it, asks for its list of tools and ends it again;
it calls none of them. Starting a program runs it: probe what you have decided to trust.

Exit statuses:
  0  there, and it answers
  1  not there
  2  wrong usage
  3  there, but it does not answer as it should (fails, too slow, not MCP)
  4  there, but older than --min
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ANSWERS, ABSENT, USAGE, SILENT, OLD = 0, 1, 2, 3, 4
PROTOCOL = "2025-06-18"
LIMIT = 8 * 1024 * 1024
PAGES = 50
VERSION = re.compile(r"(?<![0-9.])([0-9]{1,9}(?:\.[0-9]{1,9}){1,3})")


class ProbeError(Exception):
    """The tool does not answer as it should."""


def clean(text: str) -> str:
    """Spell out control and invisible characters of what the tool said."""
    return "".join(
        char
        if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text
    )


def numbers(version: str) -> tuple[int, ...]:
    """A dotted version as numbers, without trailing zeros."""
    parts = [int(part) for part in version.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


# --- a command ----------------------------------------------------------------------------


def probe_command(options: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    """Where the command is and which version it says it has."""
    path = shutil.which(options.name)
    if path is None:
        return ABSENT, {"name": options.name, "path": None, "version": None, "said": ""}
    try:
        done = subprocess.run(
            [path, options.version_arg],
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=options.timeout,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise ProbeError(f"{path} {options.version_arg}: {error}") from error
    said = (done.stdout + b"\n" + done.stderr)[:LIMIT].decode("utf-8", "replace").strip()
    match = VERSION.search(said)
    first = clean((said.splitlines() or [""])[0])[:200]
    answer = {
        "name": options.name,
        "path": path,
        "version": match[1] if match else None,
        "said": first,
    }
    if done.returncode != 0:
        raise ProbeError(f"{path} {options.version_arg} ended with {done.returncode}: {first}")
    if options.min and (match is None or numbers(match[1]) < numbers(options.min)):
        return OLD, answer
    return ANSWERS, answer


# --- an MCP server ------------------------------------------------------------------------


class Server:
    """A started MCP server that is spoken to line by line, within a deadline."""

    def __init__(self, argv: Sequence[str], seconds: float) -> None:
        """Start it, without a shell, in a process group of its own."""
        self.deadline = time.monotonic() + seconds
        self.buffer = b""
        self.received = 0
        self.number = 0
        self.child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def close(self) -> None:
        """End it and whatever it started."""
        if self.child.stdin is not None:
            with contextlib.suppress(OSError):
                self.child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(1.0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        if self.child.stdout is not None:
            self.child.stdout.close()

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        if self.child.stdin is None:
            raise ProbeError("the server takes no input")
        try:
            self.child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.child.stdin.flush()
        except OSError as error:
            raise ProbeError("the server ended before it answered") from error

    def line(self) -> bytes:
        """The next line it says."""
        pipe = self.child.stdout
        if pipe is None:
            raise ProbeError("the server has no output")
        with selectors.DefaultSelector() as waiting:
            waiting.register(pipe, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                left = self.deadline - time.monotonic()
                if left <= 0 or not waiting.select(left):
                    raise ProbeError("no answer in time")
                part = os.read(pipe.fileno(), 65_536)
                if not part:
                    raise ProbeError("the server ended before it answered")
                self.buffer += part
                self.received += len(part)
                if self.received > LIMIT:
                    raise ProbeError(f"the server said more than {LIMIT} bytes")
        first, self.buffer = self.buffer.split(b"\n", 1)
        return first

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer; what it says in between is passed over."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            try:
                message = json.loads(self.line())
            except (ValueError, RecursionError) as error:
                raise ProbeError(
                    "the server writes something else than MCP to its output"
                ) from error
            if not isinstance(message, dict) or message.get("id") != self.number:
                continue
            if "method" in message:
                continue
            result = message.get("result")
            if not isinstance(result, dict):
                raise ProbeError(f"{method}: {clean(json.dumps(message.get('error')))[:200]}")
            return result


def probe_mcp(options: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    """Who the server is and which tools it offers."""
    if shutil.which(options.argv[0]) is None:
        return ABSENT, {"name": options.argv[0], "version": None, "tools": []}
    try:
        server = Server(options.argv, options.timeout)
    except (OSError, ValueError) as error:
        raise ProbeError(f"{options.argv[0]}: {error}") from error
    try:
        client = {"name": "probe", "version": "1.0.0"}
        hello = server.ask(
            "initialize",
            {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client},
        )
        server.send({"method": "notifications/initialized"})
        tools = list_tools(server) if "tools" in hello.get("capabilities", {}) else []
    finally:
        server.close()
    who = hello.get("serverInfo")
    about = who if isinstance(who, dict) else {}
    return ANSWERS, {
        "name": clean(str(about.get("name", "?"))),
        "version": clean(str(about.get("version", "?"))),
        "protocol": clean(str(hello.get("protocolVersion", "?"))),
        "tools": tools,
    }


def list_tools(server: Server) -> list[dict[str, str]]:
    """All tools, page by page."""
    tools: list[dict[str, str]] = []
    params: dict[str, Any] = {}
    for _ in range(PAGES):
        result = server.ask("tools/list", params)
        for tool in result.get("tools", []):
            if isinstance(tool, dict):
                about = " ".join(str(tool.get("description", "")).split())
                tools.append({"name": clean(str(tool.get("name"))), "about": clean(about)[:160]})
        if not result.get("nextCursor"):
            return tools
        params = {"cursor": result["nextCursor"]}
    raise ProbeError("its list of tools has no end")


# --- the command line ---------------------------------------------------------------------


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    made = argparse.ArgumentParser(
        prog="probe.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--json", action="store_true", help="for a program")
    kinds = made.add_subparsers(dest="kind", required=True)
    command = kinds.add_parser("command", help="a program on the PATH")
    command.add_argument("name")
    command.add_argument("--min", default="", help="oldest version that will do")
    command.add_argument("--version-arg", default="--version", help="how to ask it (--version)")
    command.add_argument("--timeout", type=float, default=20.0, help="seconds (20)")
    server = kinds.add_parser("mcp", help="an MCP server on stdio")
    server.add_argument("--timeout", type=float, default=20.0, help="seconds for all of it (20)")
    server.add_argument("argv", nargs="+", metavar="PROGRAM")
    options = made.parse_args(words)
    if (
        options.kind == "command"
        and options.min
        and not re.fullmatch(r"[0-9]+(\.[0-9]+)*", options.min)
    ):
        made.error("--min takes a version such as 1.2")
    return options


def show(answer: dict[str, Any]) -> None:
    """Print the answer for reading."""
    print(f"{clean(str(answer['name']))} {answer['version'] or '(no version)'}")
    if answer.get("path"):
        print(f"  {clean(answer['path'])}: {answer['said']}")
    for tool in answer.get("tools", []):
        print(f"  {tool['name']}: {tool['about']}")


def main() -> int:
    """Run; see the module text for the exit statuses."""
    options = arguments()
    try:
        status, answer = (probe_mcp if options.kind == "mcp" else probe_command)(options)
    except ProbeError as error:
        print(clean(str(error)), file=sys.stderr)
        return SILENT
    if options.json:
        print(json.dumps({"status": status, **answer}, indent=2))
    elif status == ABSENT:
        print(f"{clean(answer['name'])} is not on the PATH", file=sys.stderr)
    else:
        show(answer)
        if status == OLD:
            print(f"older than {options.min}, or it does not say", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
