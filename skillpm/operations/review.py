"""`skill review`: what changed since somebody last looked, and their word that they looked."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from skillpm.errors import InvalidSkillError, NotFoundError
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.tree import Tree
from skillpm.operations.candidate import Request
from skillpm.operations.comparing import compare
from skillpm.operations.diff import newest
from skillpm.operations.install import examine
from skillpm.operations.judging import terms
from skillpm.operations.versions import standing
from skillpm.operations.workspace import Workspace

Witness = Callable[[str, str, str], bool]
"""Shows a text to a person on a terminal and asks them to type a word; True when they do."""

REFUSED = 5
_TYPED = 6


class Subject(NamedTuple):
    """What is to be reviewed: the files, and what they are called."""

    name: SkillName
    tree: Tree
    told: str


def review(
    workspace: Workspace, words: str, witness: Witness | None, *, upstream: bool = False
) -> Outcome:
    """Show what changed since the last review of a skill, and mark these very files reviewed.

    Args:
        workspace: the ports and the state.
        words: the name of an installed skill, or anything that `install` takes.
        witness: the person; None when there is none, then nothing is marked and the status is 5.
        upstream: review what an update would bring, instead of what stands there.

    Raises:
        NotFoundError: there is no such skill.
        SkillError: a source fails.
    """
    notes = Notes()
    subject = _subject(workspace, words, notes, upstream=upstream)
    reviews = workspace.store.reviews
    done = reviews.of(subject.tree.digest)
    last = reviews.last(subject.name)
    old = _kept(workspace, last.digest) if last else None
    found = compare(old, subject.tree)
    since = f"since the review of {last.at[:10]} by {last.by}" if last and old else "never reviewed"
    data = {
        "name": subject.name,
        "digest": subject.tree.digest,
        "reviewed": done is not None,
        "by": done.by if done else "",
        "at": done.at if done else "",
        "since": last.digest if last and old else "",
        **found.as_json(),
    }
    text = f"{subject.name}, {subject.told}: {since}\n{subject.tree.digest}\n\n{found.text()}"
    if done:
        notes.note(f"{subject.name} was reviewed at these files by {done.by} on {done.at[:10]}")
        return Outcome(data, tuple(notes.messages), text=text)
    if witness is None:
        notes.warn("not marked as reviewed: only a person on a terminal can say so")
        return Outcome(data, tuple(notes.messages), text=text, status=REFUSED)
    word = subject.tree.digest.rpartition(":")[2][:_TYPED]
    if not witness(text, f"Mark {subject.name} as reviewed?", word):
        notes.note(f"{subject.name} was not marked")
        return Outcome(data, tuple(notes.messages), status=REFUSED)
    by = workspace.host.account()
    reviews.mark(subject.name, subject.tree.digest, by)
    notes.note(f"{subject.name}: these files are marked as reviewed by {by}")
    return Outcome({**data, "reviewed": True, "by": by}, tuple(notes.messages))


def _subject(workspace: Workspace, words: str, notes: Notes, *, upstream: bool) -> Subject:
    if is_skill_name(words):
        name = SkillName(words)
        record = workspace.shelf.records.get(name)
        if upstream and record:
            tree, revision = newest(workspace, record, notes)
            return Subject(name, tree, f"upstream, {revision}")
        entry = workspace.shelf.library.entry(name)
        here = standing(workspace, name) if entry else None
        if here is not None and not upstream:
            edited = record is not None and record.digest != here.digest
            return Subject(name, here, "with your edits" if edited else "as it stands")
    if upstream:
        raise NotFoundError(f"{words} is not installed", hint="skill list shows what is")
    candidate = examine(workspace, Request(words), notes, terms(workspace))
    return Subject(candidate.name, candidate.tree, str(candidate.listing.source))


def _kept(workspace: Workspace, digest: str) -> Tree | None:
    """The files of a review, when the store still has them."""
    try:
        return workspace.store.trees.read(digest)
    except InvalidSkillError:
        return None
