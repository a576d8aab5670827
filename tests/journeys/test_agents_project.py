"""Agents in a project: links beside the shared folder, named in the lock, made again by `sync`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cli import user_home
from support.files import build, tree_of

from journeys.world import Person, document

CLAUDE = ".claude/skills/tidy-up"


@pytest.fixture
def app(person: Person) -> Path:
    """A project, with a skill of its own beside it."""
    return build(user_home(person.home) / "app", {
        ".git/HEAD": "x", "src/tidy-up/SKILL.md": document("tidy-up"), "src/tidy-up/a": "a",
    })  # fmt: skip


def shown(app: Path) -> list[str]:
    """What of the project is an entry: not the shelf, the lock, the sources, or git's."""
    ours = (".agents/", "src/", ".git/")
    return [p for p in tree_of(app) if not p.startswith(ours) and p != "skills.lock"]


def agents_in(app: Path) -> str:
    """The line of the lock that names agents."""
    return next(x for x in (app / "skills.lock").read_text().splitlines() if x.startswith("agents"))


def test_a_link_comes_and_goes_with_the_skill_and_stands_in_the_lock(
    person: Person, app: Path
) -> None:
    def skill(*words: str, status: int = 0) -> str:
        done = person.skill(*words, cwd=app, status=status)
        return done.out + done.err

    skill("install", "./src/tidy-up", "--project")
    assert shown(app) == []
    told = skill("agents", "link", "--project", "cursor", "claude-code")
    assert ".agents/skills is where the skills stand" in told
    assert (app / CLAUDE).readlink() == Path("../../.agents/skills/tidy-up")
    assert agents_in(app) == 'agents = ["claude-code"]'
    assert person.json("agents", "list", cwd=app)["chosen"] is None

    skill("remove", "tidy-up", "--project")
    assert shown(app) == [".claude/skills/"]
    skill("undo")
    assert shown(app) == [CLAUDE]
    assert agents_in(app) == 'agents = ["claude-code"]'
    skill("agents", "unlink", "--project")
    assert shown(app) == [".claude/skills/"]
    assert agents_in(app) == "agents = []"


def test_a_clone_gets_the_links_that_the_lock_names(person: Person, app: Path) -> None:
    person.skill("install", "./src/tidy-up", "--project", cwd=app)
    person.skill("agents", "link", "claude-code", "--project", cwd=app)
    other = Person(person.home.parent / "other" / "skillhome", person.env)
    there = user_home(other.home) / "app"
    shutil.copytree(app, there, ignore=shutil.ignore_patterns(".claude", ".agents"))
    other.skill("sync", "--yes", cwd=there)
    assert shown(there) == [CLAUDE]
    other.skill("sync", "--frozen", cwd=there)
    (there / CLAUDE).unlink()
    assert CLAUDE in other.error("sync", "--frozen", status=6, cwd=there)
    other.skill("sync", cwd=there)
    assert shown(there) == [CLAUDE]

    text = (there / "skills.lock").read_text()
    (there / "skills.lock").write_text(text.replace('["claude-code"]', "[]"))
    other.skill("sync", cwd=there)
    assert shown(there) == [".claude/skills/"]


def test_a_link_that_came_with_a_clone_is_ours_to_the_byte(person: Person, app: Path) -> None:
    person.skill("install", "./src/tidy-up", "--project", cwd=app)
    person.skill("agents", "link", "claude-code", "--project", cwd=app)
    other = Person(person.home.parent / "other" / "skillhome", person.env)
    there = user_home(other.home) / "app"
    shutil.copytree(app, there, symlinks=True)
    other.skill("sync", "--frozen", cwd=there)
    other.skill("agents", "unlink", "claude-code", "--project", cwd=there)
    assert shown(there) == [".claude/skills/"]


def test_a_lock_puts_nothing_where_people_write_skills_nor_out_of_the_project(
    person: Person, app: Path, tmp_path: Path
) -> None:
    person.skill("install", "./src/tidy-up", "--project", cwd=app)
    lock = app / "skills.lock"
    named = 'agents = ["astrbot", "claude-code", "eve", "nobody", "openclaw"]'
    lock.write_text(lock.read_text().replace("agents = []", named))
    outside = build(tmp_path / "outside", {"theirs": "x"})
    (app / ".claude").symlink_to(outside)
    told = person.skill("sync", cwd=app).err
    assert "leads out of the project" in told
    assert "names nobody, which is no agent known here" in told
    assert "people write skills in skills" in told
    assert shown(app) == [".claude"]
    assert list(tree_of(outside)) == ["theirs"]


def test_an_authors_folder_is_used_once_its_agent_is_named(person: Person, app: Path) -> None:
    person.skill("install", "./src/tidy-up", "--project", cwd=app)
    env = {"SKILL_AGENTS": "eve,claude-code"}
    person.skill("install", "read-pdf", "--project", cwd=app, env=env)
    assert shown(app) == [".claude/skills/read-pdf"]
    person.skill("agents", "link", "eve", "--project", "--skill", "tidy-up", cwd=app)
    assert shown(app) == [".claude/skills/read-pdf", "agent/skills/tidy-up"]
    person.skill("sync", "--frozen", cwd=app)


def test_what_stands_in_the_way_is_kept_by_sync_with_status_9(person: Person, app: Path) -> None:
    person.skill("install", "./src/tidy-up", "--project", cwd=app)
    lock = app / "skills.lock"
    lock.write_text(lock.read_text().replace("agents = []", 'agents = ["claude-code"]'))
    build(app, {f"{CLAUDE}/SKILL.md": "mine"})
    done = person.skill("sync", cwd=app, status=9)
    assert "skill agents link --project --skill tidy-up --replace tidy-up" in done.err
    assert (app / CLAUDE / "SKILL.md").read_text() == "mine"
