"""Checking skills against the specification, wherever they are, without installing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.formats.profiles import Profile, profile
from skillpm.formats.spec import entry_of, validate
from skillpm.model.name import is_skill_name
from skillpm.model.outcome import Notes
from skillpm.model.problem import Problem
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Tree
from skillpm.operations.gathering import Subject, gather
from skillpm.operations.workspace import Workspace

_ENTRIES: Final = (ENTRY, "skill.md")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asked for.

    Attributes:
        words: a name, path or address.
        source: what stands after `--source`; "" when nothing.
        profile: an agent whose demands count as well; "" for none.
        sarif: where the SARIF log goes; `-` for standard output, "" for nowhere.
        fix: whether to fix what can be.
    """

    words: str
    source: str = ""
    profile: str = ""
    sarif: str = ""
    fix: bool = False

    @property
    def wanted(self) -> Profile | None:
        """The profile.

        Raises:
            UsageError: there is none of that name.
        """
        return profile(self.profile) if self.profile else None


@dataclass(frozen=True, slots=True)
class Checked:
    """One skill and what is wrong with it.

    Attributes:
        expected: the folder or file name that it goes by; "" when it has none.
    """

    subject: Subject
    expected: str
    problems: tuple[Problem, ...]

    @property
    def valid(self) -> bool:
        """Whether it meets the specification."""
        return not any(problem.severity == "error" for problem in self.problems)

    def where(self, problem: Problem) -> str:
        """The place of a problem, from where the user stands; not safe to print."""
        place = self.subject.place(problem.path)
        return f"{place}:{problem.line}:{problem.column}" if problem.line else place


def check(workspace: Workspace, asked: Asked, notes: Notes) -> list[Checked]:
    """Every skill that the words lead to, with its problems.

    Raises:
        UsageError: there is no such profile.
        SkillError: the words lead nowhere.
    """
    words = _folder_of_entry(workspace, asked.words)
    wanted = asked.wanted
    subjects = [
        part
        for subject in gather(workspace, words, asked.source, notes)
        for part in _documents(subject)
    ]
    return [_checked(words, subject, wanted) for subject in subjects]


def _folder_of_entry(workspace: Workspace, words: str) -> str:
    """`SKILL.md` by its path stands for its folder."""
    if words.rpartition("/")[2] not in _ENTRIES or is_skill_name(words):
        return words
    path = workspace.host.expand(words)
    return str(path.parent) if disk.entry_kind(path) == "file" else words


def _documents(subject: Subject) -> Iterator[Subject]:
    """A folder without a package is a shelf of documents, each a skill of its own."""
    tree = subject.tree
    if subject.document or subject.root is None or tree is None or entry_of(tree):
        yield subject
        return
    found = [f for f in tree.files if f.path.endswith(".md") and "/" not in f.path]
    if not found:
        yield subject
    for file in found:
        place = subject.place(file.path)
        name = file.path.removesuffix(".md")
        root = subject.root / file.path
        yield replace(
            subject, name=safe(name), tree=Tree.single(file.data), document=place, root=root
        )


def _checked(words: str, subject: Subject, wanted: Profile | None) -> Checked:
    expected = _expected(words, subject)
    if subject.tree is None:
        message = subject.error.message if subject.error else "it cannot be read"
        return Checked(subject, expected, (Problem("error", "unreadable", message),))
    return Checked(subject, expected, validate(subject.tree, expected, wanted))


def _expected(words: str, subject: Subject) -> str:
    """The name that a skill's place gives it."""
    if subject.document:
        stem = subject.document.rpartition("/")[2].removesuffix(".md")
        return "" if stem.lower() == "skill" else stem
    if subject.root is not None:
        return subject.root.name
    if subject.folder:
        return subject.folder.rpartition("/")[2]
    installed = is_skill_name(words) and subject.name == words
    return subject.name if installed else ""


def place_on_disk(subject: Subject, path: str) -> Path | None:
    """Where a file of a subject lies on this machine; None when it came from elsewhere."""
    if subject.root is None:
        return None
    return subject.root if subject.document else subject.root / path
