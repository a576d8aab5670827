"""Every kind of hub keeps the same promises; hubs are added, listed, asked and removed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from journeys.world import Person, World, document
from support.archives import zip_of
from support.clawserver import ClawServer
from support.exchange import Faults
from support.hubserver import HubServer
from support.siteserver import publish
from support.webserver import WebServer

from skillpm.edges.http import Http
from skillpm.errors import RefusedError, SkillError
from skillpm.model.address import Hub as Reference
from skillpm.model.name import SkillName
from skillpm.sources.hub_kinds import KINDS, KNOWN, make
from skillpm.sources.hubs import HandleHub, IndexHub, Ports, client_for

GITHUB = {"source": "https://github.com/o/r", "description": "Tidies."}


def pepehub() -> WebServer:
    hub = HubServer()
    hub.publish("@mia/tidy-up", "1.0.0", zip_of({"SKILL.md": document("tidy-up")}))
    return hub


def clawhub() -> WebServer:
    hub = ClawServer()
    hub.publish("mia", "tidy-up", {"SKILL.md": document("tidy-up")})
    return hub


def skills_sh() -> WebServer:
    web = WebServer()
    row = {"skillId": "tidy-up", "source": "mia/skills", "installs": 3}
    bad = [{"skillId": "x", "source": "a/..b"}, {"skillId": "../x", "source": "a/b"}, 7]
    web.serve("/api/search", json.dumps({"skills": [row, *bad]}))
    return web


def well_known() -> WebServer:
    web = WebServer()
    publish(web, {"tidy-up": document("tidy-up"), "other": document("other")})
    return web


def index() -> WebServer:
    web = WebServer()
    web.serve("/index.json", json.dumps({"tidy-up": GITHUB, "bad name": GITHUB}))
    return web


ROWS: dict[str, tuple[Callable[[], WebServer], str]] = {
    "pepehub": (pepehub, ""),
    "clawhub": (clawhub, ""),
    "skills.sh": (skills_sh, ""),
    "well-known": (well_known, "/.well-known/agent-skills/index.json"),
    "index": (index, "/index.json"),
}


@pytest.fixture
def ports() -> Iterator[Ports]:
    """HTTP alone: none of these tests needs git."""
    http = Http()
    yield Ports(http, lambda: pytest.fail("git was asked"))
    http.close()


def test_every_kind_is_in_this_contract() -> None:
    assert set(ROWS) == set(KINDS)
    assert {kind for _, kind, _ in KNOWN.values()} <= set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hub_answers_as_its_kind_and_finds_its_skills(kind: str, ports: Ports) -> None:
    start, path = ROWS[kind]
    with start() as server:
        hub = make(ports, "mine", kind, server.url + path)
        hub.check()
        (found,) = hub.search("tidy", 5)
        assert found.name == "tidy-up"
        assert found.registry.name == hub.where
        assert hub.host == server.url.removeprefix("http://")
        assert (hub.name, hub.kind) == ("mine", kind)
        assert found.qualified in (
            "mine:@mia/tidy-up",
            "mia/skills@tidy-up",
            "mine/tidy-up",
        )
        reference = Reference("mia", SkillName("tidy-up"), host="mine")
        if isinstance(hub, HandleHub):
            assert client_for([hub], reference).listing(reference).source == reference
        else:
            with pytest.raises(RefusedError):
                client_for([hub], reference)
        assert isinstance(hub, IndexHub) == (kind in ("well-known", "index"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", ["<html>", "[]", "{}", "", '{"skills": 7}'])
def test_a_failure_is_never_an_empty_result(kind: str, body: str, ports: Ports) -> None:
    with WebServer() as web:
        web.serve("/*", body)
        hub = make(ports, "mine", kind, web.url)
        if kind == "index" and body == "{}":
            return  # an index of nothing
        with pytest.raises(SkillError):
            hub.search("tidy", 5)
    with pytest.raises(SkillError):
        hub.search("tidy", 5)


def test_only_the_default_hub_is_on_and_it_comes_first(world: World) -> None:
    (only,) = world.person.json("hub", "list")["hubs"]
    assert only == {"name": "default", "kind": "pepehub", "url": world.hub.url, "default": True}
    with clawhub() as claw:
        words = ("hub", "add", claw.url, "--kind", "clawhub")
        world.person.skill(*words, "--name", "mine")
        world.person.skill(*words, "--name", "mine")
        assert [h["name"] for h in world.person.json("hub", "list")["hubs"]] == ["default", "mine"]
        world.person.error(*words, "--name", "other", status=5)
    world.person.skill("hub", "remove", claw.url)
    assert len(world.person.json("hub", "list")["hubs"]) == 1
    world.person.error("hub", "remove", "default", status=5)


def test_what_does_not_answer_as_its_kind_is_not_added(world: World) -> None:
    world.web.serve("/*", "<html>", "text/html")
    for words in ((), ("--kind", "clawhub"), ("--kind", "index")):
        told = world.person.error("hub", "add", "https://skills.example/here", *words, status=7)
        assert "skills.example" in told
    world.person.error("hub", "add", "not-a-url", status=2)
    world.person.error("hub", "add", "https://a@b.example", status=2)
    assert len(world.person.json("hub", "list")["hubs"]) == 1


def test_an_index_is_told_by_asking_and_its_skills_are_installed(world: World) -> None:
    world.web.serve("/a.md", document("tidy-up"))
    entry = {"source": "https://skills.example/a.md", "description": "Tidies."}
    world.web.serve("/list", json.dumps({"tidy-up": entry}))
    world.person.skill("hub", "add", "https://skills.example/list", "--name", "acme")
    assert world.person.json("hub", "list")["hubs"][1]["kind"] == "index"
    world.person.skill("install", "acme/tidy-up", "--yes")
    world.web.serve("/list", json.dumps({"tidy-up": entry | {"source": "mallory/x"}}))
    told = world.person.error("update", "tidy-up", "--yes", status=5)
    assert "acme/tidy-up --force" in told


def test_skills_sh_leads_to_the_repository_that_it_names(world: World) -> None:
    world.git.repo("mia/skills").commit({"skills/tidy-up/SKILL.md": document("tidy-up")})
    with skills_sh() as web:
        world.person.skill("hub", "add", web.url, "--kind", "skills.sh")
        found = world.person.json("search", "tidy")["skills"]
        assert "mia/skills@tidy-up" in [skill["reference"] for skill in found]
    world.person.skill("install", "mia/skills@tidy-up", "--yes")
    assert world.person.record("tidy-up")["source"].startswith("https://github.com/mia/skills")


def test_skills_sh_leads_to_the_site_that_it_names(world: World) -> None:
    publish(world.web, {"tidy-up": document("tidy-up")})
    with skills_sh() as web:
        row = {"skillId": "tidy-up", "source": "skills.example", "installs": 3}
        web.serve("/api/search", json.dumps({"skills": [row]}))
        world.person.skill("hub", "add", web.url, "--kind", "skills.sh")
        found = [skill["reference"] for skill in world.person.json("search", "tidy")["skills"]]
    (reference,) = [words for words in found if words.startswith("https://skills.example/")]
    world.person.skill("install", reference, "--yes")
    assert world.person.record("tidy-up")["source"] == reference


def test_two_hubs_on_one_host_are_two_hubs(world: World) -> None:
    for name in ("one", "two"):
        entry = {"source": f"https://skills.example/{name}.md", "description": "Tidies."}
        world.web.serve(f"/{name}.md", document(f"tidy-{name}"))
        world.web.serve(f"/{name}.json", json.dumps({f"tidy-{name}": entry}))
        world.person.skill("hub", "add", f"https://skills.example/{name}.json", "--name", name)
    found = {s["reference"] for s in world.person.json("search", "tidy")["skills"]}
    assert {"one/tidy-one", "two/tidy-two"} <= found
    for name in ("one", "two"):
        world.person.skill("install", f"{name}/tidy-{name}", "--yes")
    assert world.person.record("tidy-one")["registry"] == "hub:skills.example/one.json"
    assert world.person.json("outdated")["skills"]
    world.person.skill("hub", "remove", "one")
    assert [h["name"] for h in world.person.json("hub", "list")["hubs"]] == ["default", "two"]


def test_a_silent_hub_is_named_and_the_others_are_heard(world: World) -> None:
    with clawhub() as claw, skills_sh() as web:
        world.person.skill("hub", "add", claw.url, "--kind", "clawhub", "--name", "claw")
        world.person.skill("hub", "add", web.url, "--kind", "skills.sh", "--name", "shared")
        claw.fault("/api/v1/search", Faults(delay=20))
        done = world.person.skill("search", "tidy", env={"SKILL_SEARCH_SECONDS": "4"})
        assert "mia/skills@tidy-up" in done.out
        assert claw.url.removeprefix("http://") in done.err
        assert "did not answer" in done.err


def test_plain_http_is_taken_because_it_was_typed_and_is_said(person: Person) -> None:
    with clawhub() as claw:
        done = person.skill("hub", "add", claw.url, "--kind", "clawhub", "--name", "claw")
        assert "not encrypted" in done.err
