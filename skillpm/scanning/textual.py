"""The analyser that runs the pattern rules over every layer of every text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from skillpm.scanning import checks
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import FileFacts, Layer, SkillFacts
from skillpm.scanning.index import Index, Span
from skillpm.scanning.rules import MAX_WINDOWS, Rule, RuleSet, compiled, crowded, matches
from skillpm.scanning.sentences import Speech
from skillpm.scanning.views import VIEWS

MAX_PER_RULE = 50


class Textual:
    """Patterns over prose, commands and scripts."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most `MAX_PER_RULE` sightings of a rule in a layer."""
        for facts in skill.files:
            for layer in facts.layers:
                yield from _layer(facts, layer, rules)


def _layer(facts: FileFacts, layer: Layer, rules: RuleSet) -> Iterator[Sighting]:
    views = {name: view(layer) for name, view in VIEWS.items()}
    index = Index(views["command"], rules.literals)
    long = len(layer.text) > MAX_WINDOWS
    for name, patterns in rules.candidates(index.possible).items():
        rule, count = rules[name], 0
        text = views[rule.view]
        for start, end in matches(patterns, text, index):
            if _holds(rule, text, (start, end), rules) and _in_context(rule, layer, start, end):
                yield Sighting(rule, facts, layer, start, end)
                count += 1
            if count >= MAX_PER_RULE:
                break
        if long and crowded(patterns, index):
            yield Sighting(rules["unscanned/too-large"], facts, detail=f"for {rule.id}")
    yield from _said(facts, layer, rules, Speech(views["prose"], rules.terms), index.possible)


def _said(
    facts: FileFacts, layer: Layer, rules: RuleSet, speech: Speech, possible: frozenset[str]
) -> Iterator[Sighting]:
    """What the sentences say."""
    for rule, saying in rules.sayable(possible):
        found = (
            Sighting(rule, facts, layer, *span)
            for span in speech.says(saying)
            if _holds(rule, speech.text, span, rules) and _in_context(rule, layer, *span)
        )
        yield from islice(found, MAX_PER_RULE)


def _holds(rule: Rule, text: str, span: Span, rules: RuleSet) -> bool:
    """Whether what a rule asks for beside its pattern holds around the match."""
    start, end = span
    statement = checks.statement(text, start, end)
    if any(compiled(pattern).search(statement) for pattern in rule.unless):
        return False
    around = text[max(start - rule.reach, 0) : end + rule.reach]
    if not all(compiled(pattern).search(around) for pattern in rule.near):
        return False
    return not rule.check or checks.CHECKS[rule.check](statement, rules)


def _in_context(rule: Rule, layer: Layer, start: int, end: int) -> bool:
    if layer.decoded or not (rule.contexts or rule.languages):
        return True
    segment = layer.segment_at(min(start + 1, end - 1))
    if rule.contexts and segment.role not in rule.contexts:
        return False
    return not rule.languages or segment.language in rule.languages
