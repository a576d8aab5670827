"""What is wrong with a skill as a document, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from skillpm.model.tree import ENTRY

Severity = Literal["error", "advice"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found while validating.

    Attributes:
        severity: an error will not run in another tool; an advice only trips over a convention.
        line: 1-based in the file; 0 when it is about the file or the skill as a whole.
        column: 1-based; 0 as `line`.
        fix: what to do about it, in a few words.
        fixable: whether it can be fixed without knowing what its author meant.
        path: the file, as in the tree.
    """

    severity: Severity
    rule: str
    message: str
    line: int = 0
    column: int = 0
    fix: str = ""
    fixable: bool = False
    path: str = ENTRY

    @property
    def where(self) -> str:
        """`path:line:column`; the path alone for the file as a whole. Not safe to print."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        names = ("severity", "rule", "message", "fix", "fixable", "path", "line", "column")
        return {name: getattr(self, name) for name in names}
