"""Rows H5 and H27, with a real name server in a network of its own; see `otherworld.py`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("otherworld.py")
ROOT = SCRIPT.parents[2]


def outside(scenario: str) -> subprocess.CompletedProcess[str]:
    """Run a scenario in a network and a mount table of its own."""
    own = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    env = {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    env["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT / "tests", ROOT)))
    command = [*own, sys.executable, str(SCRIPT), scenario]
    return subprocess.run(
        command, capture_output=True, text=True, env=env, check=False, timeout=120
    )


@cache
def is_possible() -> bool:
    """Whether this machine lets us have a network of our own."""
    return bool(shutil.which("unshare")) and outside("").returncode == 0


@pytest.fixture
def run() -> Any:
    if not is_possible():
        pytest.skip("no network namespace of our own here (unshare, ip, mount)")

    def scenario(name: str) -> Any:
        done = outside(name)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return scenario


def test_h5_the_address_that_was_checked_is_the_one_connected_to(run: Any) -> None:
    seen = run("web")
    first, second = seen["got"]
    assert first["body"] == "public"
    assert second["error"] == "refused"
    assert "127.0.0.1" in second["message"]
    assert (seen["public"], seen["inside"]) == (1, 0)
    assert seen["asked"] == 2, "once for each request"
    assert seen["hosts"] == ["rebind.example"], "the server is still told the name"


def test_h5_a_redirect_is_looked_up_and_checked_again(run: Any) -> None:
    seen = run("redirect")
    assert seen["got"][0]["error"] == "refused"
    assert (seen["public"], seen["inside"], seen["asked"]) == (1, 0, 2)


def test_h5_one_private_address_among_public_ones_is_a_refusal(run: Any) -> None:
    seen = run("mixed")
    assert [got.get("error") for got in seen["got"]] == ["refused"] * 6
    assert (seen["public"], seen["inside"]) == (0, 0)


def test_h5_all_connections_of_git_go_to_the_address_that_was_checked(run: Any) -> None:
    seen = run("repository")
    assert seen["head"]
    assert seen["files"] == {"a": "public"}
    assert seen["public"] >= 2
    assert (seen["inside"], seen["asked"]) == (0, 1)


def test_h27_dead_addresses_and_silent_name_servers_cost_a_bounded_time(run: Any) -> None:
    got = run("slow")
    assert got["half"]["body"] == "alive"
    assert 4 < got["half"]["seconds"] < 10, "five seconds for the dead IPv6 address"
    assert 13 < got["dead"]["seconds"] < 18, "fifteen seconds for four dead addresses"
    for case in ("short", "silent", "named"):
        assert got[case]["seconds"] < 4, f"{case}: the request had two seconds"
    assert got["unknown"]["seconds"] < 4
    for case in ("dead", "short", "silent", "unknown"):
        assert got[case]["error"] == "unreachable"
        assert f"{case}.example" in got[case]["message"]
    assert "silent.example" in got["named"]["message"]
