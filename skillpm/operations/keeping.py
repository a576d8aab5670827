"""Keeping edits in an update: both sides' changes brought together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from skillpm.errors import ConflictError
from skillpm.formats.spec import validate
from skillpm.model.lock import locked
from skillpm.model.merging import merge
from skillpm.model.provenance import Record
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Tree
from skillpm.operations.candidate import Candidate, Edited
from skillpm.operations.judging import Terms, judge
from skillpm.operations.pinned import pinned
from skillpm.operations.workspace import Workspace
from skillpm.store.library import Entry

_SHOWN = 20


def with_edits(workspace: Workspace, entry: Entry, candidate: Candidate, terms: Terms) -> Candidate:
    """The candidate with the edits of what stands there, validated and scanned as it would be.

    Raises:
        ConflictError: the edits and the source's changes cannot be brought together.
        IntegrityError: the files that the edits were made to are not kept any more.
        StateError: there is no git, which merges texts.
    """
    name, record = candidate.name, entry.record
    if record is None or entry.digest == candidate.tree.digest:
        return candidate
    workspace.host.git()  # without it each text would look like a conflict
    mine = workspace.shelf.library.read(entry.place)
    merged, conflicts = merge(
        _base(workspace, record), mine, candidate.tree, workspace.git.merge_text
    )
    if merged is None:
        raise _conflict(name, conflicts)
    if not candidate.fetched.package and [file.path for file in merged.files] != [ENTRY]:
        raise _conflict(name, ["the source is one document now, and you have more files"])
    judgement = judge(merged, terms, candidate.listing.origin)
    return replace(
        candidate,
        edited=Edited(merged, entry.digest),
        judgement=judgement,
        problems=validate(merged, name),
    )


def _base(workspace: Workspace, record: Record) -> Tree:
    """The files that the edits were made to: of a project, perhaps never installed here."""
    if workspace.in_project and not workspace.store.trees.has(record.digest):
        return pinned(workspace, locked(record), record)[1].tree
    return workspace.store.trees.read(record.digest)


def _conflict(name: str, conflicts: Sequence[str]) -> ConflictError:
    lines = "".join(f"\n  {safe(line)}" for line in conflicts[:_SHOWN])
    more = f"\n  and {len(conflicts) - _SHOWN} more" if len(conflicts) > _SHOWN else ""
    return ConflictError(
        f"the edits of {name} and what its source changed do not go together:{lines}{more}",
        hint=f"compare with: skill diff {name} --local, skill diff {name} --upstream; then edit it,"
        " or overwrite with --replace (your bytes are kept)",
    )
