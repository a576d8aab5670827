"""`skill validate`: a folder of many, installed and remote skills, SARIF, and fixes after a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from journeys.world import Person, World, document
from support.cli import user_home
from support.terminal import converse, says

BROKEN = "---\nname: Deploy\ndescription: Use when: it is time\n---\n\n# Deploy\n"
MENDED = '---\nname: deploy\ndescription: "Use when: it is time"\n---\n\n# Deploy\n'


def here(person: Person, files: dict[str, str]) -> Path:
    """The folder in which a person's commands run, with those files."""
    root = user_home(person.home)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_each_skill_of_a_folder_is_checked_with_its_places(person: Person) -> None:
    here(person, {"all/deploy/SKILL.md": BROKEN, "all/x/good/SKILL.md": document("good")})
    data = person.json("validate", "./all", status=4)
    assert data["valid"] is False
    found = {skill["name"]: skill for skill in data["skills"]}
    assert found["good"]["valid"] is True
    (deploy,) = (skill for name, skill in found.items() if name != "good")
    assert deploy["folder"] == "all/deploy"
    assert [(p["rule"], p["line"], p["column"]) for p in deploy["problems"]] == [
        ("name_format", 2, 7), ("name_mismatch", 2, 7), ("header_recovered", 3, 14),
    ]  # fmt: skip
    shown = person.skill("validate", "./all", status=4)
    assert "all/deploy/SKILL.md:3:14" in shown.out
    assert "1 of 2 skills meet" in shown.err


def test_loose_documents_and_an_entry_document_by_its_path_are_checked(person: Person) -> None:
    here(person, {"docs/one.md": document("one"), "docs/two.md": "# Two\n",
                  "s/good/SKILL.md": document("good")})  # fmt: skip
    data = person.json("validate", "./docs", status=4)
    assert {skill["name"]: skill["valid"] for skill in data["skills"]} == {
        "one": True, "two": False
    }  # fmt: skip
    assert person.json("validate", "./s/good/SKILL.md")["valid"] is True
    person.json("validate", "./docs/one.md")


def test_a_builtin_and_a_remote_skill_are_checked_and_never_fixed(world: World) -> None:
    url = world.web.serve("/deploy.md", BROKEN.replace("Deploy\nd", "deploy\nd"))
    person = world.person
    assert person.json("validate", "create-watch")["skills"][0]["dialect"] == "agent-skill"
    assert person.json("validate", "abandoned-cart-recovery")["skills"][0]["dialect"] == "workflow"
    person.json("validate", url, status=4)
    assert "files of yours alone" in person.error("validate", "--fix", "--yes", url, status=5)


def test_a_profile_adds_what_one_agent_demands(person: Person) -> None:
    here(person, {"my-claude/SKILL.md": document("my-claude")})
    person.json("validate", "./my-claude")
    data = person.json("validate", "./my-claude", "--profile", "claude", status=4)
    assert data["profile"] == "claude"
    assert [p["rule"] for p in data["skills"][0]["problems"]] == ["claude_reserved"]


def test_sarif_names_the_file_the_place_and_what_to_do(person: Person) -> None:
    root = here(person, {"deploy/SKILL.md": BROKEN})
    person.skill("validate", "./deploy", "--sarif", "out.sarif", status=4)
    (run,) = json.loads((root / "out.sarif").read_bytes())["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "deploy/SKILL.md"
        assert place["region"]["startLine"] >= 2
        assert "What to do" in result["message"]["text"]
    assert {result["level"] for result in run["results"]} == {"error"}
    printed = person.skill("validate", "./deploy", "--sarif", "-", status=4).out
    assert json.loads(printed)["runs"] == [run]


def test_a_fix_is_shown_first_and_written_after_a_yes(person: Person) -> None:
    place = here(person, {"deploy/SKILL.md": BROKEN}) / "deploy/SKILL.md"
    person.skill("scan", "create-watch")  # the state is there
    shown = person.skill("validate", "./deploy", "--fix", status=4)
    assert "+name: deploy" in shown.out
    assert "nothing was written" in shown.err
    assert place.read_text() == BROKEN
    refused = converse("validate", "./deploy", "--fix", home=person.home, answer=says("n", "[y/N]"))
    assert place.read_text() == BROKEN, refused.out
    agreed = converse("validate", "./deploy", "--fix", home=person.home, answer=says("y", "[y/N]"))
    assert agreed.status == 0
    assert agreed.out.index("+name: deploy") < agreed.out.index("[y/N]")
    assert place.read_text() == MENDED
    person.skill("undo")
    assert place.read_text() == BROKEN


def test_a_hand_written_skill_is_fixed_and_an_installed_one_is_not(world: World) -> None:
    person = world.person
    mine = person.writes("deploy/SKILL.md", BROKEN)
    data = person.json("validate", "deploy", "--fix", "--yes")
    assert [fix["written"] for fix in data["fixes"]] == [True]
    assert mine.read_text() == MENDED
    url = world.web.serve("/tidy.md", BROKEN.replace("name: Deploy", "name: tidy"))
    person.skill("install", url, "--yes")
    assert "not written by hand" in person.error("validate", "tidy", "--fix", "--yes", status=5)
    lying = str(person.home / "library/tidy.md")
    assert "not written by hand" in person.error("validate", lying, "--fix", "--yes", status=5)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--yes", "create-watch"), 2), (("--profile", "nobody", "create-watch"), 2),
        (("--json", "--sarif", "-", "create-watch"), 2), (("./nothing/here",), 3),
    ],
)  # fmt: skip
def test_words_that_make_no_sense_are_refused(
    person: Person, words: tuple[str, ...], status: int
) -> None:
    person.skill("validate", *words, status=status)
