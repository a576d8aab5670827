"""The one JSON envelope of every command: `{"schema": 1, "command", "status", "data", …}`."""

from __future__ import annotations

import json
from typing import Any, Final

from skillpm.errors import SkillError
from skillpm.model.outcome import Message, Outcome

SCHEMA: Final = 1


def of_outcome(command: str, outcome: Outcome) -> str:
    """The envelope of a command that ran."""
    return _dump(command, outcome.status, dict(outcome.data), outcome.messages, None)


def of_error(command: str, error: SkillError) -> str:
    """The envelope of a command that failed."""
    fault = {"code": error.code, "message": error.message, "hint": error.hint}
    return _dump(command, error.status, {}, (), fault)


def _dump(
    command: str,
    status: int,
    data: dict[str, Any],
    messages: tuple[Message, ...],
    error: dict[str, str] | None,
) -> str:
    envelope = {
        "schema": SCHEMA,
        "command": command,
        "status": status,
        "data": data,
        "messages": [{"level": m.level, "text": m.text} for m in messages],
        "error": error,
    }
    return json.dumps(envelope, indent=2, ensure_ascii=True)
