"""One scan: facts, analysers, policy, report."""

from __future__ import annotations

from typing import Final

from skillpm.model.finding import ScanReport
from skillpm.model.tree import Tree
from skillpm.scanning.analyser import Analyser
from skillpm.scanning.behaviour.observing import observe
from skillpm.scanning.behaviour.scene import Scene
from skillpm.scanning.behaviour.summary import summary
from skillpm.scanning.behavioural import Behavioural
from skillpm.scanning.binaries import Binaries
from skillpm.scanning.compiled import Compiled
from skillpm.scanning.facts import SkillFacts
from skillpm.scanning.grants.analyser import Grants
from skillpm.scanning.hidden import Hidden
from skillpm.scanning.layers import facts_of_all
from skillpm.scanning.manifests.analyser import Manifests
from skillpm.scanning.markup import Markup
from skillpm.scanning.policy import told_once, weigh
from skillpm.scanning.rules import RuleSet, default_rules
from skillpm.scanning.textual import Textual
from skillpm.scanning.unasked import Unasked

ANALYSERS: Final[tuple[Analyser, ...]] = (
    Binaries(),
    Behavioural(),
    Compiled(),
    Grants(),
    Hidden(),
    Manifests(),
    Markup(),
    Textual(),
    Unasked(),
)


def scan(
    tree: Tree, rules: RuleSet | None = None, analysers: tuple[Analyser, ...] = ANALYSERS
) -> ScanReport:
    """Look at every file of a skill and say what is in it.

    Hidden files count like others, and a file is what its bytes say, whatever its name. The scan
    executes, imports and fetches nothing, depends on nothing but the bytes and the rules, takes
    bounded time and never raises on any content. Nothing inside a skill can switch a rule off.

    Args:
        tree: the files.
        rules: the rule set; the packaged one when None.
        analysers: what looks at the facts; all of them by default.
    """
    rules = rules or default_rules()
    files = facts_of_all(tree.files)
    skill = SkillFacts(files, *observe(files))
    sightings = (s for analyser in analysers for s in analyser.analyse(skill, rules))
    return ScanReport.of(
        told_once(map(weigh, sightings), rules),
        scanned_files=len(tree.files),
        rules_version=rules.version,
        capabilities=summary(skill.doings, Scene(skill.files, rules)),
    )
