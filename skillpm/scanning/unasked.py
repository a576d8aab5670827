"""The analyser for files that run without being asked: at start-up, on opening, on testing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet


@dataclass(frozen=True, slots=True)
class _Place:
    """Files of one sort.

    Attributes:
        path: which.
        when: what makes them run.
        only: which of their text runs; None for all of it.
        needs: a text without which they don't run; with it they always act.
        ordinary: whether fetching or running commands is what such files are for.
    """

    path: re.Pattern[str]
    when: str
    only: re.Pattern[str] | None = None
    needs: str = ""
    ordinary: bool = False


def _named(pattern: str) -> re.Pattern[str]:
    return regex(rf"(?:^|/)(?:{pattern})$", re.IGNORECASE)


_PLACES: Final = (
    _Place(_named(r"(?:site|user)customize\.py"), "whenever Python starts"),
    _Place(
        _named(r"[^/]{1,100}\.pth"),
        "whenever Python starts",
        regex(r"^import[ \t][^\n]{1,4000}", re.MULTILINE),
    ),
    _Place(_named(r"conftest\.py"), "when tests are run or listed", ordinary=True),
    _Place(_named(r"setup\.py"), "when the package is installed", ordinary=True),
    _Place(_named(r"\.envrc"), "when a shell enters the folder", ordinary=True),
    _Place(_named(r"\.(?:githooks|husky|hooks)/[^/]{1,80}"), "when git is used", ordinary=True),
    _Place(_named(r"\.git/hooks/[^/]{1,80}"), "when git is used"),
    _Place(
        _named(r"\.git/config|\.gitconfig"),
        "when git is used",
        regex(
            r"^\s{0,20}(?:fsmonitor|hookspath|sshcommand|pager|editor|textconv|clean|smudge|process"
            r"|helper|external|program)\s{0,4}=[^\n]{0,400}",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    _Place(
        _named(r"\.vscode/tasks\.json"),
        "when the folder is opened",
        needs='"folderOpen"',
    ),
    _Place(
        _named(r"(?:\.devcontainer/(?:[^/]{1,60}/)?)?devcontainer\.json"),
        "when the container is made",
        regex(
            r"\"(?:initialize|onCreate|updateContent|postCreate|postStart|postAttach)Command\""
            r"\s{0,8}:[^\n]{0,2000}"
        ),
        ordinary=True,
    ),
    _Place(_named(r"\.(?:irbrc|pryrc|pdbrc|lldbinit|gdbinit|Rprofile|psqlrc|vimrc|exrc|nvimrc)"),
           "when that program starts in the folder"),
    _Place(
        _named(r"(?:gnu)?makefile"),
        "when somebody types make",
        regex(r"^[\w.-]{1,40}[ \t]{0,8}[:?]?=[ \t]{0,8}\$\(shell[^\n]{0,1000}", re.MULTILINE),
    ),
    _Place(
        _named(r"\.idea/(?:workspace|runConfigurations/[^/]{1,80})\.xml"),
        "when the folder is opened",
    ),
)  # fmt: skip
_EXECUTION: Final = regex(
    r"fsmonitor|hookspath|sshcommand|external|textconv|smudge|clean|process", re.IGNORECASE
)


class Unasked:
    """Points out files that run by themselves, and weighs what they would do."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most one sighting for each file."""
        for facts in skill.files:
            if not facts.layers or facts.layers[0].decoded:
                continue
            place = next((one for one in _PLACES if one.path.search(facts.file.path)), None)
            if place is not None:
                yield from _judged(facts, place, rules)


def _judged(facts: FileFacts, place: _Place, rules: RuleSet) -> Iterator[Sighting]:
    text = facts.layers[0].text
    if place.needs not in text:
        return
    if place.only is not None:
        found = place.only.findall(text)
        if not found:
            return
        text = "\n".join(found)
    deeds = deeds_of(text)
    git = ".git" in facts.file.path and bool(_EXECUTION.search(text))
    acts = not place.ordinary and bool(deeds.telling or git or place.needs)
    if deeds.hostile:
        rule = "files/runs-unasked-hostile"
    elif acts or deeds.fetches or deeds.decodes:
        rule = "files/runs-unasked-acting"
    else:
        rule = "files/runs-unasked"
    told = ", ".join(filter(None, (place.when, deeds.telling)))
    yield Sighting(rules[rule], facts, detail=told)
