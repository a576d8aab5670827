"""The skills that tests scan: those on disk, and made up ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from skillpm.model.finding import ScanReport
from skillpm.model.tree import File, Tree
from skillpm.scanning.scanner import scan

FIXTURES: Final = Path(__file__).parents[2] / "fixtures"


def folders(kind: str) -> list[Path]:
    """The skills of `fixtures/<kind>`, sorted."""
    return sorted(path for path in (FIXTURES / kind).iterdir() if path.is_dir())


def tree_of(folder: Path) -> Tree:
    """A folder as a tree, hidden files included."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return Tree.of(File(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)


def scan_text(text: str | bytes, path: str = "SKILL.md") -> ScanReport:
    """The report on a skill of one file."""
    return scan(Tree.of([File(path, text.encode() if isinstance(text, str) else text)]))


def junk(number: int, pieces: Sequence[str]) -> str:
    """One of many broken texts made of pieces, the same each time."""
    pick = random.Random(number)  # noqa: S311 - only has to be the same each time
    return "".join(pick.choice(pieces) for _ in range(pick.randrange(1, 60)))
