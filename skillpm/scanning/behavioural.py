"""The analyser of what code does: each act is put before every judge of its deed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from skillpm.scanning.analyser import Sighting
from skillpm.scanning.behaviour.judges import ROWS
from skillpm.scanning.behaviour.scene import Scene
from skillpm.scanning.facts import SkillFacts
from skillpm.scanning.rules import RuleSet

MAX_PER_RULE: Final = 50


class Behavioural:
    """Data that flows where it shouldn't, code nobody has seen, changes that outlive a task."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most `MAX_PER_RULE` sightings of a rule."""
        for facts in skill.unread:
            yield Sighting(rules["unscanned/code"], facts)
        scene = Scene(skill.files, rules)
        counted: Counter[str] = Counter()
        for doing in skill.doings:
            for row in ROWS:
                if doing.act.deed not in row.deeds or doing.language not in row.spoken:
                    continue
                if counted[row.rule] >= MAX_PER_RULE:
                    continue
                detail = row.judge(doing.act, scene)
                if detail is not None:
                    counted[row.rule] += 1
                    act = doing.act
                    where = (doing.file, doing.layer, act.start, act.end)
                    yield Sighting(rules[row.rule], *where, detail=detail)
