"""What the rules say about a command that stands in a configuration file."""

from __future__ import annotations

from skillpm.model.finding import Severity
from skillpm.model.tree import File
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import SkillFacts
from skillpm.scanning.layers import unfolded
from skillpm.scanning.policy import weigh
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.textual import Textual

_MAX_COMMAND = 20_000


def worst(command: str, rules: RuleSet) -> Severity:
    """How bad a shell command is: by the rules for text, and by what its words would do.

    A command that fetches or decodes something is a caution even when no rule speaks of it.
    """
    seen = command[:_MAX_COMMAND]
    deeds = deeds_of(seen)
    if deeds.hostile:
        return Severity.DANGER
    facts = SkillFacts(tuple(unfolded(File("command.sh", seen.encode("utf-8", "replace")))))
    found = (weigh(sighting).severity for sighting in Textual().analyse(facts, rules))
    least = Severity.CAUTION if deeds.fetches or deeds.decodes else Severity.INFO
    return max(found, default=least) if seen else Severity.INFO
