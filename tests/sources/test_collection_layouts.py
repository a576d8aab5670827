"""Plugins' layouts, hidden and archived skills, and names that stand twice."""

from __future__ import annotations

import json

import pytest

from skillpm.errors import AmbiguousError, NotFoundError
from skillpm.sources.collection import choose, skills_in, to_tree

from .test_collection import Place, place

INTERNAL = "---\nname: x\ndescription: x\nmetadata:\n  internal: true\n---\n"
TEXT = "---\nname: x\ndescription: x\n---\n"


def market(**plugin: object) -> str:
    return json.dumps({"name": "m", "plugins": [{"name": "p", **plugin}]})


@pytest.mark.parametrize(
    "path",
    [
        "skills/x",
        ".agents/skills/x",
        ".claude/skills/x",
        "plugins/p/skills/x",
        "a/very/deep/folder/x",
    ],
)
def test_a_skill_is_found_wherever_collections_keep_them(path: str) -> None:
    assert choose(place(f"{path}/SKILL.md", "other/SKILL.md"), "x").root == path


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (".claude-plugin/marketplace.json", market(source="./", skills=["./archive/x"])),
        (".claude-plugin/marketplace.json", market(source="./archive", skills=["./x"])),
        ("archive/.claude-plugin/plugin.json", json.dumps({"name": "p", "skills": "x"})),
    ],
)
def test_the_manifest_of_a_plugin_is_only_heard_outside_archives(manifest: str, text: str) -> None:
    files = {manifest: text, "archive/x/SKILL.md": TEXT, "y/SKILL.md": TEXT, "z/SKILL.md": TEXT}
    with pytest.raises(NotFoundError):
        choose(Place(files), "x")


@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        (".claude-plugin/marketplace.json", market(source="./")),
        (".claude-plugin/marketplace.json", market(source="./", skills=["./skills/x"])),
        (".claude-plugin/plugin.json", json.dumps({"name": "p"})),
        (".claude-plugin/plugin.json", json.dumps({"name": "p", "skills": ["./skills/"]})),
    ],
)
def test_a_plugin_that_is_a_skill_itself_still_offers_its_skills(manifest: str, text: str) -> None:
    files = {manifest: text, "SKILL.md": TEXT, "skills/x/SKILL.md": TEXT}
    assert choose(Place(files), "x").root == "skills/x"
    assert choose(Place(files), "").root == ""


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        json.dumps({"plugins": 7}),
        market(source="../../etc"),
        market(source="https://elsewhere.example/x"),
        market(source={"source": "github", "repo": "a/b"}),
        market(source="./", skills=["../../../x", 7, None]),
    ],
)
def test_a_broken_manifest_takes_nothing_away(text: str) -> None:
    files = {".claude-plugin/marketplace.json": text, "a/x/SKILL.md": TEXT, "b/y/SKILL.md": TEXT}
    assert choose(Place(files), "y").root == "b/y"


@pytest.mark.parametrize("folder", ["archive", "archived", ".archive", "deprecated", "a/Archive"])
def test_an_archived_skill_is_left_out_until_its_path_is_asked_for(folder: str) -> None:
    files = place(f"{folder}/x/SKILL.md", "skills/x/SKILL.md", "skills/y/SKILL.md")
    assert choose(files, "x").root == "skills/x"
    assert choose(files, "x", f"{folder}/x").root == f"{folder}/x"
    assert choose(files, "x", folder).root == f"{folder}/x"
    assert skills_in(files.nodes) == {"x": "skills/x", "y": "skills/y"}
    with pytest.raises(NotFoundError):
        choose(place(f"{folder}/z/SKILL.md", "skills/x/SKILL.md", "skills/y/SKILL.md"), "z")


def test_a_folder_named_archive_inside_a_skill_belongs_to_it() -> None:
    found = choose(place("x/SKILL.md", "x/archive/old.md", "y/SKILL.md"), "x")
    assert [node.path for node in found.nodes] == ["x/SKILL.md", "x/archive/old.md"]


def test_a_place_that_is_nothing_but_an_archive_folder_is_read() -> None:
    assert choose(place("archive/x/SKILL.md", "archive/x/a.txt"), "x").root == "archive/x"


@pytest.mark.parametrize("value", ["true", '"true"', "True"])
def test_an_internal_skill_is_installed_by_its_full_path_only(value: str) -> None:
    internal = INTERNAL.replace("true", value)
    files = Place({"a/x/SKILL.md": internal, "a/y/SKILL.md": TEXT, "a/z/SKILL.md": TEXT})
    with pytest.raises(NotFoundError, match="internal"):
        to_tree(files, choose(files, "x"))
    assert to_tree(files, choose(files, "x", "a/x")).entry


@pytest.mark.parametrize("value", ["false", '"no"', "[true]", "1"])
def test_nothing_but_true_makes_a_skill_internal(value: str) -> None:
    files = Place({"a/x/SKILL.md": INTERNAL.replace("true", value), "a/y/SKILL.md": TEXT})
    assert to_tree(files, choose(files, "x")).entry


def test_internal_skills_are_no_choice_where_one_has_to_be_made() -> None:
    assert choose(Place({"x/SKILL.md": INTERNAL, "y/SKILL.md": TEXT}), "").root == "y"
    twice = Place({"a/x/SKILL.md": INTERNAL, "b/x/SKILL.md": TEXT, "c/y/SKILL.md": TEXT})
    assert choose(twice, "x").root == "b/x"


def test_copies_for_several_agents_are_an_error_that_lists_the_paths() -> None:
    copies = place(".agents/skills/x/SKILL.md", ".claude/skills/x/SKILL.md", "skills/x/SKILL.md")
    with pytest.raises(AmbiguousError) as raised:
        choose(copies, "x")
    for path in (".agents/skills/x", ".claude/skills/x", "skills/x"):
        assert path in raised.value.message
