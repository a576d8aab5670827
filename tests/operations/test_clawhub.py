"""ClawHub: references, hand-offs, digests, moderation, and what its refusals say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from journeys.world import World, document, packages
from support.archives import zip_of
from support.clawserver import ClawServer
from support.exchange import Reply

NAME = "clawhub:@mia/tidy-up"
FILES = {"SKILL.md": document("tidy-up"), "scripts/run.sh": "echo\n"}


@pytest.fixture
def claw(world: World) -> Iterator[ClawServer]:
    """A ClawHub that the person added, with one skill."""
    with ClawServer() as server:
        server.publish("mia", "tidy-up", FILES)
        world.person.skill("hub", "add", server.url, "--kind", "clawhub", "--name", "clawhub")
        yield server


def test_a_skill_is_found_installed_and_updated(world: World, claw: ClawServer) -> None:
    found = world.person.json("search", "tidy")["skills"]
    assert NAME in [skill["reference"] for skill in found]
    world.person.skill("install", NAME, "--yes")
    record = world.person.record("tidy-up")
    assert record["source"] == NAME
    assert record["owner"] == "mia"
    assert record["origin"] == "community"
    assert record["revision"]["value"] == "1.0.0"
    claw.publish("mia", "tidy-up", FILES | {"SKILL.md": document("tidy-up", "Better.")})
    assert world.person.json("outdated", status=1)["skills"][0]["newest"] == "version 2.0.0"
    world.person.skill("update", "tidy-up", "--yes")
    assert world.person.record("tidy-up")["revision"]["value"] == "2.0.0"
    world.person.skill("install", f"{NAME}@1.0.0", "--yes", "--force")
    assert world.person.record("tidy-up")["revision"]["value"] == "1.0.0"


def test_a_bare_reference_means_the_default_hub_alone(world: World, claw: ClawServer) -> None:
    world.person.error("install", "@mia/tidy-up", "--yes", status=3)
    world.person.skill("hub", "remove", "clawhub")
    assert "skill hub add" in world.person.error("install", NAME, "--yes", status=5)


@pytest.mark.parametrize(
    "files",
    [
        FILES | {"SKILL.md": document("tidy-up", "Swapped.")},
        FILES | {"more.sh": "echo\n"},
        {"SKILL.md": FILES["SKILL.md"]},
    ],
    ids=["another file", "one more", "one less"],
)
def test_an_archive_that_is_not_what_the_hub_lists_is_refused(
    files: dict[str, str], world: World, claw: ClawServer
) -> None:
    claw.zips["1.0.0"] = zip_of(files)
    world.person.error("install", NAME, "--yes", status=6)


def test_without_listed_digests_the_archive_is_taken(world: World, claw: ClawServer) -> None:
    claw.digests = False
    world.person.skill("install", NAME, "--yes")


def test_a_hand_off_to_github_is_pinned_to_its_commit(world: World, claw: ClawServer) -> None:
    repo = world.git.repo("mia/skills")
    commit = repo.commit(packages("tidy-up", "other"))
    handed = {"repo": "mia/skills", "path": "skills/tidy-up", "commit": commit}
    claw.skills[0].github = handed
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Later.")})
    world.person.skill("install", NAME, "--yes")
    record = world.person.record("tidy-up")
    assert (record["source"], record["revision"]["value"]) == (NAME, commit)
    assert world.person.json("outdated")["skills"][0]["state"] == "current"
    claw.skills[0].github = handed | {"commit": repo.head()}
    world.person.skill("update", "tidy-up", "--yes")
    assert "Later." in world.person.skill("read", "tidy-up").out


def test_malware_is_refused_and_the_suspicious_is_told(world: World, claw: ClawServer) -> None:
    verdict = {"verdict": "malicious", "summary": "It mines coins."}
    claw.skills[0].moderation = {"isMalwareBlocked": True, **verdict}
    assert "It mines coins." in world.person.error("install", NAME, "--yes", "--force", status=5)
    claw.skills[0].moderation = {"isSuspicious": True, **verdict}
    world.person.error("install", NAME, status=5)
    assert "It mines coins." in world.person.skill("install", NAME, "--yes").err


@pytest.mark.parametrize(("status", "exit_status"), [(410, 3), (403, 5), (423, 5), (500, 7)])
def test_a_refusal_of_the_hub_has_its_own_status(
    status: int, exit_status: int, world: World, claw: ClawServer
) -> None:
    claw.skills[0].refusal = (status, "Because of that.")
    told = world.person.error("install", NAME, "--yes", status=exit_status)
    assert claw.url.removeprefix("http://") in told


def test_a_slug_of_several_owners_lists_them(world: World, claw: ClawServer) -> None:
    claw.publish("noa", "tidy-up", FILES)
    claw.ambiguous = True
    told = world.person.error("install", NAME, "--yes", status=3)
    assert "clawhub:@mia/tidy-up, clawhub:@noa/tidy-up" in told


def test_a_skill_that_changed_hands_is_refused(world: World, claw: ClawServer) -> None:
    world.person.skill("install", NAME, "--yes")
    page = claw._skill(claw.skills[0], [])
    assert isinstance(page.body, bytes)
    moved = Reply(200, page.body.replace(b"mia", b"mallory"))
    claw.on("/api/v1/skills/tidy-up", lambda _: moved)
    assert "mallory" in world.person.error("update", "tidy-up", "--yes", status=5)


def test_the_same_name_on_another_server_is_not_the_same_hub(
    world: World, claw: ClawServer
) -> None:
    world.person.skill("install", NAME, "--yes")
    with ClawServer() as other:
        other.publish("mia", "tidy-up", FILES | {"SKILL.md": document("tidy-up", "Mine.")})
        world.person.skill("hub", "remove", "clawhub")
        words = ("hub", "add", other.url, "--kind", "clawhub", "--name", "clawhub")
        world.person.skill(*words)
        world.person.error("update", "tidy-up", "--yes", status=5)
