"""One question a run: refs once for a URL, a commit once, and only what changed moves."""

from __future__ import annotations

import os
import threading

import pytest
from support.exchange import Faults, Reply
from support.gitserver import GitServer

from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.edges.once import Once
from skillpm.edges.retry import TRIES
from skillpm.errors import NotFoundError, RefusedError, SkillError, UnreachableError
from skillpm.model.policy import Policy

from .conftest import MakeGit

TYPED = Policy(typed=True)


def here(server: GitServer, name: str = "owner/repo") -> Remote:
    return Remote(server.url_of(name), TYPED)


def asked(server: GitServer) -> int:
    """How many times the refs were asked for by `ls-remote` (a fetch has a POST after it too)."""
    return len([path for path in server.paths() if path.startswith("GET")])


def test_refs_are_asked_once_also_by_many_threads(git_server: GitServer, git: Git) -> None:
    sha = git_server.repo().commit({"a": "1"})
    heads: list[str] = []
    threads = [
        threading.Thread(target=lambda: heads.append(git.refs(here(git_server)).head))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heads == [sha] * 8
    assert asked(git_server) == 1


def test_a_repository_that_is_down_is_asked_once(git_server: GitServer, git: Git) -> None:
    git_server.on_request(lambda _: Reply(500))
    for _ in range(3):
        with pytest.raises(UnreachableError):
            git.refs(here(git_server), seconds=5)
    assert asked(git_server) == TRIES
    with pytest.raises(UnreachableError):
        git.refs(here(git_server), seconds=9)  # who has more time may ask again
    assert asked(git_server) == 2 * TRIES


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_in_trouble_for_a_moment_is_asked_again(
    status: int, git_server: GitServer, git: Git
) -> None:
    sha = git_server.repo().commit({"a": "1"})
    troubles = iter([Reply(status), Reply(status)])
    git_server.on_request(lambda _: next(troubles, None))
    assert git.refs(here(git_server)).head == sha


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_a_server_that_says_no_is_not_asked_again(
    status: int, git_server: GitServer, git: Git
) -> None:
    git_server.on_request(lambda _: Reply(status))
    with pytest.raises(SkillError):
        git.refs(here(git_server))
    assert asked(git_server) == 1


@pytest.mark.parametrize(
    "broken",
    [Faults(cut_after=0), Faults(cut_after=20), Faults(cut_after=20, reset=True)],
    ids=["empty", "cut", "reset"],
)
def test_a_connection_that_breaks_is_made_again(
    broken: Faults, git_server: GitServer, git: Git
) -> None:
    sha = git_server.repo().commit({"a": "1" * 1000})
    troubles = iter([broken, broken])
    git_server.on_request(lambda _: next(troubles, None))
    assert git.refs(here(git_server)).head == sha


def test_what_a_typed_address_was_told_is_not_told_to_a_registry(
    git_server: GitServer, git: Git
) -> None:
    git_server.repo().commit({"a": "1"})
    git.refs(here(git_server))
    with pytest.raises(RefusedError):
        git.refs(Remote(git_server.url_of(), Policy(typed=False)))


def test_a_commit_and_an_ancestry_are_asked_once(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    first = repo.commit({"a": "1"})
    second = repo.commit({"a": "2"})
    assert git.open(here(git_server), second).nodes
    assert git.is_ancestor(here(git_server), first, second)
    git_server.forget()
    for _ in range(3):
        assert git.open(here(git_server), second).nodes
        assert git.is_ancestor(here(git_server), first, second)
    assert git_server.requests == []


def test_an_ancestry_that_is_known_is_not_asked_in_another_run(
    git_server: GitServer, make_git: MakeGit
) -> None:
    repo = git_server.repo()
    first, second = repo.commit({"a": "1"}), repo.commit({"a": "2"})
    assert make_git().is_ancestor(here(git_server), first, second)
    git_server.forget()
    assert make_git().is_ancestor(here(git_server), first, second)
    assert git_server.requests == []


def test_a_later_commit_sends_only_the_trees_that_changed(
    git_server: GitServer, make_git: MakeGit
) -> None:
    repo = git_server.repo()
    files = {f"s{n}/{os.urandom(20).hex()}/f{k}": f"{n} {k}" for n in range(100) for k in range(9)}
    first = repo.commit(files)
    make_git().open(here(git_server), first)
    whole = git_server.sent
    second = repo.commit({"s1/new": "x"})
    git_server.forget()
    commit = make_git().open(here(git_server), second)
    assert len(commit.nodes) == 901
    assert git_server.sent < whole / 5
    old = next(node for node in commit.nodes if node.path.startswith("s7/"))
    assert commit.read([old])  # a file that the kept commit has too, and that never was here


def test_a_failure_is_remembered_for_whoever_would_not_wait_longer() -> None:
    once: Once[str] = Once()
    calls: list[float] = []

    def fail() -> str:
        calls.append(1)
        raise NotFoundError("x")

    for seconds in (5, 5, 3, 9):
        with pytest.raises(NotFoundError):
            once.get("k", fail, seconds)
    assert len(calls) == 2
    assert once.get("other", lambda: "y") == "y"


def test_a_commit_that_a_branch_or_tag_leads_to_is_reachable(
    git_server: GitServer, git: Git
) -> None:
    repo = git_server.repo()
    deep = repo.commit({"a": "0"})
    for number in range(1, 90):
        repo.commit({"a": str(number)})
    aside = repo.commit({"b": "1"}, branch="old", parents=())
    tip = repo.commit({"b": "2"}, branch="old")
    repo.tag("v1", at="old", annotated=True)
    repo.delete("old")
    refs = git.refs(here(git_server))
    for sha in (repo.head(), tip, deep, aside):
        assert git.reachable(here(git_server), sha, refs)


@pytest.mark.parametrize("number", [1, 90])
def test_a_commit_of_a_pull_request_alone_is_not_reachable(
    git_server: GitServer, git: Git, number: int
) -> None:
    repo = git_server.repo()
    for count in range(number):
        base = repo.commit({"a": str(count)})
    impostor = repo.commit({"a": "evil"}, branch="refs/pull/9/head", parents=[base])
    refs = git.refs(here(git_server))
    assert refs.commits["refs/pull/9/head"] == impostor
    git.open(here(git_server), impostor)  # the server hands it out as one of its own
    assert not git.reachable(here(git_server), impostor, refs)
    assert not git.reachable(here(git_server), "1" * 40, refs)


def test_asking_what_is_reachable_moves_no_files(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    first = repo.commit({"big": os.urandom(300_000)})
    repo.commit({"big": os.urandom(300_000)})
    assert git.reachable(here(git_server), first, git.refs(here(git_server)))
    assert git_server.sent < 20_000
