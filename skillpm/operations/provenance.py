"""Where an installed skill came from, for people, and as an in-toto statement for programs."""

from __future__ import annotations

from skillpm import __version__
from skillpm.errors import NotFoundError
from skillpm.formats.intoto import statement, statement_text, without_secrets
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.provenance import Record
from skillpm.operations import describing
from skillpm.operations.workspace import Workspace
from skillpm.store.library import State


def provenance(workspace: Workspace, name: SkillName, *, raw: bool = False) -> Outcome:
    """What was written down when a skill was installed; it is about those files alone.

    Args:
        workspace: the ports and the state.
        name: the skill.
        raw: give the statement alone, as text.

    Raises:
        NotFoundError: it is not installed, or was put there by hand.
        StateError: our own state is damaged.
    """
    record = workspace.shelf.records.get(name)
    if record is None:
        by_hand = workspace.shelf.library.entry(name) is not None
        raise NotFoundError(
            f"nothing is recorded of {name}" + (", it was put there by hand" if by_hand else ""),
            hint="skill list shows what is installed",
        )
    notes = Notes()
    entry = workspace.shelf.library.entry(name)
    if entry is None or entry.state is not State.OK:
        state = entry.state.value if entry else State.MISSING.value
        notes.warn(f"{name} is {state}: this is about the files that were installed")
    data = statement(record, f"skillpm/{__version__}")
    if raw:
        return Outcome(data, tuple(notes.messages), text=statement_text(data))
    return Outcome(data, tuple(notes.messages), (Table(("", ""), _rows(record)),))


def _rows(record: Record) -> tuple[tuple[str, str], ...]:
    return (
        ("name", record.name),
        ("requested", without_secrets(record.requested)),
        ("registry", str(record.registry)),
        ("source", without_secrets(record.source)),
        ("path", record.path or "(root)"),
        ("revision", describing.revision_text(record.revision)),
        ("digest", record.digest),
        ("origin", record.origin.value),
        ("owner", record.owner or "-"),
        ("scan", record.verdict),
        ("forced", ", ".join(record.forced) or "-"),
        ("installed", record.installed_at),
        ("updated", record.updated_at),
    )
