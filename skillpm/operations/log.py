"""The log of what happened here, and whether it is still what was written."""

from __future__ import annotations

import json
from typing import Any

from skillpm.errors import IntegrityError
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations.workspace import Workspace
from skillpm.store.history import Event, broken


def log(workspace: Workspace, name: str = "") -> Outcome:
    """Every change of what is installed, the oldest first; all of the log is checked.

    The status is 6 when a line was changed, put in or taken out.

    Args:
        workspace: the ports and the state.
        name: the skill whose lines are shown; "" for all.

    Raises:
        StateError: our own state is damaged.
    """
    history = workspace.store.history
    events = history.events()
    fault = broken(events, history.issued())
    notes = Notes()
    if fault:
        notes.warn(f"the log is not what was written: {fault}")
    shown = [event for event in events if not name or event.name == name]
    head = events[-1].chain if events else ""
    rows = tuple((str(e.id), e.at, e.action, e.name, _told(e)) for e in shown)
    table = Table(("line", "at", "action", "name", "detail"), rows, "nothing happened here yet")
    data = {"intact": not fault, "fault": fault, "head": head, "events": [_data(e) for e in shown]}
    status = IntegrityError.status if fault else 0
    return Outcome(data, tuple(notes.messages), (table,), status=status)


def _data(event: Event) -> dict[str, Any]:
    return {**event._asdict(), "detail": _detail(event)}


def _detail(event: Event) -> Any:
    """What a line holds; the text as it is when somebody made something else of it."""
    try:
        return json.loads(event.detail)
    except (ValueError, RecursionError):
        return event.detail


def _told(event: Event) -> str:
    detail = _detail(event)
    if not isinstance(detail, dict):
        return str(detail)
    source = str(detail.get("source", "") or detail.get("place", ""))
    forced = detail.get("forced")
    moved = detail.get("moved")
    notes = [f"{name}: {how}" for name, how in moved.items()] if isinstance(moved, dict) else []
    notes += [f"forced past {forced}"] if forced else []
    return " ".join(filter(None, (source, str(detail.get("reason", "")), *notes)))
