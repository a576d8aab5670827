"""skills.sh's anonymous search: names, and the git repository each of them lives in.

Route: `GET /api/search?q=&limit=`. There is no digest and no description; an install goes to the
repository that the row names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from skillpm.errors import UnreachableError
from skillpm.formats import json
from skillpm.model.name import is_skill_name

_SOURCE: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class SharedSkill:
    """One row: the skill's name and the `owner/repo` on GitHub that holds it."""

    name: str
    repo: str
    installs: int


def read_search(data: bytes, what: str) -> tuple[SharedSkill, ...]:
    """Read a search answer; rows that name no repository are left out.

    Raises:
        UnreachableError: the answer has another shape.
    """
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"{what} answered something that is not JSON: {error}") from None
    skills = value.get("skills") if isinstance(value, dict) else None
    if not isinstance(skills, list):
        raise UnreachableError(f"{what} answered something that is no search result")
    rows = []
    for item in skills:
        row = item if isinstance(item, dict) else {}
        name, repo = json.field(row, "skillId"), json.field(row, "source")
        installs = row.get("installs")
        if is_skill_name(name) and _SOURCE.fullmatch(repo):
            rows.append(SharedSkill(name, repo, installs if isinstance(installs, int) else 0))
    return tuple(rows)
