"""How the tests of the bundled skills start the scripts: as a user does, in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT: Final = Path(__file__).parents[2]
SKILLS: Final = ROOT / "registry" / "skills"
Done = subprocess.CompletedProcess[str]


def script(skill: str, name: str) -> Path:
    """The path of a script."""
    return SKILLS / skill / "scripts" / name


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, with warnings as errors in the scripts too, and no bytecode left behind."""
    return {
        **os.environ,
        "PYTHONWARNINGS": "error",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        **(extra or {}),
    }


def argv(path: Path, words: Sequence[str | Path]) -> list[str]:
    """The command that runs a script with this interpreter."""
    return [sys.executable, str(path), *map(str, words)]


def run(
    path: Path,
    *words: str | Path,
    cwd: Path | None = None,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
) -> Done:
    """Run a script to its end."""
    return subprocess.run(
        argv(path, words),
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        input=stdin,
        env=environment(env),
        timeout=60,
    )
