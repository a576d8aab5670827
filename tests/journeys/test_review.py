"""A security person's day: policies, reviews, trusted sources, updates that gain abilities."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.cli import Result
from support.terminal import converse, says, types_back

from journeys.world import Person, World, document

SCRIPT = "#!/bin/sh\necho done\n"


@pytest.fixture
def anna(tmp_path: Path) -> Person:
    return Person(tmp_path / "home")


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "tidy"
    folder.mkdir()
    (folder / "SKILL.md").write_text(document("tidy"))
    return folder


def on_a_terminal(anna: Person, *args: str, answer: str = "", status: int = 0) -> Result:
    """Run a command on a terminal and type an answer, or the word that it asks for."""
    typed = says(answer) if answer else types_back
    return converse(*args, home=anna.home, env=anna.env, answer=typed).ended(status)


def test_only_a_person_on_a_terminal_reviews(anna: Person, skill: Path) -> None:
    anna.skill("install", str(skill))
    assert not anna.json("review", "tidy", status=5)["reviewed"]
    anna.skill("review", "tidy", input="y\ny\ny\n", status=5)
    anna.skill("review", "tidy", status=5, env={"SKILL_YES": "1", "CI": "1", "FORCE_TTY": "1"})
    for wrong in ("n", "y", "yes", "000000"):
        on_a_terminal(anna, "review", "tidy", answer=wrong, status=5)
    assert "as reviewed?" in on_a_terminal(anna, "review", "tidy").out
    assert anna.json("review", "tidy")["reviewed"]
    (audited,) = anna.json("audit", "--no-network", "tidy")["skills"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2} by \S.*", audited["review"])
    assert [e["action"] for e in anna.json("log")["events"]] == ["install", "review"]


def test_a_review_ends_with_the_first_other_byte(anna: Person, skill: Path) -> None:
    anna.skill("install", str(skill))
    on_a_terminal(anna, "review", "tidy")
    placed = anna.home / "library" / "tidy" / "SKILL.md"
    placed.write_text(placed.read_text() + "More.\n")
    found = anna.json("review", "tidy", status=5)
    assert not found["reviewed"]
    assert [file["path"] for file in found["files"]] == ["SKILL.md"]


def test_what_is_demanded_decides(anna: Person, skill: Path, tmp_path: Path) -> None:
    project = tmp_path / "project" / "deep"
    project.mkdir(parents=True)
    policy = project.parent / "skills.toml"
    for text, told in (
        ('min_origin = "official"', "min_origin"),
        ("require_reviewed = true", "require_reviewed"),
        ('min_age = "1h"', "min_age"),
        ('min_origin = "best"', "line 2"),
    ):
        policy.write_text(f"[policy]\n{text}\n")
        for flags in ((), ("--force",)):
            said = anna.error("install", str(skill), *flags, status=5, cwd=project)
            assert told in said
    policy.write_text("[policy]\nrequire_reviewed = true\n")
    on_a_terminal(anna, "review", str(skill))
    anna.skill("install", str(skill), cwd=project)


def test_a_project_cannot_loosen_what_the_user_demands(
    anna: Person, skill: Path, tmp_path: Path
) -> None:
    config = anna.home / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[policy]\nmin_origin = "official"\n')
    (tmp_path / "skills.toml").write_text('[policy]\nmin_origin = "local"\n')
    said = anna.error("install", str(skill), status=5, cwd=tmp_path)
    assert "config.toml" in said


def test_an_update_that_can_do_more_asks_again(anna: Person, skill: Path) -> None:
    anna.skill("install", str(skill))
    (skill / "run.sh").write_text(SCRIPT)
    (skill / "run.sh").chmod(0o755)
    said = anna.error("update", "tidy", "--yes", status=5)
    assert "run.sh" in said
    assert "--accept-new" in said
    anna.skill("update", "tidy", input="n\n", tty=True, status=5)
    anna.skill("update", "tidy", "--accept-new")
    (skill / "SKILL.md").write_text(document("tidy", "Do the work twice."))
    anna.skill("update", "tidy")


def test_trusting_a_source_is_said_on_a_terminal_and_taken_back_anywhere(anna: Person) -> None:
    anna.skill("trust", "add", "github.com/acme", status=5)
    anna.skill("trust", "add", "github.com/acme", input="y\n", status=5)
    on_a_terminal(anna, "trust", "add", "github.com/acme")
    assert [s["source"] for s in anna.json("trust", "list")["sources"]] == ["github.com/acme"]
    anna.skill("trust", "remove", "github.com/acme")
    anna.error("trust", "remove", "github.com/acme", status=3)


def test_a_trusted_source_needs_no_question(world: World) -> None:
    world.git.repo("acme/tidy").commit({"SKILL.md": document("tidy")})
    address = "https://github.com/acme/tidy"
    world.person.error("install", address, status=5)
    on_a_terminal(world.person, "trust", "add", "github.com/acme")
    done = world.person.json("install", address)
    assert done["skill"]["origin"] == "community" if "skill" in done else done


def test_another_tap_of_a_trusted_name_is_not_trusted(world: World) -> None:
    world.git.repo("team/reg").commit({"tap.json": "{}"})
    world.person.skill("tap", "add", "team/reg", "--name", "team")
    on_a_terminal(world.person, "trust", "add", "tap:team")
    world.person.skill("tap", "remove", "team")
    assert world.person.json("trust", "list")["sources"] == []
    on_a_terminal(world.person, "trust", "add", "tap:team", status=3)


def test_what_was_typed_before_the_question_answers_nothing(anna: Person, skill: Path) -> None:
    anna.skill("install", str(skill))
    digest = anna.json("review", "tidy", status=5)["digest"].rpartition(":")[2]
    done = converse(
        "review", "tidy", home=anna.home, env=anna.env, early=f"{digest[:6]}\n", answer=says("")
    )
    assert done.status == 5
    assert not anna.json("review", "tidy", status=5)["reviewed"]


def test_a_review_shows_the_end_of_a_long_line(anna: Person, skill: Path) -> None:
    (skill / "SKILL.md").write_text(document("tidy", "word " * 3_000 + "THE-END"))
    anna.skill("install", str(skill))
    assert "THE-END" in anna.skill("review", "tidy", status=5).out


def test_a_closed_standard_input_is_nobody(anna: Person) -> None:
    import subprocess
    import sys

    from support.cli import environment

    command = f"{sys.executable} -P -m skillpm list <&-"
    done = subprocess.run(  # noqa: S602 - the shell closes the stream
        command, shell=True, env=environment(anna.home, anna.env), check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
