"""A library of many skills: `list`, `audit --no-network` against `sha256sum`, and installing.

    python benchmarks/scale.py [SKILLS] [BYTES_OF_EACH]

Skills are put into the library and its records directly: what is measured is what comes after.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from skillpm.edges.database import Database
from skillpm.model.name import skill_name
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.tree import File, Tree, manifest
from skillpm.store.records import Records
from skillpm.store.schema import MIGRATIONS

SKILL = [sys.executable, "-m", "skillpm"]
AT = "2030-01-02T03:04:05Z"


def library(home: Path, many: int, size: int) -> None:
    """Folders and records of so many skills."""
    home.mkdir(parents=True, mode=0o700)
    database = Database(home / "state.db", MIGRATIONS)
    records = Records(database)
    with database.transaction() as connection:
        for number in range(many):
            record, tree = skill(number, size)
            place = home / "library" / record.name
            place.mkdir(parents=True)
            (place / "SKILL.md").write_bytes(tree.entry)
            records.put(connection, record)
    database.close()


def skill(number: int, size: int) -> tuple[Record, Tree]:
    """One skill and its record."""
    name = skill_name(f"skill-{number:05}")
    text = f"---\nname: {name}\ndescription: Tidies number {number} up.\n---\n\n# Tidy\n\n"
    text += "Look at every line and put it in order.\n" * max(1, size // 40)
    tree = Tree.of([File("SKILL.md", text.encode())])
    record = Record(
        name, name, Registry(), f"https://git.example.com/team/{name}", "",
        Revision("commit", f"{number:040x}", "refs/heads/main"), tree.digest, tree.git_sha1,
        Origin.COMMUNITY, True, "", f"Tidies number {number} up.", "", "safe", 0, (), AT, AT,
        files=dict(manifest(tree)),
    )  # fmt: skip
    return record, tree


def median(argv: list[str], env: dict[str, str], rounds: int) -> float:
    """Seconds of a whole process."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(argv, env=env, check=False, capture_output=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def installing(env: dict[str, str], root: Path) -> float:
    """The median of installing one more skill, several times."""
    taken = []
    for number in range(7):
        place = root / f"new-{number}"
        place.mkdir(exist_ok=True)
        (place / "SKILL.md").write_text(f"---\nname: new-{number}\ndescription: New.\n---\n\nDo.\n")
        start = time.perf_counter()
        subprocess.run(
            [*SKILL, "install", str(place), "--yes"], env=env, check=True, capture_output=True
        )
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main(many: int = 10_000, size: int = 4_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        library(root / "many", many, size)
        library(root / "few", 10, size)
        env = {**os.environ, "HOME": folder, "SKILL_HUB": "off"}
        of_many, of_few = ({**env, "SKILL_HOME": str(root / name)} for name in ("many", "few"))
        files = ["sh", "-c", 'find "$SKILL_HOME/library" -type f -print0 | xargs -0 sha256sum']
        audit = [*SKILL, "audit", "--no-network"]
        first = median(audit, of_many, 1)
        again, sums = median(audit, of_many, 3), median(files, of_many, 5)
        print(f"audit, {many} skills of {size} bytes: first {first:.2f} s, then {again:.2f} s")
        print(f"sha256sum of the same files: {sums:.2f} s; audit / sha256sum {again / sums:.2f}")
        median([*SKILL, "list"], of_many, 1)
        listed = median([*SKILL, "list"], of_many, 9)
        print(f"list: {listed * 1000:.0f} ms (of 10: {median([*SKILL, 'list'], of_few, 9):.3f} s)")
        few, more = installing(of_few, root), installing(of_many, root)
        print(f"install: with 10 {few:.3f} s, with {many} {more:.3f} s, ratio {more / few:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
