"""Rows of the threat table about git that have no other test, by number."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest
from support.ca import CA
from support.cli import run_skill
from support.exchange import Faults, Reply
from support.faultproxy import FaultProxy
from support.gitrepo import GitRepo
from support.gitserver import GitServer
from support.webserver import WebServer

from skillpm.edges.git import Git
from skillpm.edges.gitrun import Remote
from skillpm.errors import InvalidSkillError, SkillError, StateError
from skillpm.model.policy import Policy

from .conftest import MakeGit

TYPED = Policy(typed=True)


def test_g10_a_redirect_from_https_to_http_is_not_followed(
    https_git_server: GitServer, git_server: GitServer, make_git: MakeGit, ca: CA
) -> None:
    sha = git_server.repo().commit({"a": "1"})
    https_git_server.redirect("owner/repo", f"{git_server.url}/owner/repo")
    git = make_git({"SSL_CERT_FILE": str(ca.pem)})
    for use in (git.refs, lambda remote: git.open(remote, sha)):
        with pytest.raises(SkillError):
            use(Remote(https_git_server.url_of(), TYPED))
    assert git_server.requests == []


def test_g11_bundles_that_a_server_advertises_are_not_fetched(
    git_server: GitServer, git: Git
) -> None:
    repo = git_server.repo()
    sha = repo.commit({"a": "1"})
    with WebServer() as evil:
        for key, value in {
            "uploadpack.advertiseBundleURIs": "true", "bundle.version": "1", "bundle.mode": "all",
            "bundle.x.uri": f"{evil.url}/x.bundle",
            "uploadpack.blobPackfileUri": f"{sha} {sha} {evil.url}/p",
        }.items():  # fmt: skip
            repo.configure(key, value)
        commit = git.open(Remote(git_server.url_of(), TYPED), sha)
        commit.read(commit.nodes)
        assert evil.requests == []


@pytest.mark.parametrize("tty", [True, False])
def test_g13_nobody_is_asked_for_a_password(
    git_server: GitServer, tmp_path: Path, tty: bool
) -> None:
    git_server.repo()
    git_server.require_basic("me", "secret")
    start = time.monotonic()
    done = run_skill(
        "install", git_server.url_of(), "--yes", home=tmp_path / "home", tty=tty,
        env={"SSH_ASKPASS": "/bin/false", "GIT_ASKPASS": "/bin/false", "DISPLAY": ":0"},
    ).ended(3)  # fmt: skip
    assert time.monotonic() - start < 10
    said = done.out + done.err
    assert "is private and we have no access" in " ".join(said.split())
    assert "assword" not in said
    assert "Username for" not in said


def test_g15_files_that_are_too_large_together_are_refused_before_they_are_read(
    git_server: GitServer, git: Git
) -> None:
    repo = git_server.repo()
    big = {f"f{n}": bytes([n]) * 12_000_000 for n in range(5)}
    sha = repo.commit(big)  # repeated bytes: a small pack, a large tree
    commit = git.open(Remote(git_server.url_of(), TYPED), sha)
    with pytest.raises(InvalidSkillError, match="larger than"):
        commit.read(commit.nodes)
    assert git_server.sent < 1_000_000


def test_g17_reading_connects_to_nobody(git_server: GitServer, git: Git, make_git: MakeGit) -> None:
    sha = git_server.repo().commit({"a": "1", "b": "2"})
    remote = Remote(git_server.url_of(), TYPED)
    commit = git.open(remote, sha)
    commit.read([commit.nodes[0]])
    git_server.forget()
    again = make_git().open(remote, sha)
    assert again.read([again.nodes[0]]) == {"a": b"1"}
    assert again.repository.sizes([again.nodes[1].key]) == {}
    assert git_server.requests == []


def test_g19_a_repository_with_objects_behind_a_link_is_read_and_never_shared(
    tmp_path: Path, git: Git
) -> None:
    repo = GitRepo(tmp_path / "r.git")
    sha = repo.commit({"a": "1"})
    objects = repo.bare / "objects"
    objects.rename(tmp_path / "elsewhere")
    objects.symlink_to(tmp_path / "elsewhere")
    with contextlib.suppress(SkillError):  # a git that refuses such a repository is right as well
        commit = git.open(Remote(repo.url, TYPED), sha)
        assert commit.read(commit.nodes) == {"a": b"1"}
    cache = tmp_path / "home/cache"
    assert not [path for path in cache.rglob("*") if path.is_symlink() or path.name == "alternates"]
    assert all(path.stat().st_nlink == 1 for path in cache.rglob("*") if path.is_file())


def test_g20_a_git_that_is_too_old_is_named_with_its_version(
    git_server: GitServer, make_git: MakeGit, tmp_path: Path
) -> None:
    git_server.repo().commit({"a": "1"})
    old = tmp_path / "bin/git"
    old.parent.mkdir()
    old.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "git version 1.8.3"; exit 0; }\n'
        '[ "$1" = version ] && { echo "git version 1.8.3"; exit 0; }\n'
        'echo "error: unknown option" >&2; exit 129\n'
    )
    old.chmod(0o755)
    with pytest.raises(StateError, match=r"git version 1\.8\.3.*too old") as caught:
        make_git({"PATH": f"{old.parent}:/bin"}).refs(Remote(git_server.url_of(), TYPED))
    assert "bundled skills" in caught.value.hint


def test_g21_what_a_killed_git_left_is_taken_away(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    remote = Remote(git_server.url_of(), TYPED)
    place = git.open(remote, repo.commit({"a": "1"})).repository.path
    for name in ("shallow.lock", "objects/pack/tmp_pack_x1", "config.lock"):
        (place / name).write_bytes(b"left")
    assert git.open(remote, repo.commit({"a": "2"})).nodes
    assert not list(place.rglob("*.lock")) + list(place.rglob("tmp_*"))


def test_g23_wherever_a_pack_is_cut_the_next_try_succeeds(
    git_server: GitServer, make_git: MakeGit
) -> None:
    sha = git_server.repo().commit({"big.bin": os.urandom(30_000)})
    with FaultProxy(git_server.port) as proxy:
        remote = Remote(f"{proxy.url}/owner/repo.git", TYPED)
        for count in range(0, 34_000, 3_000):
            git = make_git()
            proxy.down.clear().cut_after(count)
            with contextlib.suppress(SkillError):
                commit = git.open(remote, sha)
                commit.read(commit.nodes)
            proxy.down.clear()
            again = make_git().open(remote, sha)
            assert len(again.read(again.nodes)["big.bin"]) == 30_000


def test_a_server_that_stumbles_is_told_and_the_next_run_succeeds(
    git_server: GitServer, make_git: MakeGit
) -> None:
    sha = git_server.repo().commit({"a": "1"})
    remote = Remote(git_server.url_of(), TYPED)
    failing = [True]
    git_server.on_request(lambda _: Reply(503) if failing[0] else None)
    with pytest.raises(SkillError, match="503"):
        make_git().refs(remote)
    failing[0] = False
    git_server.on_request(lambda _: Faults())
    assert make_git().refs(remote).head == sha
