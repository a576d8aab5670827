"""Three versions of a skill's files become one, or say which files stand in the way."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from skillpm.model.merging import merge
from skillpm.model.tree import File, Tree

Spec = dict[str, str]

BASE: Spec = {"SKILL.md": "one", "a.md": "a"}
OTHER = "the same lines were changed on both sides"
TAKEN = "taken away on one side and changed on the other"

MERGED: dict[str, tuple[Spec, Spec, Spec]] = {
    "nobody changed anything": (BASE, BASE, BASE),
    "I changed a file": (BASE | {"a.md": "mine"}, BASE, BASE | {"a.md": "mine"}),
    "they changed a file": (BASE, BASE | {"a.md": "new"}, BASE | {"a.md": "new"}),
    "each changed another": (
        BASE | {"a.md": "mine"}, BASE | {"SKILL.md": "two"}, {"SKILL.md": "two", "a.md": "mine"}
    ),
    "both changed it alike": (BASE | {"a.md": "x"}, BASE | {"a.md": "x"}, BASE | {"a.md": "x"}),
    "I added a file": (BASE | {"b.md": "b"}, BASE, BASE | {"b.md": "b"}),
    "they added a file": (BASE, BASE | {"b.md": "b"}, BASE | {"b.md": "b"}),
    "both added it alike": (BASE | {"b.md": "b"}, BASE | {"b.md": "b"}, BASE | {"b.md": "b"}),
    "I took one away": ({"SKILL.md": "one"}, BASE, {"SKILL.md": "one"}),
    "they took one away": (BASE, {"SKILL.md": "one"}, {"SKILL.md": "one"}),
    "both took it away": ({"SKILL.md": "one"}, {"SKILL.md": "one"}, {"SKILL.md": "one"}),
    "I made it executable": (BASE | {"a.md*": "a"}, BASE, BASE | {"a.md*": "a"}),
    "I made it executable, they changed it": (
        BASE | {"a.md*": "a"}, BASE | {"a.md": "new"}, BASE | {"a.md*": "new"}
    ),
    "they made it executable, I changed it": (
        BASE | {"a.md": "mine"}, BASE | {"a.md*": "a"}, BASE | {"a.md*": "mine"}
    ),
}  # fmt: skip

CONFLICTS: dict[str, tuple[Spec, Spec, str]] = {
    "both changed the text": (BASE | {"a.md": "x"}, BASE | {"a.md": "y"}, f"a.md: {OTHER}"),
    "I took it away, they changed it": (
        {"SKILL.md": "one"}, BASE | {"a.md": "y"}, f"a.md: {TAKEN}"
    ),
    "they took it away, I changed it": (
        BASE | {"a.md": "x"}, {"SKILL.md": "one"}, f"a.md: {TAKEN}"
    ),
    "both added it": (
        BASE | {"b.md": "x"}, BASE | {"b.md": "y"}, "b.md: added on both sides, with other bytes"
    ),
    "both changed what is no text": (
        BASE | {"a.md": "\0x"}, BASE | {"a.md": "\0y"}, "a.md: changed on both sides, and no text"
    ),
    "a file here, a folder there": (
        BASE | {"b": "x"}, BASE | {"b/c.md": "y"}, "'b' is both a file and a folder in the skill"
    ),
    "two spellings of a name": (
        BASE | {"b.md": "x"}, BASE | {"B.md": "y"},
        "the paths 'B.md' and 'b.md' are the same on some disks",
    ),
}  # fmt: skip


def tree(spec: Spec) -> Tree:
    """The tree of those files; a path that ends in `*` is executable."""
    return Tree.of(
        File(path.removesuffix("*"), data.encode(), path.endswith("*"))
        for path, data in {**spec}.items()
        if path.endswith("*") or f"{path}*" not in spec
    )


def never(*_texts: bytes) -> None:
    """Text that cannot be merged."""


@pytest.mark.parametrize("case", MERGED)
def test_what_one_side_changed_is_as_that_side_has_it(case: str) -> None:
    mine, theirs, expected = MERGED[case]
    found = merge(tree(BASE), tree(mine), tree(theirs), never)
    assert found == (tree(expected), ())


@pytest.mark.parametrize("case", MERGED)
def test_sides_can_be_exchanged(case: str) -> None:
    mine, theirs, expected = MERGED[case]
    assert merge(tree(BASE), tree(theirs), tree(mine), never).tree == tree(expected)


@pytest.mark.parametrize("case", CONFLICTS)
def test_what_both_changed_differently_is_named(case: str) -> None:
    mine, theirs, told = CONFLICTS[case]
    assert merge(tree(BASE), tree(mine), tree(theirs), never) == (None, (told,))


def test_a_text_that_both_changed_is_merged_by_its_lines() -> None:
    base, mine, theirs = (tree(BASE | {"a.md": name}) for name in ("base", "mine", "theirs"))
    found = merge(base, mine, theirs, lambda *texts: b"+".join(texts))
    assert found.tree == tree(BASE | {"a.md": "base+mine+theirs"})


PATHS = st.sampled_from(["a", "b", "c/d", "c/e"])
TREES = st.dictionaries(PATHS, st.tuples(st.sampled_from([b"1", b"2", b"3"]), st.booleans())).map(
    lambda files: Tree.of([File("SKILL.md", b"x"), *(File(p, *rest) for p, rest in files.items())])
)


@given(base=TREES, mine=TREES, theirs=TREES)
def test_every_path_of_a_merge_is_somebodys_and_whoever_changed_nothing_has_no_say(
    base: Tree, mine: Tree, theirs: Tree
) -> None:
    assert merge(base, base, theirs, never) == (theirs, ())
    assert merge(base, mine, base, never) == (mine, ())
    assert merge(base, mine, mine, never) == (mine, ())
    found, conflicts = merge(base, mine, theirs, never)
    assert bool(conflicts) == (found is None)
    for file in found.files if found else ():
        assert file.data in [t.get(file.path).data for t in (mine, theirs) if t.get(file.path)]  # type: ignore[union-attr]
