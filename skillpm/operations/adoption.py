"""What becomes of each folder in an adoption: as a plan to agree to, as rows, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skillpm.errors import PartialError, SkillError
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.text import safe
from skillpm.operations import describing
from skillpm.operations.candidate import Candidate
from skillpm.sources.adoptable import Adoptable

_DONE: Final = {"install": "adopted", "update": "updated", "replace": "replaced"}
_COLUMNS: Final = ("name", "result", "from", "revision", "scan", "detail")


@dataclass(frozen=True, slots=True)
class Plan:
    """What shall become of one folder.

    Attributes:
        action: as `deciding.decide` says it, `same` for a copy of one that is taken, or `failed`.
        candidate: None when the files could not be read.
        place: where it stands by now, or where the first copy lies.
    """

    found: Adoptable
    name: str
    action: str
    candidate: Candidate | None = None
    error: SkillError | None = None
    place: str = ""

    @property
    def changes(self) -> bool:
        """Whether the skill would be ours, or other than it is."""
        return self.action in _DONE


def screen(plans: Sequence[Plan]) -> Iterator[str]:
    """What is shown before somebody agrees: everything about each skill that would be ours."""
    for plan in plans:
        if not (plan.changes and plan.candidate):
            yield _line(plan)
    for plan in plans:
        if plan.changes and plan.candidate:
            yield from describing.consent_screen(plan.candidate)


def _line(plan: Plan) -> str:
    """One line about a skill that nothing is done with."""
    name, result, source, revision, scan, detail = _row(plan, dry_run=True)
    facts = [text for text in (source, revision, scan and f"scan: {scan}", detail) if text]
    return f"  {name}: {result}; {'; '.join(facts)}"


def _row(plan: Plan, *, dry_run: bool) -> tuple[str, ...]:
    candidate = plan.candidate
    result = plan.action if dry_run else _DONE.get(plan.action, plan.action)
    detail = plan.error.message.partition("\n")[0] if plan.error else _detail(plan)
    if candidate is None:
        return (safe(plan.name, 80), result, "", "", "", detail)
    source = str(candidate.listing.source)
    revision = describing.revision_text(candidate.fetched.revision)
    return (plan.name, result, source, revision, candidate.judgement.verdict.value, detail)


def _detail(plan: Plan) -> str:
    match plan.action:
        case "keep":
            return "installed already, with the same files"
        case "same":
            return f"the same files as in {plan.place}"
    return plan.place or plan.found.shown


def outcome(
    root: Path, plans: Sequence[Plan], messages: list[Message], *, dry_run: bool
) -> Outcome:
    """The whole adoption, done or planned; its status is 9 when some failed."""
    for plan in plans:
        if plan.error:
            hint = f" ({plan.error.hint})" if plan.error.hint else ""
            where = plan.name if plan.found.shown == "." else plan.found.shown
            messages.append(Message(f"{where}: {plan.error.message}{hint}", "error"))
    rows = tuple(_row(plan, dry_run=dry_run) for plan in plans)
    failed = any(plan.error for plan in plans)
    data = {"place": str(root), "dry_run": dry_run, "skills": [_data(plan) for plan in plans]}
    status = PartialError.status if failed else 0
    return Outcome(data, tuple(messages), (Table(_COLUMNS, rows),), status=status)


def _data(plan: Plan) -> dict[str, Any]:
    candidate, foreign, error = plan.candidate, plan.found.foreign, plan.error
    fault = {"code": error.code, "message": error.message, "hint": error.hint} if error else None
    told: dict[str, Any] = {
        "name": plan.name,
        "action": plan.action,
        "folder": str(plan.found.folder),
        "tool": foreign.tool if foreign else "",
        "error": fault,
    }
    if candidate is None:
        return told
    revision = candidate.fetched.revision
    return told | {
        "source": str(candidate.listing.source),
        "path": candidate.fetched.path,
        "origin": candidate.listing.origin.value,
        "revision": {"kind": revision.kind, "value": revision.value, "ref": revision.ref},
        "digest": candidate.tree.digest,
        "scan": candidate.judgement.as_json(),
        "validation": [problem.as_json() for problem in candidate.problems],
    }
