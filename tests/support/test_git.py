"""Repositories and the git server, with the real git as their client."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from support.ca import CA
from support.exchange import Faults, Reply
from support.files import build, tree_of
from support.gitrepo import GitError, GitRepo, MakeRepo, git_environment
from support.gitserver import GitServer

SKILL: Final[dict[str, bytes | str]] = {
    "SKILL.md": "---\nname: a\n---\n",
    "scripts/run.sh": b"#!/bin/sh\n",
}


def git(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *args],
        capture_output=True,
        text=True,
        check=False,
        env=git_environment() | env,
        timeout=30,
    )


def clone(url: str, to: Path, **env: str) -> Path:
    done = git("clone", "-q", url, str(to), **env)
    assert done.returncode == 0, done.stderr
    return to


class TestGitRepo:
    def test_commits_change_and_delete_files(self, make_repo: MakeRepo, tmp_path: Path) -> None:
        repo = make_repo()
        first = repo.commit(SKILL, executable=["scripts/run.sh"])
        second = repo.commit({"SKILL.md": None, 'odd "näme".md': "x"}, message="two")
        assert repo.git("rev-list", "main").split() == [second, first]
        found = tree_of(clone(repo.url, tmp_path / "out"))
        files = {path for path in found if not path.startswith(".git/")}
        assert files == {"scripts/run.sh", 'odd "näme".md'}
        assert found["scripts/run.sh"][1] & 0o100

    def test_ids_are_reproducible(self, make_repo: MakeRepo) -> None:
        one, two = make_repo(SKILL, name="one"), make_repo(SKILL, name="two")
        assert one.head() == two.head()
        assert one.tag("v1", annotated=True) == two.tag("v1", annotated=True)

    def test_branches_tags_and_rewritten_history(self, make_repo: MakeRepo) -> None:
        repo = make_repo(SKILL)
        old = repo.head()
        assert repo.branch("feature/x") == old
        assert repo.tag("v1") == old
        assert repo.tag("v2", annotated=True) != old
        new = repo.commit(SKILL, parents=(), message="rewritten")
        assert repo.git("rev-list", "main").split() == [new]
        repo.force("main", old)
        assert repo.head() == old
        repo.delete("feature/x")
        assert repo.head("feature/x") == ""

    def test_links_and_submodules(self, make_repo: MakeRepo) -> None:
        repo = make_repo(SKILL)
        repo.add_symlink("link", "/etc/passwd")
        repo.add_gitlink("sub", "1" * 40)
        listed = repo.git("ls-tree", "main")
        assert "120000 blob" in listed
        assert f"160000 commit {'1' * 40}\tsub" in listed

    def test_hostile_trees_are_stored_and_served(self, git_server: GitServer) -> None:
        repo = git_server.repo()
        inner = repo.raw_tree([("100644", "config", b"evil")])
        tree = repo.raw_tree(
            [("40000", "..", inner), ("40000", ".git", inner), ("100644", "a/b", b"x")]
        )
        sha = repo.commit_tree(tree)
        assert "40000" in repo.git("cat-file", "-p", tree)
        done = git("clone", "-q", "--bare", git_server.url_of(), str(repo.bare) + ".copy")
        assert done.returncode == 0, done.stderr
        assert sha in git("ls-remote", git_server.url_of()).stdout

    def test_a_sha256_repository(self, tmp_path: Path) -> None:
        repo = GitRepo(tmp_path / "r.git", "sha256")
        assert len(repo.commit(SKILL)) == 64

    def test_a_thousand_skills_are_quick(self, make_repo: MakeRepo) -> None:
        started = time.monotonic()
        files = {f"skills/s{n}/{path}": data for n in range(1000) for path, data in SKILL.items()}
        repo = make_repo(files)
        assert len(repo.git("ls-tree", "-r", "--name-only", "main").splitlines()) == 2000
        assert time.monotonic() - started < 10

    def test_errors_of_git_are_told(self, make_repo: MakeRepo) -> None:
        with pytest.raises(GitError, match="not-there"):
            make_repo(SKILL).git("rev-parse", "--verify", "not-there")
        with pytest.raises(GitError, match="fast-import"):
            make_repo(SKILL).commit({"a": "b"}, parents=["nonsense"])


class TestGitServer:
    @pytest.mark.parametrize("suffix", [".git", ""])
    def test_clones_over_http(self, git_server: GitServer, tmp_path: Path, suffix: str) -> None:
        git_server.repo("o/r").commit(SKILL)
        out = clone(f"{git_server.url}/o/r{suffix}", tmp_path / "out")
        assert (out / "SKILL.md").read_text() == SKILL["SKILL.md"]
        assert git_server.paths()[0] == f"GET /o/r{suffix}/info/refs"
        assert git_server.sent > 500
        assert git_server.received > 100
        assert {request.status for request in git_server.requests} == {200}

    def test_clones_over_https_with_the_ca_and_not_without(
        self, https_git_server: GitServer, ca: CA, tmp_path: Path
    ) -> None:
        https_git_server.repo().commit(SKILL)
        url = https_git_server.url_of()
        assert git("ls-remote", url).returncode == 128
        clone(url, tmp_path / "out", **ca.environment())

    def test_partial_clone_and_wants_by_id(self, git_server: GitServer, tmp_path: Path) -> None:
        repo = git_server.repo()
        repo.commit(SKILL | {"big.bin": os.urandom(500_000)})
        blob = repo.git("rev-parse", "main:SKILL.md")
        bare = str(tmp_path / "bare.git")
        done = git("clone", "-q", "--bare", "--filter=blob:none", git_server.url_of(), bare)
        assert done.returncode == 0, done.stderr
        assert git_server.sent < 10_000
        wanted = git(f"--git-dir={bare}", "fetch", "-q", "--no-filter", "origin", blob)
        assert wanted.returncode == 0, wanted.stderr
        assert git_server.sent < 20_000

    def test_many_refs_make_git_send_a_compressed_body(
        self, git_server: GitServer, tmp_path: Path
    ) -> None:
        repo = git_server.repo()
        for number in range(40):
            repo.commit({"n": str(number)}, parents=(), branch=f"b{number}")
        clone(git_server.url_of(), tmp_path / "out")
        encodings = {request.headers.get("Content-Encoding") for request in git_server.requests}
        assert "gzip" in encodings

    def test_a_large_request_comes_in_chunks(self, git_server: GitServer, tmp_path: Path) -> None:
        repo = git_server.repo()
        repo.configure("http.receivepack", "true")
        repo.commit(SKILL)
        out = clone(git_server.url_of(), tmp_path / "out")
        build(out, {"big.bin": os.urandom(2_000_000)})
        for words in (["add", "-A"], ["commit", "-qm", "x"], ["push", "-q", "origin", "HEAD:new"]):
            done = git("-C", str(out), *words)
            assert done.returncode == 0, done.stderr
        assert git_server.received > 2_000_000
        assert "chunked" in {r.headers.get("Transfer-Encoding") for r in git_server.requests}
        assert repo.head("new")

    @pytest.mark.parametrize("status", [404, 429, 500])
    def test_a_hook_answers_instead(self, git_server: GitServer, status: int) -> None:
        git_server.repo()
        reply = Reply(status, b"<html>", {"Content-Type": "text/html", "Retry-After": "1"})
        git_server.on_request(lambda _: reply)
        assert git("ls-remote", git_server.url_of()).returncode == 128
        assert git_server.requests[0].status == status

    def test_redirects_to_the_new_name(self, git_server: GitServer) -> None:
        sha = git_server.repo("new/name").commit(SKILL)
        git_server.redirect("old/name", "new/name")
        assert sha in git("ls-remote", f"{git_server.url}/old/name").stdout

    def test_basic_authorization(self, git_server: GitServer) -> None:
        sha = git_server.repo().commit(SKILL)
        git_server.require_basic("me", "secret")
        assert git("ls-remote", git_server.url_of()).returncode == 128
        known = git_server.url_of().replace("http://", "http://me:secret@")
        assert sha in git("ls-remote", known).stdout

    def test_a_cut_connection_fails_the_clone(self, git_server: GitServer, tmp_path: Path) -> None:
        git_server.repo().commit({"big.bin": os.urandom(300_000)})
        git_server.fault("/owner/repo.git/git-upload-pack", Faults(cut_after=100_000))
        assert git("clone", "-q", git_server.url_of(), str(tmp_path / "out")).returncode == 128
        assert 100_000 < git_server.sent < 110_000

    def test_no_repository_there(self, git_server: GitServer) -> None:
        assert git("ls-remote", git_server.url_of("no/where")).returncode == 128
        assert {request.status for request in git_server.requests} == {404}
