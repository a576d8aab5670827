"""The history of a project's skills, and looking at what a project has."""

from __future__ import annotations

from support.terminal import converse, types_back

from journeys.team import Team, install
from journeys.world import document

OLD, NEW = "Do the old thing.", "Do the new thing."


def moved_on(team: Team) -> None:
    """Ann's project has had two versions of one skill."""
    repo = team.world.git.repo("jane/skills")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", OLD)})
    install(team.ann, "tidy-up")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", NEW)})
    team.ann.skill("update", "tidy-up", "--yes", "--project")


def test_an_older_version_comes_back_with_its_lock(team: Team) -> None:
    moved_on(team)
    versions = team.ann.json("history", "tidy-up", "--project")["versions"]
    assert [(v["how"], v["state"]) for v in versions] == [
        ("install", "kept"),
        ("update", "current"),
    ]
    team.ann.skill("rollback", "tidy-up", "--project")
    assert OLD.encode() in team.ann.skills["tidy-up/SKILL.md"][0]
    assert versions[0]["revision"].encode() in team.ann.lock.read_bytes()
    team.ann.skill("sync", "--frozen")
    team.ann.hands_lock_to(team.bob)
    team.bob.skill("sync", "--yes")
    assert team.bob.skills == team.ann.skills
    team.ann.skill("undo")
    assert NEW.encode() in team.ann.skills["tidy-up/SKILL.md"][0]


def test_a_projects_history_is_not_that_of_the_library(team: Team) -> None:
    moved_on(team)
    assert "skill list" in team.ann.refused("history", "tidy-up", status=3)
    install_in_library = ("install", "tidy-up", "--source", "jane/skills", "--yes")
    team.ann.skill(*install_in_library)
    assert len(team.ann.json("history", "tidy-up")["versions"]) == 1
    team.ann.refused("rollback", "tidy-up", status=3)
    assert len(team.ann.json("history", "tidy-up", "--project")["versions"]) == 2


def test_a_skill_is_held_for_the_whole_team(team: Team) -> None:
    moved_on(team)
    team.ann.skill("rollback", "tidy-up", "--project")
    before = team.ann.lock.read_bytes()
    team.ann.skill("pin", "tidy-up", "--project")
    team.ann.hands_lock_to(team.bob)
    team.bob.skill("sync", "--yes")
    done = team.bob.json("update", "--all", "--yes", "--project")["skills"]
    assert [skill["state"] for skill in done] == ["pinned"]
    team.ann.skill("unpin", "tidy-up", "--project")
    assert team.ann.lock.read_bytes() == before


def test_edits_in_a_project_are_shown_and_not_lost(team: Team) -> None:
    moved_on(team)
    team.ann.writes("tidy-up/SKILL.md", document("tidy-up", "Mine."))
    shown = team.ann.skill("diff", "tidy-up", "--project", status=1).out
    assert "+Mine." in shown
    assert f"-{NEW}" in shown
    assert "--replace" in team.ann.refused("rollback", "tidy-up", "--project", status=5)
    team.ann.skill("rollback", "tidy-up", "--project", "--to", "1", "--replace")
    told = team.ann.json("history", "tidy-up", "--project")["versions"]
    assert [v["how"] for v in told] == ["install", "update", "edits", "rollback"]
    team.ann.skill("rollback", "tidy-up", "--project", "--to", "3")
    assert b"Mine." in team.ann.skills["tidy-up/SKILL.md"][0]


def test_a_project_is_audited_against_its_lock(team: Team) -> None:
    moved_on(team)
    (seen,) = team.ann.json("audit", "--project", "--no-network")["skills"]
    assert (seen["name"], seen["files"], seen["origin"]) == ("tidy-up", "ok", "community")
    assert team.ann.json("verify", "tidy-up", "--project")["skills"][0]["answer"] == "verified"
    team.ann.writes("tidy-up/scripts/run.sh", "echo changed\n")
    assert team.ann.json("audit", "--project", "--no-network", status=6)["skills"][0]["files"] == (
        "edited"
    )
    team.ann.skill("verify", "tidy-up", "--project", status=6)
    assert team.ann.json("audit", "--no-network")["skills"] == []


def test_a_projects_skill_is_reviewed_where_it_stands(team: Team) -> None:
    moved_on(team)
    done = converse(
        "review", "tidy-up", "--project", home=team.ann.person.home, env=team.ann.person.env,
        cwd=team.ann.project, answer=types_back,
    )  # fmt: skip
    assert done.status == 0, done.out
    assert NEW in done.out
    shown = team.ann.json("read", "tidy-up", "--project")
    assert (shown["reviewed"], shown["fenced"]) == (True, False)
