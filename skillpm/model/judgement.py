"""What a scan means here: the policy's word, what people accepted, and the verdict that is left."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from skillpm.model.acceptance import Acceptance
from skillpm.model.finding import UNSCANNED, Explanation, Finding, ScanReport, Severity, Verdict
from skillpm.model.provenance import Origin

OFF: Final = "off"
NEVER: Final = "never"
SETTINGS: Final = (OFF, *(severity.label for severity in Severity))
REFUSALS: Final = (Verdict.DANGER.value, Verdict.CAUTION.value, NEVER)
LEVELS: Final = (NEVER, "danger", "incomplete", "caution")
"""What `--fail-on` takes; each level includes the ones before it."""


@dataclass(frozen=True, slots=True)
class Allow:
    """`--allow RULE[=PATH]` with its reason: an acceptance before the bytes are known."""

    rule: str
    path: str
    reason: str
    by: str
    until: str = ""

    def __str__(self) -> str:
        return f"{self.rule}={self.path}" if self.path else self.rule

    def takes(self, finding: Finding) -> bool:
        """Whether it is about this finding."""
        return self.rule == finding.rule and self.path in ("", finding.path)


@dataclass(frozen=True, slots=True)
class ScanPolicy:
    """What a team decided about rules and origins.

    Attributes:
        rules: a rule's id, or `category/*`, to `off`, `info`, `caution` or `danger`.
        refuse: from which verdict on skills of an origin are refused; None for never.
        place: the file it was read from; "" when there is none.
    """

    rules: Mapping[str, str] = field(default_factory=dict, hash=False)
    refuse: Mapping[Origin, Verdict | None] = field(default_factory=dict, hash=False)
    place: str = ""

    def setting(self, rule: str) -> str:
        """The word for a rule, its own before its category's; "" when there is none."""
        category = rule.partition("/")[0]
        return self.rules.get(rule) or self.rules.get(f"{category}/*", "")

    def level(self, origin: Origin) -> Verdict | None:
        """From which verdict on skills of that origin are refused."""
        return self.refuse.get(origin, Verdict.DANGER)

    def weigh(self, finding: Finding, usual: Severity) -> Severity | None:
        """What a finding weighs under the policy; None when its rule is off.

        A finding that its context lowered (a warning, a mention) is not raised again.
        """
        setting = self.setting(finding.rule)
        if not setting:
            return finding.severity
        if setting == OFF:
            return None
        wanted = Severity[setting.upper()]
        lowered = finding.severity < usual
        return min(wanted, finding.severity) if lowered else wanted

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, without the place: that is the machine's."""
        refuse = {origin.value: (level or NEVER) for origin, level in self.refuse.items()}
        return {"rules": dict(sorted(self.rules.items())), "refuse": dict(sorted(refuse.items()))}


@dataclass(frozen=True)
class Judgement:
    """A scan under a policy, with what people accepted.

    Attributes:
        report: every finding that the policy leaves, with the weight that it gives.
        verdict: over the findings that nobody accepted.
        complete: whether everything could be looked into; whatever the policy says.
        refuses: from which verdict on such a skill is refused; None for never.
        accepted: the findings that somebody accepted.
        dropped: rules that the policy turned off, to the number of findings that were left out.
        policy: what was in force.
        about: the rules of the findings.
        unread: paths that could not be looked at at all.
    """

    report: ScanReport
    verdict: Verdict
    complete: bool
    refuses: Verdict | None = Verdict.DANGER
    accepted: Mapping[Finding, Acceptance] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    policy: ScanPolicy = ScanPolicy()
    about: Mapping[str, Explanation] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding, worst first, accepted ones included."""
        return self.report.findings

    @property
    def open(self) -> tuple[Finding, ...]:
        """The findings above `info` that nobody accepted."""
        return tuple(f for f in self.findings if f.severity and f not in self.accepted)

    @property
    def refused(self) -> bool:
        """Whether the verdict is one that is refused."""
        return self.refuses is not None and self.verdict.rank >= self.refuses.rank

    @property
    def blamed(self) -> tuple[Finding, ...]:
        """The findings because of which it is refused."""
        if self.refuses is None:
            return ()
        rank = self.refuses.rank
        return tuple(finding for finding in self.open if finding.severity >= rank)

    def fails(self, level: str) -> bool:
        """Whether `--fail-on LEVEL` fails."""
        if level == NEVER:
            return False
        if self.verdict is Verdict.DANGER:
            return True
        if level != "danger" and not self.complete:
            return True
        return level == "caution" and self.verdict is Verdict.CAUTION

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary of the whole."""
        marks = fingerprints(self.findings)
        return {
            "verdict": self.verdict.value,
            "complete": self.complete,
            "refused": self.refused,
            "scanned_files": self.report.scanned_files,
            "rules_version": self.report.rules_version,
            "capabilities": self.report.capabilities.as_json(),
            "policy": {**self.policy.as_json(), "left_out": dict(sorted(self.dropped.items()))},
            "not_scanned": list(self.unread),
            "findings": [
                self._finding(finding, mark)
                for finding, mark in zip(self.findings, marks, strict=True)
            ],
        }

    def _finding(self, finding: Finding, mark: str) -> dict[str, Any]:
        about = self.about.get(finding.rule)
        acceptance = self.accepted.get(finding)
        told = finding.as_json()
        if about:
            told |= {"confidence": about.confidence, "why": about.why, "fix": about.fix}
            told["references"] = list(about.references)
        accepted = acceptance.as_json() if acceptance else None
        return {**told, "fingerprint": mark, "accepted": accepted}


def is_unscanned(finding: Finding) -> bool:
    """Whether a finding says that something could not be looked into."""
    return finding.category == UNSCANNED


def fingerprints(findings: Sequence[Finding]) -> tuple[str, ...]:
    """For each finding a mark that stays when lines move: rule, file, what was seen, and which."""
    seen: Counter[str] = Counter()
    marks: dict[Finding, str] = {}
    for finding in sorted(findings, key=lambda f: (f.path, f.line, f.column, f.rule)):
        text = f"{finding.rule}\0{finding.path}\0{finding.excerpt}"
        digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
        seen[digest] += 1
        marks[finding] = f"{digest}:{seen[digest]}"
    return tuple(marks[finding] for finding in findings)
