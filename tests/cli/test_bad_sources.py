"""Sources that are broken, hostile or absent: a clear status, and nothing half-written."""

from __future__ import annotations

import os

import pytest
from journeys.world import GITHUB, SITE, Person, World, document, packages
from support.archives import GOOD, bomb, hostile_tars, hostile_zips, odd_but_good
from support.cli import assert_clean_output, run_skill
from support.exchange import Faults, Reply, endless
from support.files import build
from support.gitrepo import RawEntry

ESCAPES = "\x1b[31mred\x1b]8;;http://evil\x07\u202e"


@pytest.mark.parametrize("wrong", hostile_zips(), ids=lambda name: name.replace(" ", "-"))
def test_a_hostile_zip_is_refused_whole(wrong: str, world: World) -> None:
    _refused_archive(world, hostile_zips()[wrong], "zip", wrong)


@pytest.mark.parametrize("wrong", hostile_tars(), ids=lambda name: name.replace(" ", "-"))
def test_a_hostile_tar_is_refused_whole(wrong: str, world: World) -> None:
    _refused_archive(world, hostile_tars()[wrong], "tar.gz", wrong)


def _refused_archive(world: World, data: bytes, ending: str, wrong: str) -> None:
    url = world.web.serve(f"/sample.{ending}", data)
    done = world.person.skill("install", url, "--yes", status=3 if wrong == "empty" else 4)
    assert done.err.startswith("error: ")
    assert not list(world.person.home.glob("library/*"))
    assert not list(world.person.home.glob("staging/*"))
    assert not list(world.person.home.parent.rglob("evil.txt"))


def test_ten_gigabytes_in_a_small_archive_cost_nothing(world: World) -> None:
    url = world.web.serve("/sample.zip", bomb(300))
    told = world.person.error("install", url, "--yes", status=4)
    assert "expands" in told


@pytest.mark.parametrize("name", odd_but_good(), ids=lambda name: name.replace(" ", "-"))
def test_an_odd_but_honest_archive_never_ends_in_a_crash(name: str, world: World) -> None:
    url = world.web.serve("/sample.bin.zip", odd_but_good()[name]())
    result = world.person.skill("install", url, "--yes", "--json", status=_status(name))
    if not result.status:
        files = world.person.installed("sample")
        assert files["SKILL.md"][0] == str(GOOD["SKILL.md"]).encode()
        assert not any(mode & 0o7000 for _, mode in files.values())


def _status(name: str) -> int:
    """Bytes around an archive that no reader agrees on make it one we don't take."""
    return 4 if name in ("leading data", "trailing data", "two gzip members") else 0


@pytest.mark.parametrize("place", ["tidy-up/link", "tidy-up/scripts/deep", "tidy-up"])
@pytest.mark.parametrize("target", ["/etc/passwd", "../../..", "SKILL.md"])
def test_a_repository_with_a_link_in_the_skill_is_refused(
    place: str, target: str, world: World
) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("other"))
    if place != "tidy-up":
        repo.commit({"tidy-up/SKILL.md": document("tidy-up")})
    repo.add_symlink(place, target)
    words = ("install", "tidy-up", "--source", f"{GITHUB}/jane/skills#:tidy-up", "--yes")
    told = world.person.error(*words, status=4)
    assert "link" in told or place == "tidy-up"
    assert "root:" not in told


def test_a_link_elsewhere_in_the_repository_is_nobodys_business(world: World) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    repo.add_symlink("elsewhere", "/etc/passwd")
    repo.add_gitlink("module", "a" * 40)
    world.person.skill("install", "tidy-up", "--source", "jane/skills", "--yes")


def test_an_entry_document_that_is_a_link_is_refused(world: World) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit({"tidy-up/a.txt": "a"})
    repo.add_symlink("tidy-up/SKILL.md", "/etc/passwd")
    told = world.person.error("install", "tidy-up", "--source", "jane/skills", "-y", status=4)
    assert "link" in told


def test_a_submodule_in_the_skill_is_refused(world: World) -> None:
    repo = world.git.repo("jane/skills")
    repo.commit(packages("tidy-up"))
    repo.add_gitlink("skills/tidy-up/module", "a" * 40)
    told = world.person.error("install", "tidy-up", "--source", "jane/skills", "-y", status=4)
    assert "submodule" in told


@pytest.mark.parametrize("name", [".git", ".GIT", "..", "git~1"])
def test_a_tree_with_a_name_that_git_would_never_make_is_refused(name: str, world: World) -> None:
    repo = world.git.repo("jane/skills")
    inner = repo.raw_tree([("100644", "config", b"[core]\n")])
    entry: RawEntry = ("100644", "SKILL.md", document("tidy-up").encode())
    entries: list[RawEntry] = [("40000", name, inner), entry]
    repo.commit_tree(repo.raw_tree(entries))
    result = _any_status(world.person, "install", "tidy-up", "--source", "jane/skills", "-y")
    assert result in (4, 6)
    assert not list(world.person.home.glob("library/*"))


def _any_status(person: Person, *words: str) -> int:
    done = run_skill(*words, home=person.home, env=person.env)
    assert_clean_output(done)
    return done.status


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<!DOCTYPE html><html><body>Sign in</body></html>", "text/html"),
        ("<html>a page that claims to be text</html>", "text/plain"),
        ("", "text/markdown"),
        ("  \n\n", "text/markdown"),
        ("\x00\x01\x02", "text/markdown"),
        ("# caf\xe9 in latin-1".encode("latin-1"), "text/markdown"),
    ],
    ids=["html", "html as text", "empty", "blank", "binary", "latin-1"],
)
def test_what_is_no_document_is_no_skill(
    body: bytes | str, content_type: str, world: World
) -> None:
    url = world.web.serve("/tidy-up.md", body, content_type)
    world.person.error("install", url, "--yes", status=4)
    assert not (world.person.home / "library").exists()


def test_a_page_of_a_forge_that_is_no_file_is_not_installed_as_one(world: World) -> None:
    world.git.repo("jane/skills").commit({"README.md": "# Hello", "docs/a.html": "<html>x</html>"})
    page = f"{GITHUB}/jane/skills/blob/main/docs/a.html"
    world.person.error("install", "tidy-up", "--source", page, "--yes", status=4)


@pytest.mark.parametrize("header", ["---\n[broken: yaml\n---\n# x\n", "---\nname: [1]\n---\n# x\n"])
def test_a_broken_header_is_told_and_not_in_the_way(header: str, world: World) -> None:
    url = world.web.serve("/tidy-up.md", header)
    world.person.skill("install", url, "--yes")
    world.person.skill("list")
    world.person.skill("validate", "tidy-up", status=4)


@pytest.mark.parametrize(
    ("status", "ends"),
    [(404, 3), (410, 3), (401, 3), (403, 7), (429, 7), (500, 7), (503, 7), (204, 7), (206, 7)],
)
def test_every_bad_answer_of_a_server_has_its_status(status: int, ends: int, world: World) -> None:
    url = world.web.serve("/tidy-up.md", b"" if status == 204 else b"no", status=status)
    told = world.person.error("install", url, "--yes", status=ends)
    assert status != 429 or "too many" in told
    world.git.on_request(lambda _: Reply(status))
    git_ends = 3 if status in (404, 401) else 7
    if status not in (204, 206, 410):
        world.person.error("install", "x", "--source", "jane/skills", "-y", status=git_ends)


@pytest.mark.parametrize(
    "faults",
    [Faults(cut_after=10), Faults(cut_after=10, reset=True), Faults(length=9_999)],
    ids=["cut", "reset", "lying length"],
)
def test_a_connection_that_breaks_leaves_nothing(faults: Faults, world: World) -> None:
    world.web.fault("/tidy-up.md", faults)
    url = world.web.serve("/tidy-up.md", document("tidy-up"))
    world.person.error("install", url, "--yes", status=7)
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    world.git.fault("/jane/*", faults)
    world.person.error("install", "tidy-up", "--source", "jane/skills", "-y", status=7)


def test_a_server_that_is_down_says_so(world: World) -> None:
    for words in (
        ("install", "http://127.0.0.1:9/tidy-up.md"),
        ("install", "x", "--source", "http://127.0.0.1:9/a/b.git"),
        ("tap", "add", "http://127.0.0.1:9/a/b.git"),
    ):
        assert "127.0.0.1" in world.person.error(*words, status=7)
    env = {"SKILL_HUB": "http://127.0.0.1:9"}
    world.person.error("install", "@a/b", status=7, env=env)


def test_an_endless_body_is_cut_at_the_cap(world: World) -> None:
    url = world.web.serve("/tidy-up.md", endless())
    told = world.person.error("install", url, "--yes", status=7)
    assert "larger than" in told


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://x/y", "//", "", "http://u:p@x/"])
def test_a_redirect_to_something_else_than_the_web_is_refused(target: str, world: World) -> None:
    world.web.redirect("/tidy-up.md", target)
    result = _any_status(world.person, "install", f"{SITE}/tidy-up.md", "--yes")
    assert result in (5, 7)


def test_a_redirect_loop_ends(world: World) -> None:
    url = world.web.redirect("/tidy-up.md", "/tidy-up.md")
    assert "redirects" in world.person.error("install", url, "--yes", status=7)


def test_escape_sequences_never_reach_the_terminal(world: World) -> None:
    text = document("tidy-up").replace("Use when", f"{ESCAPES} Use when")
    world.web.serve("/tidy-up.md", text)
    world.web.serve("/other.md", f"{ESCAPES}", status=500)
    url = f"{world.web.url}/tidy-up.md"
    for words in (("info", url), ("install", url, "--yes"), ("list",), ("audit",), ("scan", url)):
        _any_status(world.person, *words)
    for words in (("read", "tidy-up"), ("search", ESCAPES), ("install", ESCAPES)):
        _any_status(world.person, *words)


def test_without_git_everything_else_works_and_git_sources_say_what_is_missing(
    world: World,
) -> None:
    tools = build(world.person.home.parent / "tools", {"readme": "no git here"})
    env = {"PATH": str(tools)}
    told = world.person.error("install", "x", "--source", "jane/skills", status=8, env=env)
    assert "git is not on PATH" in told
    world.person.skill("install", "cut-a-release", env=env)
    world.web.serve("/tidy-up.md", document("tidy-up"))
    world.person.skill("install", f"{SITE}/tidy-up.md", "--yes", env=env)
    for words in (("list",), ("search", "release"), ("outdated",), ("audit",)):
        world.person.skill(*words, env=env)


def test_a_git_planted_in_the_working_directory_is_never_run(world: World) -> None:
    work = world.person.home.parent / "work"
    build(work, {"git": f"#!/bin/sh\ntouch {work}/ran\n"}, ["git"])
    world.git.repo("jane/skills").commit(packages("tidy-up"))
    env = {"PATH": f".::{os.environ['PATH']}"}
    words = ("install", "tidy-up", "--source", "jane/skills", "--yes")
    world.person.skill(*words, env=env, cwd=work)
    assert not (work / "ran").exists()


@pytest.mark.parametrize(
    "files",
    [{}, {"README.md": "# x\n"}, {"a.md": "# a\n", "b.md": "# b\n"}, {"x/readme.txt": "x"}],
    ids=["empty", "only a README", "two documents", "no document"],
)
def test_a_folder_without_one_skill_is_not_found(files: dict[str, str], person: Person) -> None:
    folder = build(person.home.parent / "work", files)
    person.error("install", str(folder), status=3)
    person.error("install", str(folder / "not-there"), status=3)


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/null", "/etc/passwd", "/proc/self/mem"])
def test_a_local_device_or_foreign_file_is_no_skill(place: str, person: Person) -> None:
    result = _any_status(person, "install", place)
    assert result in (3, 4, 7)
    assert not (person.home / "library").exists()
