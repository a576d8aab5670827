"""What a scan says: findings, their severity, and the verdict over all of them."""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

from skillpm.model.capability import NOTHING, Capabilities

EXCERPT_LENGTH: Final = 120
UNSCANNED: Final = "unscanned"


class Severity(enum.IntEnum):
    """How much a finding weighs where it stands; ordered."""

    INFO = 0
    CAUTION = 1
    DANGER = 2

    @property
    def label(self) -> str:
        """The lower-case word that people and programs see."""
        return self.name.lower()


class Verdict(enum.StrEnum):
    """The worst finding of a scan: info and nothing are both `safe`."""

    SAFE = "safe"
    CAUTION = "caution"
    DANGER = "danger"

    @property
    def rank(self) -> int:
        """0, 1, 2: for comparing verdicts and `--fail-on`."""
        return _RANKS[self]

    @classmethod
    def over(cls, findings: Iterable[Finding]) -> Verdict:
        """The verdict that these findings add up to."""
        return tuple(cls)[max((f.severity for f in findings), default=Severity.INFO)]


_RANKS: Final = {verdict: number for number, verdict in enumerate(Verdict)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth knowing, at one place.

    Attributes:
        rule: `category/name`, stable; what `--allow` and baselines refer to.
        category: the part before the slash; `unscanned` means "could not look inside".
        severity: after its context has been weighed.
        path: the file, as in the tree.
        line: 1-based line in that file; 0 when the finding is about the file as a whole.
        column: 1-based column; 0 when the finding is about the file as a whole.
        excerpt: what was seen, safe to print (see `excerpt`).
        message: what it is, in one sentence, with the reason for a lowered weight.
        origin: the layer it was seen in: `text`, or a chain such as `base64` or `base64>hex`.
        end_line: 1-based line of its last character; 0 when that is not known.
        end_column: 1-based column after its last character; 0 when that is not known.
    """

    rule: str
    category: str
    severity: Severity
    path: str
    line: int
    column: int
    excerpt: str
    message: str
    origin: str = "text"
    end_line: int = 0
    end_column: int = 0

    @property
    def where(self) -> str:
        """`path:line:column`, or the path alone for the file as a whole; not safe to print."""
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    @property
    def place(self) -> tuple[str, str, int]:
        """What makes two findings the same to a reader: rule, file and line."""
        return (self.rule, self.path, self.line)

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, severity as its word."""
        return {**asdict(self), "severity": self.severity.label, "layer": self.origin}


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a rule says of itself, for people.

    Attributes:
        severity: where nothing lowers or raises it.
        confidence: `high`, `medium` or `low`; how surely a match means what the rule says.
        contexts: the parts of a document it looks at; () for all.
        languages: of scripts and code blocks it looks at; () for all.
        references: ids in other catalogues, such as `CWE-494` or `T1059.004`.
    """

    rule: str
    severity: Severity
    confidence: str
    what: str
    why: str
    fix: str
    contexts: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary, severity as its word."""
        lists = {key: list(getattr(self, key)) for key in ("contexts", "languages", "references")}
        return {**asdict(self), "severity": self.severity.label, **lists}


@dataclass(frozen=True, slots=True)
class ScanReport:
    """The answer of one scan.

    Build it with `ScanReport.of`. The same bytes and the same `rules_version` give the same
    report.

    Attributes:
        verdict: over every finding, before any was dropped as a repetition.
        findings: worst first; one for each rule, file and line.
        scanned_files: how many files were looked at, hidden ones included.
        rules_version: identifies the rules that were used.
        capabilities: what the code reaches for.
    """

    verdict: Verdict
    findings: tuple[Finding, ...]
    scanned_files: int
    rules_version: str
    capabilities: Capabilities = NOTHING

    @classmethod
    def of(
        cls,
        findings: Iterable[Finding],
        *,
        scanned_files: int,
        rules_version: str,
        capabilities: Capabilities = NOTHING,
    ) -> ScanReport:
        """Decide the verdict first, then keep the worst finding of each place."""
        everything = tuple(findings)
        return cls(
            verdict=Verdict.over(everything),
            findings=_for_display(everything),
            scanned_files=scanned_files,
            rules_version=rules_version,
            capabilities=capabilities,
        )

    @property
    def complete(self) -> bool:
        """Whether everything could be looked into; never true of a report with blind spots."""
        return not any(f.category == UNSCANNED for f in self.findings)

    def verdict_allowing(self, rules: Collection[str]) -> Verdict:
        """The verdict when the user has accepted these rules; the findings stay."""
        return Verdict.over(f for f in self.findings if f.rule not in rules)

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary of the whole report."""
        return {
            "verdict": self.verdict.value,
            "complete": self.complete,
            "scanned_files": self.scanned_files,
            "rules_version": self.rules_version,
            "capabilities": self.capabilities.as_json(),
            "findings": [f.as_json() for f in self.findings],
        }


def excerpt(text: str) -> str:
    """Untrusted text on one line, at most `EXCERPT_LENGTH` characters, safe for a terminal.

    Runs of white space become one space; whatever is invisible or steers a terminal (control,
    format, private, unassigned and lone surrogate code points) is written as `<U+200B>`.
    """
    flat = " ".join(text[: 4 * EXCERPT_LENGTH].split())
    shown = "".join(map(_visible, flat))
    return shown if len(shown) <= EXCERPT_LENGTH else shown[: EXCERPT_LENGTH - 1] + "…"


def _visible(char: str) -> str:
    if char.isascii():
        return char if char.isprintable() else f"<U+{ord(char):04X}>"
    hidden = unicodedata.category(char)[0] in "CZ" or "\ufe00" <= char <= "\ufe0f"
    return f"<U+{ord(char):04X}>" if hidden or "\U000e0100" <= char <= "\U000e01ef" else char


def _for_display(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    worst: dict[tuple[str, str, int], Finding] = {}
    for finding in findings:
        known = worst.get(finding.place)
        if known is None or finding.severity > known.severity:
            worst[finding.place] = finding
    order = sorted(worst.values(), key=lambda f: (-f.severity, f.path, f.line, f.column, f.rule))
    return tuple(order)
