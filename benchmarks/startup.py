"""How long `skill --version` and `skill list` take, against `python -c "import click"`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 31
SKILL = str(Path(sys.executable).with_name("skill"))
COMMANDS = {
    "import click": [sys.executable, "-c", "import click"],
    "skill --version": [SKILL, "--version"],
    "skill --help": [SKILL, "--help"],
    "skill list": [SKILL, "list"],
    "skill search (no taps, no hub)": [SKILL, "search", "release"],
    "skill read cut-a-release": [SKILL, "read", "cut-a-release"],
}


def seconds(argv: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, env=env, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "SKILL_HOME": home, "SKILL_HUB": "off"}
        for name in ("cut-a-release", "read-pdf", "customer-sync"):
            subprocess.run([SKILL, "install", name], env=env, check=True, capture_output=True)
        taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(ROUNDS):
            for name, argv in COMMANDS.items():
                taken[name].append(seconds(argv, env))
    reference = statistics.median(taken["import click"])
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:32} {median * 1000:7.1f} ms  {median / reference:5.2f} x")


if __name__ == "__main__":
    main()
