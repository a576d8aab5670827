"""Files: links are never followed, a write is whole or not there, and what is not ours stays."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cli import ROOT
from support.files import assert_same, build, tree_of

from skillpm.edges import disk, folders
from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.tree import MAX_BYTES, MAX_FILES, File, Tree

TREE = Tree.of([File("SKILL.md", b"text"), File("a/b/run.sh", b"#!/bin/sh\n", executable=True)])


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file outside, which no test may change in content or mode."""
    path = tmp_path / "victim"
    path.write_bytes(b"precious")
    path.chmod(0o640)
    yield path
    assert path.read_bytes() == b"precious"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_tree_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    folders.write_tree(TREE, tmp_path / "t")
    assert disk.read_tree(tmp_path / "t") == TREE
    modes = {path: mode & 0o777 for path, (_, mode) in tree_of(tmp_path / "t").items()}
    assert modes == {"SKILL.md": 0o644, "a/b/run.sh": 0o755}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o777])
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        if mask != 0o777:
            folders.write_tree(TREE, tmp_path / "t")
        folders.write_file(tmp_path / "f", b"x")
        folders.write_atomic(tmp_path / "g", b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "g").stat().st_mode) == 0o600
    if mask != 0o777:
        assert stat.S_IMODE((tmp_path / "t/a/b/run.sh").stat().st_mode) == 0o755
        assert not stat.S_IMODE((tmp_path / "t/a").stat().st_mode) & 0o022


def test_private_folders_are_private_with_their_parents(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        folders.private_folder(tmp_path / "a/b/c")
        first, second = folders.new_folder(tmp_path / "a/b"), folders.new_folder(tmp_path / "a/b")
    finally:
        os.umask(old)
    for path in ("a", "a/b", "a/b/c", first, second):
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == 0o700
    assert first != second


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    folders.private_folder(tmp_path / "a/b")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o755


@pytest.mark.parametrize("kind", ["file", "link to a file", "broken link"])
def test_something_else_in_the_place_of_a_folder_is_an_error(
    tmp_path: Path, victim: Path, kind: str
) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("x")
    else:
        place.symlink_to(victim if kind == "link to a file" else tmp_path / "nowhere")
    for use in (
        folders.private_folder,
        folders.new_folder,
        lambda p: folders.private_folder(p / "x"),
    ):
        with pytest.raises(StateError):
            use(place)


def links(root: Path, victim: Path) -> dict[str, Path]:
    """Everything that is no regular file, each below a folder of its own."""
    made = {}
    for name in ("symlink", "broken", "folder link", "fifo", "socket", "loop"):
        folder = build(root / name.replace(" ", "-"), {"SKILL.md": "x", "sub/": ""})
        made[name] = folder / "sub" / "x"
    made["symlink"].symlink_to(victim)
    made["broken"].symlink_to("nowhere")
    made["folder link"].symlink_to(root)
    made["loop"].symlink_to(made["loop"])
    os.mkfifo(made["fifo"])
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(made["socket"].parent)
        server.bind("x")
    return made


@pytest.mark.parametrize("kind", ["symlink", "broken", "folder link", "fifo", "socket", "loop"])
def test_what_is_no_regular_file_is_refused_and_named(
    tmp_path: Path, victim: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = links(tmp_path / "k", victim)[kind]
    with pytest.raises(InvalidSkillError, match="sub/x"):
        disk.read_tree(path.parent.parent)
    with pytest.raises((StateError, InvalidSkillError)):
        disk.read_below(path.parent.parent, "sub/x", 100)
    with pytest.raises(StateError):
        disk.read_file(path, 100)


def test_a_folder_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    build(tmp_path / "real", {"SKILL.md": "x", "sub/f": "y"})
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StateError):
        disk.read_tree(tmp_path / "link")
    (tmp_path / "real/inner").symlink_to("sub")
    with pytest.raises(StateError):
        disk.read_below(tmp_path / "real", "inner/f", 100)
    assert disk.read_below(tmp_path / "real", "sub/f", 100) == b"y"


@pytest.mark.parametrize("what", ["too many files", "too many bytes", "too deep", "too large"])
def test_reading_stops_at_the_limits(tmp_path: Path, what: str) -> None:
    root = tmp_path / "t"
    if what == "too many files":
        build(root, {f"f{n}": b"" for n in range(MAX_FILES + 1)})
    elif what == "too many bytes":
        build(root, {f"f{n}": bytes(MAX_BYTES // 4) for n in range(5)})
    elif what == "too deep":
        build(root, {"d/" * 40 + "f": b""})
    else:
        root.mkdir()
        with (root / "sparse").open("wb") as file:
            file.truncate(10 * 2**30)
    with pytest.raises(InvalidSkillError):
        disk.read_tree(root)


def test_names_can_be_left_out_at_any_depth(tmp_path: Path) -> None:
    build(tmp_path / "t", {"SKILL.md": "x", ".git/config": "y", "a/.git": "z", "a/b": "c"})
    tree = disk.read_tree(tmp_path / "t", without=frozenset({".git"}))
    assert [f.path for f in tree.files] == ["SKILL.md", "a/b"]
    with pytest.raises(InvalidSkillError, match="nested git"):
        disk.read_tree(tmp_path / "t")


def test_a_tree_is_never_written_over_something(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    for place in ("folder", "link", "broken", "victim"):
        with pytest.raises(StateError):
            folders.write_tree(TREE, tmp_path / place)
    assert list((tmp_path / "folder").iterdir()) == []
    assert not (tmp_path / "nowhere").exists()
    for place in ("victim", "link", "broken"):
        with pytest.raises(StateError):
            folders.write_file(tmp_path / place, b"evil")


def test_a_file_is_replaced_in_one_step_and_a_link_itself(tmp_path: Path, victim: Path) -> None:
    path = tmp_path / "sub/f"
    folders.write_atomic(path, b"one")
    folders.write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    path.unlink()
    path.symlink_to(victim)
    folders.write_atomic(path, b"three")
    assert not path.is_symlink()
    assert [p.name for p in path.parent.iterdir()] == ["f"]


def test_reading_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert disk.read_file(tmp_path / "no", 10) is None
    (tmp_path / "f").write_bytes(b"x" * 11)
    with pytest.raises(StateError, match="larger"):
        disk.read_file(tmp_path / "f", 10)
    with pytest.raises(StateError):
        disk.read_file(tmp_path, 10)


def test_the_kind_of_an_entry_is_told_without_following(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "link").symlink_to(victim)
    os.mkfifo(tmp_path / "fifo")
    kinds = [
        disk.entry_kind(tmp_path / n) for n in ("", "victim", "link", "fifo", "no", "victim/x")
    ]
    assert kinds == ["folder", "file", "link", "other", "", ""]


def test_two_entries_change_places_in_one_step(tmp_path: Path, victim: Path) -> None:
    build(tmp_path, {"a/f": "old", "b": "new"})
    assert folders.exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "b/f").read_text() == "old"
    (tmp_path / "link").symlink_to(victim)
    assert folders.exchange(tmp_path / "a", tmp_path / "link")
    assert (tmp_path / "a").is_symlink()
    with pytest.raises(StateError):
        folders.exchange(tmp_path / "a", tmp_path / "no")


def test_moving_needs_a_free_place(tmp_path: Path) -> None:
    build(tmp_path, {"a/f": "x", "b": "y"})
    with pytest.raises(StateError, match="appeared"):
        folders.move_new(tmp_path / "a", tmp_path / "b")
    (tmp_path / "broken").symlink_to("nowhere")
    with pytest.raises(StateError, match="appeared"):
        folders.move_new(tmp_path / "a", tmp_path / "broken")
    folders.move_new(tmp_path / "a", tmp_path / "c")
    assert (tmp_path / "c/f").read_text() == "x"


def test_removing_never_follows_a_link(tmp_path: Path, victim: Path) -> None:
    outside = build(tmp_path / "outside", {"f": "keep", "g/h": "keep"})
    before = tree_of(outside)
    root = build(tmp_path / "t", {"a/b": "x", "c": "y"})
    (root / "link").symlink_to(outside)
    (root / "a/file").symlink_to(victim)
    (root / "a").chmod(0o500)
    folders.remove_entry(root)
    assert not root.exists()
    (tmp_path / "link").symlink_to(outside)
    for name in ("link", "not-there"):
        folders.remove_entry(tmp_path / name)
    assert not (tmp_path / "link").is_symlink()
    assert_same(before, tree_of(outside))


PROGRAM = """
import sys
from pathlib import Path
from skillpm.edges import disk, folders
from skillpm.errors import StateError
from skillpm.model.tree import File, Tree
root = Path(sys.argv[1])
tree = Tree.of([File("SKILL.md", bytes(300_000)), File("b", bytes(300_000))])
for use in (lambda: folders.write_atomic(root / "state", bytes(600_000)),
            lambda: folders.write_tree(tree, root / "tree"),
            lambda: folders.new_folder(root / "deep")):
    try:
        use()
        print("done")
    except StateError as error:
        print(f"refused: {error.message} | {error.hint}")
"""


def program(prefix: list[str], root: Path) -> list[str]:
    done = subprocess.run(
        [*prefix, sys.executable, "-c", PROGRAM, str(root)],
        cwd=ROOT, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_leaves_the_old_file_and_nothing_half(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(box)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        (box / "state").write_bytes(b"old")
        first, second, third = program([], box)
        assert "No space left" in first
        assert "free some space" in first
        assert "No space left" in second
        assert third == "done"
        assert (box / "state").read_bytes() == b"old"
        assert not [p.name for p in box.iterdir() if p.name.startswith(".state")]
    finally:
        subprocess.run(["umount", str(box)], check=True)


def test_a_folder_that_may_not_be_written_is_named_with_a_way_out(tmp_path: Path) -> None:
    probe = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]
    can = subprocess.run([*probe, sys.executable, "-c", "import skillpm"], cwd=ROOT, check=False)
    if os.geteuid() != 0 or can.returncode:
        pytest.skip("dropping to another user needs root and a Python that it may run")
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    for parent in home.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    for line in program(probe, home):
        assert line.startswith("refused: ")
        assert "Permission denied" in line
        assert "SKILL_HOME" in line
    assert list(home.iterdir()) == []
