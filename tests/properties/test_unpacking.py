"""Archives made by Hypothesis: what comes out stays inside, and is what went in."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support.archives import Entry, Kind, tar_of, zip_of
from support.files import tree_of

from skillpm.edges import disk, folders
from skillpm.edges.archive import open_archive
from skillpm.errors import InvalidSkillError
from skillpm.model.tree import File, Tree

PARTS = st.sampled_from(
    ["..", ".", "", "a", "b", "A", "SKILL.md", ".git", "con", "é", "e\u0301", "a b", "c.", "~",
    "-rf",
     "\\", "C:", "x\n", "\x1b[2J", "\u202e", "tmp", "etc", "passwd", "x" * 300]
)  # fmt: skip
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
KINDS: st.SearchStrategy[Kind] = st.sampled_from(
    ["file", "file", "file", "file", "folder", "symlink", "hardlink", "fifo", "char"]
)
ENTRIES = st.builds(
    Entry,
    PATHS.filter(bool),
    st.binary(max_size=50),
    st.sampled_from([0o644, 0o755, 0o6777, 0]),
    KINDS,
    st.sampled_from(["..", "/etc/passwd", "SKILL.md", "a"]),
)
PLAIN = st.dictionaries(
    st.lists(st.sampled_from(["a", "b-1", "c.md", "SKILL.md", "é"]), min_size=1, max_size=4).map(
        "/".join
    ),
    st.tuples(st.binary(max_size=200), st.booleans()),
    min_size=1,
    max_size=8,
)


def unpacked(data: bytes) -> Tree:
    archive = open_archive(data)
    for node in archive.nodes:
        if node.kind != "file":
            raise InvalidSkillError(f"{node.path!r} is a {node.kind}")
    return Tree.of(File(n.path, archive.read(n), n.executable) for n in archive.nodes)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries=st.lists(ENTRIES, min_size=1, max_size=5))
def test_nothing_ever_lands_outside(pack: object, entries: list[Entry]) -> None:
    assert callable(pack)
    with TemporaryDirectory() as name:
        root = Path(name)
        (root / "library").mkdir()
        try:
            tree = unpacked(pack(entries))
        except InvalidSkillError:
            return
        folders.write_tree(tree, root / "library/skill")
        found = tree_of(root)
        assert all(path.startswith("library/skill/") for path in found)
        assert {mode & 0o7777 for _, mode in found.values()} <= {0o644, 0o755}
        assert disk.read_tree(root / "library/skill").digest == tree.digest


@settings(max_examples=80, deadline=None)
@given(files=PLAIN)
def test_what_is_packed_as_zip_or_tar_has_the_digest_of_what_went_in(
    files: dict[str, tuple[bytes, bool]],
) -> None:
    try:
        tree = Tree.of(File(path, data, runs) for path, (data, runs) in files.items())
    except InvalidSkillError:
        return  # a file and a folder of one name
    contents = {f.path: f.data for f in tree.files}
    runnable = [f.path for f in tree.files if f.executable]
    for data in (
        zip_of(contents, executable=runnable),
        tar_of(contents, executable=runnable),
        tar_of(contents, executable=runnable, compress=False),
    ):
        assert unpacked(data).digest == tree.digest
