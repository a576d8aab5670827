"""The store's own promises: one step, nothing overwritten behind a decision, and healing."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path

import pytest
from support.files import build, tree_of

from skillpm.edges.database import Database
from skillpm.errors import ConflictError, StateError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.retention import FOREVER
from skillpm.model.tree import ENTRY, File, Tree, manifest
from skillpm.store import steps
from skillpm.store.change import FILE, FOLDER, Change, Writing
from skillpm.store.history import History, broken
from skillpm.store.library import State
from skillpm.store.schema import MIGRATIONS
from skillpm.store.steps import Step
from skillpm.store.transaction import Store

NAME = SkillName("tidy-up")


def tree(text: str = "one", *more: str) -> Tree:
    """A package of an entry document and some files."""
    return Tree.of([File(ENTRY, text.encode()), *(File(path, b"x", True) for path in more)])


def change(of: Tree, expected: str = "", source: str = "/work") -> Change:
    """An install of a tree."""
    record = Record(
        NAME, "words", Registry(), source, "", Revision("content", "0"), of.digest, of.git_sha1,
        Origin.LOCAL, len(of.files) > 1, "", "", "", "safe", 0, (), "then", "now",
        files=dict(manifest(of)),
    )  # fmt: skip
    return Change(NAME, record, of, expected, "install", shape=FOLDER if record.package else FILE)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return opened(tmp_path)


def opened(folder: Path) -> Store:
    """The store of a folder, as the next command opens it."""
    return Store(folder, Database(folder / "state.db", MIGRATIONS), lambda: "now", lambda _: None)


def test_an_install_shows_the_files_and_the_record_together(store: Store) -> None:
    new = tree("one", "scripts/run.sh")
    store.install(change(new))
    entry = store.library.entry(NAME)
    assert entry
    assert (entry.state, entry.digest) == (State.OK, new.digest)
    assert entry.record
    assert entry.record.files == dict(manifest(new))


def test_what_changed_since_the_decision_is_never_overwritten(store: Store) -> None:
    build(store.library.root / NAME, {ENTRY: "by hand"})
    with pytest.raises(ConflictError, match="changed in the library"):
        store.install(change(tree()))
    with pytest.raises(ConflictError):
        store.remove(NAME, tree().digest)
    assert tree_of(store.library.root / NAME)[ENTRY][0] == b"by hand"
    assert store.records.get(NAME) is None


def test_a_skill_that_was_removed_meanwhile_is_not_brought_back(store: Store) -> None:
    first = tree("one")
    store.install(change(first))
    seen = change(tree("two"))._replace(was=first.digest)
    store.remove(NAME, first.digest)
    with pytest.raises(ConflictError):
        store.install(seen)
    assert store.library.entry(NAME) is None


def test_a_replaced_copy_is_in_the_store_whoever_wrote_it(store: Store, tmp_path: Path) -> None:
    store.install(change(tree("first", "a")))
    store.install(change(tree("second", "b"), tree("first", "a").digest))
    build(store.library.root / NAME, {ENTRY: "edited"})
    entry = store.library.entry(NAME)
    assert entry
    assert entry.state is State.EDITED
    store.remove(NAME, entry.digest)
    kept = {data for data, _ in tree_of(tmp_path / "store").values()}
    assert {b"first", b"second", b"edited"} <= kept


def test_the_store_holds_each_tree_once_and_mends_one_that_was_damaged(store: Store) -> None:
    place = store.trees.keep(tree("one", "a"))
    assert store.trees.keep(tree("one", "a")) == place
    (place / "a").chmod(0o600)
    (place / "a").write_bytes(b"damage")
    store.trees.keep(tree("one", "a"))
    assert (place / "a").read_bytes() == b"x"


def test_a_twin_of_the_other_shape_is_not_pushed_aside(store: Store) -> None:
    single = Tree.single(b"one")
    store.install(change(single))
    build(store.library.root / NAME, {ENTRY: "by hand"})
    with pytest.raises(ConflictError, match="stands in the way"):
        store.install(change(tree("two", "a"), single.digest))
    assert (store.library.root / "tidy-up.md").read_bytes() == b"one"
    assert (store.library.root / NAME / ENTRY).read_bytes() == b"by hand"


def test_litter_in_the_work_space_is_cleared_by_the_next_command(tmp_path: Path) -> None:
    opened(tmp_path)
    build(tmp_path / "staging" / "tmp-1", {"half/SKILL.md": "half"})
    assert opened(tmp_path).heal() == ()
    assert not tree_of(tmp_path / "staging")


def test_history_and_events_tell_what_happened(store: Store, tmp_path: Path) -> None:
    store.install(change(tree("first", "a")))
    store.install(change(tree("second", "a"), tree("first", "a").digest))
    store.remove(NAME, tree("second", "a").digest)
    database = Database(tmp_path / "state.db", MIGRATIONS)
    actions = [row["action"] for row in database.rows("SELECT action FROM events ORDER BY id")]
    assert actions == ["install", "install", "remove"]
    digests = [row["digest"] for row in database.rows("SELECT digest FROM history ORDER BY id")]
    assert digests == ["", tree("first", "a").digest, tree("second", "a").digest]
    assert database.rows("SELECT * FROM journal") == []


OTHER = SkillName("other")
STEPS = 4


def pair(first: Tree, second: Tree, *expected: str) -> list[Change]:
    """One change of each of two skills."""
    changes = []
    for name, of, old in zip((NAME, OTHER), (first, second), expected, strict=True):
        one = change(of, old)
        assert one.record
        record = dataclasses.replace(one.record, name=name)
        changes.append(one._replace(name=name, record=record))
    return changes


class Stop(BaseException):
    """What a process that dies at a step feels."""


def shown(store: Store, lock: Path) -> tuple[dict[str, str], bytes | None]:
    """Digest by name, the recorded ones checked against the files; and the file beside them."""
    entries = store.library.entries()
    assert {entry.state for entry in entries} <= {State.OK}
    return {e.name: e.digest for e in entries}, lock.read_bytes() if lock.exists() else None


class TestTogether:
    """Several skills and a file of the user's: all of them or none."""

    old = tree("old", "a"), tree("old")  # the second changes its shape, which takes two steps
    new = tree("new", "a"), tree("new", "b")

    @pytest.fixture
    def lock(self, tmp_path: Path) -> Path:
        """A file of the user's, elsewhere."""
        return build(tmp_path / "project", {"skills.lock": "old"}) / "skills.lock"

    @pytest.fixture
    def both(self, store: Store) -> Store:
        """A store in which both skills stand in their old version."""
        store.apply("install both", pair(*self.old, "", ""))
        return store

    def update(self, store: Store, lock: Path) -> int:
        changes = pair(*self.new, *(one.digest for one in self.old))
        return store.apply("update both", changes, [Writing(lock, b"new", b"old")])

    def states(self) -> list[tuple[dict[str, str], bytes]]:
        return [
            ({NAME: first.digest, OTHER: second.digest}, text)
            for (first, second), text in ((self.old, b"old"), (self.new, b"new"))
        ]

    def test_they_change_together_and_back(self, both: Store, lock: Path, tmp_path: Path) -> None:
        number = self.update(both, lock)
        old, new = self.states()
        assert shown(both, lock) == new
        assert [one.effect.name for one in both.history.within(number)] == [NAME, OTHER, ""]
        assert sorted(path.name for path in lock.parent.iterdir()) == ["skills.lock"]
        assert not tree_of(tmp_path / "staging")
        assert old != new

    @pytest.mark.parametrize("step", range(STEPS + 1))
    def test_what_fails_in_the_middle_is_taken_back(
        self, both: Store, lock: Path, step: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stop_at(monkeypatch, step, StateError("the disk is full"))
        if step < STEPS:
            with pytest.raises(StateError, match="full"):
                self.update(both, lock)
        else:
            self.update(both, lock)
        assert shown(both, lock) == self.states()[step == STEPS]
        assert sorted(path.name for path in lock.parent.iterdir()) == ["skills.lock"]

    @pytest.mark.parametrize("step", range(STEPS + 1))
    def test_a_death_in_the_middle_is_healed_to_one_side(
        self, both: Store, lock: Path, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            stop_at(patch, step, Stop())
            patch.setattr(Store, "_give_up", lambda *_: None)
            with contextlib.suppress(Stop):
                self.update(both, lock)
        again = opened(tmp_path)
        said = again.heal()
        assert bool(said) == (step < STEPS)
        assert shown(again, lock) == self.states()[step > 0]
        assert sorted(path.name for path in lock.parent.iterdir()) == ["skills.lock"]
        assert opened(tmp_path).heal() == ()

    def test_what_a_person_did_after_the_death_stays_and_so_does_what_gave_way(
        self, both: Store, lock: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        build(both.library.root / NAME, {ENTRY: "edited"})
        edited = both.library.read(both.library.place(NAME, package=True)).digest
        changes = pair(*self.new, edited, self.old[1].digest)
        with monkeypatch.context() as patch:
            stop_at(patch, 1, Stop())
            patch.setattr(Store, "_give_up", lambda *_: None)
            with pytest.raises(Stop):
                both.apply("update both", changes, [Writing(lock, b"new", b"old")])
        build(both.library.root / NAME, {ENTRY: "mine, later"})
        again = opened(tmp_path)
        again.heal()
        assert tree_of(again.library.root / NAME)[ENTRY][0] == b"mine, later"
        assert lock.read_bytes() == b"old"
        assert edited in {one.effect.before for one in again.history.of(NAME)}
        again.prune(FOREVER)
        assert again.trees.read(edited).entry == b"edited"

    def test_a_file_that_changed_meanwhile_stops_everything(self, both: Store, lock: Path) -> None:
        lock.write_bytes(b"mine")
        with pytest.raises(ConflictError, match=r"skills\.lock"):
            self.update(both, lock)
        assert shown(both, lock) == (self.states()[0][0], b"mine")


def stop_at(monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException) -> None:
    """Let the `number`-th step (from 0) raise instead of being taken."""
    taken = iter(range(100))
    forward = steps.forward

    def stopping(step: Step) -> None:
        if next(taken) == number:
            raise error
        forward(step)

    monkeypatch.setattr(steps, "forward", stopping)


class TestLog:
    """Each line is chained to those before it."""

    @pytest.fixture
    def database(self, store: Store, tmp_path: Path) -> Database:
        """The database after three operations."""
        store.install(change(tree("first", "a")))
        store.install(change(tree("second", "a"), tree("first", "a").digest))
        store.remove(NAME, tree("second", "a").digest)
        return Database(tmp_path / "state.db", MIGRATIONS)

    def test_a_log_that_was_left_alone_holds(self, database: Database) -> None:
        history = History(database)
        assert broken(history.events(), history.issued()) == ""

    @pytest.mark.parametrize(
        ("sql", "told"),
        [
            ("UPDATE events SET name = 'else' WHERE id = 2", "line 2 is not"),
            ("UPDATE events SET at = 'never' WHERE id = 1", "line 1 is not"),
            ("UPDATE events SET chain = '' WHERE id = 2", "line 2 has no chain"),
            ("DELETE FROM events WHERE id = 1", "line 1 is missing"),
            ("DELETE FROM events WHERE id = 2", "line 2 is missing"),
            ("DELETE FROM events WHERE id = 3", "line 3 is missing"),
        ],
    )
    def test_what_was_changed_shows(self, database: Database, sql: str, told: str) -> None:
        with database.transaction() as connection:
            connection.execute(sql)
        history = History(database)
        assert broken(history.events(), history.issued()).startswith(told)
