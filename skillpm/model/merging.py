"""Three versions of a skill's files become one: what each side changed, file by file."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from skillpm.errors import InvalidSkillError
from skillpm.model.tree import File, Tree

MergeText = Callable[[bytes, bytes, bytes], bytes | None]
"""Base, mine and theirs of one text; None when the same lines were changed on both sides."""


class Merge(NamedTuple):
    """What came of it.

    Attributes:
        tree: the files of both sides' changes; None when they cannot be brought together.
        conflicts: what both sides changed differently: path and why, sorted.
    """

    tree: Tree | None
    conflicts: tuple[str, ...] = ()


class _Conflict(Exception):  # noqa: N818 - it leaves this module as a line of text
    """Why one file cannot be merged."""


def merge(base: Tree, mine: Tree, theirs: Tree, text: MergeText) -> Merge:
    """Bring together what was changed since `base` on two sides.

    A file that only one side changed, added or took away is as that side has it, and so is one
    that both have alike. Only a text that both changed is merged by its lines.
    """
    before, ours, new = ({file.path: file for file in tree.files} for tree in (base, mine, theirs))
    files: list[File] = []
    conflicts: list[str] = []
    for path in sorted(before.keys() | ours.keys() | new.keys()):
        try:
            merged = _file(before.get(path), ours.get(path), new.get(path), text)
        except _Conflict as conflict:
            conflicts.append(f"{path}: {conflict}")
        else:
            files += [merged] if merged else []
    if conflicts:
        return Merge(None, tuple(conflicts))
    try:
        return Merge(Tree.of(files))
    except InvalidSkillError as error:  # a file on one side, a folder on the other
        return Merge(None, (error.message,))


def _file(
    base: File | None, mine: File | None, theirs: File | None, text: MergeText
) -> File | None:
    if theirs in (mine, base):
        return mine
    if mine == base:
        return theirs
    if not mine or not theirs:
        raise _Conflict("taken away on one side and changed on the other")
    if not base:
        raise _Conflict("added on both sides, with other bytes")
    executable = theirs.executable if mine.executable == base.executable else mine.executable
    return File(mine.path, _bytes(base.data, mine.data, theirs.data, text), executable)


def _bytes(base: bytes, mine: bytes, theirs: bytes, text: MergeText) -> bytes:
    if theirs in (mine, base):
        return mine
    if mine == base:
        return theirs
    if any(b"\0" in data for data in (base, mine, theirs)):
        raise _Conflict("changed on both sides, and no text")
    merged = text(base, mine, theirs)
    if merged is None:
        raise _Conflict("the same lines were changed on both sides")
    return merged
