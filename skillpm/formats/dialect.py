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
        marks: keys of which one is enough to tell it.
        fields: the keys that it knows.
        strict: whether other readers of it take no flow style and no uneven indentation.
        check: its own rules; None for none beyond those of every skill.
    """

    name: str
    marks: frozenset[str]
    fields: frozenset[str]
    strict: bool = False
    check: Check | None = None


PLAIN: Final = Dialect("agent-skill", frozenset(), FIELDS, strict=True)
WORKFLOW: Final = Dialect(
    "workflow",
    frozenset({"triggers", "actions"}),
    FIELDS
    | {"version", "category", "status", "triggers", "actions", "brevoEndpoints", "permissions"}
    | {"relatedSkills", "featured", "mcp"},
)
DIALECTS: Final = (WORKFLOW,)


def dialect_of(header: Mapping[str, Any]) -> Dialect:
    """The dialect that a header is written in; the first one when nothing tells another."""
    return next((one for one in DIALECTS if not one.marks.isdisjoint(header)), PLAIN)
