"""`skill validate`: what is wrong with skills as documents, told, and fixed where that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillpm.edges import disk
from skillpm.errors import InvalidSkillError, SkillError
from skillpm.formats import problemsarif
from skillpm.formats.dialect import dialect_of
from skillpm.formats.document import read_document
from skillpm.formats.spec import entry_of
from skillpm.model.outcome import STDOUT, Agree, Message, Notes, Outcome, Table
from skillpm.operations.checking import Asked, Checked, check
from skillpm.operations.fixing import fix_all
from skillpm.operations.gathering import Subject
from skillpm.operations.workspace import Workspace


def validate_skills(workspace: Workspace, asked: Asked, agree: Agree) -> Outcome:
    """Check a skill, or each of a collection, against the specification.

    The status is 4 when one does not meet it.

    Raises:
        SkillError: the words lead nowhere; with `fix`, the skill is not the user's to change.
    """
    notes = Notes()
    checked = check(workspace, asked, notes)
    fixes: list[dict[str, Any]] = []
    shown = ""
    if asked.fix:
        fixes, shown = fix_all(workspace, asked, checked, agree, notes)
        if any(fix["written"] for fix in fixes):
            checked = check(workspace, asked, Notes())
    return _outcome(workspace, asked, checked, (fixes, shown), notes)


def _outcome(
    workspace: Workspace,
    asked: Asked,
    checked: Sequence[Checked],
    fixed: tuple[list[dict[str, Any]], str],
    notes: Notes,
) -> Outcome:
    fixes, text = fixed
    valid = all(one.valid for one in checked)
    data: dict[str, Any] = {
        "valid": valid,
        "profile": asked.profile,
        "skills": [_data(one) for one in checked],
        **({"fixes": fixes} if asked.fix else {}),
    }
    for one in checked:
        notes.messages.append(Message(_summary(one)))
    if len(checked) > 1:
        good = sum(one.valid for one in checked)
        notes.note(f"{good} of {len(checked)} skills meet the specification")
    tables: tuple[Table, ...] = (_table(checked),)
    if asked.sarif:
        log = _sarif(asked, checked)
        if asked.sarif == STDOUT:
            text, tables = log, ()
        else:
            disk.export(workspace.host.expand(asked.sarif), log.encode())
            notes.note(f"wrote {asked.sarif}")
    status = 0 if valid else InvalidSkillError.status
    return Outcome(data, tuple(notes.messages), tables, text, status)


def _table(checked: Sequence[Checked]) -> Table:
    rows = tuple(
        (p.severity, p.rule, one.where(p), p.message, p.fix + (" (--fix)" if p.fixable else ""))
        for one in checked
        for p in one.problems
    )
    return Table(("severity", "rule", "where", "what", "what to do"), rows, "no problems")


def _summary(one: Checked) -> str:
    errors = sum(problem.severity == "error" for problem in one.problems)
    verdict = "does not meet the specification" if errors else "meets the specification"
    advice = len(one.problems) - errors
    return f"{one.subject.called} {verdict} ({errors} errors, {advice} advice)"


def _data(one: Checked) -> dict[str, Any]:
    subject = one.subject
    return {
        "name": subject.name,
        "folder": subject.folder,
        "document": subject.document,
        "dialect": _dialect(subject),
        "valid": one.valid,
        "problems": [problem.as_json() for problem in one.problems],
    }


def _dialect(subject: Subject) -> str:
    entry = entry_of(subject.tree) if subject.tree else None
    try:
        return dialect_of(read_document(entry.data).header.values).name if entry else ""
    except SkillError:
        return ""


def _sarif(asked: Asked, checked: Sequence[Checked]) -> str:
    found = [
        problemsarif.Checked(one.subject.name, one.subject.place(problem.path), problem)
        for one in checked
        for problem in one.problems
    ]
    name = asked.words.rstrip("/").rpartition("/")[2]
    return problemsarif.problems_sarif(found, name or "skills")
