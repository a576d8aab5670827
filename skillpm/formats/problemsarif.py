"""SARIF 2.1.0 for what `validate` finds: one run over every skill that was checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from skillpm import __version__
from skillpm.formats.sarif import ROOT, automation, log_of, relative_uri, words
from skillpm.model.problem import Problem

_LEVELS: Final = {"error": "error", "advice": "note"}


class Checked(NamedTuple):
    """A problem of one skill.

    Attributes:
        skill: its name.
        place: where the file lies, relative and `/`-separated.
    """

    skill: str
    place: str
    problem: Problem


def problems_sarif(found: Sequence[Checked], name: str) -> str:
    """The SARIF log, as ASCII text; the same for the same problems.

    Args:
        found: every problem, in the order in which it is told.
        name: tells this report from others of one repository.
    """
    rules = sorted({one.problem.rule: one.problem for one in found}.items())
    numbers = {rule: number for number, (rule, _) in enumerate(rules)}
    driver = {
        "name": "skillpm validate",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(problem) for _, problem in rules],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": automation("validate", name),
        "originalUriBaseIds": {ROOT: {"description": {"text": "the folder that was checked"}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers) for one in found],
    }
    return json.dumps(log_of(run), indent=1, ensure_ascii=True) + "\n"


def _rule(problem: Problem) -> dict[str, Any]:
    called = problem.rule.replace("_", " ")
    return {
        "id": problem.rule,
        "name": "".join(part.capitalize() for part in problem.rule.replace("-", "_").split("_")),
        "shortDescription": {"text": called},
        "help": {"text": f"What to do: {words(problem.fix)}" if problem.fix else called},
        "defaultConfiguration": {"level": _LEVELS[problem.severity]},
    }


def _result(one: Checked, numbers: dict[str, int]) -> dict[str, Any]:
    problem = one.problem
    region = {"startLine": max(problem.line, 1)}
    if problem.column:
        region["startColumn"] = problem.column
    mark = hashlib.sha256(f"{problem.rule}\0{one.place}\0{problem.message}".encode()).hexdigest()
    fix = f". What to do: {problem.fix}" if problem.fix else ""
    artifact = {"uri": relative_uri(one.place), "uriBaseId": ROOT}
    return {
        "ruleId": problem.rule,
        "ruleIndex": numbers[problem.rule],
        "level": _LEVELS[problem.severity],
        "message": {"text": words(problem.message + fix)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "partialFingerprints": {"primaryLocationLineHash": mark[:32]},
        "properties": {"skill": words(one.skill)},
    }
