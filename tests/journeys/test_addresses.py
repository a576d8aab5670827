"""Every way to say where a skill lives leads to the same skill, through the real command."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from support.archives import tar_of, zip_of
from support.files import build

from journeys.world import GITHUB, SITE, World, document, packages

GIST = "0123456789abcdef0123"

Setting = Callable[[World], str]


def _collection(world: World, place: str, branch: str = "main") -> str:
    repo = world.git.repo(place)
    sha = repo.commit(
        packages("read-pdf-x", "tidy-up"), executable=["skills/tidy-up/scripts/run.sh"]
    )
    if branch != "main":
        repo.branch(branch)
        repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "On main.")})
    return sha


def _repository(world: World) -> str:
    repo = world.git.repo("jane/tidy-up")
    repo.commit({"SKILL.md": document("tidy-up"), "scripts/run.sh": "#!/bin/sh\necho\n"})
    return f"{GITHUB}/jane/tidy-up"


def _short(world: World) -> str:
    _repository(world)
    return "jane/tidy-up"


def _tree(world: World) -> str:
    _collection(world, "jane/skills", "feature/new-look")
    return f"{GITHUB}/jane/skills/tree/feature/new-look/skills/tidy-up"


def _blob(world: World) -> str:
    _collection(world, "jane/skills", "feature/new-look")
    return f"{GITHUB}/jane/skills/blob/feature/new-look/skills/tidy-up/SKILL.md"


def _raw(world: World) -> str:
    _collection(world, "jane/skills")
    return "https://raw.githubusercontent.com/jane/skills/main/skills/tidy-up/SKILL.md"


def _commit(world: World) -> str:
    sha = _collection(world, "jane/skills", "later")
    return f"{GITHUB}/jane/skills/tree/{sha}/skills/tidy-up"


def _gitlab(world: World) -> str:
    _collection(world, "gitlab/group/sub/skills")
    return "https://gitlab.com/group/sub/skills/-/tree/main/skills/tidy-up"


def _any_git(world: World) -> str:
    _collection(world, "x/skills")
    return f"git+{world.git.url_of('x/skills')}#main:skills/tidy-up"


def _file_url(world: World) -> str:
    _collection(world, "x/skills")
    return f"file://{world.git.root}/x/skills.git#main:skills/tidy-up"


def _zip(world: World) -> str:
    data = zip_of(packages("tidy-up", "other"), folder="skills-main")
    return world.web.serve("/skills.zip", data).replace(world.web.url, SITE)


def _tar(world: World) -> str:
    data = tar_of({"SKILL.md": document("tidy-up"), "scripts/run.sh": "echo\n"})
    world.web.serve("/get", data)
    world.web.serve("/tidy-up.tar.gz", data)
    return f"{SITE}/tidy-up.tar.gz"


def _local_folder(world: World) -> str:
    return str(build(world.person.home.parent / "work", packages("tidy-up", "other")))


def _local_archive(world: World) -> str:
    place = world.person.home.parent / "tidy-up.zip"
    place.write_bytes(zip_of({"SKILL.md": document("tidy-up"), "scripts/run.sh": "echo\n"}))
    return str(place)


PACKAGES = {
    "a GitHub repository": _repository,
    "owner/repo": _short,
    "a tree of a branch with a slash": _tree,
    "a blob of a package's entry": _blob,
    "a raw file of a package's entry": _raw,
    "a tree at a commit": _commit,
    "a GitLab tree in nested groups": _gitlab,
    "any git URL": _any_git,
    "a file URL": _file_url,
    "a zip of a collection": _zip,
    "a tar.gz": _tar,
    "a local folder": _local_folder,
    "a local archive": _local_archive,
}


@pytest.mark.parametrize("setting", PACKAGES.values(), ids=PACKAGES.keys())
def test_a_package_installs_whole_from(setting: Setting, world: World) -> None:
    address = setting(world)
    world.person.skill("install", "tidy-up", "--source", address, "--yes")
    files = world.person.installed("tidy-up")
    assert sorted(files) == ["SKILL.md", "scripts/run.sh"]
    assert b"On main." not in files["SKILL.md"][0]
    again = world.person.json("install", "tidy-up", "--source", address, "--yes")
    assert again["action"] == "keep"
    world.person.skill("update", "tidy-up", "--yes")
    assert world.person.installed("tidy-up") == files


@pytest.mark.parametrize("setting", PACKAGES.values(), ids=PACKAGES.keys())
def test_what_is_recorded_leads_there_again(setting: Setting, world: World) -> None:
    world.person.skill("install", "tidy-up", "--source", setting(world), "--yes")
    files, record = world.person.installed("tidy-up"), world.person.record("tidy-up")
    world.person.skill("remove", "tidy-up")
    world.person.skill("install", "tidy-up", "--source", record["source"], "--yes")
    assert world.person.installed("tidy-up") == files


def _markdown(world: World) -> str:
    return world.web.serve("/get/tidy-up.md", document("tidy-up")).replace(world.web.url, SITE)


def _plain(world: World) -> str:
    return world.web.serve("/tidy-up.md?raw=1", document("tidy-up"), "text/plain")


def _gist(world: World, tail: str = "") -> str:
    world.git.repo(f"gist/{GIST}").commit({"tidy-up.md": document("tidy-up"), "notes.txt": "x"})
    return f"https://gist.github.com/jane/{GIST}{tail}"


def _gist_file(world: World) -> str:
    return _gist(world, "#file-tidy-up-md")


def _gist_raw(world: World) -> str:
    _gist(world)
    return f"https://gist.githubusercontent.com/jane/{GIST}/raw/tidy-up.md"


def _gist_revision(world: World) -> str:
    repo = world.git.repo(f"gist/{GIST}")
    sha = repo.commit({"tidy-up.md": document("tidy-up")})
    repo.commit({"tidy-up.md": document("tidy-up", "Newer.")})
    return f"https://gist.githubusercontent.com/jane/{GIST}/raw/{sha}/tidy-up.md"


def _gist_page_revision(world: World) -> str:
    repo = world.git.repo(f"gist/{GIST}")
    sha = repo.commit({"tidy-up.md": document("tidy-up")})
    repo.commit({"tidy-up.md": document("tidy-up", "Newer.")})
    return f"https://gist.github.com/jane/{GIST}/{sha}"


def _blob_document(world: World) -> str:
    world.git.repo("jane/notes").commit({"docs/tidy-up.md": document("tidy-up"), "a.md": "# a"})
    return f"{GITHUB}/jane/notes/blob/main/docs/tidy-up.md"


def _local_document(world: World) -> str:
    folder = build(world.person.home.parent / "work", {"tidy-up.md": document("tidy-up")})
    return str(folder / "tidy-up.md")


DOCUMENTS = {
    "a raw Markdown URL": _markdown,
    "a plain http URL with a query": _plain,
    "a gist's page": _gist,
    "a file of a gist's page": _gist_file,
    "a raw gist": _gist_raw,
    "a raw gist at a revision": _gist_revision,
    "a gist's page at a revision": _gist_page_revision,
    "a blob of a document": _blob_document,
    "a local document": _local_document,
}


@pytest.mark.parametrize("setting", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_single_document_installs_from(setting: Setting, world: World) -> None:
    address = setting(world)
    done = world.person.skill("install", address, "--yes")
    place = world.person.home / "library" / "tidy-up.md"
    assert place.read_text() == document("tidy-up")
    assert ("not encrypted" in done.err) == address.startswith("http:")
    record = world.person.record("tidy-up")
    assert record["package"] is False
    if record["source"].startswith("https://gist"):
        assert record["revision"]["kind"] == "commit"


@pytest.mark.parametrize(
    "address", ["ssh://git@github.com/jane/skills.git", "git@github.com:jane/skills.git"]
)
def test_ssh_addresses_are_spoken_to_through_ssh_without_a_question(
    address: str, world: World
) -> None:
    tools = world.person.home.parent / "tools"
    build(tools, {"ssh": f'#!/bin/sh\necho "$@" >> {tools}/said\nexit 255\n'}, ["ssh"])
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    words = ("install", "tidy-up", "--source", address, "--yes")
    world.person.error(*words, status=7, env=path)
    said = (tools / "said").read_text()
    assert "BatchMode=yes" in said
    assert "git@github.com git-upload-pack" in said
    assert not world.git.requests


def test_one_skill_out_of_a_collection_moves_only_what_it_needs(world: World) -> None:
    repo = world.git.repo("some-org/skills")
    repo.commit(packages(*(f"skill-{n}" for n in range(60)), "tidy-up"))
    repo.commit({"skills/skill-1/big.bin": bytes(range(256)) * 8192})
    world.person.skill("install", "tidy-up", "--source", "some-org/skills", "--yes")
    assert world.git.sent < 200_000
    assert sorted(world.person.installed("tidy-up")) == ["SKILL.md", "scripts/run.sh"]
    assert world.person.record("tidy-up")["path"] == "skills/tidy-up"


def test_a_collection_without_a_name_asks_which(world: World) -> None:
    world.git.repo("some-org/skills").commit(packages("read-x", "tidy-up"))
    told = world.person.error("install", f"{GITHUB}/some-org/skills", "--yes", status=3)
    assert "skills/read-x" in told
    assert "skills/tidy-up" in told


def test_two_equally_good_folders_are_an_error_that_lists_them(world: World) -> None:
    files = {**packages("tidy-up", below="a"), **packages("tidy-up", below="b")}
    world.git.repo("some-org/skills").commit(files)
    told = world.person.error("install", "tidy-up", "--source", "some-org/skills", status=3)
    assert "a/tidy-up" in told
    assert "b/tidy-up" in told
    world.person.skill(
        "install", "tidy-up", "--source", f"{GITHUB}/some-org/skills#:b/tidy-up", "-y"
    )
    assert world.person.record("tidy-up")["path"] == "b/tidy-up"
