"""How fast the scanner is, how that grows with the bytes, and against another scanner.

    python benchmarks/scan.py [FOLDER …] [--other PYTHON]

The folders hold skills at any depth; without one, the fixtures and the bundled registry are
scanned. PYTHON is the interpreter of an environment with cisco-ai-skill-scanner installed: its
static analysers are then run over the same folders, warm, in the same run.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from skillpm.model.tree import File, Tree
from skillpm.scanning.scanner import scan

ROOT = Path(__file__).parents[1]
SIZES = (12_500, 25_000, 50_000, 100_000, 200_000, 400_000)
OTHER = """
import json, logging, sys, time
logging.disable(logging.CRITICAL)
from skill_scanner.core.scanner import SkillScanner
scanner = SkillScanner()
folders = json.load(sys.stdin)
scanner.scan_skill(folders[0], lenient=True)
found, failed = {}, 0
start = time.perf_counter()
for folder in folders:
    try:
        severity = str(scanner.scan_skill(folder, lenient=True).max_severity)
        found[severity] = found.get(severity, 0) + 1
    except Exception:
        failed += 1
print(json.dumps({"seconds": time.perf_counter() - start, "found": found, "failed": failed}))
"""


def tree_of(folder: Path) -> Tree:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return Tree.of(File(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)


def skills_in(roots: list[Path]) -> list[Path]:
    return sorted({path.parent for root in roots for path in root.rglob("SKILL.md")})


def ours(folders: list[Path]) -> float:
    """Skills a second, reading from disk included."""
    scan(tree_of(folders[0]))
    taken, sizes, verdicts = [], [], Counter[str]()
    start = time.perf_counter()
    for folder in folders:
        begin = time.perf_counter()
        tree = tree_of(folder)
        verdicts[scan(tree).verdict.value] += 1
        taken.append(time.perf_counter() - begin)
        sizes.append(sum(len(file.data) for file in tree.files))
    whole = time.perf_counter() - start
    print(f"skills    {len(folders)}, {sum(sizes) / 1e6:.1f} MB, verdicts {dict(verdicts)}")
    median, fifty = statistics.median(taken) * 1e3, whole / sum(sizes) * 5e4 * 1e3
    rate = len(folders) / whole
    print(
        f"skillpm   {rate:8.1f} skills a second; median {median:.1f} ms, {fifty:.1f} ms for 50 kB"
    )
    return rate


def other(python: str, folders: list[Path]) -> float:
    given = json.dumps([str(folder) for folder in folders])
    argv = [python, "-c", OTHER]
    done = subprocess.run(argv, input=given, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    rate = len(folders) / float(answer["seconds"])
    print(f"other     {rate:8.1f} skills a second; {answer['found']}, {answer['failed']} failed")
    return rate


def growth(folders: list[Path]) -> None:
    """The time for one skill of each size, made of real text; per byte it should not grow."""
    text = b"\n".join((folder / "SKILL.md").read_bytes() for folder in folders[:200])
    text *= max(SIZES) // len(text) + 1
    for size in SIZES:
        tree = Tree.of([File("SKILL.md", text[:size])])
        times = []
        for _ in range(5):
            start = time.perf_counter()
            scan(tree)
            times.append(time.perf_counter() - start)
        best = min(times)
        print(f"{size:9,} bytes {best * 1e3:8.1f} ms {best / size * 1e9:7.0f} ns a byte")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folders", nargs="*", type=Path)
    words.add_argument("--other", default="", metavar="PYTHON")
    given = words.parse_args()
    roots = given.folders or [ROOT / "fixtures" / "lookalike", ROOT / "registry"]
    folders = skills_in(roots)
    if not folders:
        sys.exit("there is no SKILL.md below these folders")
    rate = ours(folders)
    growth(folders)
    print(f"memory    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")
    if given.other:
        print(f"ratio     {rate / other(given.other, folders):.0f} x")


if __name__ == "__main__":
    main()
