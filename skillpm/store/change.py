"""What shall become of a skill, and of files beside it, once that is decided."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from skillpm.errors import ConflictError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Record
from skillpm.model.tree import Tree
from skillpm.store import steps
from skillpm.store.history import Effect
from skillpm.store.library import SUFFIX
from skillpm.store.steps import LINK, Content, Link

FOLDER: Final = "folder"
FILE: Final = "file"

PUT: Final = "link"
OVER: Final = "link over"
TAKEN: Final = "unlink"
GIVEN: Final = "give back"
LEFT: Final = "leave"
REASONS: Final = (PUT, OVER, TAKEN, GIVEN, LEFT)
"""The reasons of effects that are about entries; their `shape` is the shelf of the skill."""


class Placing(NamedTuple):
    """What shall become of an entry.

    Attributes:
        expected: the mark of what stands there, as the decision saw it; "" for nothing.
        content: what shall stand there; None for nothing.
        left: what stands there is somebody's: it stays, and is recorded no more.
        over: what stands there is somebody's, who said that it gives way.
        given: the content is somebody's and not ours: it is put back, and not recorded.
    """

    place: Path
    name: SkillName
    shelf: str
    expected: str
    content: Content
    left: bool = False
    over: bool = False
    given: bool = False

    @property
    def effect(self) -> Effect:
        """What it will have done."""
        reason = TAKEN if self.content is None else OVER if self.over else PUT
        reason = LEFT if self.left else GIVEN if self.given else reason
        after = self.expected if self.left else steps.mark_of(self.content)
        return Effect("", str(self.place), self.expected, None, after, None, reason, self.shelf)

    def check(self) -> None:
        """Refuse when something else stands there by now.

        Raises:
            ConflictError: it does.
        """
        if not self.left and steps.mark(self.place) != self.expected:
            raise ConflictError(
                f"{self.place} changed while we were working", hint="run the command again"
            )


class Change(NamedTuple):
    """What shall become of one skill.

    Attributes:
        record: what will be recorded of it; None for nothing.
        tree: its files; None when it is taken away.
        expected: digest of what stands there now, as the decision saw it; "" for nothing. When
            something else stands there by then, nothing is changed.
        shelf: where it stands, when that is not the user's library: each skill a folder in it. What
            is recorded of it is then the business of whoever asked.
        shape: `folder`, `file`, or `link:` and what the link says; then the tree is what the link
            leads to, and is not written.
        base: the files that its edits were made to, when those of `tree` are edited; kept as well.
        places: entries in agents' folders that come with it; those that are recorded follow anyway.
        agents: further agents that are given it, for a project's lock.
        was: the digest that the decision saw recorded of it, "" for none; None where that is not
            looked at. The files alone do not tell: those of a skill can be missing.
    """

    name: SkillName
    record: Record | None
    tree: Tree | None
    expected: str
    reason: str
    shelf: Path | None = None
    shape: str = FOLDER
    base: Tree | None = None
    places: tuple[Placing, ...] = ()
    agents: tuple[str, ...] = ()
    was: str | None = None


class Writing(NamedTuple):
    """A file of the user's that changes together with skills: a project's lock.

    Attributes:
        data: its new bytes; None when it goes. The same as `expected`: it must stay as it is.
        expected: its bytes as the decision saw them; None for no file.
    """

    path: Path
    data: bytes | None
    expected: bytes | None


def shape_of(place: Path | None) -> str:
    """How something stands in its place."""
    if place is None:
        return FOLDER
    found = steps.mark(place)
    if found.startswith(LINK):
        return found
    return FILE if place.name.endswith(SUFFIX) else FOLDER


def content_of(change: Change, tree: Tree) -> Content:
    """What shall stand in the place of a change."""
    if change.shape.startswith(LINK):
        return Link(change.shape.removeprefix(LINK))
    return tree.entry if change.shape == FILE else tree
