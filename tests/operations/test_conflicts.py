"""What a person has is never overwritten or removed unless they name it with an explicit flag."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from journeys.world import Person, World, document, packages
from support.files import build, tree_of


def everything_kept(person: Person) -> list[bytes]:
    """The contents of all files in the store."""
    return [data for data, _ in tree_of(person.home / "store").values()]


def source(world: World, owner: str = "jane") -> str:
    """A collection with the skill `tidy-up`, as an address."""
    files = packages("tidy-up") | {"skills/tidy-up/by.txt": owner}
    world.git.repo(f"{owner}/skills").commit(files)
    return f"{owner}/skills"


@pytest.mark.parametrize("place", ["tidy-up.md", "tidy-up/SKILL.md"])
def test_a_hand_written_skill_stands_until_it_is_named(place: str, world: World) -> None:
    words = ("install", "tidy-up", "--source", source(world), "--yes")
    written = world.person.writes(place, document("tidy-up", "By hand."))
    for flags in ((), ("--force",)):
        told = world.person.error(*words, *flags, status=5)
        assert "not installed by skill" in told
    world.person.skill(*words, "--replace")
    assert (world.person.home / "library" / "tidy-up" / "by.txt").read_text() == "jane"
    assert not (world.person.home / "library" / "tidy-up.md").exists()
    assert document("tidy-up", "By hand.").encode() in everything_kept(world.person)
    assert written.name


def test_beside_it_under_another_name_is_always_free(world: World) -> None:
    world.person.writes("tidy-up.md", document("tidy-up", "By hand."))
    world.person.skill(
        "install", "tidy-up", "--source", source(world), "--yes", "--as", "jane-tidy"
    )
    assert (world.person.home / "library" / "tidy-up.md").exists()
    assert world.person.record("jane-tidy")["path"] == "skills/tidy-up"


def test_a_skill_from_another_source_is_named_and_switched_only_on_purpose(world: World) -> None:
    first, second = source(world), source(world, "mallory")
    world.person.skill("install", "tidy-up", "--source", first, "--yes")
    told = world.person.error("install", "tidy-up", "--source", second, "--yes", status=5)
    assert "jane" in told
    assert "mallory" in told
    words = ("install", "tidy-up", "--source", second, "--yes", "--force")
    world.person.skill(*words)
    assert (world.person.home / "library" / "tidy-up" / "by.txt").read_text() == "mallory"
    assert b"jane" in everything_kept(world.person)


def test_an_edited_skill_is_not_removed_without_the_flag(world: World) -> None:
    world.person.skill("install", "tidy-up", "--source", source(world), "--yes")
    world.person.writes("tidy-up/by.txt", "me")
    told = world.person.error("remove", "tidy-up", status=5)
    command = shlex.split(told[told.index("skill remove") :])[1:4]
    world.person.skill(*command)
    assert not (world.person.home / "library" / "tidy-up").exists()
    assert b"me" in everything_kept(world.person)


def test_a_hand_written_skill_is_not_removed_without_the_flag(person: Person) -> None:
    person.writes("mine.md", document("mine"))
    person.error("remove", "mine", status=5)
    person.skill("remove", "mine", "--discard")
    assert not (person.home / "library" / "mine.md").exists()
    assert document("mine").encode() in everything_kept(person)


def _link_away(place: Path) -> None:
    place.symlink_to(place.parent.parent.parent / "user")


def _link_nowhere(place: Path) -> None:
    place.symlink_to("nowhere")


def _fifo(place: Path) -> None:
    os.mkfifo(place)


def _folder_with_a_link(place: Path) -> None:
    build(place, {"SKILL.md": document("tidy-up")})
    (place / "inside").symlink_to("/etc/passwd")


def _folder_with_a_fifo(place: Path) -> None:
    build(place, {"SKILL.md": document("tidy-up")})
    os.mkfifo(place / "pipe")


def _file(place: Path) -> None:
    place.write_text("no Markdown ending")


def _link_document(place: Path) -> None:
    place.with_name("tidy-up.md").symlink_to("/etc/passwd")


OBSTACLES = [
    _link_away, _link_nowhere, _fifo, _folder_with_a_link, _folder_with_a_fifo, _file,
    _link_document,
]  # fmt: skip


@pytest.mark.parametrize("put", OBSTACLES, ids=lambda put: put.__name__.strip("_"))
def test_something_that_is_no_skill_is_never_replaced(
    put: Callable[[Path], None], world: World
) -> None:
    library = world.person.home / "library"
    library.mkdir()
    put(library / "tidy-up")
    words = ("install", "tidy-up", "--source", source(world), "--yes")
    for flags in ((), ("--force",), ("--force", "--replace")):
        told = world.person.error(*words, *flags, status=5)
        assert "tidy-up" in told
    world.person.error("remove", "tidy-up", "--discard", status=5)
    world.person.skill("list")


@pytest.mark.parametrize("put", OBSTACLES[:-1], ids=lambda put: put.__name__.strip("_"))
def test_an_installed_skill_that_became_something_else_is_told_and_left(
    put: Callable[[Path], None], world: World
) -> None:
    words = ("install", "tidy-up", "--source", source(world), "--yes")
    world.person.skill(*words)
    place = world.person.home / "library" / "tidy-up"
    place.rename(world.person.home.parent / "moved")
    put(place)
    world.person.skill("install", "cut-a-release")
    listed = {s["name"]: s["state"] for s in world.person.json("list")["skills"]}
    assert listed["tidy-up"] in ("unreadable", "edited")
    assert listed["cut-a-release"] == "ok"
    world.person.skill("audit", status=6)
    for command in (words, ("update", "tidy-up", "--yes"), ("remove", "tidy-up")):
        world.person.error(*command, status=5)


def test_builtin_skills_are_there_without_installing_and_a_persons_own_wins(
    person: Person,
) -> None:
    assert "# " in person.skill("read", "create-watch").out
    person.writes("create-watch.md", document("create-watch", "My own way."))
    shown = {s["name"]: s for s in person.json("list")["skills"]}["create-watch"]
    assert shown["origin"] == "local"
    assert "My own way." in person.skill("read", "create-watch").out
    person.error("install", "create-watch", status=5)


def test_a_package_takes_the_place_of_a_document_and_back_without_a_twin(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    url = f"{world.web.url}/tidy-up.md"
    library = world.person.home / "library"
    switch = ("--yes", "--force")
    world.person.skill("install", url, "--yes")
    world.person.skill("install", "tidy-up", "--source", source(world), *switch)
    assert [p.name for p in library.iterdir()] == ["tidy-up"]
    world.person.skill("install", url, *switch)
    assert [p.name for p in library.iterdir()] == ["tidy-up.md"]
    world.person.skill("remove", "tidy-up")
    assert not list(library.iterdir())


def test_a_document_put_beside_an_installed_package_is_not_lost_and_is_said(world: World) -> None:
    world.person.skill("install", "tidy-up", "--source", source(world), "--yes")
    twin = world.person.writes("tidy-up.md", document("tidy-up", "By hand."))
    world.person.skill("list")
    world.person.skill("remove", "tidy-up")
    assert twin.read_text() == document("tidy-up", "By hand.")
    assert "By hand." in world.person.skill("read", "tidy-up").out


@pytest.fixture
def linked(person: Person) -> Path:
    """A skill elsewhere that a person linked into the library."""
    elsewhere = build(person.home.parent / "mine", {"SKILL.md": document("tidy-up", "Linked.")})
    (person.home / "library").mkdir(parents=True)
    (person.home / "library" / "tidy-up").symlink_to(elsewhere)
    return elsewhere


class TestLinks:
    """A link of the user's is a state of its own; what it leads to is never touched."""

    def test_it_is_listed_and_read(self, person: Person, linked: Path) -> None:
        shown = {s["name"]: s for s in person.json("list")["skills"]}["tidy-up"]
        assert (shown["state"], shown["origin"]) == ("linked", "local")
        assert "Linked." in person.skill("read", "tidy-up").out
        assert linked.exists()

    def test_it_gives_way_only_when_named_and_comes_back_as_a_link(
        self, world: World, linked: Path
    ) -> None:
        before = tree_of(linked)
        words = ("install", "tidy-up", "--source", source(world), "--yes")
        assert "link of yours" in world.person.error(*words, status=5)
        world.person.error(*words, "--force", status=5)
        world.person.skill(*words, "--replace")
        place = world.person.home / "library" / "tidy-up"
        assert (place / "by.txt").read_text() == "jane"
        assert not place.is_symlink()
        world.person.skill("undo")
        assert place.is_symlink()
        assert place.resolve() == linked
        assert tree_of(linked) == before

    def test_it_is_removed_only_when_named(self, person: Person, linked: Path) -> None:
        before = tree_of(linked)
        assert "link of yours" in person.error("remove", "tidy-up", status=5)
        person.skill("remove", "tidy-up", "--discard")
        assert not (person.home / "library" / "tidy-up").is_symlink()
        assert tree_of(linked) == before

    def test_an_installed_skill_that_became_a_link_is_not_updated(
        self, world: World, linked: Path
    ) -> None:
        place = world.person.home / "library" / "tidy-up"
        place.unlink()
        world.person.skill("install", "tidy-up", "--source", source(world), "--yes")
        place.rename(world.person.home.parent / "moved")
        place.symlink_to(linked)
        assert "link stands" in world.person.skill("audit", "tidy-up", status=6).err
        shown = {s["name"]: s for s in world.person.json("list")["skills"]}["tidy-up"]
        assert (shown["origin"], shown["verdict"], shown["revision"]) == ("local", "", "")
        assert "edited" in world.person.skill("outdated", status=1).out
        assert "link of yours" in world.person.error("update", "tidy-up", "--yes", status=5)
        world.person.skill("update", "tidy-up", "--yes", "--replace")
        assert (place / "by.txt").read_text() == "jane"
