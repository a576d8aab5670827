"""Taps: added in every spelling, looked up in order, never shadowing, never silently empty."""

from __future__ import annotations

import json

import pytest
from journeys.world import GITHUB, SITE, World, document, index, packages, rows
from support.exchange import Reply


def two_sources(world: World) -> None:
    """Two collections that both hold `tidy-up`."""
    for owner in ("jane", "mallory"):
        world.git.repo(f"{owner}/skills").commit(packages("tidy-up"))


@pytest.mark.parametrize("spelling", ["owner/repo", "https", "git url", "file url"])
def test_a_repository_is_a_tap_in_every_spelling(spelling: str, world: World) -> None:
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.git.repo("team/reg").commit({"tap.json": index({"tidy-up": f"{GITHUB}/jane/skills"})})
    address = {
        "owner/repo": "team/reg",
        "https": f"{GITHUB}/team/reg",
        "git url": world.git.url_of("team/reg"),
        "file url": f"file://{world.git.root}/team/reg.git",
    }[spelling]
    data = world.person.json("tap", "add", address, "--name", "ours")
    assert (data["name"], data["skills"]) == ("ours", 1)
    assert len(data["commit"]) == 40
    world.person.skill("install", "tidy-up", "--yes")
    record = world.person.record("tidy-up")
    assert record["registry"] == "tap:ours"
    assert record["origin"] == "community"
    (listed,) = world.person.json("tap", "list")["taps"]
    assert listed["url"].endswith("team/reg") or listed["url"].endswith("team/reg.git")
    world.person.skill("tap", "remove", "ours")
    assert world.person.json("tap", "list")["taps"] == []
    world.person.skill("audit", "tidy-up")


def test_an_index_url_is_a_tap(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.web.serve("/skills.json", index({"tidy-up": f"{SITE}/tidy-up.md"}))
    world.person.skill("tap", "add", f"{SITE}/skills.json", "--name", "site")
    world.person.skill("install", "site/tidy-up", "--yes")
    assert world.person.record("tidy-up")["source"] == f"{SITE}/tidy-up.md"


def test_a_collection_without_an_index_is_a_tap_of_its_folders(world: World) -> None:
    world.git.repo("team/skills").commit(packages("tidy-up", "read-x"))
    world.person.skill("tap", "add", "team/skills")
    found = {s["name"]: s for s in world.person.json("search", "tidy")["skills"]}
    assert found["tidy-up"]["trust"] == "community"
    world.person.skill("install", "read-x", "--yes")
    assert world.person.record("read-x")["path"] == "skills/read-x"


def test_a_tap_of_a_collection_leaves_out_what_calls_itself_internal(world: World) -> None:
    ours = document("for-us", metadata="\n  internal: true")
    files = packages("tidy-up") | {"skills/for-us/SKILL.md": ours}
    world.git.repo("team/skills").commit(files)
    assert world.person.json("tap", "add", "team/skills")["skills"] == 1
    world.person.error("install", "team/for-us", "--yes", status=3)


def test_a_tap_and_a_hub_never_share_a_name(world: World) -> None:
    world.web.serve("/list.json", index({"tidy-up": f"{SITE}/tidy-up.md"}))
    world.person.skill("hub", "add", f"{SITE}/list.json", "--kind", "index", "--name", "team")
    world.git.repo("team/skills").commit(packages("tidy-up"))
    assert world.person.json("tap", "add", "team/skills")["name"] == "team-2"
    world.person.error("tap", "add", "team/skills", "--name", "team", status=5)


def test_every_shape_of_entry_works(world: World) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("by-repo", "by-tree", "by-path"))
    world.web.serve("/by-url.md", document("by-url"))
    sources = {
        "by-repo": {"source": f"{GITHUB}/jane/skills", "description": "One", "extra": [1]},
        "by-tree": {"source": f"{GITHUB}/jane/skills/tree/main/skills/by-tree"},
        "by-path": {"source": f"{GITHUB}/jane/skills", "path": "skills/by-path"},
        "by-url": {"source": f"{SITE}/by-url.md"},
    }
    world.git.repo("team/reg").commit({"skills_registry.json": json.dumps(sources)})
    world.person.skill("tap", "add", "team/reg")
    for name in sources:
        world.person.skill("install", name, "--yes")
        assert world.person.record(name)["registry"] == "tap:team"


def test_a_name_in_two_taps_is_an_error_that_lists_both_and_changes_nothing(
    world: World,
) -> None:
    two_sources(world)
    world.tap({"tidy-up": f"{GITHUB}/jane/skills"}, "first/reg")
    world.tap({"tidy-up": f"{GITHUB}/mallory/skills"}, "second/reg")
    taps = rows(world.person.home, "taps")
    fetched = len([r for r in world.git.requests if "/skills" in r.path])
    told = world.person.error("install", "tidy-up", "--yes", status=3)
    assert "first/tidy-up" in told
    assert "second/tidy-up" in told
    assert rows(world.person.home, "taps") == taps
    assert len([r for r in world.git.requests if "/skills" in r.path]) == fetched
    world.person.skill("install", "second/tidy-up", "--yes")
    assert "mallory" in world.person.record("tidy-up")["source"]


def test_a_tap_cannot_shadow_a_bundled_name(world: World) -> None:
    two_sources(world)
    world.git.repo("mallory/evil").commit({"SKILL.md": document("cut-a-release", "Mine.")})
    world.tap({"cut-a-release": f"{GITHUB}/mallory/evil", "create-watch": f"{GITHUB}/mallory/evil"})
    world.person.skill("install", "cut-a-release")
    assert world.person.record("cut-a-release")["registry"] == "bundled"
    world.person.error("install", "team/cut-a-release", "--yes", status=5)
    assert "Mine." not in world.person.skill("read", "create-watch").out
    found = world.person.json("search", "cut-a-release")["skills"]
    assert found[0]["reference"] == "cut-a-release"
    assert "team/cut-a-release" in [s["reference"] for s in found]


def test_a_tap_that_gains_an_installed_name_does_not_take_it_over(world: World) -> None:
    two_sources(world)
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes")
    world.tap({"tidy-up": f"{GITHUB}/mallory/skills"})
    world.person.skill("update", "--all", "--yes")
    assert "jane" in world.person.record("tidy-up")["source"]


def test_a_tap_that_is_down_uses_its_last_good_index_and_says_so(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.tap({"tidy-up": f"{SITE}/tidy-up.md"})
    world.git.on_request(lambda _: Reply(503))
    done = world.person.skill("install", "tidy-up", "--yes")
    assert "team did not answer" in done.err
    assert "last good index" in done.err
    assert "team/tidy-up" in world.person.skill("search", "tidy").out
    world.person.skill("outdated")
    world.person.skill("tap", "update", status=7)


def test_a_good_tap_goes_on_when_another_is_down(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.tap({"tidy-up": f"{SITE}/tidy-up.md"}, "first/reg")
    world.tap({"other": f"{SITE}/other.md"}, "second/reg")
    world.git.on_request(lambda r: Reply(500) if "second" in r.path else None)
    world.person.skill("tap", "update", status=9)
    world.person.skill("install", "tidy-up", "--yes")


@pytest.mark.parametrize("body", ["not JSON", "[1, 2]", "<html>sorry</html>", '"text"', ""])
def test_a_tap_whose_index_broke_keeps_the_last_good_one(body: str, world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    tap = world.tap({"tidy-up": f"{SITE}/tidy-up.md"})
    tap.commit({"skills_registry.json": body})
    done = world.person.skill("install", "tidy-up", "--yes")
    assert "last good index" in done.err
    world.person.skill("tap", "update", status=7)
    world.person.skill("info", "tidy-up")


@pytest.mark.parametrize("body", ["not JSON", "[1, 2]", "<html>sorry</html>", '"text"', "", "7"])
@pytest.mark.parametrize("kind", ["repository", "url"])
def test_an_index_that_is_no_object_of_names_is_not_added(
    kind: str, body: str, world: World
) -> None:
    world.git.repo("team/reg").commit({"skills_registry.json": body})
    world.web.serve("/index.json", body)
    address = "team/reg" if kind == "repository" else f"{SITE}/index.json"
    assert world.person.error("tap", "add", address, status=7)
    assert world.person.json("tap", "list")["taps"] == []


def test_a_bad_entry_is_skipped_and_named_and_the_others_work(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    entries = {
        "a-string": "x", "a-number": 7, "a-list": [], "a-null": None, "no-source": {},
        "source-number": {"source": 7}, "local-path": {"source": "/etc"},
        "file-url": {"source": "file:///etc/passwd"}, "home": {"source": "~/private"},
        "plain": {"source": "http://skills.example/x.md"}, "../../evil": {"source": f"{SITE}/x.md"},
        "CON": {"source": f"{SITE}/x.md"}, "": {"source": f"{SITE}/x.md"},
        "tidy-up": {"source": f"{SITE}/tidy-up.md", "description": 7, "version": []},
    }  # fmt: skip
    world.git.repo("team/reg").commit({"skills_registry.json": json.dumps(entries)})
    done = world.person.skill("tap", "add", "team/reg")
    for name in entries:
        assert (f"entry {name!r} is skipped" in done.err) == (name != "tidy-up"), name
    world.person.skill("install", "tidy-up", "--yes")
    world.person.skill("search", "x")
    world.person.error("install", "local-path", status=3)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.1", "[::1]", "169.254.169.254"])
def test_a_tap_may_not_name_a_private_address(host: str, world: World) -> None:
    sources = {"tidy-up": f"https://{host}:9/tidy-up.md", "by-git": f"https://{host}:9/a/b.git"}
    world.tap(sources)
    for name in sources:
        assert "private address" in world.person.error("install", name, "--yes", status=5)


def test_a_digest_that_an_index_promises_is_checked(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    entry = {"source": f"{SITE}/tidy-up.md", "digest": "git-tree-sha256:" + "0" * 64}
    world.git.repo("team/reg").commit({"skills_registry.json": json.dumps({"tidy-up": entry})})
    world.person.skill("tap", "add", "team/reg")
    assert "promises" in world.person.error("install", "tidy-up", "--yes", status=6)


def test_a_name_that_is_not_listed_and_a_silent_tap_are_two_answers(world: World) -> None:
    told = world.person.error("install", "not-there", status=3)
    assert "skill search not-there" in told
    world.tap({"tidy-up": f"{SITE}/tidy-up.md"})
    assert "tidy-up" in world.person.error("install", "tidy-upp", status=3)
    world.person.error("install", "team/not-there", status=3)


def test_two_taps_never_share_a_short_name(world: World) -> None:
    world.tap({"a": f"{SITE}/a.md"}, "team/one")
    world.tap({"b": f"{SITE}/b.md"}, "team/two")
    names = [tap["name"] for tap in world.person.json("tap", "list")["taps"]]
    assert names == ["team", "team-2"]
    world.person.skill("tap", "add", "team/one")
    assert len(world.person.json("tap", "list")["taps"]) == 2
    world.person.error("tap", "add", "team/one", "--name", "team-2", status=5)
    world.person.error("tap", "remove", "nobody", status=3)
    world.person.error("tap", "add", "./here", status=2)
    world.person.skill("tap", "remove", "team/two")


def test_skills_of_a_removed_tap_stay_and_follow_their_source(world: World) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    world.tap({"tidy-up": f"{GITHUB}/jane/skills"})
    world.person.skill("install", "tidy-up", "--yes")
    world.person.skill("tap", "remove", "team")
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")})
    world.person.skill("update", "tidy-up", "--yes")
    assert "jane" in world.person.record("tidy-up")["source"]
