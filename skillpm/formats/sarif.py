"""SARIF 2.1.0: one run over everything that was scanned, as GitHub's uploader takes it.

<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>; GitHub's own rules (one run for
a tool and category, at most 25,000 results and 10 MB compressed, a line for every result) stand in
<https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from skillpm import __version__
from skillpm.model.acceptance import Acceptance
from skillpm.model.finding import Explanation, Finding, Severity, excerpt
from skillpm.model.judgement import OFF, Judgement, fingerprints, is_unscanned
from skillpm.model.text import safe

MAX_RESULTS: Final = 25_000
MAX_COMPRESSED: Final = 10 * 1024 * 1024
MAX_NOTIFICATIONS: Final = 1_000
SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

ROOT: Final = "%SRCROOT%"
_LEVELS: Final = {Severity.DANGER: "error", Severity.CAUTION: "warning", Severity.INFO: "note"}
_PROBLEMS: Final = {"error": "error", "warning": "warning", "note": "recommendation"}
_SCORES: Final = {
    Severity.DANGER: {"high": "9.5", "medium": "8.5", "low": "7.5"},
    Severity.CAUTION: {"high": "6.5", "medium": "5.5", "low": "4.5"},
    Severity.INFO: {"high": "2.0", "medium": "1.5", "low": "1.0"},
}
_MAX_TEXT: Final = 1_000
_MAX_TAGS: Final = 20

Json = dict[str, Any]
Failures = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Scanned:
    """One skill of a report.

    Attributes:
        name: of the skill.
        folder: where its files lie, relative and `/`-separated; "" for the root.
        document: where its only document lies, when it is one that is called otherwise inside
            the skill (`SKILL.md`); "" for a package.
    """

    name: str
    judgement: Judgement
    folder: str = ""
    document: str = ""

    def place(self, path: str) -> str:
        """Where a file of the skill lies."""
        if self.document:
            return self.document
        return f"{self.folder}/{path}" if self.folder else path


def sarif(scanned: Sequence[Scanned], name: str, failures: Failures) -> str:
    """The SARIF log, as ASCII text; the same for the same findings.

    Args:
        scanned: what was scanned, in the order in which it is told.
        name: tells this report from others of one repository.
        failures: what could not be scanned at all, with the reason.
    """
    limit = MAX_RESULTS
    while True:
        log = _log(scanned, name, failures, limit)
        text = json.dumps(log, indent=1, ensure_ascii=True) + "\n"
        if len(text) < MAX_COMPRESSED or len(gzip.compress(text.encode())) < MAX_COMPRESSED:
            return text
        limit //= 2


def _log(scanned: Sequence[Scanned], name: str, failures: Failures, limit: int) -> Json:
    results = _results(scanned)
    kept = results[:limit]
    ids = [result["ruleId"] for result in kept]
    rules = {rule: number for number, rule in enumerate(sorted(set(ids)))}
    for result in kept:
        result["ruleIndex"] = rules[result["ruleId"]]
    about = {rule: told for one in scanned for rule, told in one.judgement.about.items()}
    run = {
        "tool": {"driver": _driver(scanned, [_rule(rule, about.get(rule)) for rule in rules])},
        "automationDetails": automation("scan", name),
        "originalUriBaseIds": {ROOT: {"description": {"text": "the folder that was scanned"}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(scanned, failures, len(results) - len(kept))],
        "results": kept,
    }
    return log_of(run)


def log_of(run: Json) -> Json:
    """A log of one run."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def automation(command: str, name: str) -> Json:
    """What tells the runs of one command over one place from all others."""
    return {"id": f"skill-{command}/{quote(name, '-_.', errors='surrogatepass')}/"}


def _driver(scanned: Sequence[Scanned], rules: list[Json]) -> Json:
    versions = sorted({one.judgement.report.rules_version for one in scanned})
    return {
        "name": "skill",
        "fullName": "skill, a package manager for agent skills",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
        "properties": {"rulesVersion": ", ".join(versions)},
    }


def _rule(rule: str, about: Explanation | None) -> Json:
    about = about or Explanation(rule, Severity.CAUTION, "medium", rule, rule, rule)
    level = _LEVELS[about.severity]
    references = ", ".join(about.references)
    refers = (f"\n\nReferences: {references}", f"\n\n**References:** {references}")
    text, markdown = refers if references else ("", "")
    return {
        "id": rule,
        "name": "".join(part.capitalize() for part in rule.replace("/", "-").split("-")),
        "shortDescription": {"text": about.what[:_MAX_TEXT]},
        "fullDescription": {"text": f"{about.what} {about.why}"[:_MAX_TEXT]},
        "help": {
            "text": f"{about.why}\n\nWhat to do: {about.fix}{text}",
            "markdown": f"{about.why}\n\n**What to do:** {about.fix}{markdown}",
        },
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": _tags(about),
            "precision": about.confidence,
            "problem.severity": _PROBLEMS[level],
            "security-severity": _SCORES[about.severity].get(about.confidence, "5.0"),
        },
    }


def _tags(about: Explanation) -> list[str]:
    catalogues = {"CWE": "external/cwe", "T": "external/attack", "AML": "external/atlas"}
    tags = ["security", about.rule.partition("/")[0]]
    for one in about.references:
        kind = next((k for k in catalogues if one.startswith(k)), "")
        tags.append(f"{catalogues.get(kind, 'external/owasp')}/{one.lower()}")
    return list(dict.fromkeys(tags))[:_MAX_TAGS]


def _results(scanned: Sequence[Scanned]) -> list[Json]:
    """Every finding, worst first."""
    found: list[tuple[int, Json]] = []
    marked = any(one.judgement.accepted for one in scanned)
    for one in scanned:
        marks = fingerprints(one.judgement.findings)
        for finding, mark in zip(one.judgement.findings, marks, strict=True):
            result = _result(one, finding, mark)
            if marked:
                acceptance = one.judgement.accepted.get(finding)
                result["suppressions"] = [_suppression(acceptance)] if acceptance else []
            found.append((-finding.severity, result))
    found.sort(key=lambda pair: pair[0])
    return [result for _, result in found]


def _result(one: Scanned, finding: Finding, mark: str) -> Json:
    seen = f" Seen: {finding.excerpt}" if finding.excerpt else ""
    layer = "" if finding.origin in ("text", "file") else f" (decoded: {finding.origin})"
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": words(finding.message + layer + seen)},
        "locations": [_location(one.place(finding.path), finding)],
        "partialFingerprints": {"primaryLocationLineHash": mark},
        "properties": {
            "skill": words(one.name),
            "severity": finding.severity.label,
            "layer": words(finding.origin),
            "excerpt": excerpt(finding.excerpt),
        },
    }


def _location(place: str, finding: Finding) -> Json:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": relative_uri(place), "uriBaseId": ROOT},
            "region": dict(_region(finding)),
        }
    }


def _region(finding: Finding) -> Iterator[tuple[str, int]]:
    """The place in the file; its first line for a finding about the file as a whole."""
    yield "startLine", max(finding.line, 1)
    if finding.line and finding.column:
        yield "startColumn", finding.column
        start, end = (finding.line, finding.column), (finding.end_line, finding.end_column)
        if end > start and finding.end_column:
            yield "endLine", finding.end_line
            yield "endColumn", finding.end_column


def relative_uri(place: str) -> str:
    """A relative reference; no part of it reads as a scheme, a query or a climb."""
    parts = (quote(part, safe="", errors="surrogatepass") for part in place.split("/"))
    return "/".join(part for part in parts if part not in ("", ".", ".."))


def _suppression(acceptance: Acceptance) -> Json:
    return {
        "kind": "external",
        "status": "accepted",
        "justification": words(acceptance.told()),
    }


def _invocation(scanned: Sequence[Scanned], failures: Failures, left_out: int) -> Json:
    """Whether all could be scanned, what could not, and what the policy keeps out of the report."""
    untold = [_notice("error", f"{name}: {why}") for name, why in failures]
    if left_out:
        untold.append(_notice("warning", f"{left_out} more findings are left out of this file"))
    for one in scanned:
        for finding in filter(is_unscanned, one.judgement.findings):
            notice = _notice("warning", f"not scanned: {finding.message}", finding.rule)
            notice["locations"] = [_location(one.place(finding.path), finding)]
            untold.append(notice)
        untold += [_notice("warning", f"not scanned: {path}") for path in one.judgement.unread]
    told: Json = {"executionSuccessful": not failures}
    if untold:
        told["toolExecutionNotifications"] = untold[:MAX_NOTIFICATIONS]
    settings = list(_settings(scanned))
    if settings:
        told["toolConfigurationNotifications"] = settings[:MAX_NOTIFICATIONS]
    return told


def _settings(scanned: Sequence[Scanned]) -> Iterator[Json]:
    rules = {rule: word for one in scanned for rule, word in one.judgement.policy.rules.items()}
    for rule, word in sorted(rules.items()):
        if word != OFF:
            yield _notice("note", f"the policy weighs {rule} as {word}")
            continue
        dropped = sum(one.judgement.dropped.get(rule, 0) for one in scanned)
        yield _notice("warning", f"the policy turns {rule} off: {dropped} findings left out")


def _notice(level: str, text: str, rule: str = "") -> Json:
    notice: Json = {"level": level, "message": {"text": words(text)}}
    return {"descriptor": {"id": rule}, **notice} if rule else notice


def words(text: str) -> str:
    """Text that shows itself: nothing invisible, and no link, which SARIF writes `[text](to)`."""
    return safe(text).replace("](", "] (")
