"""Agents are shown what is installed: asked once, exactly recorded, exactly taken out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.cli import user_home
from support.files import assert_same, build, tree_of
from support.terminal import converse

from journeys.world import Person, document

CLAUDE, CURSOR, CLAW, SHARED = (
    f"{folder}/skills" for folder in (".claude", ".cursor", ".openclaw", ".agents")
)


@pytest.fixture
def agents(person: Person) -> Path:
    """The home of somebody who has three agents, one of which follows no links."""
    return build(user_home(person.home), {f"{folder}/": "" for folder in (
        ".claude", ".cursor", ".openclaw", "app/.git", "work",
    )})  # fmt: skip


@pytest.fixture
def source(agents: Path) -> Path:
    """A skill of a document and a script."""
    files = {"SKILL.md": document("tidy-up"), "scripts/run.sh": "#!/bin/sh\necho one\n"}
    return build(agents / "work/tidy-up", files)


def found(home: Path, *folders: str) -> dict[str, list[str]]:
    """The names that stand in agents' folders."""
    return {f: _names(home / f) for f in folders}


def _names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir()) if folder.exists() else []


def everywhere(home: Path, *names: str) -> None:
    """Assert that exactly these skills stand in all four folders."""
    four = (SHARED, CLAUDE, CURSOR, CLAW)
    assert found(home, *four) == dict.fromkeys(four, sorted(names))


def test_without_a_choice_nothing_is_linked_and_a_note_says_how(
    person: Person, agents: Path, source: Path
) -> None:
    before = tree_of(agents)
    told = person.skill("install", str(source), "--yes").out
    assert "not shown to Claude Code, Cursor, OpenClaw: skill agents link" in told
    assert_same(before, tree_of(agents))
    person.skill("agents", "unlink")
    assert "not shown" not in person.skill("install", "read-pdf").out
    assert_same(before, tree_of(agents))


def test_a_choice_holds_for_what_is_there_and_for_what_comes(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    person.skill("agents", "link")
    everywhere(agents, "tidy-up")
    installed = person.json("install", "read-pdf")
    assert len(installed["agents"]) == 4
    everywhere(agents, "read-pdf", "tidy-up")
    link = agents / CLAUDE / "tidy-up"
    assert not link.readlink().is_absolute()
    assert link.resolve() == person.home / "library/tidy-up"
    assert not (agents / CLAW / "tidy-up").is_symlink()

    build(source, {"SKILL.md": document("tidy-up", "Newer.")})
    person.skill("update", "tidy-up")
    for folder in (SHARED, CLAUDE, CURSOR, CLAW):
        assert "Newer." in (agents / folder / "tidy-up/SKILL.md").read_text()
    person.skill("rollback", "tidy-up")
    assert "Newer." not in (agents / CLAW / "tidy-up/SKILL.md").read_text()
    person.skill("remove", "tidy-up")
    everywhere(agents, "read-pdf")
    person.skill("undo")
    everywhere(agents, "read-pdf", "tidy-up")
    assert [c["state"] for c in person.json("list")["skills"][-1]["copies"]] == []
    states = {one["name"]: one["copies"] for one in person.json("list")["skills"]}
    assert sorted(c["state"] for c in states["tidy-up"]) == ["linked", "linked", "linked", "same"]


def test_undo_takes_a_choice_back_with_every_entry_and_the_setting(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    (person.home / "config.toml").write_text("# mine\n")
    person.skill("agents", "link", "cursor")
    assert found(agents, CURSOR, CLAUDE) == {CURSOR: ["tidy-up"], CLAUDE: []}
    assert person.json("agents", "list")["chosen"] == ["cursor"]
    person.skill("undo")
    assert found(agents, CURSOR, SHARED) == {CURSOR: [], SHARED: []}
    assert (person.home / "config.toml").read_text() == "# mine\n"


def test_unlink_leaves_the_folders_of_those_that_stay(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    person.skill("agents", "link", "cursor", "claude-code")
    person.skill("agents", "unlink", "cursor")
    assert found(agents, CURSOR, CLAUDE, SHARED) == {
        CURSOR: [], CLAUDE: ["tidy-up"], SHARED: ["tidy-up"],
    }  # fmt: skip
    person.skill("agents", "unlink")
    assert found(agents, CLAUDE, SHARED) == {CLAUDE: [], SHARED: []}
    assert person.json("agents", "list")["chosen"] == []


def test_a_single_document_is_shown_as_a_folder(person: Person, agents: Path) -> None:
    build(agents, {"work/note.md": document("note")})
    person.skill("install", str(agents / "work/note.md"))
    person.skill("agents", "link", "claude-code")
    inner = agents / CLAUDE / "note/SKILL.md"
    assert inner.is_symlink()
    assert inner.resolve() == person.home / "library/note.md"
    (audited,) = person.json("audit", "--no-network")["skills"]
    assert {copy["state"] for copy in audited["copies"]} == {"linked"}


def test_an_edit_through_a_link_is_an_edit_of_the_library_and_never_of_the_store(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    person.skill("agents", "link", "claude-code")
    (agents / CLAUDE / "tidy-up/SKILL.md").write_text(document("tidy-up", "Mine."))
    states = {one["name"]: one["state"] for one in person.json("list")["skills"]}
    assert states["tidy-up"] == "edited"
    person.skill("rollback", "tidy-up", "--to", "1", "--replace")
    assert "Mine." not in (agents / CLAUDE / "tidy-up/SKILL.md").read_text()


Put = Callable[[Path], object]
FOREIGN: dict[str, Put] = {
    "folder": lambda place: build(place, {"SKILL.md": "mine", "x": "y"}),
    "link": lambda place: place.symlink_to("../../elsewhere"),
    "file": lambda place: place.write_text("../../elsewhere"),
    "pipe": os.mkfifo,
    "folder with a link": lambda place: build(place, {}).joinpath("a").symlink_to("/etc/passwd"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_somebody_else_put_there_stays_until_it_is_named(
    person: Person, agents: Path, source: Path, kind: str
) -> None:
    place = build(agents / CURSOR, {"other/SKILL.md": "mine"}) / "tidy-up"
    FOREIGN[kind](place)
    before = tree_of(agents / CURSOR)
    person.skill("install", str(source))
    linked = person.skill("agents", "link", "cursor", status=9)
    assert f"{place} stays" in linked.out + linked.err
    assert_same(before, tree_of(agents / CURSOR))
    can = kind in ("folder", "link")
    words = ("agents", "link", "--skill", "tidy-up", "--replace", "tidy-up")
    person.skill(*words, status=0 if can else 9)
    assert place.is_symlink() == can
    assert (place.resolve() == person.home / "library/tidy-up") == can
    if can:
        person.skill("undo")
    assert_same(before, tree_of(agents / CURSOR))
    person.skill("remove", "tidy-up")
    assert_same(before, tree_of(agents / CURSOR))


def test_an_install_goes_on_where_something_of_yours_stands_in_one_folder(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("agents", "link", "claude-code", "cursor")
    build(agents / CURSOR, {"tidy-up/SKILL.md": "mine"})
    told = person.skill("install", str(source))
    assert f"{agents / CURSOR}/tidy-up stays" in told.err
    assert found(agents, CLAUDE) == {CLAUDE: ["tidy-up"]}
    assert (agents / CURSOR / "tidy-up/SKILL.md").read_text() == "mine"


def test_a_first_install_on_a_terminal_asks_once(
    person: Person, agents: Path, source: Path
) -> None:
    def yes(shown: str) -> str | None:
        return "y\n" if "Show them the skills that you install?" in shown else None

    first = converse("install", str(source), home=person.home, answer=yes, env=person.env)
    assert first.status == 0
    assert "Cursor looks for skills in ~/.cursor/skills" in first.out
    everywhere(agents, "tidy-up")
    second = converse("install", "read-pdf", home=person.home, answer=yes, env=person.env)
    assert "Show them" not in second.out
    everywhere(agents, "read-pdf", "tidy-up")


def test_a_no_on_a_terminal_is_remembered(person: Person, agents: Path, source: Path) -> None:
    def no(shown: str) -> str | None:
        return "n\n" if "Show them" in shown else None

    converse("install", str(source), home=person.home, answer=no, env=person.env)
    assert person.json("agents", "list")["chosen"] == []
    everywhere(agents)


def test_the_variable_chooses_for_one_run(person: Person, agents: Path, source: Path) -> None:
    env = {"SKILL_AGENTS": "cursor"}
    person.skill("install", str(source), env=env)
    assert found(agents, CURSOR, CLAUDE) == {CURSOR: ["tidy-up"], CLAUDE: []}
    person.error("agents", "link", "claude-code", status=2, env=env)
    person.skill("agents", "unlink", "--skill", "tidy-up")
    assert found(agents, CURSOR, SHARED) == {CURSOR: [], SHARED: []}


def test_an_agents_folder_that_leads_out_of_the_home_is_refused(
    person: Person, agents: Path, source: Path, tmp_path: Path
) -> None:
    outside = build(tmp_path / "outside", {"theirs": "x"})
    shutil.rmtree(agents / ".claude")
    (agents / ".claude").symlink_to(outside)
    person.skill("install", str(source))
    told = person.error("agents", "link", "claude-code", status=5)
    assert "leads out of your home folder" in told
    done = person.skill("agents", "link", "claude-code", "cursor")
    assert "leads out of your home folder" in done.err
    assert list(tree_of(outside)) == ["theirs"]
    assert found(agents, CURSOR) == {CURSOR: ["tidy-up"]}


def test_the_doctor_tells_and_puts_right_what_is_ours_alone(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    person.skill("install", "read-pdf")
    person.skill("agents", "link")
    assert person.json("agents", "doctor")["found"] == []

    (agents / CLAUDE / "tidy-up").unlink()  # missing
    (agents / CURSOR / "read-pdf").unlink()
    build(agents / CURSOR, {"read-pdf/SKILL.md": "mine"})  # changed
    (agents / CLAUDE / "lost").symlink_to("../nowhere")  # broken, not ours
    (agents / CURSOR / "gone").symlink_to(person.home / "library/gone")  # broken, into the library
    (agents / CURSOR / "text").write_text("../../.agents/skills/text")
    person.writes("tidy-up/SKILL.md", document("tidy-up", "Mine."))  # the copy drifts

    def kinds(answer: Any) -> dict[str, str]:
        return {
            str(Path(one["place"]).relative_to(agents)): f"{one['kind']} {one['fix']}".strip()
            for one in answer["found"]
        }

    sick = kinds(person.json("agents", "doctor", status=1))
    assert sick == {
        f"{CLAUDE}/tidy-up": "missing put it there again",
        f"{CURSOR}/read-pdf": "changed forget it",
        f"{CLAUDE}/lost": "broken",
        f"{CURSOR}/gone": "broken take it out",
        f"{CURSOR}/text": "text",
        f"{CLAW}/tidy-up": "drifted make it so",
    }
    before = tree_of(agents)
    asked = person.json("agents", "doctor", "--fix", status=1)
    assert not asked["fixed"]
    assert_same(before, tree_of(agents))
    person.skill("agents", "doctor", "--fix", "--yes", status=1)
    assert kinds(person.json("agents", "doctor", status=1)) == {
        f"{CURSOR}/read-pdf": "foreign",
        f"{CLAUDE}/lost": "broken",
        f"{CURSOR}/text": "text",
    }
    assert (agents / CLAUDE / "tidy-up").resolve() == person.home / "library/tidy-up"
    assert "Mine." in (agents / CLAW / "tidy-up/SKILL.md").read_text()
    assert (agents / CURSOR / "read-pdf/SKILL.md").read_text() == "mine"


def test_list_and_audit_tell_what_an_agent_reads_instead(
    person: Person, agents: Path, source: Path
) -> None:
    person.skill("install", str(source))
    person.skill("agents", "link")
    (agents / CLAUDE / "tidy-up").unlink()
    (agents / CLAW / "tidy-up/SKILL.md").write_text("mine")
    assert "tidy-up in ~/.claude/skills/tidy-up: missing" in person.skill("list").err
    (one,) = person.json("audit", "--no-network")["skills"]
    states = {copy["place"]: copy["state"] for copy in one["copies"]}
    assert states == {
        "~/.agents/skills/tidy-up": "linked",
        "~/.claude/skills/tidy-up": "missing",
        "~/.cursor/skills/tidy-up": "linked",
        "~/.openclaw/skills/tidy-up": "differs",
    }
    assert sum("the copy in" in remark for remark in one["remarks"]) == 2
