"""How installed skills stand to their sources, each with a reason where there is one."""

from __future__ import annotations

from collections.abc import Sequence

from skillpm.errors import SkillError
from skillpm.model.audited import Standing
from skillpm.model.outcome import Notes
from skillpm.model.provenance import Record
from skillpm.operations.ahead import ask_ahead
from skillpm.operations.catalog import TapAnswer
from skillpm.operations.update import ask_taps
from skillpm.operations.upstream import Upstream, of_error, standing
from skillpm.operations.workspace import Workspace


def standings(workspace: Workspace, records: Sequence[Record], notes: Notes) -> dict[str, Standing]:
    """What `outdated` knows of these skills, by name; a source that fails is a state, no error."""
    taps = ask_taps(workspace, records, notes)
    ask_ahead(workspace, records, taps)
    return {record.name: _standing(workspace, record, taps) for record in records}


def _standing(workspace: Workspace, record: Record, taps: Sequence[TapAnswer]) -> Standing:
    if record.pinned:
        return Standing(Upstream.PINNED.value)
    try:
        found = standing(workspace, record, taps)
    except SkillError as error:
        return Standing(of_error(error).value, "", error.message)
    behind = found.behind or found.listing.digest not in ("", record.digest)
    state = Upstream.BEHIND if behind else Upstream.CURRENT
    return Standing(state.value, str(found.newest))
