"""Offline: both ports stop before a look-up, and what the cache holds is still there."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gitrepo import GitRepo
from support.gitserver import GitServer
from support.webserver import WebServer

from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.edges.http import Http, Limits
from skillpm.edges.network import Network
from skillpm.errors import UnreachableError
from skillpm.model.policy import Policy

from .conftest import MakeGit, make_host

TYPED = Policy(typed=True)


def offline_git(tmp_path: Path) -> Git:
    """A port on the same cache as those of `make_git`, without a network."""
    root = tmp_path / "home"
    network = Network(mirrors={"https://m.example/": "https://n.example/"}, offline=True)
    return Git(make_host(root), root / "cache", network, lambda *_: None)


def test_http_says_offline_before_any_look_up(web: WebServer) -> None:
    port = Http(Network(offline=True))
    for url in (web.serve("/x", "y"), "https://no.example/x", "http://[::1]/x"):
        for policy in (TYPED, Policy(typed=False)):
            with pytest.raises(UnreachableError, match=r"^offline"):
                port.get(url, policy, Limits(1_000, 5))
    assert web.requests == []


def test_git_says_offline_before_any_look_up(git_server: GitServer, tmp_path: Path) -> None:
    sha = git_server.repo().commit({"a": "1"})
    git = offline_git(tmp_path)
    for url in (git_server.url_of(), "https://no.example/o/r", "https://m.example/o/r",
                "ssh://git@no.example/o/r", "git@no.example:o/r"):  # fmt: skip
        remote = Remote(url, TYPED)
        for use in (
            lambda r=remote: git.refs(r),
            lambda r=remote: git.open(r, sha),
            lambda r=remote: git.is_ancestor(r, sha, "1" * 40),
        ):
            with pytest.raises(UnreachableError, match=r"^offline"):
                use()
    assert git_server.requests == []


def test_a_commit_that_is_here_opens_and_its_files_are_read(
    git_server: GitServer, make_git: MakeGit, tmp_path: Path
) -> None:
    repo = git_server.repo()
    first = repo.commit({"a": "1", "b": "2"})
    second = repo.commit({"a": "3"})
    remote = Remote(git_server.url_of(), TYPED)
    online = make_git()
    commit = online.open(remote, second)
    commit.read([node for node in commit.nodes if node.path == "a"])
    assert online.is_ancestor(remote, first, second)
    git_server.forget()
    git = offline_git(tmp_path)
    again = git.open(remote, second)
    assert again.nodes == commit.nodes
    assert again.read([node for node in again.nodes if node.path == "a"]) == {"a": b"3"}
    assert git.is_ancestor(remote, first, second)
    with pytest.raises(UnreachableError, match=r"^offline"):
        again.read(again.nodes)
    assert git_server.requests == []


def test_a_repository_on_this_machine_is_no_network(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "r.git")
    sha = repo.commit({"a": "1"})
    assert offline_git(tmp_path).refs(Remote(repo.url, TYPED)).head == sha
