"""One skill out of a repository of 1,000 skills and 100 MB, against `git clone --depth 1`.

Both over `git http-backend` on loopback; bytes are what the server sent.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.gitrepo import GitRepo
from support.gitserver import GitServer

SKILLS = 1_000
BYTES_EACH = 100_000
ROUNDS = 5
SKILL = str(Path(sys.executable).with_name("skill"))


def fill(repo: GitRepo) -> None:
    rng = random.Random(7)
    files: dict[str, bytes | str | None] = {}
    for number in range(SKILLS):
        name = f"skill-{number:04}"
        header = (
            f"---\nname: {name}\ndescription: Use when benchmark {number} runs.\n---\n# {name}\n"
        )
        files[f"skills/{name}/SKILL.md"] = header + "Step.\n" * 200
        files[f"skills/{name}/assets/data.bin"] = rng.randbytes(BYTES_EACH)
        files[f"skills/{name}/scripts/run.sh"] = "#!/bin/sh\necho hello\n"
    repo.commit(files)


def measured(server: GitServer, action: Callable[[], None]) -> tuple[float, int]:
    server.forget()
    start = time.perf_counter()
    action()
    return time.perf_counter() - start, server.sent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, GitServer(Path(folder) / "srv") as server:
        repo = server.repo("org/skills")
        fill(repo)
        url = server.url_of("org/skills")
        home = Path(folder) / "home"
        env = {**os.environ, "SKILL_HOME": str(home), "SKILL_HUB": "off"}
        env["GIT_CONFIG_GLOBAL"] = os.devnull

        def run(argv: list[str]) -> None:
            subprocess.run(argv, env=env, check=True, capture_output=True)

        def install() -> None:
            run([SKILL, "install", "skill-0500", "--source", url, "--yes", "--replace"])

        def clone() -> None:
            run(["git", "clone", "-q", "--depth", "1", url, str(Path(folder) / "clone")])
            subprocess.run(["rm", "-rf", str(Path(folder) / "clone")], check=True)

        def reset() -> None:
            subprocess.run(["rm", "-rf", str(home)], check=True)

        rows: dict[str, list[tuple[float, int]]] = {"clone": [], "cold": [], "warm": []}
        for _ in range(ROUNDS):
            rows["clone"].append(measured(server, clone))
            reset()
            rows["cold"].append(measured(server, install))
            run([SKILL, "remove", "skill-0500"])
            rows["warm"].append(measured(server, install))
        report(rows)


def report(rows: dict[str, list[tuple[float, int]]]) -> None:
    base_time, base_bytes = sorted(rows["clone"])[ROUNDS // 2]
    for name, label in (
        ("clone", "git clone --depth 1"),
        ("cold", "skill install, cold"),
        ("warm", "skill install, warm"),
    ):
        seconds, sent = sorted(rows[name])[ROUNDS // 2]
        print(
            f"{label:22} {seconds * 1000:8.0f} ms {seconds / base_time:6.2f} x"
            f" {sent / 1024:10.0f} kB {100 * sent / base_bytes:7.2f} %"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"largest child process: {peak:.0f} MB (git clone's included)")


if __name__ == "__main__":
    main()
