"""`skill adopt` where records are broken, edited or hostile, and where places are unusual."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from journeys.world import Person, document
from support.cli import user_home
from support.files import build

from operations.adoption import lay_out, npx, skills


def test_a_record_that_cannot_be_read_leaves_its_skills_where_they_are(
    person: Person, project: Path
) -> None:
    build(project, {
        "skills-lock.json": "<<<<<<< HEAD\n" + npx(),
        ".agents/skills/pdf/SKILL.md": document("pdf"),
        ".claude/skills/odd/SKILL.md": document("odd"), ".claude/skills/odd/.openskills.json": "[",
    })  # fmt: skip
    found = skills(person, project, "--yes", status=9)
    assert "skills-lock.json cannot be read" in found["pdf"]["error"]["message"]
    (project / "skills-lock.json").unlink()
    found = skills(person, project, "--yes", status=9)
    assert found["pdf"]["action"] == "install"
    assert "odd/.openskills.json cannot be read" in found["odd"]["error"]["message"]


def test_a_skill_that_was_pinned_stays_pinned(person: Person, project: Path) -> None:
    listed = {"version": 1, "skills": {"@acme/tidy": {"version": "1.2.3", "pinned": True}}}
    build(project, {
        ".clawhub/lock.json": json.dumps(listed), "skills/@acme/tidy/SKILL.md": document("tidy"),
    })  # fmt: skip
    skills(person, project, "--yes")
    (state,) = person.json("outdated")["skills"]
    assert state["state"] == "pinned"


def test_other_files_at_the_same_commit_were_edited_here(person: Person, project: Path) -> None:
    lay_out(project)
    skills(person, project, "--yes", status=9)
    build(project, {".codex/skills/frog/SKILL.md": document("frog", "Edited.")})
    error = skills(person, project, "--yes", status=9)["frog"]["error"]
    assert error["code"] == "integrity"
    assert ".codex/skills/frog" in error["message"]
    assert skills(person, project, "--yes", "--force", status=9)["frog"]["action"] == "update"


def test_a_skill_named_by_its_own_folder_finds_the_record_of_its_project(
    person: Person, project: Path
) -> None:
    entry = {"source": "acme/skills", "sourceType": "github"}
    build(project, {
        "skills-lock.json": npx(pdf=entry), ".claude/skills/pdf/SKILL.md": document("pdf"),
        "other/pdf/SKILL.md": document("pdf"),
    })  # fmt: skip
    inside = skills(person, project, ".claude/skills/pdf", "--dry-run")
    assert inside["pdf"]["source"] == "https://github.com/acme/skills"
    elsewhere = skills(person, project, "other/pdf", "--dry-run")
    assert elsewhere["pdf"]["origin"] == "local"
    build(project, {"skills-lock.json": "{"})
    failed = skills(person, project, ".claude/skills/pdf", "--yes", status=9)
    assert "skills-lock.json cannot be read" in failed["pdf"]["error"]["message"]


def test_a_link_into_our_own_library_is_ours(person: Person, project: Path) -> None:
    build(project / "skills/pdf", {"SKILL.md": document("pdf")})
    skills(person, project, "--yes")
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/pdf").symlink_to(person.home / "library/pdf")
    assert person.skill("adopt", "--json", cwd=project).json()["messages"] == []


@pytest.mark.parametrize("source", [
    "http://example.com/x.md", "file:///etc", "git://example.com/x", "https://a:b@example.com/x",
    "--upload-pack=x", "~/x", "x\u202ey", "bundled:cut-a-release",
])  # fmt: skip
def test_a_recorded_source_that_a_registry_may_not_name_is_not_taken_over(
    source: str, person: Person, project: Path
) -> None:
    entry = {"sourceType": "git", "repoUrl": source}
    build(project / ".claude/skills/odd", {
        "SKILL.md": document("odd"), ".openskills.json": json.dumps(entry),
    })  # fmt: skip
    error = skills(person, project, "--yes", status=9)["odd"]["error"]
    assert error["code"] == "usage"
    assert "openskills" in error["message"]
    assert not (person.home / "library").exists()


def test_a_record_raises_no_trust(person: Person, project: Path) -> None:
    entry = {"source": "official", "identifier": "official/x", "trust_level": "builtin"}
    listed = json.dumps({"version": 1, "installed": {"x": entry}})
    build(project / ".hermes/skills", {".hub/lock.json": listed, "x/SKILL.md": document("x")})
    assert skills(person, project, "--yes")["x"]["origin"] == "local"


def test_skills_in_folders_by_category_are_found_in_an_agents_folder(
    person: Person, project: Path
) -> None:
    entry = {"source": "github", "identifier": "acme/skills/pdf", "install_path": "office/pdf"}
    listed = json.dumps({"version": 1, "installed": {"pdf": entry}})
    build(project / ".hermes/skills", {
        ".hub/lock.json": listed, ".hub/quarantine/bad/SKILL.md": document("bad"),
        "office/pdf/SKILL.md": document("pdf"), "office/own/SKILL.md": document("own"),
    })  # fmt: skip
    for words in ((), (".hermes/skills",)):
        found = skills(person, project, *words, "--dry-run")
        assert {name: one["tool"] for name, one in found.items()} == {"pdf": "hermes", "own": ""}
    assert found["pdf"]["source"] == "https://github.com/acme/skills"


def test_the_home_folder_is_looked_at_when_asked_for(person: Person, tmp_path: Path) -> None:
    entry = {"source": "acme/skills", "sourceType": "github", "skillFolderHash": ""}
    home = user_home(person.home)
    state = tmp_path / "state"
    build(home, {".agents/skills/pdf/SKILL.md": document("pdf")})
    build(state, {"skills/.skill-lock.json": json.dumps({"version": 3, "skills": {"pdf": entry}})})
    env = {"XDG_STATE_HOME": str(state)}
    elsewhere = build(tmp_path / "elsewhere", {"x": ""})
    (one,) = person.json("adopt", "--user", "--yes", cwd=elsewhere, env=env)["skills"]
    assert (one["name"], one["source"]) == ("pdf", "https://github.com/acme/skills")


def test_what_was_installed_for_one_agent_alone_is_found_in_its_folder(person: Person) -> None:
    entry = {"source": "acme/skills", "sourceType": "github", "skillFolderHash": ""}
    home = user_home(person.home)
    build(home, {
        ".agents/.skill-lock.json": json.dumps({"version": 3, "skills": {"pdf": entry}}),
        ".claude/skills/pdf/SKILL.md": document("pdf"),
    })  # fmt: skip
    for words in (("--user",), (".claude/skills",), (".claude/skills/pdf",)):
        done = person.skill("adopt", *words, "--dry-run", "--json", cwd=home).json()
        assert done["messages"] == []
        (one,) = done["data"]["skills"]
        assert one["source"] == "https://github.com/acme/skills"


def test_a_folder_that_is_reached_by_a_link_is_named_and_not_entered(
    person: Person, project: Path, tmp_path: Path
) -> None:
    build(tmp_path / "dotfiles", {"skills/pdf/SKILL.md": document("pdf")})
    (project / ".claude").symlink_to(tmp_path / "dotfiles")
    assert ".claude/skills is behind a link" in person.error("adopt", cwd=project, status=3)
    typed = skills(person, project, ".claude/skills", "--yes")
    assert typed["pdf"]["action"] == "install"


@pytest.mark.parametrize("name", ["a\x1b[31mred", "new\nline", "\u202eevil", os.fsdecode(b"\xff")])
def test_a_name_that_steers_a_terminal_is_told_and_never_printed(
    name: str, person: Person, project: Path
) -> None:
    build(project / "skills" / name, {"SKILL.md": document("fine")})
    told = person.skill("adopt", "--yes", cwd=project, status=9)
    assert "rename the folder" in told.err
    person.skill("adopt", "--yes", "--json", cwd=project / "skills" / name, status=9)


@pytest.mark.parametrize(("words", "status"), [
    (("nowhere",), 3), (("README.md",), 2), ((".", "--user"), 2), (("--as", "x"), 3),
    (("--as", "../x"), 2), (("--allow", "remote-code/pipe-to-shell"), 2), ((), 3),
])  # fmt: skip
def test_words_that_lead_nowhere_are_told(
    words: tuple[str, ...], status: int, person: Person, project: Path
) -> None:
    assert person.error("adopt", *words, cwd=project, status=status)


def test_a_skill_that_cannot_be_read_stops_no_other(person: Person, project: Path) -> None:
    build(project / "skills", {"a/SKILL.md": document("a"), "b/SKILL.md": b"\xff\xfe\0"})
    os.mkfifo(build(project / "skills/c", {"SKILL.md": document("c")}) / "pipe")
    found = skills(person, project, "--yes", status=9)
    assert {name: one["action"] for name, one in found.items()} == {
        "a": "install", "b": "failed", "c": "failed",
    }  # fmt: skip
