"""URLs that do not say what they are: asked in a fixed order, every answer told."""

from __future__ import annotations

from journeys.world import SITE, World, document, packages
from support.archives import tar_of, zip_of
from support.siteserver import NEW, OLD, publish


def test_every_probe_and_its_answer_is_told_in_the_fixed_order(world: World) -> None:
    told = world.person.error("install", f"{SITE}/a/b", "--yes", status=3)
    places = [
        f"git at {SITE}/a/b",
        f"an index at {SITE}/a/b{NEW}",
        f"an index at {SITE}{NEW}",
        f"an index at {SITE}/a/b{OLD}",
        f"an index at {SITE}{OLD}",
        "a document or an archive there",
    ]
    found = [told.index(place) for place in places]
    assert found == sorted(found)
    asked = [path.removeprefix("GET ") for path in world.web.paths()]
    assert asked[0] == "/a/b/info/refs"
    assert asked[-1] == "/a/b"


def test_a_repository_at_a_plain_url_and_behind_a_forges_page(world: World) -> None:
    repo = world.git.repo("o/r")
    repo.commit(packages("tidy-up", "other"))
    world.person.skill("install", "tidy-up", "--source", f"{world.git.url}/o/r", "--yes")
    assert world.person.record("tidy-up")["source"] == f"git+{world.git.url}/o/r"
    repo.branch("feature/x")
    page = f"{world.git.url}/o/r/tree/feature/x/skills/other"
    world.person.skill("install", page, "--yes")
    record = world.person.record("other")
    assert record["revision"]["ref"] == "refs/heads/feature/x"
    assert record["path"] == "skills/other"


def test_a_site_comes_before_a_document_and_an_archive(world: World) -> None:
    world.web.serve("/x", document("plain"), "text/markdown")
    publish(world.web, {"deploy": document("deploy")}, below="/x")
    world.person.skill("install", f"{SITE}/x", "--yes")
    assert world.person.record("deploy")["source"] == f"{SITE}/x{NEW}/index.json#deploy"


def test_an_archive_and_a_document_are_told_by_their_bytes(world: World) -> None:
    world.web.serve("/one", zip_of({"SKILL.md": document("one")}))
    world.web.serve("/two", tar_of({"SKILL.md": document("two")}))
    world.web.serve("/three", document("three"), "text/plain")
    for name in ("one", "two", "three"):
        world.person.skill("install", f"{SITE}/{name}", "--yes")
        assert world.person.record(name)["source"] == f"{SITE}/{name}"


def test_a_web_page_is_no_skill(world: World) -> None:
    world.web.serve("/page", "<!doctype html><title>Sign in</title>", "text/html")
    assert "web page" in world.person.error("install", f"{SITE}/page", "--yes", status=4)


def test_a_site_with_several_skills_asks_for_a_name(world: World) -> None:
    publish(world.web, {"deploy": document("deploy"), "other": document("other")})
    assert "deploy, other" in world.person.error("install", SITE, "--yes", status=3)
