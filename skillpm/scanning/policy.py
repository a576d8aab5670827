"""From a sighting to a finding: how much it weighs where it stands, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from skillpm.model.finding import Finding, Severity, excerpt
from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.context import Stance, stance
from skillpm.scanning.facts import Role
from skillpm.scanning.rules import RuleSet

_SECRET: Final = regex(r"[A-Za-z0-9+/_=-]{16,400}")
_WHY_LOWER: Final = {
    Stance.WARNING: "in a warning against it",
    Stance.MENTION: "named as an example of something bad",
}


def weigh(sighting: Sighting) -> Finding:
    """The finding, with its place in the file and the severity its context gives it."""
    severity, reason = _severity(sighting)
    line, column = _place(sighting)
    end_line, end_column = _end(sighting)
    rule = sighting.rule
    words = [
        rule.what,
        sighting.detail and f"({excerpt(sighting.detail)})",
        reason and f"[{reason}]",
    ]
    return Finding(
        rule=rule.id,
        category=rule.category,
        severity=severity,
        path=sighting.file.file.path,
        line=line,
        column=column,
        excerpt=_excerpt(sighting),
        message=" ".join(filter(None, words)),
        origin=sighting.layer.origin if sighting.layer else "file",
        end_line=end_line,
        end_column=end_column,
    )


def told_once(findings: Iterable[Finding], rules: RuleSet) -> list[Finding]:
    """Without what a pattern says already of the same line, at least as gravely.

    Code is read twice, by patterns and by following what it does; the second reading sees more,
    and often the same.
    """
    found = list(findings)
    said: dict[tuple[str, str, int], Severity] = {}
    for finding in found:
        if rules[finding.rule].patterns:
            place = (finding.category, finding.path, finding.line)
            said[place] = max(said.get(place, Severity.INFO), finding.severity)
    return [
        finding
        for finding in found
        if rules[finding.rule].patterns
        or finding.severity > said.get((finding.category, finding.path, finding.line), -1)
    ]


def _severity(sighting: Sighting) -> tuple[Severity, str]:
    rule, layer = sighting.rule, sighting.layer
    if layer is None:
        return _whole_file(sighting)
    if rule.lowers:
        meant = stance(layer, sighting.start, sighting.end)
        if meant is not Stance.ORDER:
            return Severity.INFO, _WHY_LOWER[meant]
    hidden = layer.decoded or layer.segment_at(sighting.start).role is Role.COMMENT
    if hidden and rule.severity is Severity.CAUTION and rule.confidence != "low":
        return Severity.DANGER, "in a place that readers don't see"
    return rule.severity, ""


def _whole_file(sighting: Sighting) -> tuple[Severity, str]:
    """A program that is meant to be run weighs more than one that lies there."""
    if sighting.rule.id == "files/native-executable" and sighting.file.file.executable:
        return Severity.DANGER, "marked as executable"
    return sighting.rule.severity, ""


def _place(sighting: Sighting) -> tuple[int, int]:
    if sighting.layer is None:
        return 0, 0
    return sighting.file.line_and_column(sighting.layer.origin_of(sighting.start))


def _end(sighting: Sighting) -> tuple[int, int]:
    """Behind its last character; unknown for what was decoded: the file has other characters."""
    layer = sighting.layer
    if layer is None or layer.decoded or sighting.end <= sighting.start:
        return 0, 0
    line, column = sighting.file.line_and_column(layer.origin_of(sighting.end - 1))
    return line, column + 1


def _excerpt(sighting: Sighting) -> str:
    if sighting.layer is None:
        return ""
    seen = sighting.layer.text[sighting.start : max(sighting.end, sighting.start + 1)]
    if sighting.rule.category == "secrets":
        seen = _SECRET.sub(lambda m: m[0][:4] + "…", seen)
    return excerpt(seen)
