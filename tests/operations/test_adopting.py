"""`skill adopt`: what other tools installed becomes ours, with where it came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from journeys.world import Person, World, document, packages
from support.cli import user_home
from support.files import assert_same, build, tree_of

from operations.adoption import COMMIT, DANGER, folder_hash, lay_out, npx, skills


def test_what_npx_installed_is_ours_with_where_it_came_from(person: Person, project: Path) -> None:
    text = document("pdf")
    entry = {
        "source": "acme/skills", "ref": "main", "sourceType": "github",
        "skillPath": "skills/pdf/SKILL.md", "computedHash": folder_hash(**{"SKILL.md": text}),
    }  # fmt: skip
    build(project, {"skills-lock.json": npx(pdf=entry), ".agents/skills/pdf/SKILL.md": text})
    (project / ".claude/skills").mkdir(parents=True)
    (project / ".claude/skills/pdf").symlink_to("../../.agents/skills/pdf")
    done = person.skill("adopt", "--yes", "--json", cwd=project).json()
    assert done["messages"] == []
    (skill,) = done["data"]["skills"]
    assert (skill["action"], skill["tool"]) == ("install", "npx skills")
    record = person.record("pdf")
    assert record["source"] == "https://github.com/acme/skills#main"
    assert record["path"] == "skills/pdf"
    assert record["origin"] == "community"
    assert record["registry"] == "none"
    assert record["revision"]["kind"] == "content"
    assert record["requested"] == "adopt .agents/skills/pdf (npx skills)"
    assert person.installed("pdf") == tree_of(project / ".agents/skills/pdf")


def test_nothing_of_theirs_is_touched_whatever_becomes_of_it(person: Person, project: Path) -> None:
    lay_out(project)
    before = tree_of(project)
    times = {path: path.lstat().st_mtime_ns for path in project.rglob("*")}
    skills(person, project, "--dry-run", status=9)
    assert not (person.home / "library").exists()
    skills(person, project, "--yes", status=9)
    skills(person, project, "--yes", "--force", "--replace", status=9)
    assert_same(before, tree_of(project))
    assert times == {path: path.lstat().st_mtime_ns for path in project.rglob("*")}


def test_each_tool_leaves_its_source_and_revision(person: Person, project: Path) -> None:
    lay_out(project)
    found = skills(person, project, "--yes", status=9)
    came = {
        name: (one["tool"], one["source"], one["path"], one["revision"]["kind"], one["origin"])
        for name, one in found.items()
        if not one["error"]
    }
    assert came == {
        "tidy": ("clawhub", "clawhub:@acme/tidy", "", "version", "community"),
        "open": ("openskills", "https://github.com/acme/skills", "skills/open", "content",
                 "community"),
        "hub": ("gh skill", f"https://github.com/acme/more#{COMMIT}", "", "commit", "community"),
        "frog": ("apm", "https://github.com/acme/apm", "skills/frog", "commit", "community"),
        "mine": ("", str(project / ".claude/skills/mine"), "", "content", "local"),
    }  # fmt: skip
    assert {name: one["error"]["code"] for name, one in found.items() if one["error"]} == {
        "evil": "danger", "linked": "invalid-skill", "BAD NAME": "invalid-skill",
    }  # fmt: skip
    listed = {skill["name"]: skill["state"] for skill in person.json("list")["skills"]}
    assert {name: listed[name] for name in came} == dict.fromkeys(came, "ok")


def test_what_a_tool_put_into_the_folder_is_none_of_the_skills_files(
    person: Person, project: Path
) -> None:
    lay_out(project)
    skills(person, project, "--yes", status=9)
    assert set(person.installed("tidy")) == {"SKILL.md"}
    assert set(person.installed("open")) == {"SKILL.md"}
    assert person.installed("mine")["scripts/run.sh"][1] == 0o755


def test_what_is_not_followed_or_not_there_is_told(person: Person, project: Path) -> None:
    lay_out(project)
    told = person.skill("adopt", "--dry-run", cwd=project, status=9)
    for words in (
        ".claude/skills/elsewhere is a link, which is not followed",
        "clawhub lists gone, and there is no skill in skills/gone",
        "'secret' is a link",
        "remote-code/pipe-to-shell",
    ):
        assert words in told.err
    (row,) = [line for line in told.out.splitlines() if line.startswith("evil\t")]
    assert "failed" in row
    assert "danger" in row


def test_danger_needs_the_rule_or_force_and_is_recorded(person: Person, project: Path) -> None:
    build(project / ".claude/skills/evil", {"SKILL.md": document("evil"), "run.sh": DANGER})
    assert skills(person, project, "--yes", status=9)["evil"]["error"]["code"] == "danger"
    assert not (person.home / "library").exists()
    rules = ("remote-code/pipe-to-shell", "remote-code/raw-address")
    allow = [word for rule in rules for word in ("--allow", rule)]
    person.skill("adopt", "--yes", *allow, "--reason", "ours", "--by", "Jane", cwd=project)
    accepted = person.record("evil")["accepted"]
    assert {(one["rule"], one["by"]) for one in accepted} == {(rule, "Jane") for rule in rules}
    person.skill("remove", "evil")
    person.skill("adopt", "--yes", "--force", cwd=project)
    assert rules[0] in person.record("evil")["forced"]


def test_files_that_are_not_those_recorded_need_replace(person: Person, project: Path) -> None:
    entry = {"source": "acme/skills", "sourceType": "github", "computedHash": "0" * 64}
    build(project, {"skills-lock.json": npx(pdf=entry), ".agents/skills/pdf/SKILL.md": "# Hi\n"})
    error = skills(person, project, "--yes", status=9)["pdf"]["error"]
    assert error["code"] == "integrity"
    assert "npx skills" in error["message"]
    assert skills(person, project, "--yes", "--replace")["pdf"]["action"] == "install"


def test_again_is_nothing_to_do_and_needs_no_yes(person: Person, project: Path) -> None:
    build(project / ".agents/skills", {"pdf/SKILL.md": document("pdf")})
    skills(person, project, "--yes")
    assert skills(person, project)["pdf"]["action"] == "keep"
    changed = document("pdf", "Another way.")
    build(project / ".agents/skills", {"pdf/SKILL.md": changed})
    assert skills(person, project, "--yes")["pdf"]["action"] == "update"
    assert person.installed("pdf")["SKILL.md"][0].decode() == changed


def test_without_a_terminal_it_needs_yes_and_changes_nothing(person: Person, project: Path) -> None:
    build(project / ".agents/skills", {"pdf/SKILL.md": document("pdf")})
    told = person.error("adopt", cwd=project, status=5)
    assert "--dry-run" in told
    assert "--yes" in told


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 5)])
def test_on_a_terminal_the_plan_is_shown_and_asked_for_once(
    person: Person, project: Path, answer: str, status: int
) -> None:
    build(project / ".agents/skills", {f"{n}/SKILL.md": document(n) for n in ("a", "b", "c")})
    shown = person.skill("adopt", cwd=project, tty=True, input=answer, status=status).out
    assert shown.count("Adopt these skills?") == 1
    for name in ("a", "b", "c"):
        assert shown.index(f"{name} is a local skill") < shown.index("Adopt these")
    assert shown.count("git-tree-sha256:") == 3
    assert (person.home / "library" / "b").exists() is (status == 0)


def test_what_stands_under_the_name_is_a_conflict_like_at_an_install(world: World) -> None:
    world.git.repo("acme/skills").commit(packages("taken"))
    world.person.skill("install", "taken", "--source", "acme/skills", "--yes")
    world.person.writes("own/SKILL.md", document("own", "By hand."))
    project = user_home(world.person.home)
    build(project / ".claude/skills", {
        "taken/SKILL.md": document("taken", "Other."), "own/SKILL.md": document("own"),
        "free/SKILL.md": document("free"),
    })  # fmt: skip
    before = world.person.installed("taken"), world.person.installed("own")
    found = skills(world.person, project, "--yes", status=9)
    assert {name: one["error"] and one["error"]["code"] for name, one in found.items()} == {
        "taken": "conflict", "own": "conflict", "free": None,
    }  # fmt: skip
    assert before == (world.person.installed("taken"), world.person.installed("own"))
    one = skills(world.person, project, ".claude/skills/own", "--as", "other", "--yes")
    assert one["other"]["action"] == "install"
    both = skills(world.person, project, "--yes", "--force", "--replace")
    assert both["taken"]["action"] == both["own"]["action"] == "replace"


def test_a_copy_of_what_is_installed_is_ours_already(world: World) -> None:
    world.git.repo("acme/skills").commit(packages("tidy"))
    world.person.skill("install", "tidy", "--source", "acme/skills", "--yes")
    project = user_home(world.person.home)
    copy = {path: data for path, (data, _) in world.person.installed("tidy").items()}
    build(project / ".claude/skills/tidy", copy)
    assert skills(world.person, project)["tidy"]["action"] == "keep"
    assert world.person.record("tidy")["source"] == "https://github.com/acme/skills"


def test_an_adopted_skill_is_updated_from_the_source_that_was_recorded(world: World) -> None:
    repo = world.git.repo("acme/skills")
    repo.commit(packages("pdf", "other"))
    entry = {"source": "acme/skills", "sourceType": "github", "skillPath": "skills/pdf/SKILL.md"}
    project = user_home(world.person.home)
    files = {f".agents/{path}": data for path, data in packages("pdf").items() if "pdf" in path}
    build(project, {"skills-lock.json": npx(pdf=entry), **files})
    skills(world.person, project, "--yes")
    (state,) = world.person.json("outdated")["skills"]
    assert state["state"] == "current"
    world.person.skill("update", "pdf", "--yes")
    assert world.person.record("pdf")["revision"]["kind"] == "commit"
    repo.commit({"skills/pdf/SKILL.md": document("pdf", "Better.")})
    world.person.skill("update", "pdf", "--yes")
    assert "Better." in world.person.skill("read", "pdf").out


def test_the_same_files_in_two_agents_folders_are_one_skill_and_others_a_conflict(
    person: Person, project: Path
) -> None:
    build(project, {
        ".agents/skills/same/SKILL.md": document("same"),
        ".claude/skills/same/SKILL.md": document("same"),
        ".agents/skills/two/SKILL.md": document("two"),
        ".claude/skills/two/SKILL.md": document("two", "Not alike."),
    })  # fmt: skip
    found = person.json("adopt", "--yes", cwd=project, status=9)["skills"]
    told = [(one["name"], one["action"]) for one in found]
    assert told == [("same", "install"), ("two", "install"), ("same", "same"), ("two", "failed")]
    assert "Not alike." not in person.skill("read", "two").out
