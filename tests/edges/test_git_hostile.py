"""Hostile repositories, servers and surroundings: nothing runs, nothing hangs, nothing leaks."""

from __future__ import annotations

import math
import os
import subprocess
import time
from pathlib import Path

import pytest
from support.exchange import Faults, Reply
from support.faultproxy import FaultProxy
from support.files import tree_of
from support.gitrepo import RawEntry
from support.gitserver import GitServer

from skillpm.edges.git import Git
from skillpm.edges.gitrun import Job, Remote
from skillpm.edges.host import Host
from skillpm.edges.network import Network
from skillpm.errors import (
    IntegrityError,
    InvalidSkillError,
    NotFoundError,
    RefusedError,
    SkillError,
    UnreachableError,
)
from skillpm.model.policy import Policy
from skillpm.model.tree import File, Tree

from .conftest import MakeGit

TYPED = Policy(typed=True)
SKILL: dict[str, bytes | str] = {"SKILL.md": "---\nname: a\n---\n"}


def remote(server: GitServer, name: str = "owner/repo") -> Remote:
    return Remote(server.url_of(name), TYPED)


def children() -> set[str]:
    """Command lines of all processes below this one."""
    out = subprocess.run(
        ["ps", "--no-headers", "-eo", "ppid,pid,args"], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in out.splitlines()]
    below, grew = {str(os.getpid())}, True
    while grew:
        found = {row[1] for row in rows if row[0] in below} - below
        below, grew = below | found, bool(found)
    return {
        row[2]
        for row in rows
        if row[1] in below
        and ("git-remote" in row[2] or "ls-remote" in row[2] or " fetch " in row[2])
    }


def test_links_and_submodules_are_told_and_never_read(git_server: GitServer, git: Git) -> None:
    repo = git_server.repo()
    repo.commit(SKILL)
    repo.add_symlink("link", "/etc/passwd")
    sha = repo.add_gitlink("sub", "1" * 40)
    kinds = {n.path: n.kind for n in git.open(remote(git_server), sha).nodes}
    assert kinds == {"SKILL.md": "file", "link": "link", "sub": "repository"}


def fetched(git: Git, here: Remote, sha: str) -> Tree:
    """All files of a commit as a tree."""
    commit = git.open(here, sha)
    files = commit.read(commit.nodes)
    return Tree.of(File(n.path, files[n.path]) for n in commit.nodes)


HOSTILE: dict[str, list[RawEntry]] = {
    "..": [("40000", "..", "inner")],
    ".git": [("40000", ".git", "inner")],
    ".GIT": [("40000", ".GIT", "inner")],
    "git~1": [("40000", "git~1", "inner")],
    "a slash in a name": [("100644", "a/b", b"x")],
    "a climbing name": [("100644", "../evil", b"x")],
    "an empty name": [("100644", "", b"x")],
    "a dot": [("40000", ".", "inner")],
    "a name twice": [("100644", "a", b"x"), ("100644", "a", b"y")],
    "a file and a folder of one name": [("100644", "a", b"x"), ("40000", "a", "inner")],
    "unsorted": [("100644", "b", b"x"), ("100644", "a", b"y")],
    "only another case": [("100644", "A", b"x"), ("100644", "a", b"y")],
    "a reserved name": [("100644", "con.md", b"x")],
    "an escape sequence": [("100644", "a\x1b[2J", b"x")],
    "bytes that are no text": [("100644", b"\xff\xfe", b"x")],
    "a backslash": [("100644", "..\\evil", b"x")],
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_tree_is_refused_by_git_or_by_us(
    git_server: GitServer, git: Git, case: str, tmp_path: Path
) -> None:
    repo = git_server.repo()
    inner = repo.raw_tree([("100644", "config", b"evil")])
    entries = [
        (mode, name, inner if data == "inner" else data) for mode, name, data in HOSTILE[case]
    ]
    sha = repo.commit_tree(repo.raw_tree(entries))
    outside = tree_of(tmp_path / "served")
    with pytest.raises((IntegrityError, InvalidSkillError, UnreachableError)):
        fetched(git, remote(git_server), sha)
    assert tree_of(tmp_path / "served") == outside


def test_attributes_filters_and_large_file_pointers_are_inert(
    git_server: GitServer, git: Git, tmp_path: Path
) -> None:
    files: dict[str, bytes | str] = {
        ".gitattributes": "* filter=evil export-subst\n",
        ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n',
        "SKILL.md": "$Format:%H$\r\n",
    }  # fmt: skip
    sha = git_server.repo().commit(files)
    commit = git.open(remote(git_server), sha)
    assert commit.read(commit.nodes) == {k: str(v).encode() for k, v in files.items()}


@pytest.mark.parametrize(
    "url",
    [
        "-uhttps://127.0.0.1/x", "--upload-pack=touch {out}", "-u./payload",
        "ext::sh -c touch% {out}",
        "fd::17", "https://127.0.0.1:1/\nhost=evil", "ssh://-oProxyCommand=touch {out}/x",
        "git://127.0.0.1/x",
        "-oProxyCommand=touch {out}@h:x", "file://-x", "ftp://127.0.0.1/x", "$(touch {out})", "~/x",
    ],
)  # fmt: skip
def test_an_address_that_is_an_option_or_a_command_runs_nothing(
    git: Git, tmp_path: Path, url: str
) -> None:
    """The parser refuses all of these; the port below it does not rely on that."""
    bad = Remote(url.format(out=tmp_path / "ran"), TYPED)
    for use in (lambda: git.refs(bad), lambda: git.open(bad, "1" * 40)):
        with pytest.raises(SkillError) as caught:
            use()
        assert caught.value.message.isprintable()
    assert not (tmp_path / "ran").exists()


def hostile_variables(tmp_path: Path) -> dict[str, str]:
    run = f"touch {tmp_path}/ran; false"
    return {
        "GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_INDEX_FILE": "/nowhere/x",
        "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nowhere",
        "GIT_SSH": run, "GIT_SSH_COMMAND": run, "GIT_PROXY_COMMAND": run, "GIT_ASKPASS": run,
        "SSH_ASKPASS": run, "GIT_EXEC_PATH": "/nowhere", "GIT_TEMPLATE_DIR": "/nowhere",
        "GIT_TRACE": f"{tmp_path}/trace", "GIT_TRACE_CURL": f"{tmp_path}/trace", "GIT_PAGER": run,
        "GIT_EDITOR": run, "GIT_EXTERNAL_DIFF": run, "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": "/",
        "GIT_CONFIG": "/nowhere", "GIT_CONFIG_GLOBAL": f"{tmp_path}/evil", "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.sshCommand", "GIT_CONFIG_VALUE_0": run,
        "GIT_CONFIG_KEY_1": "url.https://127.0.0.1:1/.insteadOf", "GIT_CONFIG_VALUE_1": "http://",
        "GIT_CONFIG_PARAMETERS": "'http.proxy=http://127.0.0.1:1'", "GIT_SSL_NO_VERIFY": "1",
        "GIT_ALLOW_PROTOCOL": "ext", "GIT_PROTOCOL_FROM_USER": "1", "GIT_TERMINAL_PROMPT": "1",
        "GIT_SHALLOW_FILE": "/nowhere", "GIT_DEFAULT_HASH": "sha256",
        "GIT_REPLACE_REF_BASE": "refs/x",
    }  # fmt: skip


def test_inherited_variables_of_git_have_no_effect(
    git_server: GitServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sha = git_server.repo().commit(SKILL)
    (tmp_path / "evil").write_text('[url "https://127.0.0.1:1/"]\n\tinsteadOf = http://\n')
    for name, value in hostile_variables(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SKILL_HOME", str(tmp_path / "home"))
    host = Host.from_process()
    git = Git(host, host.dirs.cache, Network(host.env), lambda _what, _done, _total: None)
    assert git.refs(remote(git_server)).head == sha
    commit = git.open(remote(git_server), sha)
    assert commit.read(commit.nodes) == {"SKILL.md": b"---\nname: a\n---\n"}
    assert git.is_ancestor(remote(git_server), sha, sha)
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "trace").exists()


def test_a_hostile_configuration_in_the_home_has_no_effect(
    git_server: GitServer, make_git: MakeGit, tmp_path: Path
) -> None:
    run = f"touch {tmp_path}/ran"
    config = f"""
[core]
\thooksPath = {tmp_path}/hooks
\tfsmonitor = {run}
\tsshCommand = {run}
\taskPass = {run}
[url "https://127.0.0.1:1/"]
\tinsteadOf = http://
[http]
\tproxy = http://127.0.0.1:1
[init]
\ttemplateDir = {tmp_path}/hooks
"""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\n{run}\n")
        (hooks / name).chmod(0o755)
    for place in (Path.home() / ".gitconfig", Path.home() / ".config/git/config"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(config)
    sha = git_server.repo().commit(SKILL)
    git_server.require_basic("me", "secret", "/private/*")
    git = make_git({"HOME": str(Path.home())})
    commit = git.open(remote(git_server), sha)
    assert commit.read(commit.nodes)
    with pytest.raises(NotFoundError):
        git.refs(remote(git_server, "private/repo"))
    assert not (tmp_path / "ran").exists()


def test_we_may_stand_inside_a_hostile_repository(
    git_server: GitServer, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = git_server.repo().commit(SKILL)
    project = tmp_path / "project"
    (project / ".git/objects").mkdir(parents=True)
    (project / ".git/refs").mkdir()
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (project / ".git/config").write_text(
        f'[core]\n\tfsmonitor = "touch {tmp_path}/ran"\n[url "https://127.0.0.1:1/"]\n\tinsteadOf = http://\n'
    )
    monkeypatch.chdir(project)
    assert git.open(remote(git_server), sha).nodes
    assert not (tmp_path / "ran").exists()


def test_a_redirect_is_refused_with_where_it_went(git_server: GitServer, git: Git) -> None:
    git_server.repo("new/name").commit(SKILL)
    git_server.redirect("old/name", "new/name")
    with pytest.raises((RefusedError, UnreachableError)) as caught:
        git.refs(remote(git_server, "old/name"))
    assert not [path for path in git_server.paths() if "new/name" in path]
    assert "old/name" in caught.value.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, NotFoundError), (403, UnreachableError), (404, NotFoundError), (429, UnreachableError),
     (500, UnreachableError), (503, UnreachableError), (200, UnreachableError)],
)  # fmt: skip
def test_a_server_that_answers_something_else(
    git_server: GitServer, git: Git, status: int, kind: type[SkillError]
) -> None:
    headers = {"WWW-Authenticate": 'Basic realm="x"'} if status == 401 else {}
    git_server.repo().commit(SKILL)
    git_server.on_request(lambda _: Reply(status, b"<html>\x1b[2Jlogin</html>", headers))
    start = time.monotonic()
    with pytest.raises(kind) as caught:
        git.refs(remote(git_server))
    assert time.monotonic() - start < 5, "something waited for an answer"
    assert (caught.value.message + caught.value.hint).isprintable()


def test_a_server_that_is_down_is_unreachable(git: Git, tmp_path: Path) -> None:
    with GitServer(tmp_path / "gone") as server:
        gone = remote(server)
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1"):
        git.refs(gone)


@pytest.mark.parametrize("count", [1, 40, 400, 4_000, 40_000])
def test_a_pack_that_is_cut_off_leaves_nothing_half(
    git_server: GitServer, git: Git, count: int
) -> None:
    sha = git_server.repo().commit(SKILL | {"big.bin": os.urandom(100_000)})
    with FaultProxy(git_server.port) as proxy:
        here = Remote(f"{proxy.url}/owner/repo.git", TYPED)
        commit = git.open(here, sha)
        proxy.down.cut_after(count)
        with pytest.raises(SkillError):
            commit.read(commit.nodes)
        proxy.down.clear()
        assert len(commit.read(commit.nodes)["big.bin"]) == 100_000


def test_a_bit_that_flips_on_the_way_is_noticed(git_server: GitServer, git: Git) -> None:
    data = os.urandom(50_000)
    sha = git_server.repo().commit({"big.bin": data})
    with FaultProxy(git_server.port) as proxy:
        commit = git.open(Remote(f"{proxy.url}/owner/repo.git", TYPED), sha)
        proxy.down.flip(20_000)
        try:
            assert commit.read(commit.nodes) == {"big.bin": data}
        except SkillError:
            proxy.down.clear()
        assert commit.read(commit.nodes) == {"big.bin": data}


def test_a_server_that_hangs_is_left_at_the_deadline_and_no_process_stays(
    git_server: GitServer, git: Git
) -> None:
    sha = git_server.repo().commit(SKILL)
    git_server.fault("/*", Faults(delay=math.inf))
    for use in (
        lambda: git.refs(remote(git_server), seconds=1),
        lambda: git.open(remote(git_server), sha, seconds=1),
    ):
        start = time.monotonic()
        with pytest.raises(UnreachableError, match="did not finish within 1 s"):
            use()
        assert time.monotonic() - start < 5
    assert children() == set()


def test_a_server_that_drips_is_left_at_the_deadline(git_server: GitServer, git: Git) -> None:
    git_server.repo().commit(SKILL)
    git_server.fault("/*", Faults(drip=0.2))
    with pytest.raises(UnreachableError, match="did not finish"):
        git.refs(remote(git_server), seconds=1)


def test_an_interrupt_ends_the_process_too(git_server: GitServer, make_git: MakeGit) -> None:
    git_server.repo().commit(SKILL)
    git_server.fault("/*", Faults(delay=math.inf))
    git = make_git()

    def interrupt(_what: str, _done: int, _total: int) -> None:
        raise KeyboardInterrupt

    git._program._progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        git._program.run(["ls-remote", git_server.url_of()], Job(remote(git_server)))
    assert children() == set()


def test_what_git_says_reaches_nobody_raw(git_server: GitServer, git: Git) -> None:
    git_server.repo().commit(SKILL)
    evil = "remote: \x1b]52;c;ZXZpbA==\x07" + "x" * 5_000
    git_server.on_request(lambda _: Reply.text(evil, 500))
    with pytest.raises(SkillError) as caught:
        git.refs(Remote(git_server.url_of() + "\x1b[2J", TYPED))
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 1_000
