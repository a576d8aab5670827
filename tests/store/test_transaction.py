"""The store's own promises: one step, nothing overwritten behind a decision, and healing."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.files import build, tree_of

from skillpm.edges.database import Database
from skillpm.errors import ConflictError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.tree import ENTRY, File, Tree, manifest
from skillpm.store.library import State
from skillpm.store.schema import MIGRATIONS
from skillpm.store.transaction import Change, Store

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
    return Change(NAME, record, of, expected, "install", package=record.package)


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
