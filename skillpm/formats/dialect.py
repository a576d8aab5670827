"""The dialects of a skill's header: how each is recognised, and the fields that it knows.

A dialect that has rules of its own brings them as `check`; those of the first one stand in `spec`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from skillpm.formats.document import Document
from skillpm.model.problem import Problem

Check = Callable[[Document], Iterator[Problem]]

FIELDS: Final = frozenset(
    {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
)
"""The fields of <https://agentskills.io/specification>."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way of writing a skill.

    Attributes:
        tells: whether a header is written in it.
        fields: the keys that it knows.
        strict: whether other readers of it take no flow style and no uneven indentation.
        check: its own rules; None for none beyond those of every skill.
    """

    name: str
    tells: Callable[[Mapping[str, Any]], bool]
    fields: frozenset[str]
    strict: bool = False
    check: Check | None = None


def _is_workflow(header: Mapping[str, Any]) -> bool:
    """Its triggers are mappings and its actions name a type: phrases that call a skill are none."""
    triggers, actions = header.get("triggers"), header.get("actions")
    named = isinstance(triggers, list) and any(
        isinstance(one, dict) and not _TRIGGERS.isdisjoint(one) for one in triggers
    )
    return named or (
        isinstance(actions, list)
        and any("type" in one if isinstance(one, dict) else "/" in str(one) for one in actions)
    )


_TRIGGERS: Final = frozenset({"event", "schedule", "webhook"})

PLAIN: Final = Dialect("agent-skill", lambda _header: True, FIELDS, strict=True)
WORKFLOW: Final = Dialect(
    "workflow",
    _is_workflow,
    FIELDS
    | {"version", "category", "status", "triggers", "actions", "brevoEndpoints", "permissions"}
    | {"relatedSkills", "featured", "mcp"},
)
DIALECTS: Final = (WORKFLOW, PLAIN)


def dialect_of(header: Mapping[str, Any]) -> Dialect:
    """The dialect that a header is written in; the first one when nothing tells another."""
    return next(one for one in DIALECTS if one.tells(header))
