"""A scan in words: each finding once, each rule's reason and remedy once; and rules explained."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from skillpm.model.capability import Capabilities
from skillpm.model.finding import Explanation, Finding, Severity
from skillpm.model.judgement import Judgement, is_unscanned
from skillpm.model.outcome import Outcome, Table
from skillpm.model.text import safe
from skillpm.operations.gathering import Subject
from skillpm.operations.judging import known_rule
from skillpm.scanning.rules import default_rules, examples

_WIDTH: Final = 96
_PLAIN: Final = ("text", "file")
_MOST_NAMED: Final = 12
_REACHES: Final = {
    "hosts": "hosts",
    "reads": "reads",
    "writes": "writes",
    "commands": "commands",
    "variables": "variables",
    "captures": "captures",
    "unsaid": "unnamed",
}


def summary(verdicts: Sequence[str]) -> str:
    """One line over several skills; a skill that could not be scanned is told as `failed`."""
    counts = [(word, verdicts.count(word)) for word in ("danger", "caution", "safe", "failed")]
    listed = ", ".join(f"{count} {word}" for word, count in counts if count)
    return f"{len(verdicts)} skills: {listed}"


def verdict(name: str, judgement: Judgement) -> str:
    """One line over one skill."""
    counts = dict.fromkeys(reversed(Severity), 0)
    for finding in judgement.findings:
        counts[finding.severity] += finding not in judgement.accepted
    told = [f"{count} {severity.label}" for severity, count in counts.items() if count]
    if judgement.accepted:
        told.append(f"{len(judgement.accepted)} accepted")
    blind = sum(map(is_unscanned, judgement.findings))
    if not judgement.complete:
        told.append(f"not complete, {blind} could not be looked into" if blind else "not complete")
    listed = f" ({', '.join(told)})" if told else ""
    files = f"{judgement.report.scanned_files} files scanned"
    return f"{name}: {judgement.verdict.value}, {files}{listed}"


def report(judged: Sequence[tuple[Subject, Judgement]]) -> str:
    """Every finding above `info` and what code reaches for, skill by skill, then the rules."""
    blocks: list[str] = []
    about: dict[str, Explanation] = {}
    for subject, judgement in judged:
        shown = [f for f in judgement.findings if f.severity > Severity.INFO]
        reached = [*_reached(judgement.report.capabilities)] if len(judged) == 1 or shown else []
        if shown and len(judged) > 1:
            blocks.append(f"# {subject.called}")
        blocks += ["\n".join(_finding(finding, subject, judgement)) for finding in shown]
        blocks += ["\n".join(["its code reaches for", *reached])] if reached else []
        about |= {f.rule: judgement.about[f.rule] for f in shown if f.rule in judgement.about}
    blocks += ["\n".join(_rule(rule)) for rule in about.values()]
    return "\n\n".join(blocks)


def explain(rule: str) -> Outcome:
    """What a rule looks for, why, and what to do about it.

    Raises:
        UsageError: there is no such rule; close ones are named.
    """
    about = default_rules().explain(known_rule(rule))
    shown = examples(rule)
    lines = [
        f"{about.rule}  ({about.severity.label}, confidence {about.confidence})",
        *_wrapped("what", about.what),
        *_wrapped("why", about.why),
        *_wrapped("do", about.fix),
        *_wrapped("where", ", ".join(about.contexts) or "everywhere"),
        *(_wrapped("languages", ", ".join(about.languages)) if about.languages else ()),
        *(_wrapped("see", ", ".join(about.references)) if about.references else ()),
    ]
    for word, key in (("finds", "match"), ("passes", "no_match")):
        lines += [line for text in shown[key] for line in _wrapped(word, " ".join(text.split()))]
    return Outcome({**about.as_json(), "examples": shown}, text="\n".join(lines))


def rules() -> Outcome:
    """Every rule there is."""
    known = default_rules()
    found = [known.explain(rule) for rule in sorted(known.rules)]
    rows = tuple((a.rule, a.severity.label, a.confidence, a.what) for a in found)
    data: dict[str, Any] = {"rules_version": known.version, "rules": [a.as_json() for a in found]}
    return Outcome(data, tables=(Table(("rule", "severity", "confidence", "description"), rows),))


def _finding(finding: Finding, subject: Subject, judgement: Judgement) -> Iterator[str]:
    place = replace(finding, path=subject.place(finding.path)).where
    layer = "" if finding.origin in _PLAIN else f"  (decoded: {finding.origin})"
    yield f"{finding.severity.label:8} {finding.rule}  {safe(place)}{layer}"
    yield from _wrapped("", finding.message)
    if finding.excerpt:
        yield f"  | {safe(finding.excerpt)}"
    acceptance = judgement.accepted.get(finding)
    if acceptance:
        yield from _wrapped("accepted", acceptance.told())


def _reached(capabilities: Capabilities) -> Iterator[str]:
    for kind, found in capabilities.as_json().items():
        if found:
            more = len(found) - _MOST_NAMED
            told = ", ".join(found[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            yield from _wrapped(_REACHES[kind], told)


def _rule(about: Explanation) -> Iterator[str]:
    yield about.rule
    yield from _wrapped("why", about.why)
    yield from _wrapped("do", about.fix)


def _wrapped(word: str, text: str) -> list[str]:
    """Safe text in lines that fit a terminal, under a word."""
    head = f"  {word:9} " if word else "  "
    return textwrap.wrap(
        safe(text), _WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
    ) or [head.rstrip()]
