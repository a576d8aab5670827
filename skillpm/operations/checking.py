"""Validating one skill, wherever it is, without installing it."""

from __future__ import annotations

from skillpm.errors import InvalidSkillError, NotFoundError
from skillpm.formats.spec import validate
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Message, Notes, Outcome, Table
from skillpm.model.tree import Tree
from skillpm.operations import describing
from skillpm.operations.candidate import Request
from skillpm.operations.install import examine
from skillpm.operations.judging import Terms
from skillpm.operations.reading import find
from skillpm.operations.workspace import Workspace


def validate_skill(workspace: Workspace, words: str, source: str) -> Outcome:
    """Check a skill against the specification.

    The status is 4 when it does not meet it.

    Raises:
        SkillError: the words lead nowhere, or to something that is no skill.
    """
    notes = Notes()
    name, tree = _tree(workspace, words, source, notes)
    problems = validate(tree, name)
    errors = sum(problem.severity == "error" for problem in problems)
    rows = tuple(
        (p.severity, p.rule, f"SKILL.md:{p.line}" if p.line else "", p.message) for p in problems
    )
    verdict = "does not meet the specification" if errors else "meets the specification"
    summary = f"{name or 'the skill'} {verdict} ({errors} errors, {len(problems) - errors} advice)"
    data = {
        "name": name,
        "valid": not errors,
        "problems": [describing.problem_data(problem) for problem in problems],
    }
    table = Table(("severity", "rule", "where", "what"), rows, "no problems")
    status = InvalidSkillError.status if errors else 0
    return Outcome(data, (*notes.messages, Message(summary)), (table,), status=status)


def _tree(workspace: Workspace, words: str, source: str, notes: Notes) -> tuple[str, Tree]:
    """The files of an installed or builtin skill of that name, else of what the words lead to."""
    if not source and is_skill_name(words):
        try:
            return words, find(workspace, SkillName(words)).tree
        except NotFoundError:
            pass  # not here: the registries may know it
    candidate = examine(workspace, Request(words, source), notes, Terms())
    return candidate.name, candidate.tree
