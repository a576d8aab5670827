"""skills.sh's anonymous search: names, and the repository or site each of them lives in.

Route: `GET /api/search?q=&limit=`. There is no digest and no description; an install goes to the
repository or site that the row names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from skillpm.errors import UnreachableError
from skillpm.formats import json
from skillpm.formats.forges import PAIR
from skillpm.model.name import is_skill_name

_MOST: Final = 10**12
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
        domain = repo.lower() if _DOMAIN.fullmatch(repo.lower()) else ""
        pair = "" if domain or ".." in repo or not PAIR.fullmatch(repo) else repo
        if is_skill_name(name) and (domain or pair):
            rows.append(SharedSkill(name, pair, domain, _count(row.get("installs"))))
    return tuple(rows)


def _count(value: Any) -> int:
    """A number of installs that could be one, else 0; true is a number to Python alone."""
    return value if type(value) is int and 0 <= value < _MOST else 0
