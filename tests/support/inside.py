"""The operations without a command around them: a home of one person, in this process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from skillpm.edges.host import Dirs, Host
from skillpm.operations.reading import find
from skillpm.operations.workspace import Workspace


def workspace(home: Path, env: Mapping[str, str] | None = None) -> Workspace:
    """A workspace on that home, offline, in which nobody can answer a question."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(home), "SKILL_OFFLINE": "1"}
    variables |= {"SKILL_HUB": "off", **(env or {})}
    host = Host(Dirs(home, home, home / "cache"), variables, interactive=False)
    return Workspace(host, lambda _: None, lambda *_: None)


def in_project(of: Workspace) -> Workspace:
    """The same, of the project here."""
    return replace(of, in_project=True)


def review(of: Workspace, name: str) -> str:
    """Mark a skill's files as they are now as reviewed; returns their digest."""
    from skillpm.model.name import skill_name

    digest = find(of, skill_name(name)).tree.digest
    of.store.reviews.mark(name, digest, "Anna")
    return digest
