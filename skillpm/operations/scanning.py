"""Scanning: anything, without installing it; one report for each skill, and one over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from skillpm.edges import disk
from skillpm.errors import PartialError, UsageError
from skillpm.model.acceptance import Acceptance, Stale
from skillpm.model.finding import ScanReport, Verdict
from skillpm.model.judgement import Allow, Judgement
from skillpm.model.outcome import STDOUT, Message, Notes, Outcome
from skillpm.model.tree import Tree
from skillpm.operations import judging, telling
from skillpm.operations.gathering import Subject, gather
from skillpm.operations.judging import Said, Terms
from skillpm.operations.workspace import Workspace
from skillpm.scanning.workers import scan_each


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be scanned, and what is to be made of it.

    Attributes:
        words: an installed name, any address, or `-` for standard input.
        source: what stands after `--source`; "" when nothing.
        said: what is said about findings.
        fail_on: from what on the status is 1; "" for what the policy refuses.
        sarif: where the SARIF log goes; `-` for standard output, "" for nowhere.
        keep: the baseline file that takes what is open; "" for none.
    """

    words: str
    source: str = ""
    said: Said = field(default_factory=Said)
    fail_on: str = ""
    sarif: str = ""
    keep: str = ""


@dataclass(frozen=True, slots=True)
class Looked:
    """One skill that was scanned; without a judgement it could not be."""

    subject: Subject
    judgement: Judgement | None
    report: ScanReport | None = None


def scan_skills(workspace: Workspace, asked: Asked) -> Outcome:
    """Scan a skill of the library, or whatever is at an address or comes in.

    The status is 1 when a skill fails at the asked level, else 9 when one of several could not be
    scanned.

    Raises:
        SkillError: the words lead nowhere, or there is nothing that can be scanned.
    """
    if asked.keep and not asked.said.reason.strip():
        raise UsageError("--write-baseline needs a reason", hint="--reason 'why this is all right'")
    notes = Notes()
    terms = judging.terms(workspace, asked.said)
    looked = _look(workspace, asked, terms, notes)
    if asked.keep:
        looked = _keep(workspace, asked, looked, notes)
    stale = judging.stale(terms, [(tree, judgement) for tree, judgement in _pairs(looked)])
    _tell(looked, terms, stale, notes)
    return _outcome(workspace, asked, looked, stale, notes)


def _look(workspace: Workspace, asked: Asked, terms: Terms, notes: Notes) -> list[Looked]:
    looked: list[Looked] = []
    subjects = gather(workspace, asked.words, asked.source, notes)
    for subject, report in scan_each(subjects, lambda subject: subject.tree):
        workspace.progress(f"{len(looked) + 1}: {subject.name}", 0, 0)
        looked.append(_judged(workspace, asked, subject, terms, report))
    if len(looked) == 1 and looked[0].subject.error:
        raise looked[0].subject.error
    return looked


def _judged(
    workspace: Workspace, asked: Asked, subject: Subject, terms: Terms, report: ScanReport | None
) -> Looked:
    if subject.tree is None or report is None:
        return Looked(subject, None)
    for path in filter(None, (asked.said.baseline, asked.keep)):
        _check_outside(workspace, path, subject.tree)
    more = terms.plus(subject.accepted)
    judgement = judging.weigh(report, subject.tree, more, subject.origin, subject.unread)
    return Looked(subject, judgement, report)


def _check_outside(workspace: Workspace, path: str, tree: Tree) -> None:
    """Refuse a baseline that is part of what it is about.

    Raises:
        UsageError: a file of the skill has the same bytes.
    """
    data = judging.named_bytes(workspace, path)
    if data and any(file.data == data for file in tree.files):
        raise UsageError(
            f"the baseline {path!a} is one of the files that are scanned",
            hint="nothing in a skill can silence its own findings: keep the baseline outside",
        )


def _keep(
    workspace: Workspace, asked: Asked, looked: Sequence[Looked], notes: Notes
) -> list[Looked]:
    """Accept what is open, in the baseline file."""
    for one in looked:
        _check_beside(workspace, asked, one)
    said = asked.said
    allow = Allow("", "", " ".join(said.reason.split()), judging.signature(workspace, said.by),
                  said.until)  # fmt: skip
    today = workspace.host.now()[:10]
    new: list[Acceptance] = []
    for tree, judgement in _pairs(looked):
        new += judging.accept(tree, judgement.open, allow, today)
    added = judging.keep_baseline(workspace, asked.keep, new)
    notes.note(f"{added} findings are accepted in {asked.keep}")
    terms = judging.terms(workspace, said).plus(judging.baseline(workspace, asked.keep))
    return [_judged(workspace, asked, one.subject, terms, one.report) for one in looked]


def _check_beside(workspace: Workspace, asked: Asked, one: Looked) -> None:
    """Refuse to write a baseline into a folder that is scanned.

    Raises:
        UsageError: it would be a file of the skill.
    """
    root = one.subject.root
    place = workspace.host.expand(asked.keep).resolve()
    if root is not None and place.is_relative_to(root.resolve()):
        raise UsageError(
            f"{asked.keep!a} would be a file of the skill {one.subject.name}",
            hint="nothing in a skill can silence its own findings: keep the baseline outside",
        )


def _pairs(looked: Sequence[Looked]) -> list[tuple[Tree, Judgement]]:
    found = ((one.subject.tree, one.judgement) for one in looked)
    return [(tree, judgement) for tree, judgement in found if tree and judgement]


def _tell(looked: Sequence[Looked], terms: Terms, stale: Sequence[Stale], notes: Notes) -> None:
    for one in looked:
        if one.judgement:
            notes.note(telling.verdict(one.subject.called, one.judgement))
        elif one.subject.error:
            text = f"{one.subject.called}: {one.subject.error.message}"
            notes.messages.append(Message(text, "error"))
    if len(looked) > 1:
        words = [one.judgement.verdict.value if one.judgement else "failed" for one in looked]
        notes.note(telling.summary(words))
    for old in stale:
        acceptance = old.acceptance
        notes.warn(f"{acceptance.rule} in {acceptance.path} is not accepted any more: {old.why}")
    judging.tell([judgement for _, judgement in _pairs(looked)], terms, notes)


def _outcome(
    workspace: Workspace,
    asked: Asked,
    looked: Sequence[Looked],
    stale: Sequence[Stale],
    notes: Notes,
) -> Outcome:
    judged = [judgement for _, judgement in _pairs(looked)]
    failed = any(one.fails(asked.fail_on) if asked.fail_on else one.refused for one in judged)
    broken = PartialError.status if len(judged) < len(looked) else 0
    data: dict[str, Any] = {"stale": [one.as_json() for one in stale]}
    if len(looked) == 1:
        data = {**_data(looked[0]), **data}
    else:
        worst = max((one.verdict for one in judged), key=lambda v: v.rank, default=Verdict.SAFE)
        complete = len(judged) == len(looked) and all(one.complete for one in judged)
        data = {"verdict": worst.value, "complete": complete,
                "skills": [_data(one) for one in looked], **data}  # fmt: skip
    text = telling.report([(one.subject, one.judgement) for one in looked if one.judgement])
    if asked.sarif:
        log = _sarif(asked, looked)
        if asked.sarif == STDOUT:
            text = log
        else:
            disk.export(workspace.host.expand(asked.sarif), log.encode())
            notes.note(f"wrote {asked.sarif}")
    return Outcome(data, tuple(notes.messages), text=text, status=int(failed) or broken)


def _sarif(asked: Asked, looked: Sequence[Looked]) -> str:
    from skillpm.formats.sarif import Scanned, sarif

    scanned = [
        Scanned(one.subject.name, one.judgement, one.subject.folder, one.subject.document)
        for one in looked
        if one.judgement
    ]
    failures = [
        (one.subject.called, one.subject.error.message) for one in looked if one.subject.error
    ]
    one = len(looked) == 1
    name = looked[0].subject.name if one else asked.words.rstrip("/").rpartition("/")[2]
    return sarif(scanned, name or "skills", failures)


def _data(one: Looked) -> dict[str, Any]:
    subject, error = one.subject, one.subject.error
    facts: dict[str, Any] = {
        "name": subject.name,
        "folder": subject.folder,
        "document": subject.document,
        "origin": subject.origin.value,
        "digest": subject.tree.digest if subject.tree else "",
    }
    if error:
        facts["error"] = {"code": error.code, "message": error.message, "hint": error.hint}
    return {**facts, **(one.judgement.as_json() if one.judgement else {})}
