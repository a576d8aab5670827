"""The files of a skill: which paths can be held everywhere, which collide, and the limits."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.errors import InvalidSkillError
from skillpm.model.tree import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FILES,
    File,
    Tree,
    check_collisions,
    check_path,
    fold,
    manifest,
)

GOOD_PATHS = [
    "SKILL.md", "a", "a/b/c.txt", ".hidden", ".github/workflows/x.yml", "naïve/café.md", "日本.md",
    "a b/c d.md", "-rf", "~x", "console.md", "com", "con-artist.md", "nul1x", "a..b", "x" * 200,
    "/".join(["d"] * 11) + "/f", "gitignore", ".gitignore", ".gitattributes", "git~2", "#%&=+,;!@",
]  # fmt: skip
BAD_PATHS = [
    "", "/", "/etc/passwd", "../x", "a/../x", "a/..", "..", ".", "./a", "a/.", "a//b", "a/", "/a",
    "C:/x", "C:x", "c:\\x", "\\\\host\\share", "a\\b", "a:stream", "a\0b", "a\nb", "a\x1b[0m",
    "a\x7f",
    "a*", "a?", 'a"b', "a<b", "a>b", "a|b", "a.", "a ", " a", "a./b", "b /c", "...",
    "con", "CON", "con.md", "Con.tar.gz", "a/nul", "aux .md", "com1", "COM9.txt", "com¹", "lpt³.x",
    "conin$", "CLOCK$", "prn", ".git", ".GIT/config", "a/.git/hooks/x", ".Git", "git~1", "GIT~1/x",
    ".g\u200cit", "\uff0egit", "cafe\u0301.md", "\u212a.md", "a\u202eb", "a\u200bb", "a\ufeffb",
    "\ue000",
    "\ud800", "x" * 201, "d/" * 13 + "f", "é" * 101, "/".join(["x" * 150] * 4), "a\u2028b",
    "\u00a0",
]  # fmt: skip


@pytest.mark.parametrize("path", GOOD_PATHS)
def test_ordinary_paths_are_held_as_they_are(path: str) -> None:
    assert check_path(path) == path


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_some_system_misreads_is_refused_with_a_reason(path: str) -> None:
    with pytest.raises(InvalidSkillError, match="unsafe path") as caught:
        check_path(path)
    assert caught.value.message.isascii()
    assert caught.value.message.isprintable()
    with pytest.raises(InvalidSkillError):
        Tree.of([File("SKILL.md", b""), File(path, b"")])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.md", "a.md"), ("SKILL.md", "skill.md"), ("README", "readme"), ("straße", "strasse"),
        ("STRASSE", "straße"), ("ﬁle", "file"), ("k", "K"), ("ǆ", "ǅ"), ("\u017f", "s"), ("ﬀ",
        "FF"),
        ("d/a", "D/b"), ("d/x/a", "d/X/b"), ("a", "a/b"), ("A", "a/b"), ("é", "É"),
        ("ά", "Ά"), ("\u03c2", "\u03c3"), ("①", "1"), ("ⅳ", "iv"), ("\uff46", "f"),
    ],
)  # fmt: skip
def test_two_paths_that_are_one_on_some_disk_are_refused(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        with pytest.raises(InvalidSkillError):
            check_collisions(pair)


@pytest.mark.parametrize("pair", [("a", "b"), ("a/b", "a/c"), ("a.b", "a/b"), ("ab", "a/b")])
def test_different_paths_do_not_collide(pair: tuple[str, str]) -> None:
    check_collisions(pair)


@given(st.text(max_size=20))
def test_folding_is_done_in_one_step(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_tree_is_sorted_whatever_order_it_came_in() -> None:
    files = [File(path, b"x") for path in ("b/c", "a", "b.x", "B2")]
    assert Tree.of(files) == Tree.of(reversed(files))
    assert [f.path for f in Tree.of(files).files] == ["B2", "a", "b.x", "b/c"]


def test_a_tree_without_files_is_none() -> None:
    with pytest.raises(InvalidSkillError, match="no files"):
        Tree.of([])


def test_the_limits_are_on_files_bytes_and_depth() -> None:
    assert Tree.of(File(f"f{n}", b"") for n in range(MAX_FILES))
    with pytest.raises(InvalidSkillError, match="files"):
        Tree.of(File(f"f{n}", b"") for n in range(MAX_FILES + 1))
    half = bytes(MAX_BYTES // 2)
    assert Tree.of([File("a", half), File("b", half)]).size == MAX_BYTES
    with pytest.raises(InvalidSkillError, match="MiB"):
        Tree.of([File("a", half), File("b", half + b"x")])
    with pytest.raises(InvalidSkillError, match="deeper"):
        Tree.of([File("d/" * MAX_DEPTH + "f", b"")])


def test_the_entry_document_is_found_or_missed() -> None:
    assert Tree.single(b"text").entry == b"text"
    assert Tree.single(b"text").get("other") is None
    with pytest.raises(InvalidSkillError, match=r"no SKILL\.md"):
        _ = Tree.of([File("x/SKILL.md", b"")]).entry


def test_the_manifest_says_digest_size_and_mode_of_each_file() -> None:
    tree = Tree.of([File("a", b""), File("run", b"hi", executable=True)])
    assert manifest(tree) == {
        "a": ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 0, "100644"),
        "run": ("8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4", 2, "100755"),
    }
