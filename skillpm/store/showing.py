"""What stands in agents' folders by our doing: each entry shows one skill of a shelf to an agent.

An entry is a link to the place of the skill, a folder with a link to its one document, or a copy.
What is recorded of it is the mark of what was put there; it is ours while it bears that mark, and
nothing else there is ever touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from skillpm.edges import disk
from skillpm.errors import StateError
from skillpm.model.name import SkillName
from skillpm.model.tree import DIGEST_PREFIX, Tree
from skillpm.store import steps
from skillpm.store.change import FILE, LEFT, OVER, PUT, REASONS, Change, Placing
from skillpm.store.history import Effect
from skillpm.store.library import SUFFIX, Library, uncompiled
from skillpm.store.steps import INSIDE, LINK, UNREADABLE, Content, Inside, Link
from skillpm.store.trees import Trees

if TYPE_CHECKING:
    import sqlite3

    from skillpm.edges.database import Database


class Shown(NamedTuple):
    """An entry of ours.

    Attributes:
        place: the entry itself; its name is the skill's.
        shelf: where the skill stands; "" for the user's library.
        mark: of what was put there.
    """

    place: Path
    name: SkillName
    shelf: str
    mark: str

    @property
    def is_copy(self) -> bool:
        """Whether it holds the files themselves."""
        return not self.mark.startswith((LINK, INSIDE))

    def holds(self, at: str) -> bool:
        """Whether what bears that mark now is as skill put it there.

        What Python leaves beside the scripts that an agent ran is nobody's edit.
        """
        if at == self.mark or not (self.is_copy and at.startswith(DIGEST_PREFIX)):
            return at == self.mark
        return uncompiled(disk.read_tree(self.place)).digest == self.mark


class Showings:
    """Reading and writing what is recorded; each write takes the connection of a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, name: str, shelf: str) -> tuple[Shown, ...]:
        """The entries of one skill."""
        return self._rows("WHERE name = ? AND shelf = ?", name, shelf)

    def on(self, shelf: str) -> tuple[Shown, ...]:
        """The entries of every skill of a shelf, by name."""
        return self._rows("WHERE shelf = ?", shelf)

    def settle(self, connection: sqlite3.Connection, effect: Effect) -> None:
        """Record what became of an entry."""
        connection.execute("DELETE FROM shown WHERE place = ?", (effect.place,))
        if effect.reason in (PUT, OVER):
            row = (effect.place, named(effect), effect.shape, effect.after)
            connection.execute("INSERT INTO shown VALUES (?,?,?,?)", row)

    def _rows(self, condition: str, *values: str) -> tuple[Shown, ...]:
        sql = f"SELECT place, name, shelf, mark FROM shown {condition} ORDER BY name, place"  # noqa: S608 - constants
        return tuple(
            Shown(Path(row["place"]), SkillName(row["name"]), row["shelf"], row["mark"])
            for row in self._database.rows(sql, values)
        )


def named(effect: Effect) -> str:
    """The skill that an effect is about; "" for a file of the user's."""
    is_entry = not effect.name and effect.reason in REASONS
    return Path(effect.place).name if is_entry else effect.name


def seen(place: Path) -> str:
    """The mark of what stands in an agent's folder.

    What cannot be read, or is reached through a link by now, is nothing of ours.
    """
    try:
        if place.parent.resolve() != place.parent:
            return UNREADABLE
        return steps.mark(place)
    except (StateError, OSError, RuntimeError):
        return UNREADABLE


def pointer(place: Path, target: Path) -> Link | Inside:
    """What shows a skill at `place` without copying it; neither path has links on its way.

    A skill of one document is shown as a folder: agents look for nothing else.
    """
    if target.name.endswith(SUFFIX):
        return Inside(os.path.relpath(target, place))
    return Link(os.path.relpath(target, place.parent))


def following(
    showings: Showings, changes: Sequence[Change], shelf: Callable[[Path | None], Library]
) -> Iterator[Placing]:
    """What becomes of the entries of skills that change: they go, point elsewhere, or are copied.

    An entry that is not as it was put there stays as it is.
    """
    for change in changes:
        name = str(change.shelf or "")
        target = shelf(change.shelf).place(change.name, package=change.shape != FILE)
        for row in showings.of(change.name, name):
            at = seen(row.place)
            ours = row.holds(at)
            if change.tree is None:
                yield Placing(row.place, row.name, name, at, None, left=bool(at) and not ours)
                continue
            new = change.tree if row.is_copy else pointer(row.place, target)
            if ours and steps.mark_of(new) != row.mark:
                yield Placing(row.place, row.name, name, at, new)


def all_placings(
    showings: Showings,
    changes: Sequence[Change],
    more: Sequence[Placing],
    shelf: Callable[[Path | None], Library],
) -> list[Placing]:
    """Everything that becomes of entries: what was decided, and what follows from changes."""
    decided = [*more, *(one for change in changes for one in change.places)]
    taken = {one.place for one in decided}
    return decided + [one for one in following(showings, changes, shelf) if one.place not in taken]


def keep(trees: Trees, placings: Collection[Placing]) -> None:
    """Keep the files of copies, and of what gives way to an entry, for the way back."""
    for one in placings:
        if isinstance(one.content, Tree):
            trees.keep(one.content)
        if one.expected.startswith(DIGEST_PREFIX) and not one.left:
            trees.keep(disk.read_tree(one.place))


def back(effect: Effect, trees: Trees) -> Placing | None:
    """What takes an effect back; None where nothing is to be done, or somebody else has been.

    Raises:
        IntegrityError: the files that must come back are not kept any more.
    """
    place = Path(effect.place)
    at = seen(place)
    if effect.reason == LEFT:
        return None
    name = SkillName(named(effect))
    if at != effect.after:
        return None if effect.before else Placing(place, name, effect.shape, at, None, left=True)
    given = effect.reason == OVER
    return Placing(place, name, effect.shape, at, _content(effect.before, trees), given=given)


def _content(mark: str, trees: Trees) -> Content:
    if mark.startswith(LINK):
        return Link(mark.removeprefix(LINK))
    if mark.startswith(INSIDE):
        return Inside(mark.removeprefix(INSIDE))
    return trees.read(mark) if mark else None
