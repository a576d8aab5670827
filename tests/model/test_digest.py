"""The digest of a tree is git's own: stock git computes the same from the same files."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support.gitrepo import git_environment

from skillpm.errors import InvalidSkillError
from skillpm.model.tree import DIGEST_PREFIX, Blob, File, Tree, git_tree_id

PARTS = st.one_of(
    st.sampled_from(["a", "a.b", "a-b", "a0", "ab", "b", "SKILL.md", ".hidden", "é", "日本"]),
    st.text(st.characters(min_codepoint=33, max_codepoint=0x2FF), min_size=1, max_size=6),
)
FILES = st.builds(
    File,
    st.lists(PARTS, min_size=1, max_size=4).map("/".join),
    st.binary(max_size=64),
    st.booleans(),
)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Trees of files with all kinds of names; those that are refused are left out one by one."""
    kept: list[File] = []
    for file in draw(st.lists(FILES, min_size=1, max_size=12)):
        try:
            Tree.of([*kept, file])
        except InvalidSkillError:
            continue
        kept.append(file)
    return Tree.of(kept or [File("SKILL.md", b"")])


def written_by_git(tree: Tree, algorithm: str) -> str:
    """What `git init; git add; git write-tree` says of the files, written to a real folder."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for file in tree.files:
            place = folder / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
            place.chmod(0o755 if file.executable else 0o644)
        git(folder, "init", "-q", f"--object-format={algorithm}")
        git(folder, "-c", "core.autocrlf=false", "add", "-Af", ".")
        return git(folder, "write-tree")


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", *args],
        cwd=folder,
        env=git_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_stock_git_computes_the_same_digest(tree: Tree) -> None:
    assert tree.digest == DIGEST_PREFIX + written_by_git(tree, "sha256")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_stock_git_computes_the_same_sha1_tree_id(tree: Tree) -> None:
    assert tree.git_sha1 == written_by_git(tree, "sha1")


@given(trees(), st.integers())
def test_the_digest_does_not_depend_on_the_order(tree: Tree, seed: int) -> None:
    files: Sequence[File] = random.Random(seed).sample(tree.files, len(tree.files))  # noqa: S311
    assert Tree.of(files).digest == tree.digest


@given(trees(), st.data())
def test_any_change_changes_the_digest(tree: Tree, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(tree.files) - 1))
    old = tree.files[index]
    others = [*tree.files[:index], *tree.files[index + 1 :]]
    for changed in (
        File(old.path, old.data + b"x", old.executable),
        File(old.path, old.data, not old.executable),
        File(old.path + "x", old.data, old.executable),
    ):
        try:
            other = Tree.of([*others, changed])
        except InvalidSkillError:
            continue  # the new name collides
        assert other.digest != tree.digest


def test_a_tree_id_needs_no_more_than_the_ids_of_its_blobs() -> None:
    empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    blobs = [Blob("d/b", "100755", empty), Blob("a", "100644", empty)]
    tree = Tree.of([File("a", b""), File("d/b", b"", executable=True)])
    assert git_tree_id(blobs) == tree.git_sha1


@pytest.mark.parametrize(
    "names", [("a", "a.b", "a/x"), ("a-b", "a/x", "a0"), ("x.y", "x/y", "x0y")]
)
def test_folders_sort_as_git_sorts_them(names: tuple[str, ...]) -> None:
    paths = [n for n in names if not any(o.startswith(n + "/") for o in names)]
    tree = Tree.of(File(path, os.fsencode(path)) for path in paths)
    assert tree.git_sha1 == written_by_git(tree, "sha1")
