"""How long an agent waits for `skill read` and `skill index`, against `import click, yaml`.

    python benchmarks/callers.py [SKILLS]

The commands take turns, so that whatever else the machine does is shared among them. Targets: the
two within twice the reference, the index of 1,000 skills under 150 ms once it has been read.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from scale import library, skill

from skillpm.edges.database import Database
from skillpm.model.name import skill_name
from skillpm.model.requirements import Requirements
from skillpm.model.tree import Tree, manifest
from skillpm.store.records import Records
from skillpm.store.schema import MIGRATIONS

ROUNDS = 31
SKILL = [sys.executable, "-P", "-m", "skillpm"]
REFERENCE = "import click, yaml"
WEATHER = (
    "---\nname: weather\ndescription: Tells.\nrequired_commands: [no-such]\n---\n\n# Weather\n"
)


def seconds(argv: list[str], env: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(argv, env=env, check=True, capture_output=True)
    return time.perf_counter() - start


def installed(home: Path) -> None:
    """A skill that says what it needs, with its record."""
    tree = Tree.single(WEATHER.replace("weather", "forecast").encode())
    record = replace(
        skill(0, 40)[0],
        name=skill_name("forecast"),
        package=False,
        digest=tree.digest,
        files=dict(manifest(tree)),
        requirements=Requirements(commands=(("no-such",),)),
    )
    (home / "library" / "forecast.md").write_bytes(tree.entry)
    database = Database(home / "state.db", MIGRATIONS)
    with database.transaction() as connection:
        Records(database).put(connection, record)
    database.close()


def main(many: int = 1_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        library(root / "many", many, 4_000)
        library(root / "few", 10, 4_000)
        (root / "few" / "library" / "weather.md").write_text(WEATHER)
        installed(root / "few")
        env = {**os.environ, "HOME": folder, "SKILL_HUB": "off"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        of_many, of_few = ({**env, "SKILL_HOME": str(root / name)} for name in ("many", "few"))
        commands = {
            REFERENCE: ([sys.executable, "-c", REFERENCE], env),
            "read": ([*SKILL, "read", "skill-00001"], of_few),
            "read, something is missing": ([*SKILL, "read", "forecast"], of_few),
            "the same, written by hand": ([*SKILL, "read", "weather"], of_few),
            "index of 10": ([*SKILL, "index"], of_few),
            f"index of {many}": ([*SKILL, "index"], of_many),
            f"index --xml of {many}": ([*SKILL, "index", "--xml"], of_many),
            f"index --json of {many}": ([*SKILL, "index", "--json"], of_many),
            "commands": ([*SKILL, "commands"], of_few),
            "exec --help of a bundled script": (
                [*SKILL, "exec", "create-watch", "scripts/watch.py", "--", "--help"], of_few,
            ),
        }  # fmt: skip
        time.sleep(2.1)  # what changed within two seconds is read anew each time
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(ROUNDS + 1):
            for name, (argv, given) in commands.items():
                took = seconds(argv, given)
                if number:
                    taken[name].append(took)
    reference = statistics.median(taken[REFERENCE])
    for name, times in taken.items():
        median, least = statistics.median(times), min(times)
        ratio = median / reference
        print(f"{name:32} {median * 1000:7.1f} ms (least {least * 1000:6.1f})  {ratio:5.2f} x")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
