"""Entries in agents' folders: what is ours, and how it follows the skill that it shows."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest
from support.files import build, tree_of

from skillpm.errors import ConflictError, StateError
from skillpm.model.tree import ENTRY, Tree
from skillpm.store import steps
from skillpm.store.change import FILE, FOLDER, Placing
from skillpm.store.showing import back, pointer, seen
from skillpm.store.steps import Inside, Link, mark_of
from skillpm.store.transaction import Store
from store.test_transaction import NAME, Stop, change, opened, stop_at, tree

LINKED, COPIED = "agent/skills", "other/skills"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return opened(tmp_path / "state")


def placings(store: Store, folder: Path, of: Tree, *, package: bool) -> tuple[Placing, ...]:
    """A link and a copy of a skill that is to be installed."""
    target = store.library.place(NAME, package=package)
    link, copy = folder / LINKED / NAME, folder / COPIED / NAME
    return (
        Placing(link, NAME, "", seen(link), pointer(link, target)),
        Placing(copy, NAME, "", seen(copy), of),
    )


def install(store: Store, folder: Path, of: Tree) -> None:
    """Install a skill with its entries."""
    one = change(of)
    assert one.record
    store.install(one._replace(places=placings(store, folder, of, package=one.record.package)))


def update(store: Store, new: Tree, old: Tree) -> None:
    """Bring another version; nothing is said of its entries."""
    store.install(change(new, old.digest))


def read(folder: Path) -> tuple[str, str]:
    """What the two agents read; "" for nothing."""
    places = (folder / where / NAME / ENTRY for where in (LINKED, COPIED))
    first, second = (place.read_text() if place.exists() else "" for place in places)
    return first, second


@pytest.mark.parametrize("more", [(), ("a",)], ids=["document", "package"])
def test_an_install_is_seen_at_once_and_an_update_too(
    store: Store, tmp_path: Path, more: tuple[str, ...]
) -> None:
    first, second = tree("first", *more), tree("second", *more)
    install(store, tmp_path, first)
    assert read(tmp_path) == ("first", "first")
    link = tmp_path / LINKED / NAME
    assert link.is_symlink() == bool(more)
    assert (link if more else link / ENTRY).readlink().parts[0] == os.pardir
    update(store, second, first)
    assert read(tmp_path) == ("second", "second")
    store.remove(NAME, second.digest)
    assert tree_of(tmp_path / "agent") == tree_of(tmp_path / "other")
    assert not store.shown.on("")


@pytest.mark.parametrize("grows", [True, False])
def test_a_skill_that_changes_its_shape_is_still_shown(
    store: Store, tmp_path: Path, *, grows: bool
) -> None:
    small, large = tree("small"), tree("large", "a")
    old, new = (small, large) if grows else (large, small)
    install(store, tmp_path, old)
    update(store, new, old)
    assert read(tmp_path) == (new.entry.decode(), new.entry.decode())
    assert (tmp_path / LINKED / NAME).is_symlink() == grows


def test_what_an_agent_edited_or_exchanged_is_kept_and_not_ours_any_more(
    store: Store, tmp_path: Path
) -> None:
    first, second = tree("first", "a"), tree("second", "a")
    install(store, tmp_path, first)
    (tmp_path / COPIED / NAME / ENTRY).write_text("edited")
    (tmp_path / LINKED / NAME).unlink()
    build(tmp_path / LINKED / NAME, {ENTRY: "mine"})
    update(store, second, first)
    assert read(tmp_path) == ("mine", "edited")
    store.remove(NAME, second.digest)
    assert read(tmp_path) == ("mine", "edited")
    assert not store.shown.on("")


def test_bytecode_in_a_copy_is_no_edit(store: Store, tmp_path: Path) -> None:
    first, second = tree("first", "a"), tree("second", "a")
    install(store, tmp_path, first)
    build(tmp_path / COPIED / NAME, {"__pycache__/a.cpython-311.pyc": "x"})
    update(store, second, first)
    assert sorted(tree_of(tmp_path / COPIED / NAME)) == [ENTRY, "a"]


def test_what_was_put_there_meanwhile_stops_everything(store: Store, tmp_path: Path) -> None:
    one = change(tree("one", "a"))
    places = placings(store, tmp_path, tree("one", "a"), package=True)
    build(tmp_path / LINKED / NAME, {ENTRY: "mine"})
    with pytest.raises(ConflictError, match="changed while we were working"):
        store.install(one._replace(places=places))
    assert store.library.entry(NAME) is None
    assert read(tmp_path) == ("mine", "")


def test_a_folder_exchanged_for_a_link_stops_everything_and_is_not_gone_through(
    store: Store, tmp_path: Path
) -> None:
    one = change(tree("one", "a"))
    places = placings(store, tmp_path, tree("one", "a"), package=True)
    build(tmp_path / "victim/skills", {"theirs": "x"})
    (tmp_path / "agent").symlink_to("victim")
    with pytest.raises(StateError, match="agent"):
        store.install(one._replace(places=places))
    assert list(tree_of(tmp_path / "victim")) == ["skills/theirs"]
    assert store.library.entry(NAME) is None


def test_a_folder_that_became_a_link_is_left_alone_by_a_removal(
    store: Store, tmp_path: Path
) -> None:
    one = tree("one", "a")
    install(store, tmp_path, one)
    (tmp_path / "agent").rename(tmp_path / "moved")
    (tmp_path / "agent").symlink_to("moved")
    store.remove(NAME, one.digest)
    assert (tmp_path / "moved/skills" / NAME).is_symlink()
    assert not (tmp_path / COPIED / NAME).exists()


STEPS = 3


@pytest.mark.parametrize("step", range(STEPS + 1))
def test_a_death_in_the_middle_is_healed_to_one_side(
    store: Store, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = tree("one", "a")
    with monkeypatch.context() as patch:
        stop_at(patch, step, Stop())
        patch.setattr(Store, "_give_up", lambda *_: None)
        with contextlib.suppress(Stop):
            install(store, tmp_path, one)
    again = opened(tmp_path / "state")
    again.heal()
    whole = step > 0
    assert (again.library.entry(NAME) is not None) == whole
    assert read(tmp_path) == (("one", "one") if whole else ("", ""))
    assert len(again.shown.on("")) == (2 if whole else 0)
    for where in (LINKED, COPIED):
        assert [place.name for place in (tmp_path / where).iterdir()] == [NAME] * whole


@pytest.mark.parametrize("step", range(STEPS))
def test_what_fails_in_the_middle_is_taken_back(
    store: Store, tmp_path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(monkeypatch, step, StateError("the disk is full"))
    with pytest.raises(StateError, match="full"):
        install(store, tmp_path, tree("one", "a"))
    assert read(tmp_path) == ("", "")
    assert not store.shown.on("")
    assert not any(tree_of(tmp_path / "agent" / "skills"))


def test_effects_are_taken_back_but_for_what_somebody_changed(store: Store, tmp_path: Path) -> None:
    install(store, tmp_path, tree("one", "a"))
    shutil.rmtree(tmp_path / COPIED / NAME)
    last = store.history.last()
    assert last
    effects = [done.effect for done in store.history.within(last.id) if not done.effect.name]
    link, copy = (back(effect, store.trees) for effect in effects)
    assert link == Placing(tmp_path / LINKED / NAME, NAME, "", effects[0].after, None)
    assert copy
    assert copy.left


@pytest.mark.parametrize(
    ("content", "shape"), [(Link("../x"), FOLDER), (Inside("../../x.md"), FILE)]
)
def test_a_mark_says_what_stands_there(tmp_path: Path, content: Link | Inside, shape: str) -> None:
    step = steps.Step(str(tmp_path / "place"), str(tmp_path / "room"), "", mark_of(content))
    steps.stage(step, content)
    steps.forward(step)
    assert seen(tmp_path / "place") == mark_of(content)
    target = tmp_path / ("x.md" if shape == FILE else "x")
    assert pointer(tmp_path / "y" / "place", target) == (
        Link("../x") if shape == FOLDER else Inside("../../x.md")
    )
    steps.back(step)
    assert seen(tmp_path / "place") == ""
