"""Installing and checking against a peer and against git itself, on one local server.

One skill cold and warm, 20 skills of one repository cold and warm, an update check of 200 skills
from 5 repositories. The peer is `npx skills` where npm can install it; it reaches the same server
through git's own `insteadOf`. Figures: wall and processor time, bytes sent, connections.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.gitrepo import GitRepo
from support.gitserver import GitServer

SKILLS, TWENTY, REPOSITORIES = 1_000, 20, 5
SKILL = str(Path(sys.executable).with_name("skill"))
GITHUB = "https://github.com/"


def fill(repo: GitRepo, count: int, padding: int, stem: str = "skill") -> list[str]:
    names = [f"{stem}-{number:04}" for number in range(count)]
    files: dict[str, bytes | str | None] = {}
    for name in names:
        header = f"---\nname: {name}\ndescription: Use when {name} is wanted.\n---\n# {name}\n"
        files[f"skills/{name}/SKILL.md"] = header + "Step.\n" * 100
        files[f"skills/{name}/assets/data.bin"] = os.urandom(padding)
    repo.commit(files)
    return names


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(server: GitServer, label: str, action: Callable[[], None]) -> float:
    server.forget()
    start, before = time.perf_counter(), processor_seconds()
    action()
    wall, cpu = time.perf_counter() - start, processor_seconds() - before
    print(
        f"{label:44} {wall * 1000:8.0f} ms {cpu * 1000:8.0f} ms cpu"
        f" {server.sent / 1024:10.1f} kB {len(server.requests):5} requests"
    )
    return wall


class Bench:
    """A server with one big and several small repositories, and homes to install into."""

    def __init__(self, folder: Path, server: GitServer) -> None:
        self.folder = folder
        self.server = server
        self.names = fill(server.repo("org/skills"), SKILLS, 100_000)
        self.small = {
            f"org/small-{n}": fill(server.repo(f"org/small-{n}"), 40, 100, f"small-{n}")
            for n in range(REPOSITORIES)
        }
        self.home = folder / "home"
        self.env = {**os.environ, "SKILL_HOME": str(self.home), "SKILL_HUB": "off"}
        self.npm = self._peer()

    def run(self, argv: list[str], cwd: Path | None = None) -> None:
        subprocess.run(
            argv,
            env=self.env,
            cwd=cwd or self.folder,
            check=False,
            capture_output=True,
            timeout=600,
        )

    def reset(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        config = f'[mirrors]\n"{GITHUB}" = "{self.server.url}/"\n'
        (self.home / "config.toml").write_text(config)

    def skill(self, *words: str) -> None:
        self.run([SKILL, *words])

    def peer(self, *words: str) -> None:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        assert self.npm is not None
        self.run(["node", str(self.npm), "add", "org/skills", *words, "-y"], cwd=place)
        found = sum(1 for _ in place.rglob("SKILL.md"))
        if not found:
            print("  (the peer installed nothing here)")

    def _peer(self) -> Path | None:
        place = self.folder / "npm"
        place.mkdir()
        done = subprocess.run(
            ["npm", "install", "--silent", "--prefix", str(place), "skills@1"],
            check=False,
            capture_output=True,
        )
        config = self.folder / "gitconfig"
        config.write_text(f'[url "{self.server.url}/"]\n\tinsteadOf = {GITHUB}\n')
        self.env |= {
            "GIT_CONFIG_GLOBAL": str(config),
            "DISABLE_TELEMETRY": "1",
            "DO_NOT_TRACK": "1",
            "HOME": str(self.folder / "peer"),
        }
        found = sorted(place.glob("node_modules/skills/bin/*.mjs"))
        return found[0] if done.returncode == 0 and found else None


def main() -> None:
    with tempfile.TemporaryDirectory() as made, GitServer(Path(made) / "srv") as server:
        bench = Bench(Path(made), server)
        one, twenty = bench.names[500], bench.names[100 : 100 + TWENTY]
        source = ("--source", "org/skills", "--yes", "--replace")
        clone = ["git", "clone", "-q", "--depth", "1", f"{GITHUB}org/skills", f"{made}/clone"]
        measured(server, "git clone --depth 1", lambda: bench.run(clone))
        bench.reset()
        measured(server, "skill install 1, cold", lambda: bench.skill("install", one, *source))
        measured(server, "skill install 1, warm", lambda: bench.skill("install", one, *source))
        bench.reset()
        measured(server, "skill install 20, cold", lambda: bench.skill("install", *twenty, *source))
        measured(server, "skill install 20, warm", lambda: bench.skill("install", *twenty, *source))
        if bench.npm:
            measured(server, "npx skills add 1", lambda: bench.peer("-s", one))
            measured(server, "npx skills add 20", lambda: bench.peer("-s", *twenty))
        else:
            print("the peer could not be installed by npm")
        bench.reset()
        for repo, names in bench.small.items():
            bench.skill("install", *names, "--source", repo, "--yes")
        measured(server, "skill outdated, 200 of 5 repositories", lambda: bench.skill("outdated"))


if __name__ == "__main__":
    main()
