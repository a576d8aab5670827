"""The one door for git: never a checkout, never a hook, filter, submodule or prompt.

A commit is fetched without its blobs into a bare repository of ours, its trees are listed, the
wanted blobs are fetched in one request and read through one `cat-file --batch`. The program is
run through GitPython's `Git.execute` with a fixed argv and an environment made here; no option
ever comes from outside, and addresses stand behind `--end-of-options` or in a constant key.

What was asked in a run is not asked again: refs once for a URL, a commit once, an ancestry once.

Protocol: <https://git-scm.com/docs/protocol-v2>, partial clone:
<https://git-scm.com/docs/partial-clone>.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from skillpm.edges import folders
from skillpm.edges.addresses import public_address
from skillpm.edges.gitrun import SECONDS, GitProgram, Job, Remote
from skillpm.edges.host import Host
from skillpm.edges.lock import exclusive
from skillpm.edges.network import Network, Progress, check_usable
from skillpm.edges.once import Once
from skillpm.edges.repository import Repository
from skillpm.errors import (
    IntegrityError,
    InvalidSkillError,
    NotFoundError,
    RefusedError,
    StateError,
    UnreachableError,
)
from skillpm.model.node import Node
from skillpm.model.text import safe
from skillpm.model.tree import MAX_BYTES

T = TypeVar("T")

SHA: Final = re.compile(r"[0-9a-f]{40}")
MAX_KEPT: Final = 64


@dataclass(frozen=True, slots=True)
class Refs:
    """What a repository advertises: full ref names to commits (annotated tags peeled)."""

    commits: Mapping[str, str]
    head: str
    head_ref: str = ""


@dataclass(frozen=True, slots=True)
class _Slice:
    """How much of a history one fetch brings.

    Attributes:
        negotiate: say which commits are here, so that only what changed is sent. Not for
            blobs: a server takes those of a commit that is here for present.
    """

    depth: int = 1
    filter: str = "blob:none"
    seconds: float = SECONDS
    negotiate: bool = True


_SLICE: Final = _Slice()
_BLOBS: Final = _Slice(negotiate=False)
_WHOLE: Final = 2**31 - 1
_DEPTHS: Final = (64, 1_024, _WHOLE)


class Git:
    """Reading from git repositories, near and far.

    Args:
        host: where git is, and the environment.
        cache: folder for bare repositories; safe to delete at any time.
        network: mirrors, proxies, certificates, credentials, and whether there is a network.
        progress: told about bytes as they arrive.
    """

    def __init__(self, host: Host, cache: Path, network: Network, progress: Progress) -> None:
        self._cache = cache
        self._progress = progress
        self._program = GitProgram(host, cache, network, progress)
        self._refs: Once[Refs] = Once()
        self._commits: Once[Commit] = Once()
        self._ancestry: Once[bool] = Once()
        self._addresses: Once[str] = Once()

    def refs(self, remote: Remote, *, seconds: float = SECONDS) -> Refs:
        """Ask a repository for its branches and tags; once in a run.

        Raises:
            NotFoundError: it is not there, or private and we have no access.
            UnreachableError: it did not answer, or not as git.
            RefusedError: policy forbids the address.
        """
        url, config = self._reach(remote)  # the policy is that of this remote, whoever asked first

        def ask() -> Refs:
            argv = [*config, "ls-remote", "--symref", "--end-of-options", url]
            result = self._program.talk(argv, Job(remote, seconds=seconds))
            refs = _read_refs(result.decode("utf-8", "replace"))
            if not refs.commits:
                self._expect_git(remote, seconds)
            return refs

        return self._refs.get(remote.url, ask, seconds)

    def open(self, remote: Remote, commit: str, *, seconds: float = SECONDS) -> Commit:
        """Fetch one commit and its trees, without blobs, and list them; once in a run.

        Raises:
            NotFoundError: the repository has no such commit that a branch or tag reaches.
            UnreachableError, RefusedError: as `refs`.
        """
        repository = self._repository("git", remote)

        def opened() -> tuple[Node, ...]:
            repository.ensure()
            if not repository.has(commit):
                self._fetch(repository, remote, [commit], _Slice(seconds=seconds))
            repository.touch()
            return tuple(repository.list(commit))

        def ask() -> Commit:
            nodes = self._healed(repository, opened)
            return Commit(self, remote, repository, commit, nodes)

        return self._commits.get((remote, commit), ask, seconds)

    def merge_text(self, base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
        """Three versions of a text as one, by git merge-file; None when they conflict.

        Raises:
            StateError: the cache cannot be written.
        """
        room = folders.new_folder(self._cache / "merging")
        places = [room / name for name in ("mine", "base", "theirs")]
        try:
            for place, data in zip(places, (mine, base, theirs), strict=True):
                folders.write_file(place, data)
            argv = ["merge-file", "--stdout", "--quiet", "--", *map(str, places)]
            with contextlib.suppress(StateError):
                return self._program.run(argv)
        finally:
            folders.remove_entry(room)
        return None

    def close(self) -> None:
        """End every git process that still runs; no other is started."""
        self._program.close()

    def is_ancestor(self, remote: Remote, old: str, new: str) -> bool:
        """Whether the new commit's history contains the old one; asked once in a run.

        Only commits are fetched, and only as many as it takes to find the old one.

        Raises:
            UnreachableError: the history could not be fetched.
        """
        return self._leads(remote, old, (new,))

    def reachable(self, remote: Remote, commit: str, refs: Refs) -> bool:
        """Whether a branch or tag of the repository leads to a commit; asked once in a run.

        A server hands out commits of forks and of pull requests too, as if they were its own.
        The tips are looked at first, then their histories: commits alone, deeper and deeper.

        Raises:
            UnreachableError: the history could not be fetched.
        """
        named = ("refs/heads/", "refs/tags/")
        tips = sorted({sha for name, sha in refs.commits.items() if name.startswith(named)})
        if commit in tips or not tips:
            return commit in tips
        return self._leads(remote, commit, tuple(tips))

    def history(
        self, remote: Remote, tip: str, use: Callable[[Repository], T], *, trees: bool = False
    ) -> T:
        """What a look at the whole history of a commit gives: commits alone, or with their trees.

        Raises:
            IntegrityError: the history that is sent has no beginning.
            UnreachableError: it could not be fetched.
        """
        repository = self._repository("trees" if trees else "commits", remote)
        part = _Slice(_WHOLE, "blob:none" if trees else "tree:0")

        def look() -> T:
            repository.ensure()
            repository.touch()
            if not repository.known(tip) or repository.is_shallow():
                self._fetch(repository, remote, [tip], part)
            if repository.is_shallow():
                raise IntegrityError(f"{safe(remote.url)} has only the end of its history")
            return use(repository)

        return self._healed(repository, look)

    def read(self, commit: Commit, nodes: Sequence[Node]) -> dict[str, bytes]:
        """The bytes of regular files of a commit, by path; missing ones come in one request.

        Raises:
            InvalidSkillError: together they are too large.
            UnreachableError: they could not be fetched.
        """
        blobs = self._healed(commit.repository, lambda: self._wanted(commit, nodes))
        return {node.path: blobs[node.key] for node in nodes}

    def bring(self, commit: Commit, nodes: Sequence[Node]) -> None:
        """Fetch the bytes of files without reading them: one request for what many will read.

        Raises:
            UnreachableError: they could not be fetched.
        """
        oids = sorted({node.key for node in nodes})
        self._healed(commit.repository, lambda: self._present(commit, oids))

    def _wanted(self, commit: Commit, nodes: Sequence[Node]) -> dict[str, bytes]:
        """The bytes behind the nodes' ids, fetched when they are not here yet."""
        oids = sorted({node.key for node in nodes})
        sizes = self._present(commit, oids)
        if set(oids) - set(sizes):
            folders.remove_entry(
                commit.repository.path
            )  # git does not ask again for a damaged object
            sizes = self._present(commit, oids)
        if set(oids) - set(sizes):
            raise UnreachableError(f"{safe(commit.remote.url)} did not send all files")
        if sum(sizes[node.key] for node in nodes) > MAX_BYTES:
            raise InvalidSkillError(f"the files are larger than {MAX_BYTES >> 20} MiB together")
        return commit.repository.blobs(oids)

    def _present(self, commit: Commit, oids: Sequence[str]) -> dict[str, int]:
        """The sizes of the blobs that are here after asking for those that are not."""
        repository = commit.repository
        repository.ensure()
        sizes = repository.sizes(oids)
        missing = [oid for oid in oids if oid not in sizes]
        if missing:
            self._fetch(repository, commit.remote, missing, _BLOBS)
            sizes = repository.sizes(oids)
        return sizes

    def _leads(self, remote: Remote, commit: str, tips: tuple[str, ...]) -> bool:
        repository = self._repository("commits", remote)

        def deepen() -> bool:
            repository.ensure()
            repository.touch()
            if all(map(repository.known, tips[:MAX_KEPT])) and repository.reaches(commit, tips):
                return True
            for depth in _DEPTHS:
                self._fetch(repository, remote, tips, _Slice(depth, "tree:0"))
                if repository.reaches(commit, tips):
                    return True
                if not repository.is_shallow():
                    break
            return False

        def ask() -> bool:
            if self._healed(repository, deepen):
                return True
            folders.remove_entry(repository.path)  # "no" is never said from a damaged cache
            return self._healed(repository, deepen)

        return self._ancestry.get((remote.url, commit, tips), ask, SECONDS)

    def _expect_git(self, remote: Remote, seconds: float) -> None:
        """Tell an empty repository from a web page, which git takes for one.

        Raises:
            UnreachableError: what answers does not speak git.
        """
        repository = self._repository("git", remote)
        try:
            with self._locked(repository.path):
                repository.ensure()
                self._fetch(repository, remote, ["1" * 40], _Slice(seconds=seconds))
        except NotFoundError:
            return  # only git knows to say that
        except UnreachableError as error:
            raise UnreachableError(
                f"{safe(remote.url)} does not answer as a git repository",
                hint="check the address; or is there a login page in between?",
            ) from error

    def _healed(self, repository: Repository, use: Callable[[], T]) -> T:
        """Use a repository of the cache; a damaged one is thrown away and fetched again, once."""
        with self._locked(repository.path):
            try:
                return use()
            except StateError:
                folders.remove_entry(repository.path)
                return use()

    @contextlib.contextmanager
    def _locked(self, path: Path) -> Iterator[None]:
        lock = path.with_name(path.name + ".lock")
        with exclusive(lock, lambda text: self._progress(text, 0, 0)):
            yield

    def _fetch(
        self, repository: Repository, remote: Remote, wants: Sequence[str], part: _Slice = _SLICE
    ) -> None:
        """Bring objects and what they need, less what the slice leaves out.

        Everything about the remote is given on the command line: a repository that does not
        know its promisor can never fetch behind our back.
        """
        url, config = self._reach(remote)
        algorithm = "default" if part.negotiate else "noop"
        argv = [
            *config, "-c", f"remote.origin.url={url}", "-c", "remote.origin.promisor=true",
            "-c", f"remote.origin.partialclonefilter={part.filter}",
            "-c", f"fetch.negotiationAlgorithm={algorithm}", "--git-dir", str(repository.path),
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", f"--depth={part.depth}", f"--filter={part.filter}",
            "--stdin", "--end-of-options", "origin",
        ]  # fmt: skip
        text = "".join(f"{want}\n" for want in wants).encode()
        self._program.talk(argv, Job(remote, repository.path, part.seconds), stdin=text)
        if part.negotiate and len(wants) <= MAX_KEPT:
            repository.keep(wants)

    def _repository(self, kind: str, remote: Remote) -> Repository:
        name = hashlib.sha256(remote.url.encode()).hexdigest()[:32]
        return Repository(self._program, self._cache / kind / name)

    def _reach(self, remote: Remote) -> tuple[str, list[str]]:
        """The URL that git is given, and the configuration that pins where it may connect."""
        url, scheme = self._program.url(remote), self._program.scheme(remote)
        if not url.isprintable():  # helpers and servers are spoken to in lines
            raise UnreachableError(f"{safe(url)} is no usable URL")
        if scheme not in ("https", "http", "ssh", "file"):
            raise RefusedError(f"{safe(url)}: git may not speak {safe(scheme)}")
        if scheme != "file":
            check_usable(url if "://" in url else "")
            self._program.network.check_online(url)
        if url != remote.url or remote.policy.allows_private(url):
            return url, []
        if scheme != "https":
            raise RefusedError(
                f"{safe(url)} is not https, and it was not you who typed it",
                hint=f"if you trust it: skill install {safe(url)}",
            )
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
        proxied = bool(self._program.network.proxy(url))
        address = self._addresses.get(
            (host, port), lambda: public_address(host, port, proxied=proxied)
        )
        return url, ["-c", f"http.curloptResolve={host}:{port}:{address}"] if address else []


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of one repository, listed; `read` brings the bytes of some of its files."""

    git: Git
    remote: Remote
    repository: Repository
    sha: str
    nodes: tuple[Node, ...]

    def read(self, nodes: Sequence[Node]) -> dict[str, bytes]:
        """See `Git.read`."""
        return self.git.read(self, nodes)


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
