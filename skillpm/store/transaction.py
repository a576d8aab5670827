"""Changing the library: staged aside, visible in one step, recorded with it, healed after a crash.

Every tree goes to the store first (immutable, by digest). A journal row then says which places
will change and what will be recorded; the new entries are staged in rooms of their own, and the
row becomes ready. Each step is one rename or exchange, and one database transaction records
what was done and takes the row away. Whatever moment the process dies at, `heal` sees from the
places how far it got: what was begun is finished when nothing of it was touched meanwhile, and
taken back otherwise.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skillpm.edges import disk, folders
from skillpm.edges.database import Database, Row
from skillpm.edges.lock import exclusive
from skillpm.errors import ConflictError, InvalidSkillError, StateError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Revision
from skillpm.model.retention import Retention
from skillpm.model.tree import DIGEST_PREFIX, MAX_BYTES, Tree
from skillpm.store import showing, steps
from skillpm.store.change import FILE, REASONS, Change, Placing, Writing, content_of, shape_of
from skillpm.store.history import Effect, History, detail_of, effects_from
from skillpm.store.journal import DONE, Journal
from skillpm.store.kept import Kept, leftovers
from skillpm.store.library import Library
from skillpm.store.reviews import Reviews
from skillpm.store.showing import Showings
from skillpm.store.steps import UNREADABLE, Content, Step
from skillpm.store.taps import Taps
from skillpm.store.trees import Trees


class Store:
    """The state of one user: library, immutable trees, records, history, journal.

    Args:
        data: the folder that holds all of it.
        now: the time as ISO 8601.
        say: told when another process is waited for.
    """

    def __init__(
        self, data: Path, database: Database, now: Callable[[], str], say: Callable[[str], None]
    ) -> None:
        self._data = data
        self._database = database
        self._now = now
        self._say = say
        self.kept = Kept(data, database, now)
        self.records = self.kept.records
        self.history = History(database)
        self.shown = Showings(database)
        self.taps = Taps(database, self.history, now)
        self.reviews = Reviews(database, self.history, now)
        self.trees = Trees(data / "store", data / "staging")
        self.library = self.kept.library
        self._journal = Journal(database)
        self._healed = False

    def apply(
        self,
        command: str,
        changes: Sequence[Change],
        writings: Sequence[Writing] = (),
        undoes: int = 0,
        placings: Sequence[Placing] = (),
    ) -> int:
        """Make decided changes, all of them or none, with their records; returns the operation.

        Args:
            command: what the user asked for, for the history.
            changes: what becomes of skills.
            writings: what becomes of files of the user's, together with them.
            undoes: the operation that is taken back; 0 for none.
            placings: what becomes of entries in agents' folders, beside what follows from changes.

        Raises:
            ConflictError: something is no longer what the decision saw.
            StateError: the disk refuses; the old state is then whole.
        """
        with self._exclusive():
            for change in changes:
                self._check(change)
            for writing in writings:
                _check_file(writing)
            entries = showing.all_placings(self.shown, changes, placings, self._shelf)
            for entry in entries:
                entry.check()
            effects = [self._effect(change) for change in changes]
            rewritten = [one for one in writings if one.data != one.expected]
            effects += [self._rewrite(writing) for writing in rewritten]
            effects += [entry.effect for entry in entries]
            showing.keep(self.trees, entries)
            for tree in (tree for change in changes for tree in (change.tree, change.base)):
                if tree:
                    self.trees.keep(tree)
            contents = [one for change in changes for one in self._contents(change)]
            contents += [(writing.path, writing.data) for writing in rewritten]
            contents += [(entry.place, entry.content) for entry in entries if not entry.left]
            return self._run(command, contents, effects, undoes)

    def install(self, change: Change) -> None:
        """Make one decided change visible, with its record.

        Raises:
            ConflictError, StateError: as `apply`.
        """
        self.apply(f"{change.reason} {change.name}", [change])

    def remove(self, name: SkillName, expected: str) -> None:
        """Take a skill out of the library, with its record; its tree stays in the store.

        Raises:
            ConflictError, StateError: as `apply`.
        """
        self.install(Change(name, None, None, expected, "remove"))

    def restamp(self, name: SkillName, revision: Revision) -> None:
        """Write down that the same files stand at another revision of their source.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive(), self._database.transaction() as connection:
            self.records.restamp(connection, name, revision)
            self.history.event(connection, "restamp", name, revision.value, self._now())

    def pin(self, name: SkillName, *, pinned: bool) -> None:
        """Hold an install where it is, or let it go.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive(), self._database.transaction() as connection:
            self.records.pin(connection, name, pinned=pinned)
            action = "pin" if pinned else "unpin"
            self.history.event(connection, action, name, {}, self._now())

    def ask_for(self, name: SkillName) -> None:
        """Write down that somebody asked for a skill itself, which was a dependency before.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive(), self._database.transaction() as connection:
            self.records.ask_for(connection, name)
            self.history.event(connection, "ask", name, {}, self._now())

    def keep(self, tree: Tree) -> Path:
        """The folder in which a tree lies immutable; it is read again, and made when it is not so.

        Raises:
            StateError: the disk refuses.
        """
        if self.trees.has(tree.digest):
            return self.trees.place(tree.digest)
        with self._exclusive():
            return self.trees.keep(tree)

    def faults(self) -> list[str]:
        """What is wrong with `state.db` as a file, in SQLite's words; [] for nothing.

        Raises:
            StateError: it cannot be read at all.
        """
        return self._database.faults()

    def unnamed(self, keep: Retention) -> tuple[Path, ...]:
        """The trees that no install and no line of the history that is kept names.

        Raises:
            StateError: the disk refuses.
        """
        return self.trees.others(self.records.digests(keep, self._now()))

    def prune(self, keep: Retention) -> None:
        """Remove the trees that are not named; what was interrupted is healed first.

        Raises:
            StateError: the disk refuses.
        """
        with self._exclusive():
            for place in self.unnamed(keep):
                folders.remove_entry(place)

    def heal(self) -> tuple[str, ...]:
        """Finish or undo what a process that died left over; says what was done.

        Raises:
            StateError: the disk refuses.
        """
        pending = bool(self._journal.rows())
        if self._healed or not (pending or self._leftovers()):
            return ()
        try:
            with exclusive(self._data / "lock", self._say):
                return self._heal_locked()
        except StateError:
            if pending:
                raise
            return ()  # only litter, on a disk that cannot be written

    def _heal_locked(self) -> tuple[str, ...]:
        self._healed = True
        pending = self._journal.rows()
        said = tuple(filter(None, map(self._heal_one, pending)))
        for leftover in self._leftovers():
            folders.remove_entry(leftover)
        return said

    def _heal_one(self, row: Row) -> str:
        left = steps.from_json(row["steps"])
        if row["ready"] == DONE:
            with contextlib.suppress(StateError):  # a project's folder that cannot be written now
                self._journal.clear(row["id"], left)
            return ""
        effects = effects_from(row["effects"])
        begun = row["ready"] and any(map(steps.is_begun, left)) and all(map(steps.is_open, left))
        if begun:
            for step in left:
                steps.forward(step)
            self._finish(row["id"], row["command"], effects, row["undoes"])
        else:
            self._undo(row["id"], left, effects)
        self._journal.clear(row["id"], left)
        return f"{'finished' if begun else 'took back'} what was interrupted: {row['command']}"

    def _leftovers(self) -> list[Path]:
        """What lies in the private work space; without the lock, perhaps another's work."""
        return leftovers(self._data)

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """The lock of the store; whoever changes anything starts from a healed state."""
        with exclusive(self._data / "lock", self._say):
            self._heal_locked()
            yield

    def _shelf(self, shelf: Path | None) -> Library:
        return Library(shelf, None, folders=True) if shelf else self.library

    def _check(self, change: Change) -> None:
        """Refuse when what stands there is not what was seen, or its other shape is somebody's."""
        library = self._shelf(change.shelf)
        place = library.occupied(change.name)
        actual = _digest(library, place) if place else ""
        record = None if change.shelf or change.was is None else self.records.get(change.name)
        known = change.shelf or change.was in (None, record.digest if record else "")
        if actual != change.expected or not known:
            raise ConflictError(
                f"{change.name} changed in the library while we were working", hint="run it again"
            )
        target = library.place(change.name, package=change.shape != FILE)
        if change.tree and place not in (None, target) and disk.entry_kind(target):
            raise ConflictError(
                f"{target} stands in the way and was not installed by skill",
                hint="move it away yourself",
            )

    def _effect(self, change: Change) -> Effect:
        """What a change will have done; what gives way is kept for the history."""
        library = self._shelf(change.shelf)
        place = library.occupied(change.name)
        was = None if change.shelf else self.records.get(change.name)
        if place:
            self.trees.keep(library.read(place))
        return Effect(
            change.name,
            str(change.shelf or ""),
            change.expected,
            was,
            change.tree.digest if change.tree else "",
            change.record,
            change.reason,
            shape_of(place),
        )

    def _rewrite(self, writing: Writing) -> Effect:
        """What a writing will have done; both its bytes are kept, each as a tree of one file."""
        before, after = map(self._kept_file, (writing.expected, writing.data))
        return Effect("", str(writing.path), before, None, after, None, "write")

    def _kept_file(self, data: bytes | None) -> str:
        if data is None:
            return ""
        tree = Tree.single(data)
        self.trees.keep(tree)
        return tree.digest

    def _contents(self, change: Change) -> Iterator[tuple[Path, Content]]:
        """The places that a change touches, and what shall stand there."""
        library = self._shelf(change.shelf)
        old = library.occupied(change.name)
        target = library.place(change.name, package=change.shape != FILE)
        if old and (change.tree is None or old != target):
            yield old, None
        if change.tree:
            yield target, content_of(change, change.tree)

    def _run(
        self,
        command: str,
        contents: Sequence[tuple[Path, Content]],
        effects: Sequence[Effect],
        undoes: int,
    ) -> int:
        planned = [(self._step(place, content), content) for place, content in contents]
        planned = [(step, content) for step, content in planned if step.old != step.new]
        todo = [step for step, _ in planned]
        journal = self._journal.begin(command, self._now(), todo, effects, undoes)
        try:
            for step, content in planned:
                steps.stage(step, content)
            self._journal.ready(journal)
            for step in todo:
                steps.forward(step)
            operation = self._finish(journal, command, effects, undoes)
        except BaseException:
            with contextlib.suppress(StateError):  # what cannot be taken back now is healed later
                self._give_up(journal, todo, effects)
            raise
        with contextlib.suppress(StateError):  # it is done; litter is cleared by the next command
            self._journal.clear(journal, todo)
        return operation

    def _step(self, place: Path, content: Content) -> Step:
        room = steps.room_for(place, self._data)
        ours = place.is_relative_to(self._data)
        (folders.private_folder if ours else folders.open_folder)(place.parent)
        return Step(str(place), str(room), steps.mark(place), steps.mark_of(content))

    def _finish(self, journal: int, command: str, effects: Sequence[Effect], undoes: int) -> int:
        now = self._now()
        with self._database.transaction() as connection:
            operation = self.history.begin(connection, command, now, undoes)
            for effect in effects:
                self.history.add(connection, operation, effect, now)
                if effect.reason in REASONS:
                    self.shown.settle(connection, effect)
                elif not effect.place:  # what stands in the library is recorded
                    self.records.forget(connection, effect.name)
                    if effect.becomes:
                        self.records.put(connection, effect.becomes)
                name, detail = showing.named(effect), detail_of(effect)
                self.history.event(connection, effect.reason, name, detail, now)
            self._journal.close(connection, journal, effects)
        return operation

    def _give_up(self, journal: int, todo: Sequence[Step], effects: Sequence[Effect]) -> None:
        """Take back what was done, unless it was recorded after all."""
        if self._journal.waits(journal):
            self._undo(journal, todo, effects)
            self._journal.clear(journal, todo)

    def _undo(self, journal: int, todo: Sequence[Step], effects: Sequence[Effect]) -> None:
        """Put back what gave way; what cannot be, as something new stands there, is remembered."""
        for step in reversed(todo):
            steps.back(step)
        gone = [effect for effect in effects if effect.before and not self._stands(effect)]
        with self._database.transaction() as connection:
            for effect in gone:
                kept = effect._replace(after="", becomes=None, reason="interrupted")
                self.history.add(connection, 0, kept, self._now())
            self._journal.close(connection, journal, effects)

    def _stands(self, effect: Effect) -> bool:
        """Whether what stood there before stands there."""
        if effect.reason in REASONS:  # a link says nothing that is lost with it
            is_link = not effect.before.startswith(DIGEST_PREFIX)
            return is_link or showing.seen(Path(effect.place)) == effect.before
        if not effect.name:
            data = disk.read_file(Path(effect.place), MAX_BYTES)
            return data is not None and Tree.single(data).digest == effect.before
        library = self._shelf(Path(effect.place) if effect.place else None)
        place = library.occupied(SkillName(effect.name))
        return place is not None and _digest(library, place) == effect.before


def _digest(library: Library, place: Path) -> str:
    try:
        return library.read(place).digest
    except (InvalidSkillError, StateError):
        return UNREADABLE


def _check_file(writing: Writing) -> None:
    if steps.mark(writing.path) != steps.mark_of(writing.expected):
        raise ConflictError(
            f"{writing.path} changed while we were working", hint="run the command again"
        )
