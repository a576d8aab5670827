"""Which skill of a place is meant: ranks, ties, roots, and names that stand in headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from skillpm.errors import AmbiguousError, InvalidSkillError, NotFoundError
from skillpm.model.node import Node
from skillpm.sources.collection import choose, skills_in, to_tree


@dataclass
class Place:
    """A place in memory; a path that ends in `@` is a link."""

    files: Mapping[str, str]
    reads: int = 0

    @property
    def nodes(self) -> Sequence[Node]:
        return [
            Node(path.rstrip("@"), "link" if path.endswith("@") else "file") for path in self.files
        ]

    def read(self, nodes: Sequence[Node]) -> Mapping[str, bytes]:
        self.reads += len(nodes)
        return {node.path: self.files[node.path].encode() for node in nodes}


def place(*paths: str, **headers: str) -> Place:
    """Files with some text; a header name for `folder` is given as `folder="name"`."""
    text = dict.fromkeys(paths, "# text\n")
    for folder, name in headers.items():
        text[f"{folder}/SKILL.md"] = f"---\nname: {name}\ndescription: x\n---\n"
    return Place(text)


@pytest.mark.parametrize(
    ("paths", "wanted", "base", "root"),
    [
        (["SKILL.md", "a.txt"], "", "", ""),
        (["SKILL.md", "a.txt"], "any-name", "", ""),
        (["x/SKILL.md", "README.md"], "", "", "x"),
        (["x/SKILL.md", "README.md"], "other", "", "x"),
        (["x/SKILL.md", "y/SKILL.md"], "y", "", "y"),
        (["skills/x/SKILL.md", "skills/y/SKILL.md"], "x", "", "skills/x"),
        (["x/SKILL.md", "x.md", "y/SKILL.md"], "x", "", "x"),
        (["x/SKILL.md", "y/SKILL.md", "docs/z.md"], "z", "", "docs/z.md"),
        (["SKILL.md", "inner/SKILL.md"], "", "", ""),
        (["x/SKILL.md", "x/examples/y/SKILL.md", "z/SKILL.md"], "x", "", "x"),
        (["a/x/SKILL.md", "b/x/SKILL.md"], "x", "b", "b/x"),
        (["a/x/SKILL.md", "b/x/SKILL.md"], "x", "b/x", "b/x"),
        (["a/x/SKILL.md", "b/x/SKILL.md"], "x", "b/x/SKILL.md", "b/x"),
        (["docs/x.md", "docs/y.md"], "", "docs/y.md", "docs/y.md"),
        (["x.md", "README.md", "LICENSE.md"], "", "", "x.md"),
        (["X.md", "y.md"], "x", "", "X.md"),
        (["a-long-name.md", "b.md"], "", "file-a-long-name-md", "a-long-name.md"),
    ],
)
def test_the_chosen_root(paths: list[str], wanted: str, base: str, root: str) -> None:
    assert choose(place(*paths), wanted, base).root == root


@pytest.mark.parametrize(
    ("paths", "wanted", "base", "error"),
    [
        ([], "", "", NotFoundError),
        (["README.md"], "", "", NotFoundError),
        (["a.txt"], "a", "", NotFoundError),
        (["x/SKILL.md", "y/SKILL.md"], "", "", AmbiguousError),
        (["x/SKILL.md", "y/SKILL.md"], "z", "", NotFoundError),
        (["a/x/SKILL.md", "b/x/SKILL.md"], "x", "", AmbiguousError),
        (["x.md", "y.md"], "", "", AmbiguousError),
        (["a/x.md", "b/x.md"], "x", "", AmbiguousError),
        (["x/SKILL.md"], "x", "not-there", NotFoundError),
        (["a.txt", "SKILL.md"], "", "a.txt", InvalidSkillError),
    ],
)
def test_what_cannot_be_chosen(
    paths: list[str], wanted: str, base: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        choose(place(*paths), wanted, base)


def test_ties_are_listed() -> None:
    with pytest.raises(AmbiguousError, match="a/x, b/x"):
        choose(place("a/x/SKILL.md", "b/x/SKILL.md", "c/y/SKILL.md"), "x")


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(NotFoundError) as raised:
        choose(place("tidy-up/SKILL.md", "other/SKILL.md"), "tidyup")
    assert "tidy-up" in raised.value.hint


def test_a_header_carries_the_name_when_no_folder_does() -> None:
    assert choose(place(one="first", two="second"), "second").root == "two"
    with pytest.raises(AmbiguousError):
        choose(place(one="same", two="same"), "same")
    with pytest.raises(NotFoundError):
        choose(place(one="first", two="second"), "third")


def test_headers_of_a_large_collection_are_not_read() -> None:
    large = place(**{f"s{number}": f"name-{number}" for number in range(60)})
    with pytest.raises(NotFoundError):
        choose(large, "name-7")
    assert large.reads == 0


def test_a_folders_name_is_enough_and_nothing_is_read_to_choose() -> None:
    collection = place(one="first", two="second")
    assert choose(collection, "one").root == "one"
    assert collection.reads == 0


def test_only_the_files_of_the_choice_are_read() -> None:
    collection = place("x/SKILL.md", "x/a.txt", "x/deep/b.txt", "y/SKILL.md", "xx/SKILL.md")
    tree = to_tree(collection, choose(collection, "x"))
    assert [file.path for file in tree.files] == ["SKILL.md", "a.txt", "deep/b.txt"]
    assert collection.reads == 3


@pytest.mark.parametrize("path", ["x/link@", "x/SKILL.md@", "x/../evil", "x/.git/config", "x/a\\b"])
def test_what_no_skill_may_hold_is_refused_before_anything_is_read(path: str) -> None:
    collection = place(*({"x/SKILL.md", path} if not path.endswith("SKILL.md@") else {path}))
    with pytest.raises(InvalidSkillError):
        to_tree(collection, choose(collection, "x"))
    assert collection.reads == 0


def test_the_skills_of_a_collection_are_its_outermost_packages() -> None:
    nodes = place("a/x/SKILL.md", "a/x/in/y/SKILL.md", "b/z/SKILL.md", "SKILL/readme.md").nodes
    assert skills_in(nodes) == {"x": "a/x", "z": "b/z"}
    assert skills_in(place("a/x/SKILL.md", "b/x/SKILL.md").nodes) == {}
