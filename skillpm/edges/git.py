"""The one door for git: never a checkout, never a hook, filter, submodule or prompt.

A commit is fetched without its blobs into a bare repository of ours, its trees are listed, the
wanted blobs are fetched in one request and read through one `cat-file --batch`. The program is
run through GitPython's `Git.execute` with a fixed argv and an environment made here; no option
ever comes from outside, and addresses stand behind `--end-of-options` or in a constant key.

Protocol: <https://git-scm.com/docs/protocol-v2>, partial clone:
<https://git-scm.com/docs/partial-clone>.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from skillpm.edges import disk
from skillpm.edges.gitrun import LOCAL, SECONDS, GitProgram, Job, Remote
from skillpm.edges.host import Host
from skillpm.edges.http import Progress, public_address
from skillpm.edges.lock import exclusive
from skillpm.errors import (
    InvalidSkillError,
    NotFoundError,
    RefusedError,
    StateError,
    UnreachableError,
)
from skillpm.model.node import Node, NodeKind
from skillpm.model.text import safe
from skillpm.model.tree import MAX_BYTES

T = TypeVar("T")

SHA: Final = re.compile(r"[0-9a-f]{40}")
MAX_NODES: Final = 200_000

_KINDS: Final[Mapping[str, NodeKind]] = {"120000": "link", "160000": "repository"}


@dataclass(frozen=True, slots=True)
class Refs:
    """What a repository advertises: full ref names to commits (annotated tags peeled)."""

    commits: Mapping[str, str]
    head: str
    head_ref: str = ""


@dataclass(frozen=True, slots=True)
class _Slice:
    """How much of a history one fetch brings."""

    depth: int = 1
    filter: str = "blob:none"
    seconds: float = SECONDS


_SLICE: Final = _Slice()
_DEPTHS: Final = (64, 1_024, 2**31 - 1)


class Git:
    """Reading from git repositories, near and far.

    Args:
        host: where git is, and the environment.
        cache: folder for bare repositories; safe to delete at any time.
        mirrors: URL prefixes that the user's configuration replaces.
        progress: told about bytes as they arrive.
    """

    def __init__(
        self, host: Host, cache: Path, mirrors: Mapping[str, str], progress: Progress
    ) -> None:
        self._cache = cache
        self._progress = progress
        self._program = GitProgram(host, cache, mirrors, progress)

    def refs(self, remote: Remote, *, seconds: float = SECONDS) -> Refs:
        """Ask a repository for its branches and tags.

        Raises:
            UnreachableError: it did not answer, or not as git.
            RefusedError: policy forbids the address.
        """
        url, config = self._reach(remote)
        argv = [*config, "ls-remote", "--symref", "--end-of-options", url]
        result = self._program.run(argv, Job(remote, seconds=seconds))
        refs = _read_refs(result.decode("utf-8", "replace"))
        if not refs.commits:
            self._expect_git(remote, seconds)
        return refs

    def open(self, remote: Remote, commit: str, *, seconds: float = SECONDS) -> Commit:
        """Fetch one commit and its trees, without blobs, and list them.

        Raises:
            NotFoundError: the repository has no such commit that a branch or tag reaches.
            UnreachableError, RefusedError: as `refs`.
        """
        path = self._cache / "git" / _key(remote)
        nodes = self._healed(path, lambda: self._opened(path, remote, commit, seconds))
        return Commit(self, remote, path, commit, nodes)

    def close(self) -> None:
        """End every git process that still runs."""
        self._program.close()

    def is_ancestor(self, remote: Remote, old: str, new: str) -> bool:
        """Whether the new commit's history contains the old one.

        Only commits are fetched, and only as many as it takes to find the old one.

        Raises:
            UnreachableError: the history could not be fetched.
        """
        path = self._cache / "commits" / _key(remote)
        if self._healed(path, lambda: self._reaches(path, remote, old, new)):
            return True
        disk.remove_entry(path)  # so grave an answer is never given from a damaged cache
        return self._healed(path, lambda: self._reaches(path, remote, old, new))

    def read(self, commit: Commit, nodes: Sequence[Node]) -> dict[str, bytes]:
        """The bytes of regular files of a commit, by path; missing ones come in one request.

        Raises:
            InvalidSkillError: together they are too large.
            UnreachableError: they could not be fetched.
        """
        blobs = self._healed(commit.repository, lambda: self._wanted(commit, nodes))
        return {node.path: blobs[node.key] for node in nodes}

    def _wanted(self, commit: Commit, nodes: Sequence[Node]) -> dict[str, bytes]:
        """The bytes behind the nodes' ids, fetched when they are not here yet."""
        oids = sorted({node.key for node in nodes})
        sizes = self._present(commit, oids)
        if set(oids) - set(sizes):
            disk.remove_entry(commit.repository)  # git does not ask again for a damaged object
            sizes = self._present(commit, oids)
        if set(oids) - set(sizes):
            raise UnreachableError(f"{safe(commit.remote.url)} did not send all files")
        if sum(sizes[node.key] for node in nodes) > MAX_BYTES:
            raise InvalidSkillError(f"the files are larger than {MAX_BYTES >> 20} MiB together")
        return self._blobs(commit.repository, oids)

    def _present(self, commit: Commit, oids: Sequence[str]) -> dict[str, int]:
        """The sizes of the blobs that are here after asking for those that are not."""
        self._ensure(commit.repository)
        sizes = self._sizes(commit.repository, oids)
        missing = [oid for oid in oids if oid not in sizes]
        if missing:
            self._fetch(commit.repository, commit.remote, missing)
            sizes = self._sizes(commit.repository, oids)
        return sizes

    def _reaches(self, path: Path, remote: Remote, old: str, new: str) -> bool:
        self._ensure(path)
        for depth in _DEPTHS:
            self._fetch(path, remote, [new], _Slice(depth, "tree:0"))
            if self._contains(path, old, new):
                return True
            if not self._is_shallow(path):
                break
        return False

    def _expect_git(self, remote: Remote, seconds: float) -> None:
        """Tell an empty repository from a web page, which git takes for one.

        Raises:
            UnreachableError: what answers does not speak git.
        """
        path = self._cache / "git" / _key(remote)
        try:
            with self._locked(path):
                self._ensure(path)
                self._fetch(path, remote, ["1" * 40], _Slice(seconds=seconds))
        except NotFoundError:
            return  # only git knows to say that
        except UnreachableError as error:
            raise UnreachableError(
                f"{safe(remote.url)} does not answer as a git repository",
                hint="check the address; or is there a login page in between?",
            ) from error

    def _healed(self, path: Path, use: Callable[[], T]) -> T:
        """Use a repository of the cache; a damaged one is thrown away and fetched again, once."""
        with self._locked(path):
            try:
                return use()
            except StateError:
                disk.remove_entry(path)
                return use()

    def _opened(self, path: Path, remote: Remote, commit: str, seconds: float) -> tuple[Node, ...]:
        self._ensure(path)
        if not self._has(path, commit):
            self._fetch(path, remote, [commit], _Slice(seconds=seconds))
        return tuple(self._list(path, commit))

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        lock = path.with_name(path.name + ".lock")
        with exclusive(lock, lambda text: self._progress(text, 0, 0)):
            yield

    def _ensure(self, path: Path) -> None:
        """Make the bare repository when it is missing or damaged."""
        if disk.entry_kind(path) == "folder":
            if self._program.attempt(["--git-dir", str(path), "rev-parse", "--is-bare-repository"]):
                return
            disk.remove_entry(path)
        disk.private_folder(path.parent)
        self._program.run(
            ["init", "--quiet", "--bare", "--template=", "--end-of-options", str(path)]
        )

    def _has(self, repository: Path, commit: str) -> bool:
        return bool(
            self._program.attempt([*_reading(repository), "cat-file", "-e", f"{commit}^{{tree}}"])
        )

    def _fetch(
        self, repository: Path, remote: Remote, wants: Iterable[str], part: _Slice = _SLICE
    ) -> None:
        """Bring objects and what they need, less what the slice leaves out.

        Everything about the remote is given on the command line: a repository that does not
        know its promisor can never fetch behind our back.
        """
        url, config = self._reach(remote)
        argv = [
            *config, "-c", f"remote.origin.url={url}", "-c", "remote.origin.promisor=true",
            "-c", f"remote.origin.partialclonefilter={part.filter}", "--git-dir", str(repository),
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", f"--depth={part.depth}", f"--filter={part.filter}",
            "--stdin", "--end-of-options", "origin",
        ]  # fmt: skip
        text = "".join(f"{want}\n" for want in wants).encode()
        self._program.run(argv, Job(remote, repository, part.seconds), stdin=text)

    def _contains(self, repository: Path, old: str, new: str) -> bool:
        argv = [*_reading(repository), "merge-base", "--is-ancestor", old, new]
        return bool(self._program.attempt(argv))

    def _is_shallow(self, repository: Path) -> bool:
        argv = [*_reading(repository), "rev-parse", "--is-shallow-repository"]
        return (self._program.attempt(argv) or b"").strip() == b"true"

    def _list(self, repository: Path, commit: str) -> Iterable[Node]:
        argv = [*_reading(repository), "ls-tree", "-r", "-z", "--full-tree", commit]
        for count, line in enumerate(self._program.run(argv).split(b"\0")[:-1]):
            if count > MAX_NODES:
                raise InvalidSkillError(f"the repository has more than {MAX_NODES} files")
            meta, _, raw = line.partition(b"\t")
            mode, _, oid = meta.decode("ascii").split(" ")
            path = raw.decode("utf-8", "surrogateescape")
            yield Node(path, _KINDS.get(mode, "file"), mode == "100755", oid)

    def _sizes(self, repository: Path, oids: Iterable[str]) -> dict[str, int]:
        argv = [*_reading(repository), "cat-file", "--batch-check"]
        out = self._program.run(argv, LOCAL, stdin="".join(f"{oid}\n" for oid in oids).encode())
        fields = (line.split() for line in out.decode("ascii").splitlines())
        return {f[0]: int(f[2]) for f in fields if len(f) == 3 and f[1] == "blob"}

    def _blobs(self, repository: Path, oids: Iterable[str]) -> dict[str, bytes]:
        argv = [*_reading(repository), "cat-file", "--batch"]
        out = self._program.run(argv, LOCAL, stdin="".join(f"{oid}\n" for oid in oids).encode())
        blobs, position = {}, 0
        while position < len(out):
            end = out.index(b"\n", position)
            oid, _, size = out[position:end].decode("ascii").split(" ")
            blobs[oid] = out[end + 1 : end + 1 + int(size)]
            position = end + 2 + int(size)
        return blobs

    def _reach(self, remote: Remote) -> tuple[str, list[str]]:
        """The URL that git is given, and the configuration that pins where it may connect."""
        url, scheme = self._program.url(remote), self._program.scheme(remote)
        if scheme not in ("https", "http", "ssh", "file"):
            raise RefusedError(f"{safe(url)}: git may not speak {safe(scheme)}")
        config: list[str] = []
        if url == remote.url and not remote.policy.allows_private(url):
            if scheme != "https":
                raise RefusedError(
                    f"{safe(url)} is not https, and it was not you who typed it",
                    hint=f"if you trust it: skill install {safe(url)}",
                )
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or 443
            address = public_address(host, port)
            config = ["-c", f"http.curloptResolve={host}:{port}:{address}"]
        return url, config


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of one repository, listed; `read` brings the bytes of some of its files."""

    git: Git
    remote: Remote
    repository: Path
    sha: str
    nodes: tuple[Node, ...]

    def read(self, nodes: Sequence[Node]) -> dict[str, bytes]:
        """See `Git.read`."""
        return self.git.read(self, nodes)


def _key(remote: Remote) -> str:
    return hashlib.sha256(remote.url.encode()).hexdigest()[:32]


def _reading(repository: Path) -> list[str]:
    return ["--git-dir", str(repository)]


def _read_refs(text: str) -> Refs:
    commits: dict[str, str] = {}
    head_ref = ""
    for line in text.splitlines():
        left, _, name = line.partition("\t")
        if left.startswith("ref: ") and name == "HEAD":
            head_ref = left.removeprefix("ref: ")
        elif SHA.fullmatch(left) and name.endswith("^{}"):
            commits[name.removesuffix("^{}")] = left
        elif SHA.fullmatch(left):
            commits.setdefault(name, left)
    return Refs(commits, commits.get("HEAD", ""), head_ref)
