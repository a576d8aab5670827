"""A hub's packages: references and pages, promises about bytes, owners, and what is refused."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from journeys.world import Person, World, document
from support.archives import zip_of
from support.exchange import Faults, Reply

NAME = "@jhonathas/tidy-up"


def publish(world: World, version: str = "1.0.0", text: str = "Do it.", **facts: Any) -> None:
    """Publish a version of the package."""
    data = zip_of(
        {"SKILL.md": document("tidy-up", text), "run.sh": "echo\n"}, executable=["run.sh"]
    )
    world.hub.publish(NAME, version, data, **facts)


def text_of(world: World) -> str:
    """The installed entry document."""
    return (world.person.home / "library" / "tidy-up" / "SKILL.md").read_text()


@pytest.mark.parametrize("page", ["", "/skills/", "/packages/"])
def test_a_reference_and_the_hubs_own_pages_name_the_same_package(page: str, world: World) -> None:
    publish(world)
    words = f"{world.hub.url}{page}{NAME}" if page else NAME
    world.person.skill("install", words, "--yes")
    record = world.person.record("tidy-up")
    assert record["origin"] == "community"
    assert record["owner"] == "jhonathas"
    assert record["revision"] == {"kind": "version", "value": "1.0.0", "ref": ""}
    assert [f["mode"] for f in record["files"] if f["path"] == "run.sh"] == ["100755"]
    world.person.skill("update", "tidy-up", "--yes")
    downloads = [r for r in world.hub.requests if r.path.endswith("/download")]
    assert downloads[0].headers["X-PepeHub-No-Telemetry"]


@pytest.mark.parametrize(
    ("layout", "single"),
    [
        ({"tidy-up.md": document("tidy-up")}, True),
        ({"SKILL.md": document("tidy-up")}, False),
        ({"tidy-up/SKILL.md": document("tidy-up"), "tidy-up/a.txt": "a"}, False),
        ({"jhonathas-tidy-up-0a1b2c3/SKILL.md": document("tidy-up")}, False),
    ],
    ids=["one document", "at the root", "in a folder", "in a zipball's wrapper"],
)
def test_every_layout_of_an_artifact_is_read(
    layout: dict[str, str], single: bool, world: World
) -> None:
    world.hub.publish(NAME, "1.0.0", zip_of(layout))
    world.person.skill("install", NAME, "--yes")
    found = [f["path"] for f in world.person.record("tidy-up")["files"]]
    assert "SKILL.md" in found


@pytest.mark.parametrize(
    ("flag", "origin"), [(True, "official"), ("yes", "community"), (1, "community")]
)
def test_official_is_the_hubs_word_and_only_true_counts(
    flag: Any, origin: str, world: World
) -> None:
    publish(world, official=flag)
    world.person.skill("install", NAME, *(["--yes"] if origin == "community" else []))
    assert world.person.record("tidy-up")["origin"] == origin


def test_a_version_that_was_asked_for_is_the_one_installed(world: World) -> None:
    publish(world, "1.0.0", "The first.")
    publish(world, "2.0.0", "The second.")
    world.person.skill("install", f"{NAME}@1.0.0", "--yes")
    assert "The first." in text_of(world)
    assert world.person.record("tidy-up")["revision"]["value"] == "1.0.0"


def test_a_newer_version_is_an_update(world: World) -> None:
    publish(world)
    world.person.skill("install", NAME, "--yes")
    publish(world, "1.1.0", "The second.")
    (skill,) = world.person.json("outdated", status=1)["skills"]
    assert (skill["state"], skill["newest"]) == ("behind", "version 1.1.0")
    world.person.skill("update", "tidy-up", "--yes")
    assert "The second." in text_of(world)
    assert world.person.record("tidy-up")["version"] == "1.1.0"


def test_an_older_version_is_never_an_update_and_the_named_command_takes_it(world: World) -> None:
    publish(world, "1.0.0", "The first.")
    publish(world, "1.10.0", "The tenth.")
    world.person.skill("install", NAME, "--yes")
    world.hub.packages[NAME].latest = "1.0.0"
    told = world.person.error("update", "tidy-up", "--yes", status=6)
    assert "1.10.0" in told
    command = shlex.split(told[told.index("skill install") :].splitlines()[0])[1:]
    world.person.skill(*command, "--yes")
    assert "The first." in text_of(world)


def test_a_package_that_changed_hands_is_refused_and_says_both_owners(world: World) -> None:
    publish(world)
    world.person.skill("install", NAME, "--yes")
    world.hub.packages[NAME].owner = "mallory"
    publish(world, "2.0.0", "Mine now.")
    told = world.person.error("update", "tidy-up", "--yes", status=5)
    assert "jhonathas" in told
    assert "mallory" in told
    assert world.person.json("outdated", status=1)["skills"][0]["state"] == "source changed"
    world.person.skill(*shlex.split(told[told.index("skill install") :])[1:], "--yes")
    assert "Mine now." in text_of(world)


@pytest.mark.parametrize("transferred", [True, False])
def test_a_package_that_answers_under_another_name_is_refused(
    transferred: bool, world: World
) -> None:
    publish(world)
    world.person.skill("install", NAME, "--yes")
    if transferred:
        new = world.hub.transfer(NAME, "mallory")
    else:
        new = "@jhonathas/other-name"
        world.hub.rename(NAME, new)
    told = world.person.error("update", "tidy-up", "--yes", status=5)
    assert new in told
    assert NAME in told
    world.person.skill(*shlex.split(told[told.index("skill install") :])[1:], "--yes")


def test_a_handle_that_was_registered_anew_is_another_owner(world: World) -> None:
    publish(world)
    world.person.skill("install", NAME, "--yes")
    world.hub.delete(NAME)
    assert "jhonathas" in world.person.error("update", "tidy-up", "--yes", status=3)
    world.hub.publish(NAME, "9.0.0", zip_of({"SKILL.md": document("tidy-up")}), owner="someone-2")
    assert "someone-2" in world.person.error("update", "tidy-up", "--yes", status=5)


def test_a_plugin_is_refused_as_a_plugin(world: World) -> None:
    publish(world, kind="plugin")
    assert "plugin" in world.person.error("install", NAME, "--yes", status=5)


@pytest.mark.parametrize("state", ["blocked", "hidden", "held"])
def test_a_moderated_package_is_refused_and_says_the_state(state: Any, world: World) -> None:
    publish(world, moderation=state)
    assert state in world.person.error("install", NAME, "--yes", status=5)


@pytest.mark.parametrize(
    ("scan", "status"),
    [("malicious", 5), ("clean", 0), ("pending", 0), ("review", 0), ("warning", 0), ("error", 0)],
)
def test_the_hubs_own_scan_is_honoured(scan: Any, status: int, world: World) -> None:
    publish(world, scan={"status": scan, "riskLevel": "high"})
    done = world.person.skill("install", NAME, "--yes", status=status)
    assert (f"scan says {scan}" in done.err) == (scan not in ("clean", "pending"))


def test_bytes_that_are_not_those_promised_are_refused(world: World) -> None:
    publish(world)
    world.hub.lie_about_digest()
    assert "SHA-256" in world.person.error("install", NAME, "--yes", status=6)


def test_other_bytes_than_the_version_list_promises_are_refused(world: World) -> None:
    publish(world)
    other = zip_of({"SKILL.md": document("tidy-up", "Swapped.")})
    world.hub.on(world.hub.download(NAME, "1.0.0"), lambda _: Reply(200, other))
    world.person.error("install", NAME, "--yes", status=6)


def test_a_version_that_is_gone_and_a_package_without_one_are_not_found(world: World) -> None:
    publish(world)
    assert "9.9.9" in world.person.error("install", f"{NAME}@9.9.9", "--yes", status=3)
    world.hub.packages[NAME].latest = None
    world.person.error("install", NAME, "--yes", status=3)
    world.person.error("install", "@nobody/nothing", "--yes", status=3)


def test_a_page_of_a_hub_that_is_not_configured_is_refused(world: World) -> None:
    told = world.person.error("install", f"https://hub.example/skills/{NAME}", status=5)
    assert "hub.example" in told


def test_without_a_hub_a_reference_says_so_and_search_works(person: Person) -> None:
    assert "SKILL_HUB" in person.error("install", NAME, status=7)
    assert person.json("search", "release")["skills"][0]["name"] == "cut-a-release"


def test_search_asks_the_hub_for_skills_and_leaves_plugins_out(world: World) -> None:
    publish(world, summary="Tidies a release up")
    world.hub.publish("@a/release-plugin", "1.0.0", b"x", kind="plugin", summary="a release")
    found = world.person.json("search", "release")["skills"]
    assert "@jhonathas/tidy-up" in [s["reference"] for s in found]
    assert not any("plugin" in s["reference"] for s in found)


def test_a_hub_that_is_slow_is_named_and_is_never_in_the_way(world: World) -> None:
    world.hub.fault("/api/v1/search", Faults(delay=8))
    env = {"SKILL_SEARCH_SECONDS": "0.5"}
    done = world.person.skill("search", "release", env=env)
    assert "cut-a-release" in done.out
    assert "did not answer" in done.err
