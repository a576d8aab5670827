"""The analyser for what a reader can't see: invisible characters, disguised letters, padding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning import unicode
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import FileFacts, Layer, Role, SkillFacts
from skillpm.scanning.layers import DATA_LANGUAGES
from skillpm.scanning.rules import RuleSet

_BLANK_LINES: Final = regex(r"\S[ \t]{0,8}(?:\n[ \t]{0,200}){100,100000}\S")
_BLANK_RUN: Final = regex(r"\S[ \t\u00a0]{300,100000}\S")
_ADDRESSED: Final = regex(
    r"\b(?:assistants?|agents?|ai|llms?|models?|claude|codex|gemini|chatgpt|gpt|copilot|cursor)\b",
    re.IGNORECASE,
)
_ORDERED: Final = regex(
    r"\b(?:must|always|never|ignore|disregard|instead|actually|silently|secretly|immediately"
    r"|execute|run|send|upload|post|fetch|curl|wget|read|append|include|override|bypass)\b",
    re.IGNORECASE,
)


class Hidden:
    """Finds text that a person who reviews the file would not see as it is."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most one sighting a file for each way of hiding, and one for each comment."""
        for facts in skill.files:
            if facts.layers:
                yield from _comments(facts, rules)
                yield from _padding(facts, rules)
                if not facts.layers[0].text.isascii():
                    yield from _characters(facts, rules)


def _characters(facts: FileFacts, rules: RuleSet) -> Iterator[Sighting]:
    whole = facts.layers[0]
    clean = unicode.without_flags(whole.text)
    unusual = unicode.unusual(clean)
    found: dict[str, re.Match[str] | None] = {}
    if unicode.INVISIBLE.search(unusual):
        found = {
            "tag-characters": unicode.TAGS.search(clean),
            "variation-selectors": _payload(clean),
            "bidi-control": unicode.BIDI.search(clean),
            "split-word": unicode.split_word(clean),
        }
    if unicode.foldable(unusual):
        found["look-alike-letters"] = unicode.mixed_word(clean)
    for name, match in found.items():
        if match:
            yield Sighting(rules[f"hidden-content/{name}"], facts, whole, *match.span())


def _payload(text: str) -> re.Match[str] | None:
    return next((m for m in unicode.VARIATIONS.finditer(text) if len(m[0]) >= 8), None)


def _comments(facts: FileFacts, rules: RuleSet) -> Iterator[Sighting]:
    whole = facts.layers[0]
    if "<!--" not in whole.text:
        return
    for segment in whole.segments:
        if segment.role is Role.COMMENT and _speaks_to_an_agent(whole, segment.start, segment.end):
            rule = rules["hidden-content/comment-to-agent"]
            yield Sighting(rule, facts, whole, segment.start, segment.end)


def _speaks_to_an_agent(layer: Layer, start: int, end: int) -> bool:
    text = layer.text[start : min(end, start + 4000)]
    return bool(_ADDRESSED.search(text) and _ORDERED.search(text))


def _padding(facts: FileFacts, rules: RuleSet) -> Iterator[Sighting]:
    whole = facts.layers[0]
    if facts.identity.language in DATA_LANGUAGES:
        return
    for name, pattern in (("blank-lines", _BLANK_LINES), ("blank-run", _BLANK_RUN)):
        if name == "blank-run" and " " * 300 not in whole.text and "\t" * 75 not in whole.text:
            continue
        if name == "blank-lines" and "\n\n\n\n" not in whole.text and "\n \n" not in whole.text:
            continue
        found = pattern.search(whole.text)
        if found:
            yield Sighting(
                rules["hidden-content/padding"], facts, whole, found.end() - 1, found.end()
            )
