"""Rows H24 and H25: a gist, and a single file on a branch, are pinned as far as they can be."""

from __future__ import annotations

from typing import Any, Final

import pytest
from journeys.world import GITHUB, SITE, World, document
from support.gitrepo import GitRepo

GIST: Final = "0123456789abcdef0123"
PAGE: Final = f"https://gist.github.com/jane/{GIST}"
RAW: Final = f"https://gist.githubusercontent.com/jane/{GIST}/raw"
PLACE: Final = f"https://gist.github.com/{GIST}.git"


def text_of(world: World) -> str:
    return str(world.person.skill("read", "tidy-up").out)


@pytest.fixture
def gist(world: World) -> GitRepo:
    """A gist of two files, as the git repository that it is."""
    repo = world.git.repo(f"gist/{GIST}")
    repo.commit({"tidy-up.md": document("tidy-up", "The first."), "notes.txt": "x"})
    return repo


@pytest.mark.parametrize(
    "address", [PAGE, f"{PAGE}#file-tidy-up-md", f"{RAW}/tidy-up.md", f"{PLACE}#:tidy-up.md"]
)
def test_h24_a_gist_without_a_revision_is_pinned_to_its_commit_and_file(
    address: str, world: World, gist: GitRepo
) -> None:
    world.person.skill("install", address, "--yes")
    record = world.person.record("tidy-up")
    assert record["source"].partition("#")[0] == PLACE
    assert record["revision"] == {
        "kind": "commit", "value": gist.head(), "ref": "refs/heads/main",
    }  # fmt: skip
    assert record["path"] == "tidy-up.md"
    assert record["mutable_source"] is False


def test_h24_a_raw_address_follows_the_gist_only_when_it_is_told_to(
    world: World, gist: GitRepo
) -> None:
    world.person.skill("install", f"{RAW}/tidy-up.md", "--yes")
    gist.commit({"tidy-up.md": document("tidy-up", "The second.")})
    assert world.person.json("outdated", status=1)["skills"][0]["state"] == "behind"
    assert "The first." in text_of(world)
    world.person.skill("update", "tidy-up", "--yes")
    assert "The second." in text_of(world)


@pytest.mark.parametrize("form", [f"{RAW}/{{}}/tidy-up.md", f"{PAGE}/{{}}"])
def test_h24_a_revision_in_the_address_is_never_left(
    form: str, world: World, gist: GitRepo
) -> None:
    world.person.skill("install", form.format(gist.head()), "--yes")
    gist.commit({"tidy-up.md": document("tidy-up", "The second.")})
    world.person.skill("update", "tidy-up", "--yes")
    assert "The first." in text_of(world)


@pytest.mark.parametrize("address", [PAGE, f"{RAW}/tidy-up.md"])
def test_h24_a_file_that_was_renamed_is_not_followed(
    address: str, world: World, gist: GitRepo
) -> None:
    world.person.skill("install", address, "--yes")
    moved = document("tidy-up", "Renamed.")
    gist.commit({"tidy-up.md": None, "other.md": moved})
    told = world.person.error("update", "tidy-up", "--yes", status=3)
    assert "tidy-up.md" in told
    assert world.person.json("outdated", status=1)["skills"][0]["state"] == "gone"
    assert "The first." in text_of(world)


def test_h24_another_owner_in_the_address_is_the_same_gist(world: World, gist: GitRepo) -> None:
    world.person.skill("install", PAGE, "--yes")
    again = world.person.json("install", PAGE.replace("jane", "janet"), "--yes")
    assert again["action"] == "keep"


def test_h24_a_gist_that_somebody_else_filled_anew_is_refused(world: World, gist: GitRepo) -> None:
    world.person.skill("install", PAGE, "--yes")
    evil = {"tidy-up.md": document("tidy-up", "Mine now.")}
    gist.force("refs/heads/main", gist.commit(evil, branch="other", parents=()))
    gist.delete("refs/heads/other")
    told = world.person.error("update", "tidy-up", "--yes", status=6)
    assert "history" in told
    assert "The first." in text_of(world)


def test_h24_a_gist_that_was_deleted_leaves_the_skill(world: World, gist: GitRepo) -> None:
    world.person.skill("install", PAGE, "--yes")
    gist.bare.rename(gist.bare.with_name("gone"))
    world.person.error("update", "tidy-up", "--yes", status=3)
    assert "The first." in text_of(world)


FILES: Final = {
    "github blob": ("jane/notes", f"{GITHUB}/jane/notes/blob/feature/x/docs/tidy-up.md"),
    "github raw": (
        "jane/notes", "https://raw.githubusercontent.com/jane/notes/feature/x/docs/tidy-up.md",
    ),
    "github raw with refs": (
        "jane/notes",
        "https://raw.githubusercontent.com/jane/notes/refs/heads/feature/x/docs/tidy-up.md",
    ),
    "gitlab raw": (
        "gitlab/jane/notes", "https://gitlab.com/jane/notes/-/raw/feature/x/docs/tidy-up.md",
    ),
    "gitlab blob": (
        "gitlab/jane/notes", "https://gitlab.com/jane/notes/-/blob/feature/x/docs/tidy-up.md",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("place", "address"), FILES.values(), ids=FILES.keys())
def test_h25_a_file_on_a_branch_of_a_forge_is_pinned_to_its_commit(
    place: str, address: str, world: World
) -> None:
    repo = world.git.repo(place)
    repo.commit({"README.md": "x"})
    sha = repo.commit({"docs/tidy-up.md": document("tidy-up")}, branch="feature/x")
    world.person.skill("install", address, "--yes")
    record = world.person.record("tidy-up")
    assert record["revision"] == {
        "kind": "commit", "value": sha, "ref": "refs/heads/feature/x",
    }  # fmt: skip
    assert record["mutable_source"] is False
    for words in (("info", address), ("audit",)):
        assert "mutable source" not in world.person.skill(*words).out


def seen(world: World, address: str) -> list[Any]:
    """What every command says of how far the source can be trusted to stay."""
    (audited,) = world.person.json("audit")["skills"]
    listed = {skill["name"]: skill for skill in world.person.json("list")["skills"]}
    return [
        audited["mutable_source"],
        audited["record"]["mutable_source"],
        listed["tidy-up"]["mutable_source"],
        world.person.json("info", address)["mutable_source"],
    ]


def test_h25_a_file_behind_a_plain_url_has_its_digest_and_a_mark(world: World) -> None:
    world.web.serve("/raw/main/tidy-up.md", document("tidy-up"))
    address = f"{SITE}/raw/main/tidy-up.md"
    world.person.skill("install", address, "--yes")
    assert seen(world, address) == [True] * 4
    assert world.person.record("tidy-up")["revision"]["kind"] == "content"
    for words in (("info", address), ("audit",)):
        assert "(mutable source)" in world.person.skill(*words).out
    others = [s for s in world.person.json("list")["skills"] if s["name"] != "tidy-up"]
    assert others
    assert not any(skill["mutable_source"] for skill in others)


def test_h25_the_person_who_is_asked_sees_the_mark(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    shown = world.person.skill("install", f"{SITE}/tidy-up.md", tty=True, input="n\n", status=5).out
    assert "(mutable source)" in " ".join(shown.split())


def test_h25_an_installed_skill_is_marked_where_its_source_is_not_asked(world: World) -> None:
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.person.skill("install", f"{SITE}/tidy-up.md", "--yes")
    data = world.person.json("info", "tidy-up")
    assert data["mutable_source"] is True
    assert "(mutable source)" in world.person.skill("info", "tidy-up").out
