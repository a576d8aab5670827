"""The probe tells whether a command or an MCP server really answers."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest

from .tools import Done, run, script

PROBE: Final = script("install-tool", "probe.py")
HERE, ABSENT, USAGE, SILENT, OLD = 0, 1, 2, 3, 4
SERVER: Final = r"""
import json, os, sys
pages = [["read_page", "Reads\n a page"], ["find", "Finds \x1b[2J things"]]
sys.stderr.write("starting\n")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        open(os.environ["SEEN"], "a").write(m["method"] + "\n")
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    if m["method"] == "initialize":
        assert m["params"]["clientInfo"] and m["params"]["protocolVersion"]
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
             "serverInfo": {"name": "shelf", "version": "1.2"}}
    else:
        n = int(m["params"].get("cursor", 0))
        r = {"tools": [{"name": pages[n][0], "description": pages[n][1], "inputSchema": {}}]}
        if n == 0:
            r["nextCursor"] = "1"
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"""
REFUSAL: Final = r"""
import json
m = json.loads(input())
print(json.dumps({"id": m["id"], "error": {"message": "no \x1b[2J"}}), flush=True)
"""


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    """A command that says its version, in a folder of its own."""
    path = tmp_path / "bin" / "frob"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho 'frob version 1.10.2 (built 2024)'\n")
    path.chmod(0o755)
    return path


def command(tool: Path, *words: str) -> Done:
    return run(PROBE, "--json", "command", "frob", *words, env={"PATH": f"{tool.parent}:/bin"})


def mcp(code: str, *options: str, seen: Path | None = None) -> Done:
    words = (*options, "--", sys.executable, "-c", code)
    return run(PROBE, "--json", "mcp", *words, env={"SEEN": str(seen)})


def test_a_command_that_answers_is_found_with_its_version(tool: Path) -> None:
    done = command(tool)
    assert done.returncode == HERE
    loaded = json.loads(done.stdout)
    assert (loaded["path"], loaded["version"]) == (str(tool), "1.10.2")


@pytest.mark.parametrize(
    ("least", "status"),
    [("1.10.2", HERE), ("1.9", HERE), ("1.10.2.0", HERE), ("1.10.3", OLD), ("2", OLD)],
)
def test_versions_are_compared_as_numbers(tool: Path, least: str, status: int) -> None:
    assert command(tool, "--min", least).returncode == status


def test_a_command_that_is_not_there_is_status_1(tool: Path) -> None:
    tool.unlink()
    assert command(tool).returncode == ABSENT


def test_a_command_that_is_broken_or_hangs_is_status_3(tool: Path) -> None:
    tool.write_text("#!/bin/sh\necho no library >&2\nexit 1\n")
    done = command(tool)
    assert done.returncode == SILENT
    assert "no library" in done.stderr
    tool.write_text("#!/bin/sh\nexec sleep 30\n")
    begun = time.monotonic()
    assert command(tool, "--timeout", "0.3").returncode == SILENT
    assert time.monotonic() - begun < 10


def test_a_version_that_is_not_said_does_not_pass_for_new_enough(tool: Path) -> None:
    tool.write_text("#!/bin/sh\necho frob\n")
    assert command(tool).returncode == HERE
    assert command(tool, "--min", "1").returncode == OLD


def test_a_server_is_greeted_and_lists_its_tools_page_by_page(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    done = mcp(SERVER, seen=seen)
    assert done.returncode == HERE, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    assert (loaded["name"], loaded["version"]) == ("shelf", "1.2")
    assert [tool["name"] for tool in loaded["tools"]] == ["read_page", "find"]
    assert loaded["tools"][0]["about"] == "Reads a page"
    assert "\x1b" not in loaded["tools"][1]["about"]
    assert seen.read_text() == "notifications/initialized\n"


SLEEP: Final = "import time; time.sleep(30)"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("pass", "ended before it answered"),
        (
            "print('Listening on port 80', flush=True)\nimport time; time.sleep(30)",
            "something else than MCP",
        ),
        ("import time; time.sleep(30)", "no answer in time"),
        ("print('[' * 100000, flush=True)\nimport time; time.sleep(30)", "something else than MCP"),
        ("print('x' * 9_000_000, flush=True)\nimport time; time.sleep(30)", "more than"),
        ("while True: print('{}', flush=True)", ""),
        (
            REFUSAL,
            "initialize",
        ),
    ],
)
def test_what_does_not_speak_mcp_is_status_3(code: str, told: str) -> None:
    begun = time.monotonic()
    done = mcp(code, "--timeout", "2")
    assert done.returncode == SILENT
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert time.monotonic() - begun < 10


def test_a_list_of_tools_without_an_end_is_given_up(tmp_path: Path) -> None:
    endless = SERVER.replace("if n == 0:", "if True:").replace('"1"', '"0"')
    done = mcp(endless, seen=tmp_path / "seen")
    assert done.returncode == SILENT
    assert "no end" in done.stderr


def test_a_server_program_that_is_not_there_is_status_1() -> None:
    assert run(PROBE, "mcp", "--", "no-such-program-here").returncode == ABSENT


@pytest.mark.parametrize("words", [[], ["command"], ["mcp"], ["command", "x", "--min", "new"]])
def test_wrong_usage_is_status_2(words: list[str]) -> None:
    assert run(PROBE, *words).returncode == USAGE
