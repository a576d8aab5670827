"""What differs between two versions of a skill: what it can do more, what was found, its files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from skillpm.errors import InvalidSkillError
from skillpm.formats.document import read_document
from skillpm.formats.unified import unified
from skillpm.model.finding import Finding, ScanReport
from skillpm.model.gains import Gains
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Tree
from skillpm.operations.candidate import Candidate
from skillpm.operations.describing import is_script
from skillpm.operations.workspace import Workspace
from skillpm.scanning.scanner import scan
from skillpm.store.library import Entry


@dataclass(frozen=True)
class Comparison:
    """Two versions of a skill side by side.

    Attributes:
        gains: what the new one can do more.
        findings: above `info`, that the new one has and the old one had not.
        diffs: path to the lines of its diff, for every file that differs.
    """

    gains: Gains
    findings: tuple[Finding, ...]
    diffs: dict[str, list[str]]

    @property
    def same(self) -> bool:
        """Whether the files are the same."""
        return not self.diffs

    def text(self) -> str:
        """For people: what is new to be able to do and to be found, then the files."""
        blocks = []
        if self.gains.any:
            blocks.append("it can do more\n" + "\n".join(f"  {x}" for x in self.gains.lines()))
        if self.findings:
            told = "\n".join(
                f"  {f.severity.label} {f.rule} {safe(f.where)}: {safe(f.message)}"
                for f in self.findings
            )
            blocks.append(f"new findings\n{told}")
        blocks += ["\n".join(lines) for lines in self.diffs.values()]
        return "\n\n".join(blocks)

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {
            "gains": self.gains.as_json(),
            "findings": [finding.as_json() for finding in self.findings],
            "files": [{"path": path, "diff": lines} for path, lines in self.diffs.items()],
        }


def compare(old: Tree | None, new: Tree) -> Comparison:
    """What differs from one version to the next; everything when there was none before."""
    before = scan(old) if old else None
    after = scan(new)
    known = {(f.rule, f.path, f.excerpt) for f in before.findings} if before else set()
    findings = tuple(
        f for f in after.findings if f.severity and (f.rule, f.path, f.excerpt) not in known
    )
    return Comparison(_gains(old, new, before, after), findings, _diffs(old, new))


def with_gains(workspace: Workspace, candidate: Candidate, entry: Entry | None) -> Candidate:
    """The candidate with what it can do more than the installed version from the same source."""
    record = entry.record if entry else None
    if record is None or record.source != str(candidate.listing.source):
        return candidate
    if not workspace.store.trees.has(record.digest):
        return candidate
    old = workspace.store.trees.read(record.digest)
    report = candidate.judgement.report
    return replace(candidate, gains=_gains(old, candidate.placed, scan(old), report))


def _gains(old: Tree | None, new: Tree, before: ScanReport | None, after: ScanReport) -> Gains:
    had = before.capabilities.as_json() if before else {}
    more = {
        kind: tuple(x for x in found if x not in had.get(kind, ()))
        for kind, found in after.capabilities.as_json().items()
        if kind != "unsaid"
    }
    return Gains(
        scripts=_beyond(_scripts(old), _scripts(new)),
        executables=_beyond(_executables(old), _executables(new)),
        tools=_beyond(_tools(old), _tools(new)),
        **more,
    )


def _beyond(old: set[str], new: set[str]) -> tuple[str, ...]:
    return tuple(sorted(new - old))


def _scripts(tree: Tree | None) -> set[str]:
    return {file.path for file in tree.files if is_script(file)} if tree else set()


def _executables(tree: Tree | None) -> set[str]:
    return {file.path for file in tree.files if file.executable} if tree else set()


def _tools(tree: Tree | None) -> set[str]:
    """The entries of `allowed-tools`, whatever separates them."""
    if tree is None or tree.get(ENTRY) is None:
        return set()
    try:
        value = read_document(tree.entry).header.raw.get("allowed-tools", "")
    except InvalidSkillError:
        return set()
    return set(value.replace(",", " ").split())


def _diffs(old: Tree | None, new: Tree) -> dict[str, list[str]]:
    before = {f.path: f for f in old.files} if old else {}
    after = {f.path: f for f in new.files}
    found: dict[str, list[str]] = {}
    for path in sorted({*before, *after}, key=lambda path: (path != ENTRY, path)):
        was, now = before.get(path), after.get(path)
        lines = unified(path, was.data if was else None, now.data if now else None)
        if was and now and was.mode != now.mode:
            lines.append(f"{safe(path)}: mode {was.mode} -> {now.mode}")
        if lines:
            found[path] = lines
    return found
