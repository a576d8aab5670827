"""skills.sh's anonymous search: names, and the repository or site each of them lives in.

Route: `GET /api/search?q=&limit=`. There is no digest and no description; an install goes to the
repository or site that the row names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from skillpm.errors import UnreachableError
from skillpm.formats import json
from skillpm.model.name import is_skill_name

_SOURCE: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}")


@dataclass(frozen=True, slots=True)
class SharedSkill:
    """One row: the skill's name and where it is.

    Attributes:
        repo: `owner/repo` on GitHub; "" when a site publishes it.
        domain: the site that publishes it in its well-known index, "" for a repository.
    """

    name: str
    repo: str
    domain: str
    installs: int


def read_search(data: bytes, what: str) -> tuple[SharedSkill, ...]:
    """Read a search answer; rows that name neither a repository nor a site are left out.

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
        domain = repo.lower() if _DOMAIN.fullmatch(repo.lower()) else ""
        if is_skill_name(name) and (domain or _SOURCE.fullmatch(repo)):
            count = installs if isinstance(installs, int) else 0
            rows.append(SharedSkill(name, "" if domain else repo, domain, count))
    return tuple(rows)
