"""The one place where a scan gets its meaning: engine, policy, and what people accepted.

`scan`, `info`, `install`, `update` and `audit` all judge here. What counts comes from the user's
side alone: the configuration, a file that a person names, an option, our own records. Nothing in
a skill is ever asked what its findings weigh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import NotFoundError, StateError, UsageError
from skillpm.formats.baseline import is_date, read_baseline, write_baseline
from skillpm.formats.scanpolicy import close, read_policy
from skillpm.model.acceptance import Acceptance, Stale
from skillpm.model.finding import Finding, ScanReport, Verdict
from skillpm.model.judgement import OFF, Allow, Judgement, ScanPolicy
from skillpm.model.outcome import Notes
from skillpm.model.provenance import Origin
from skillpm.model.tree import Tree
from skillpm.operations.workspace import Workspace
from skillpm.scanning.rules import default_rules
from skillpm.scanning.scanner import scan

_POLICY_LIMIT: Final = 1024 * 1024
_BASELINE_LIMIT: Final = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Said:
    """What the options of a command say about findings.

    Attributes:
        policy: a policy file, instead of `[scan]` of the configuration; "" for none.
        allow: `RULE` or `RULE=PATH`, each to be accepted.
        reason: why.
        by: who says so; "" for git's `user.name` or the login.
        until: the last day on which it holds, `YYYY-MM-DD`; "" for always.
        baseline: a baseline file; "" for none.
    """

    policy: str = ""
    allow: tuple[str, ...] = ()
    reason: str = ""
    by: str = ""
    until: str = ""
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How findings are judged.

    Attributes:
        policy: what the user or the team decided about rules and origins.
        accepted: what people accepted, for the bytes they looked at.
        allows: what is to be accepted in whatever comes.
        today: the day, `YYYY-MM-DD`.
    """

    policy: ScanPolicy = field(default_factory=ScanPolicy)
    accepted: tuple[Acceptance, ...] = ()
    allows: tuple[Allow, ...] = ()
    today: str = ""

    def plus(self, accepted: Iterable[Acceptance]) -> Terms:
        """The same with more acceptances; one that is there already stays as it is."""
        known = {one.key for one in self.accepted}
        more = tuple(one for one in accepted if one.key not in known)
        return replace(self, accepted=self.accepted + more) if more else self


def terms(workspace: Workspace, said: Said | None = None) -> Terms:
    """The terms in force.

    Raises:
        UsageError: a policy or baseline is malformed, a rule is unknown, or a reason is missing.
        NotFoundError: a named file is not there.
    """
    said = said or Said()
    if said.until and not is_date(said.until):
        raise UsageError(f"--until {said.until!a} is not a day, YYYY-MM-DD")
    return Terms(
        _policy(workspace, said.policy or workspace.host.env.get("SKILL_POLICY", "")),
        baseline(workspace, said.baseline),
        _allows(workspace, said),
        workspace.host.now()[:10],
    )


def judge(
    tree: Tree, terms: Terms, origin: Origin = Origin.LOCAL, unread: tuple[str, ...] = ()
) -> Judgement:
    """Scan files, weigh the findings by the policy, and set apart what people accepted."""
    return weigh(scan(tree), tree, terms, origin, unread)


def weigh(
    report: ScanReport,
    tree: Tree,
    terms: Terms,
    origin: Origin = Origin.LOCAL,
    unread: tuple[str, ...] = (),
) -> Judgement:
    """What `judge` says of files that were scanned already."""
    left, dropped = _weighed(report, terms.policy)
    accepted = _accepted(left, tree, terms)
    rules = default_rules()
    return Judgement(
        report=left,
        verdict=Verdict.over(f for f in left.findings if f not in accepted),
        complete=report.complete and not unread,
        refuses=terms.policy.level(origin),
        accepted=accepted,
        dropped=dropped,
        policy=terms.policy,
        about={f.rule: rules.explain(f.rule) for f in left.findings if f.rule in rules.rules},
        unread=unread,
    )


def stale(terms: Terms, looked: Sequence[tuple[Tree, Judgement]]) -> tuple[Stale, ...]:
    """The acceptances that accepted nothing in anything that was looked at, and why."""
    used = {one.key for _, judgement in looked for one in judgement.accepted.values()}
    return tuple(
        Stale(one, _why_stale(one, terms.today, looked))
        for one in sorted(terms.accepted)
        if one.key not in used
    )


def accept(tree: Tree, findings: Iterable[Finding], allow: Allow, today: str) -> list[Acceptance]:
    """Acceptances of these findings for the bytes as they are."""
    digests = _digests(tree)
    return [
        Acceptance(
            finding.path, finding.rule, digests.get(finding.path, _whole(tree)), allow.reason,
            allow.by, today, allow.until,
        )
        for finding in findings
    ]  # fmt: skip


def tell(judged: Sequence[Judgement], terms: Terms, notes: Notes) -> None:
    """Say what is not as the rules alone would have it, and which `--allow` met nothing."""
    off = sorted(key for key, word in terms.policy.rules.items() if word == OFF)
    if off:
        counts = {key: sum(one.dropped.get(key, 0) for one in judged) for key in off}
        listed = ", ".join(f"{key} ({count} left out)" for key, count in counts.items())
        notes.warn(f"the policy turns off {listed}")
    for path in (path for one in judged for path in one.unread):
        notes.warn(f"not scanned: {path} is no regular file, or has a name that is not safe")
    for allow in terms.allows:
        if not any(allow.takes(finding) for one in judged for finding in one.findings):
            notes.warn(f"--allow {allow} meets no finding")


def known_rule(rule: str) -> str:
    """The id, when there is such a rule.

    Raises:
        UsageError: there is none; close ones are named.
    """
    known = default_rules().rules
    if rule not in known:
        raise UsageError(
            f"there is no rule {rule!a}{close(rule, known)}", hint="skill scan --rules shows them"
        )
    return rule


def baseline(workspace: Workspace, path: str, *, new: bool = False) -> tuple[Acceptance, ...]:
    """What a baseline file holds; nothing when none is named, or when it is `new` and not there.

    Raises:
        UsageError: it is malformed.
        NotFoundError: it is not there.
    """
    if not path:
        return ()
    place = workspace.host.expand(path)
    data = _named(place, path, _BASELINE_LIMIT, new=new)
    return read_baseline(data, path) if data else ()


def named_bytes(workspace: Workspace, path: str) -> bytes:
    """The bytes of a baseline file; nothing when it is not there."""
    return _named(workspace.host.expand(path), path, _BASELINE_LIMIT, new=True)


def keep_baseline(workspace: Workspace, path: str, accepted: Iterable[Acceptance]) -> int:
    """Put acceptances into a baseline file; the number of those that were not in it yet.

    What is there stays as it is, but for an entry about the same that has expired.

    Raises:
        UsageError: what is there is malformed.
        StateError: it cannot be written.
    """
    today = workspace.host.now()[:10]
    there = baseline(workspace, path, new=True)
    merged = {one.key: one for one in there if not _expired(one, today)}
    dead = {one.key: one for one in there if _expired(one, today)}
    added = 0
    for one in accepted:
        added += one.key not in merged
        merged.setdefault(one.key, one)
    disk.export(workspace.host.expand(path), write_baseline((dead | merged).values()))
    return added


def _named(place: Path, typed: str, limit: int, *, new: bool = False) -> bytes:
    """The bytes of a file that the user named.

    Raises:
        UsageError: it is no regular file that can be read.
        NotFoundError: it is not there, and it was not to be made.
    """
    try:
        data = disk.read_file(place.resolve(), limit)
    except StateError as error:
        raise UsageError(error.message) from None
    if data is None and not new:
        raise NotFoundError(f"there is no file {typed!a}")
    return data or b""


def _policy(workspace: Workspace, path: str) -> ScanPolicy:
    if path:
        place = workspace.host.expand(path)
        return read_policy(_named(place, path, _POLICY_LIMIT), path, default_rules().rules)
    place = workspace.host.dirs.config / "config.toml"
    data = disk.read_file(place, _POLICY_LIMIT) or b""
    if b"scan" not in data:
        return ScanPolicy()
    return read_policy(data, str(place), default_rules().rules, section="scan")


def _allows(workspace: Workspace, said: Said) -> tuple[Allow, ...]:
    if not said.allow:
        return ()
    if not said.reason.strip():
        raise UsageError("--allow needs a reason", hint="--reason 'why this is all right'")
    by = signature(workspace, said.by)
    reason = " ".join(said.reason.split())
    pairs = (text.partition("=") for text in said.allow)
    return tuple(Allow(known_rule(rule), path, reason, by, said.until) for rule, _, path in pairs)


def signature(workspace: Workspace, by: str) -> str:
    """Who accepts: as given, else git's `user.name`, else the login."""
    if by.strip():
        return " ".join(by.split())
    from skillpm.edges.credentials import person

    return person(workspace.host)


def _weighed(report: ScanReport, policy: ScanPolicy) -> tuple[ScanReport, Mapping[str, int]]:
    """The report as the policy leaves it, and how many findings each setting took out."""
    if not policy.rules:
        return report, {}
    rules = default_rules().rules
    dropped: Counter[str] = Counter()
    left: list[Finding] = []
    for finding in report.findings:
        usual = rules[finding.rule].severity if finding.rule in rules else finding.severity
        weight = policy.weigh(finding, usual)
        if weight is None:
            own = finding.rule in policy.rules
            dropped[finding.rule if own else f"{finding.category}/*"] += 1
        else:
            left.append(replace(finding, severity=weight))
    kept = ScanReport.of(
        left,
        scanned_files=report.scanned_files,
        rules_version=report.rules_version,
        capabilities=report.capabilities,
    )
    return kept, dropped


def _accepted(report: ScanReport, tree: Tree, terms: Terms) -> dict[Finding, Acceptance]:
    digests = _digests(tree)
    by_key = {one.key: one for one in terms.accepted if not _expired(one, terms.today)}
    found: dict[Finding, Acceptance] = {}
    for finding in report.findings:
        digest = digests.get(finding.path, _whole(tree))
        known = by_key.get((finding.rule, finding.path, digest))
        allow = next((one for one in terms.allows if one.takes(finding)), None)
        if known:
            found[finding] = known
        elif allow:
            (found[finding],) = accept(tree, [finding], allow, terms.today)
    return found


def _digests(tree: Tree) -> dict[str, str]:
    return {file.path: f"sha256:{file.sha256}" for file in tree.files}


def _whole(tree: Tree) -> str:
    """What stands for the bytes of a finding that is about no single file."""
    return f"sha256:{tree.digest.rpartition(':')[2]}"


def _expired(acceptance: Acceptance, today: str) -> bool:
    return bool(acceptance.until) and acceptance.until < today


def _why_stale(one: Acceptance, today: str, looked: Sequence[tuple[Tree, Judgement]]) -> str:
    if _expired(one, today):
        return f"expired on {one.until}"
    files = [file for tree, _ in looked for file in tree.files if file.path == one.path]
    if not files:
        return "there is no such file"
    if all(f"sha256:{file.sha256}" != one.digest for file in files):
        return "the file has changed"
    return "the rule finds nothing there any more"
