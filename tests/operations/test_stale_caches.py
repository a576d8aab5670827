"""Row H14: the index is new, and what a cache on the way holds of the bytes is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest
from journeys.world import SITE, World, document
from support.archives import zip_of
from support.clawserver import ClawServer
from support.exchange import Reply, Request, matches
from support.httpd import LoopbackServer
from support.siteserver import NEW, publish

from skillpm.model.tree import Tree

OLD_TEXT, NEW_TEXT = document("tidy-up", "The first."), document("tidy-up", "The second.")


@dataclass
class Cdn:
    """A cache in front of a server: it goes on answering what it holds of one path.

    Attributes:
        held: the bytes that it holds.
        stubborn: whether it does not even listen to `no-cache`.
        asked: the Cache-Control of each request for the path.
    """

    path: str
    held: bytes
    stubborn: bool = False
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply | None:
        if not matches(self.path, request):
            return None
        said = request.headers.get("Cache-Control", "")
        self.asked.append(said)
        fresh = said == "no-cache" and not self.stubborn
        return None if fresh else Reply(200, self.held, {"Content-Type": "application/zip"})


@dataclass
class Place:
    """Somewhere that promises a digest.

    Attributes:
        words: what installs the skill.
        put: publishes the skill with a text.
        server: what serves the bytes, at `path`.
        pack: a text as those bytes.
    """

    words: tuple[str, ...]
    put: Callable[[str], object]
    server: LoopbackServer
    path: str
    pack: Callable[[str], bytes]


def _zipped(text: str) -> bytes:
    return zip_of({"SKILL.md": text})


def _site(world: World, _: ExitStack) -> Place:
    put = lambda text: publish(world.web, {"tidy-up": text})  # noqa: E731
    words = ("tidy-up", "--source", SITE)
    return Place(words, put, world.web, f"{NEW}/tidy-up.md", str.encode)


def _site_archive(world: World, _: ExitStack) -> Place:
    put = lambda text: publish(world.web, {"tidy-up": _zipped(text)})  # noqa: E731
    words = ("tidy-up", "--source", SITE)
    return Place(words, put, world.web, f"{NEW}/tidy-up.zip", _zipped)


def _pepehub(world: World, _: ExitStack) -> Place:
    name = "@jhonathas/tidy-up"
    versions = {OLD_TEXT: "1.0.0", NEW_TEXT: "2.0.0"}
    put = lambda text: world.hub.publish(name, versions[text], _zipped(text))  # noqa: E731
    return Place((name,), put, world.hub, world.hub.download(name, "2.0.0"), _zipped)


def _clawhub(world: World, stack: ExitStack) -> Place:
    hub = stack.enter_context(ClawServer())
    hub.publish("zed", "zed", {"SKILL.md": document("zed")})
    world.person.skill("hub", "add", hub.url, "--kind", "clawhub", "--name", "claw")
    put = lambda text: hub.publish("mia", "tidy-up", {"SKILL.md": text})  # noqa: E731
    return Place(("claw:@mia/tidy-up",), put, hub, "/api/v1/download", _zipped)


def _index(world: World, _: ExitStack) -> Place:
    def put(text: str) -> None:
        world.web.serve("/a.md", text)
        digest = Tree.single(text.encode()).digest
        entry = {"source": f"{SITE}/a.md", "digest": digest}
        world.web.serve("/list", json.dumps({"tidy-up": entry}))

    put(OLD_TEXT)
    world.person.skill("hub", "add", f"{SITE}/list", "--name", "acme")
    return Place(("acme/tidy-up",), put, world.web, "/a.md", str.encode)


PLACES = {
    "a site's document": _site,
    "a site's archive": _site_archive,
    "pepehub": _pepehub,
    "clawhub": _clawhub,
    "a static index": _index,
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, world: World) -> Iterator[Place]:
    """Each place in turn, with the first text published and installed."""
    with ExitStack() as stack:
        made = PLACES[request.param](world, stack)
        made.put(OLD_TEXT)
        world.person.skill("install", *made.words, "--yes")
        yield made


def held(place: Place, *, stubborn: bool = False) -> Cdn:
    """Publish the second text, behind a cache that holds the first."""
    place.put(NEW_TEXT)
    cdn = Cdn(place.path, place.pack(OLD_TEXT), stubborn)
    place.server.on_request(cdn)
    return cdn


def test_h14_stale_bytes_are_asked_for_once_more_past_the_cache(world: World, place: Place) -> None:
    cdn = held(place)
    world.person.skill("update", "tidy-up", "--yes")
    assert "The second." in world.person.skill("read", "tidy-up").out
    assert cdn.asked.count("no-cache") == 1
    assert cdn.asked[-1] == "no-cache"


def test_h14_a_cache_that_stays_stale_keeps_the_old_skill_with_status_six(
    world: World, place: Place
) -> None:
    cdn = held(place, stubborn=True)
    world.person.error("update", "tidy-up", "--yes", status=6)
    world.person.error("install", *place.words, "--yes", status=6)
    assert "The first." in world.person.skill("read", "tidy-up").out
    assert cdn.asked.count("no-cache") == 2
    (skill,) = world.person.json("outdated", status=1)["skills"]
    assert skill["state"] == "behind"


def test_h14_a_new_install_goes_past_the_cache_as_well(world: World, place: Place) -> None:
    world.person.skill("remove", "tidy-up")
    cdn = held(place)
    world.person.skill("install", *place.words, "--yes")
    assert "The second." in world.person.skill("read", "tidy-up").out
    assert cdn.asked == ["", "no-cache"]


def test_h14_bytes_that_are_as_promised_are_asked_for_once(world: World) -> None:
    place = _site(world, ExitStack())
    place.put(NEW_TEXT)
    world.person.skill("install", *place.words, "--yes")
    asked = [r for r in world.web.requests if r.path == place.path]
    assert [r.headers.get("Cache-Control") for r in asked] == [None]
