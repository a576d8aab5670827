"""SARIF: valid against the official schema for anything, and as GitHub's uploader takes it."""

from __future__ import annotations

import gzip
import importlib
import json
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings, strategies as st
from support.cli import ROOT

from skillpm.formats import sarif as module
from skillpm.formats.sarif import MAX_COMPRESSED, Scanned, sarif
from skillpm.model.acceptance import Acceptance
from skillpm.model.finding import Explanation, Finding, ScanReport, Severity, Verdict, excerpt
from skillpm.model.judgement import Judgement, ScanPolicy, fingerprints

SCHEMA: Final = ROOT / "fixtures" / "sarif" / "sarif-2.1.0-rtm.5.json"
VALIDATOR: Final = importlib.import_module("jsonschema").Draft4Validator(
    json.loads(SCHEMA.read_text("utf-8"))
)
ABOUT: Final = Explanation(
    "remote-code/pipe-to-shell", Severity.DANGER, "high", "What.", "Why.", "Fix.",
    references=("CWE-494", "T1059.004", "AML.T0051", "LLM01:2025"),
)  # fmt: skip


def finding(path: str = "a.sh", line: int = 3, **more: Any) -> Finding:
    facts: dict[str, Any] = {
        "rule": ABOUT.rule, "category": "remote-code", "severity": Severity.DANGER, "path": path,
        "line": line, "column": 5, "excerpt": "curl x | sh", "message": "What.",
    }  # fmt: skip
    return Finding(**(facts | more))


def judged(*findings: Finding, **more: Any) -> Judgement:
    report = ScanReport.of(findings, scanned_files=1, rules_version="1.abc")
    facts: dict[str, Any] = {"report": report, "verdict": report.verdict, "complete": True,
             "about": {ABOUT.rule: ABOUT}}  # fmt: skip
    return Judgement(**(facts | more))


def run_of(text: str) -> dict[str, Any]:
    """The one run of a log, after checking it against the schema."""
    log = json.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def log_of(*findings: Finding, **more: Any) -> dict[str, Any]:
    return run_of(sarif([Scanned("tidy", judged(*findings, **more), "skills/tidy")], "tidy", ()))


def test_a_finding_has_its_rule_level_place_and_a_lasting_mark() -> None:
    run = log_of(finding(end_line=3, end_column=16))
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == ABOUT.rule
    assert rule["properties"]["security-severity"] == "9.5"
    assert rule["properties"]["tags"] == [
        "security", "remote-code", "external/cwe/cwe-494", "external/attack/t1059.004",
        "external/atlas/aml.t0051", "external/owasp/llm01:2025",
    ]  # fmt: skip
    assert result["level"] == rule["defaultConfiguration"]["level"] == "error"
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "skills/tidy/a.sh", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 16},
    }
    assert result["partialFingerprints"].keys() == {"primaryLocationLineHash"}
    assert run["automationDetails"]["id"] == "skill-scan/tidy/"
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_a_finding_about_a_whole_file_is_told_in_its_first_line() -> None:
    (result,) = log_of(finding(line=0, column=0))["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_an_end_before_the_start_is_left_out() -> None:
    (result,) = log_of(finding(end_line=2, end_column=9))["results"]
    assert "endLine" not in result["locations"][0]["physicalLocation"]["region"]


def test_the_mark_stays_when_lines_move_and_differs_between_equal_findings() -> None:
    first, second = fingerprints([finding(line=3), finding(line=9)])
    assert first != second
    assert fingerprints([finding(line=13), finding(line=19)]) == (first, second)
    assert fingerprints([finding(line=19), finding(line=13)]) == (second, first)


def test_what_was_accepted_is_suppressed_from_outside_with_its_reason() -> None:
    known, other = finding(), finding("b.sh")
    acceptance = Acceptance("a.sh", ABOUT.rule, "sha256:0", "our own", "Ann", "2026-01-02")
    results = log_of(known, other, accepted={known: acceptance})["results"]
    assert [result["suppressions"] for result in results] == [
        [{"kind": "external", "status": "accepted", "justification": "our own (Ann, 2026-01-02)"}],
        [],
    ]
    assert all("suppressions" not in result for result in log_of(known, other)["results"])


def test_what_was_not_scanned_is_a_notification() -> None:
    blind = finding("big.bin", 0, rule="unscanned/limit", category="unscanned")
    judgement = judged(blind, unread=("link",), complete=False)
    text = sarif([Scanned("tidy", judgement)], "tidy", [("bad", "it is \x1b[31m damaged")])
    (invocation,) = run_of(text)["invocations"]
    assert invocation["executionSuccessful"] is False
    told = invocation["toolExecutionNotifications"]
    assert [notice["level"] for notice in told] == ["error", "warning", "warning"]
    assert told[1]["descriptor"] == {"id": "unscanned/limit"}
    assert "\\x1b[31m" in told[0]["message"]["text"]


def test_what_the_policy_changed_is_told() -> None:
    policy = ScanPolicy({"unscanned/*": "off", ABOUT.rule: "caution"})
    run = log_of(policy=policy, dropped={"unscanned/*": 2})
    told = run["invocations"][0]["toolConfigurationNotifications"]
    assert [notice["level"] for notice in told] == ["note", "warning"]
    assert "2 findings left out" in told[1]["message"]["text"]


def test_no_text_of_a_skill_becomes_a_link() -> None:
    (result,) = log_of(finding(excerpt="[click](https://evil.example)"))["results"]
    assert "](" not in result["message"]["text"]


@pytest.mark.parametrize(
    "path",
    [
        "a b.sh",
        "a%20b",
        "javascript:x",
        "a?b#c",
        "ünï/日本.md",
        "[x](y)",
        "..a/b",
        "a//b",
        "\\x",
        '"',
    ],
)
def test_a_path_is_a_relative_reference_that_leads_back_to_it(path: str) -> None:
    (result,) = log_of(finding(path))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert unquote(uri) == "skills/tidy/" + path.replace("//", "/")


def test_only_as_much_as_github_takes_and_the_worst_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_RESULTS", 4)
    mild = [finding(f"{n}.sh", severity=Severity.CAUTION) for n in range(5)]
    run = log_of(*mild, finding("worst.sh"))
    assert [result["level"] for result in run["results"]] == ["error", *["warning"] * 3]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"] == "2 more findings are left out of this file"


def test_a_log_stays_below_ten_megabytes_compressed() -> None:
    noise = bytes(range(256)) * 40
    findings = [
        finding(f"{n}.sh", excerpt=hashed(noise, n), message=hashed(noise, -n - 1))
        for n in range(30_000)
    ]
    text = sarif([Scanned("tidy", judged(*findings))], "tidy", ())
    assert len(gzip.compress(text.encode())) < MAX_COMPRESSED
    assert len(json.loads(text)["runs"][0]["results"]) <= 25_000


def hashed(noise: bytes, number: int) -> str:
    """Text that does not compress."""
    import hashlib

    return hashlib.shake_128(noise + str(number).encode()).hexdigest(400)


TEXT = st.text(st.characters(), max_size=40)
FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from([ABOUT.rule, "unscanned/limit", "made-up/rule"]),
    category=st.sampled_from(["remote-code", "unscanned"]),
    severity=st.sampled_from(Severity),
    path=TEXT,
    line=st.integers(0, 9),
    column=st.integers(0, 9),
    excerpt=TEXT,
    message=TEXT,
    origin=TEXT,
    end_line=st.integers(0, 9),
    end_column=st.integers(0, 9),
)


@settings(max_examples=300, deadline=None)
@given(
    findings=st.lists(FINDINGS, max_size=5),
    words=st.tuples(TEXT, TEXT, TEXT, TEXT),
    accepted=st.booleans(),
)
def test_any_finding_makes_a_valid_log_in_ascii_the_same_each_time(
    findings: list[Finding], words: tuple[str, str, str, str], accepted: bool
) -> None:
    name, folder, document, why = words
    judgement = judged(*findings, complete=not findings, unread=(why,), verdict=Verdict.SAFE)
    if accepted:
        reason = Acceptance(folder, ABOUT.rule, "sha256:0", why, name, "2026-01-02")
        judgement = judged(*findings, accepted=dict.fromkeys(judgement.findings[:1], reason))
    scanned = [Scanned(name, judgement, folder), Scanned(name, judgement, "", document)]
    text = sarif(scanned, name, [(name, why)])
    assert text.isascii()
    assert text == sarif(scanned, name, [(name, why)])
    run = run_of(text)
    assert len(run["results"]) == 2 * len(judgement.findings)
    for result in run["results"]:
        assert excerpt(result["message"]["text"]).count("<U+") == 0


def test_a_name_that_is_no_text_has_a_log_as_well() -> None:
    assert run_of(sarif([], "\ud800", ()))["automationDetails"]["id"] == "skill-scan/%ED%A0%80/"


def test_the_schema_refuses_what_is_no_sarif() -> None:
    assert list(VALIDATOR.iter_errors({"version": "2.1.0", "runs": [{"tool": {}}]}))
