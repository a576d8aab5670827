"""The one Protocol that every analyser fulfils, and what it hands over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from skillpm.scanning.facts import FileFacts, Layer, SkillFacts
from skillpm.scanning.rules import Rule, RuleSet


@dataclass(frozen=True, slots=True)
class Sighting:
    """A rule that holds at a place, before the context was weighed.

    Attributes:
        rule: the row that says what it means.
        file: where.
        layer: the reading of the file it was seen in; None when it is about the whole file.
        start: offset in the layer.
        end: offset after it.
        detail: words that say more than the rule's own, or "".
    """

    rule: Rule
    file: FileFacts
    layer: Layer | None = None
    start: int = 0
    end: int = 0
    detail: str = ""


class Analyser(Protocol):
    """Looks at the facts of a skill and says what it sees; deterministic, total, bounded."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """Everything it sees, in any order, repetitions allowed."""
        ...
