"""Git repositories, far and near: only what is wanted moves, and it is what was committed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from support.ca import CA
from support.files import tree_of
from support.gitrepo import GitRepo, MakeRepo
from support.gitserver import GitServer

from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.errors import NotFoundError, RefusedError, SkillError, StateError, UnreachableError
from skillpm.model.node import Node
from skillpm.model.policy import Policy

from .conftest import MakeGit

TYPED = Policy(typed=True)
SKILL: dict[str, bytes | str] = {"SKILL.md": "---\nname: a\n---\n", "scripts/run.sh": "#!/bin/sh\n"}


def remote(url: str, policy: Policy = TYPED) -> Remote:
    return Remote(url, policy)


def collection(repo: GitRepo, count: int = 50) -> str:
    """A repository of many skills, each with an asset that does not compress."""
    files: dict[str, bytes | str] = {}
    for number in range(count):
        files[f"skills/s{number}/SKILL.md"] = f"---\nname: s{number}\n---\n"
        files[f"skills/s{number}/asset.bin"] = os.urandom(40_000)
    return repo.commit(files, executable=["skills/s7/SKILL.md"])


def wanted(nodes: tuple[Node, ...], folder: str) -> list[Node]:
    return [node for node in nodes if node.path.startswith(folder + "/")]


def test_branches_and_tags_are_told_with_annotated_ones_peeled(
    git_server: GitServer, git: Git
) -> None:
    repo = git_server.repo()
    first = repo.commit(SKILL)
    repo.tag("v1")
    repo.tag("v2", annotated=True)
    second = repo.commit({"x": "y"}, branch="feature/x")
    refs = git.refs(remote(git_server.url_of()))
    assert (refs.head, refs.head_ref) == (first, "refs/heads/main")
    assert refs.commits["refs/tags/v1"] == refs.commits["refs/tags/v2"] == first
    assert refs.commits["refs/heads/feature/x"] == second


def test_an_empty_repository_has_no_head(git_server: GitServer, git: Git) -> None:
    git_server.repo()
    assert git.refs(remote(git_server.url_of())).head == ""


def test_the_files_of_a_commit_are_listed_and_read(git_server: GitServer, git: Git) -> None:
    sha = git_server.repo().commit(SKILL | {"é/ü.md": "x"}, executable=["scripts/run.sh"])
    commit = git.open(remote(git_server.url_of()), sha)
    assert {n.path: n.executable for n in commit.nodes} == {
        "SKILL.md": False, "scripts/run.sh": True, "é/ü.md": False,
    }  # fmt: skip
    assert commit.read(commit.nodes)["scripts/run.sh"] == b"#!/bin/sh\n"
    assert commit.read([]) == {}


def test_one_skill_of_a_collection_moves_little_and_a_second_time_nothing(
    git_server: GitServer, git: Git
) -> None:
    sha = collection(git_server.repo())
    commit = git.open(remote(git_server.url_of()), sha)
    assert git_server.sent < 20_000
    files = commit.read(wanted(commit.nodes, "skills/s7"))
    assert sorted(files) == ["skills/s7/SKILL.md", "skills/s7/asset.bin"]
    assert 40_000 < git_server.sent < 62_000
    git_server.forget()
    again = git.open(remote(git_server.url_of()), sha)
    assert again.read(wanted(again.nodes, "skills/s7")) == files
    assert git_server.requests == []


def test_all_missing_blobs_come_in_one_request(git_server: GitServer, git: Git) -> None:
    sha = collection(git_server.repo())
    commit = git.open(remote(git_server.url_of()), sha)
    git_server.forget()
    commit.read(commit.nodes[:60])
    posts = [path for path in git_server.paths() if path.startswith("POST")]
    assert len(posts) <= 2  # the refs, and the pack


def test_listing_never_fetches_behind_our_back(git_server: GitServer, git: Git) -> None:
    sha = collection(git_server.repo())
    commit = git.open(remote(git_server.url_of()), sha)
    git_server.forget()
    assert commit.repository.sizes([commit.nodes[0].key]) == {}
    assert git_server.requests == []


def test_a_new_commit_brings_only_what_is_new(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    first = git.open(remote(git_server.url_of()), collection(repo))
    first.read(wanted(first.nodes, "skills/s1"))
    git_server.forget()
    second = git.open(remote(git_server.url_of()), repo.commit({"skills/s1/SKILL.md": "new"}))
    assert second.read(wanted(second.nodes, "skills/s1"))["skills/s1/SKILL.md"] == b"new"
    assert git_server.sent < 20_000


def test_nothing_is_ever_checked_out(git_server: GitServer, git: Git, tmp_path: Path) -> None:
    sha = git_server.repo().commit(SKILL)
    commit = git.open(remote(git_server.url_of()), sha)
    commit.read(commit.nodes)
    names = {Path(path).name for path in tree_of(tmp_path / "home")}
    assert not names & {"run.sh", "SKILL.md", "index", "FETCH_HEAD"}
    assert not [path for path in tree_of(tmp_path / "home") if "/hooks/" in path]


def test_over_tls_with_the_authority_and_not_without(
    https_git_server: GitServer, make_git: MakeGit, ca: CA
) -> None:
    sha = https_git_server.repo().commit(SKILL)
    url = https_git_server.url_of()
    for name in ("SSL_CERT_FILE", "GIT_SSL_CAINFO"):
        commit = make_git({name: str(ca.pem)}).open(remote(url), sha)
        assert commit.read(commit.nodes)["SKILL.md"]
    with pytest.raises(UnreachableError, match="certificate"):
        make_git().refs(remote(url))


@pytest.mark.parametrize("folder", ["plain", "with space", "ünï", "per%20cent", "a#b"])
def test_a_repository_on_this_machine(tmp_path: Path, git: Git, folder: str) -> None:
    repo = GitRepo(tmp_path / folder / "r.git")
    sha = repo.commit(SKILL)
    assert git.refs(remote(repo.url)).head == sha
    commit = git.open(remote(repo.url), sha)
    assert commit.read(commit.nodes)["SKILL.md"]


def test_a_work_tree_on_this_machine(make_repo: MakeRepo, tmp_path: Path, git: Git) -> None:
    repo = make_repo(SKILL)
    repo.git("clone", "-q", str(repo.bare), str(tmp_path / "work"))
    assert git.refs(remote((tmp_path / "work").as_uri())).head == repo.head()


def test_a_server_without_filters_still_works(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    repo.configure("uploadpack.allowFilter", "false")
    sha = repo.commit(SKILL)
    commit = git.open(remote(git_server.url_of()), sha)
    assert commit.read(commit.nodes)["SKILL.md"]


def test_a_mirror_is_asked_instead(git_server: GitServer, make_git: MakeGit) -> None:
    sha = git_server.repo("o/r").commit(SKILL)
    git = make_git(mirrors={"https://github.com/": f"{git_server.url}/"})
    for policy in (TYPED, Policy(typed=False)):
        assert git.refs(remote("https://github.com/o/r", policy)).head == sha


def test_history_that_grew_and_history_that_was_rewritten(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    first = repo.commit(SKILL)
    middle = [repo.commit({"n": str(number)}) for number in range(100)]
    here = remote(git_server.url_of())
    assert git.is_ancestor(here, first, middle[-1])
    assert git.is_ancestor(here, middle[-1], middle[-1])
    assert not git.is_ancestor(here, middle[-1], first)
    forced = repo.commit(SKILL, parents=(), message="another history")
    assert not git.is_ancestor(here, middle[-1], forced)
    assert not git.is_ancestor(here, "0" * 40, forced)


def test_asking_about_history_moves_no_files(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    first = repo.commit({"big.bin": os.urandom(500_000)})
    second = repo.commit({"big.bin": os.urandom(500_000)})
    assert git.is_ancestor(remote(git_server.url_of()), first, second)
    assert git_server.sent < 20_000


def test_a_commit_that_is_not_there(git_server: GitServer, git: Git) -> None:
    git_server.repo().commit(SKILL)
    with pytest.raises(NotFoundError):
        git.open(remote(git_server.url_of()), "1" * 40)


def test_what_a_registry_named_must_be_https_and_public(
    git_server: GitServer, https_git_server: GitServer, git: Git, tmp_path: Path
) -> None:
    git_server.repo().commit(SKILL)
    https_git_server.repo().commit(SKILL)
    for url in (
        git_server.url_of(), https_git_server.url_of(),
        https_git_server.url_at("localhost") + "/o/r",
        GitRepo(tmp_path / "r.git").url, "ssh://git@127.0.0.1/o/r", "git@127.0.0.1:o/r",
        "https://[::1]:8443/o/r", "https://2130706433/o/r", "https://[::1]/o/r",
    ):  # fmt: skip
        with pytest.raises(RefusedError):
            git.refs(remote(url, Policy(typed=False)))
    assert git_server.requests == https_git_server.requests == []


def test_the_origin_of_the_tap_that_the_user_typed_may_be_private(
    git_server: GitServer, git: Git
) -> None:
    sha = git_server.repo().commit(SKILL)
    near = Policy(typed=False, near=(f"http://127.0.0.1:{git_server.port}",))
    assert git.refs(remote(git_server.url_of(), near)).head == sha


def test_two_at_once_get_the_same(git_server: GitServer, make_git: MakeGit) -> None:
    sha = collection(git_server.repo(), 10)
    results: list[object] = []

    def fetch(number: int) -> None:
        try:
            commit = make_git().open(remote(git_server.url_of()), sha)
            results.append(sorted(commit.read(wanted(commit.nodes, f"skills/s{number % 2}"))))
        except SkillError as error:
            results.append(error)

    threads = [threading.Thread(target=fetch, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) == sorted(
        str([f"skills/s{n % 2}/SKILL.md", f"skills/s{n % 2}/asset.bin"]) for n in range(6)
    )


@pytest.mark.parametrize("damage", ["removed", "emptied", "cut to two bytes"])
@pytest.mark.parametrize("folder", ["git", "commits"])
def test_a_damaged_cache_heals(
    git_server: GitServer, git: Git, tmp_path: Path, damage: str, folder: str
) -> None:
    repo = git_server.repo()
    first = repo.commit(SKILL)
    second = repo.commit({"new": "x"})
    here = remote(git_server.url_of())

    def use() -> None:
        commit = git.open(here, second)
        assert sorted(commit.read(commit.nodes)) == ["SKILL.md", "new", "scripts/run.sh"]
        assert git.is_ancestor(here, first, second)
        assert not git.is_ancestor(here, second, first)

    use()
    files = [path for path in (tmp_path / "home/cache" / folder).rglob("*") if path.is_file()]
    for path in sorted(files):
        if not path.exists() or path.suffix == ".lock":
            continue
        path.chmod(0o600)
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:2] if damage == "cut to two bytes" else b"")
        use()


def test_without_git_on_the_path_it_says_so(make_git: MakeGit, tmp_path: Path) -> None:
    for path in ("", str(tmp_path), ".", "relative/bin"):
        with pytest.raises(StateError, match="git is not on PATH") as caught:
            make_git({"PATH": path}).refs(remote("https://127.0.0.1/o/r"))
        assert "bundled skills" in caught.value.hint


def test_a_git_that_is_planted_in_the_folder_is_not_run(
    make_git: MakeGit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "project"
    planted.mkdir()
    (planted / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (planted / "git").chmod(0o755)
    monkeypatch.chdir(planted)
    with pytest.raises(StateError):
        make_git({"PATH": f".:{''}:bin"}).refs(remote("https://127.0.0.1/o/r"))
    assert not (tmp_path / "ran").exists()
