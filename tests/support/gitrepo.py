"""Real git repositories, made in a temporary directory and cut off from the user's git set-up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

EPOCH: Final = 1_700_000_000
"""The date of the first commit of every repository; each further commit is a minute later."""

_PERSON: Final = "Test Author <author@example.invalid>"
_SERVER_CONFIG: Final = """\
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[http]
\tuploadpack = true
[core]
\tcompression = 1
[gc]
\tauto = 0
"""

RawEntry = tuple[str, "str | bytes", "str | bytes"]
"""Mode, name and content of a tree entry as it is; content is an object id or a blob's bytes."""


class MakeRepo(Protocol):
    """What the fixture `make_repo` is: a maker of repositories below the test's folder."""

    def __call__(
        self, files: Mapping[str, bytes | str] | None = None, name: str = "repo"
    ) -> GitRepo:
        """Make a repository, with one commit of the files when there are any."""
        ...


def git_environment() -> dict[str, str]:
    """An environment in which git reads no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "file:http:https",
        "GIT_AUTHOR_NAME": "Test Author",
        "GIT_AUTHOR_EMAIL": "author@example.invalid",
        "GIT_COMMITTER_NAME": "Test Author",
        "GIT_COMMITTER_EMAIL": "author@example.invalid",
    }


class GitError(AssertionError):
    """A git command of the kit failed; the message holds the command and its stderr."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One path of a commit: a mode with bytes, or with an object id, or (mode "") a removal."""

    path: str
    mode: str = ""
    data: bytes = b""
    oid: str = ""

    def lines(self) -> Iterator[bytes]:
        name = _quoted(self.path)
        if not self.mode:
            yield b"D " + name + b"\n"
        elif self.oid:
            yield f"M {self.mode} {self.oid} ".encode() + name + b"\n"
        else:
            yield f"M {self.mode} inline ".encode() + name + f"\ndata {len(self.data)}\n".encode()
            yield self.data
            yield b"\n"


class GitRepo:
    """A bare repository that a server can serve and that tests change as they like.

    Object ids are reproducible: the same calls in the same order give the same commits.

    Args:
        bare: where to make it; missing folders are made.
        object_format: `sha1` or `sha256`.
    """

    def __init__(self, bare: Path, object_format: str = "sha1") -> None:
        self.bare = bare
        self._minutes = 0
        bare.parent.mkdir(parents=True, exist_ok=True)
        options = ["--bare", "--template=", "--initial-branch=main"]
        _git(["init", "-q", *options, f"--object-format={object_format}", str(bare)])
        with (bare / "config").open("a") as config:
            config.write(_SERVER_CONFIG)

    @property
    def url(self) -> str:
        """The `file://` address of the repository."""
        return self.bare.as_uri()

    def git(self, *args: str, data: bytes = b"") -> str:
        """The output of `git ARGS` in this repository, stripped.

        Raises:
            GitError: git ended with another status than 0.
        """
        return _git([f"--git-dir={self.bare}", *args], data, self._date()).decode().strip()

    def configure(self, key: str, value: str) -> None:
        """Set one key of the repository's configuration, e.g. `uploadpack.allowFilter`."""
        self.git("config", key, value)

    def commit(
        self,
        files: Mapping[str, bytes | str | None],
        *,
        executable: Iterable[str] = (),
        message: str = "change",
        branch: str = "main",
        parents: Sequence[str] | None = None,
    ) -> str:
        """Commit changes on top of a branch and return the commit's id.

        Args:
            files: path to content; None deletes the path.
            executable: those of the paths that get mode 100755.
            message: the commit message.
            branch: the branch that moves; it is made when it does not exist.
            parents: other parents than the branch's head; `()` starts a new history.
        """
        runnable = set(executable)
        changes = (_file(path, data, path in runnable) for path, data in files.items())
        return self._import(changes, message, branch, parents)

    def add_symlink(self, path: str, target: str, *, branch: str = "main") -> str:
        """Commit a symbolic link and return the commit's id."""
        link = _Change(path, "120000", target.encode())
        return self._import([link], f"link {path}", branch, None)

    def add_gitlink(self, path: str, sha: str, *, branch: str = "main") -> str:
        """Commit a submodule entry (without a `.gitmodules`) and return the commit's id."""
        link = _Change(path, "160000", oid=sha)
        return self._import([link], f"submodule {path}", branch, None)

    def blob(self, data: bytes) -> str:
        """Store a blob and return its id."""
        return self.git("hash-object", "-t", "blob", "-w", "--stdin", data=data)

    def raw_tree(self, entries: Iterable[RawEntry]) -> str:
        """Store a tree that git itself would refuse to make; returns its id.

        Names (`..`, `.git`, `a/b`, duplicates), modes and order are taken as they are.
        """
        body = b""
        for mode, name, content in entries:
            oid = content if isinstance(content, str) else self.blob(content)
            raw = name if isinstance(name, bytes) else name.encode()
            body += mode.encode() + b" " + raw + b"\0" + bytes.fromhex(oid)
        return self.git("hash-object", "-t", "tree", "--literally", "-w", "--stdin", data=body)

    def commit_tree(self, tree: str, *, message: str = "tree", branch: str = "main") -> str:
        """Commit a stored tree as it is, on top of a branch; returns the commit's id."""
        head = self.head(branch)
        parent = ["-p", head] if head else []
        self._minutes += 1
        sha = self.git("commit-tree", tree, *parent, "-m", message)
        self.force(branch, sha)
        return sha

    def branch(self, name: str, at: str = "main") -> str:
        """Make a branch at a commit, branch or tag; returns the commit's id."""
        sha = self.git("rev-parse", "--verify", f"{at}^{{commit}}")
        self.force(name, sha)
        return sha

    def tag(self, name: str, at: str = "main", *, annotated: bool = False) -> str:
        """Make a tag; returns the id of the commit, or of the tag object when annotated."""
        note = ["-a", "-m", f"tag {name}"] if annotated else []
        self.git("tag", "-f", *note, name, at)
        return self.git("rev-parse", f"refs/tags/{name}")

    def force(self, ref: str, sha: str) -> None:
        """Point a ref (a short name is a branch) at a commit, whatever it pointed at before."""
        self.git("update-ref", _full(ref), sha)

    def delete(self, ref: str) -> None:
        """Remove a ref (a short name is a branch)."""
        self.git("update-ref", "-d", _full(ref))

    def head(self, ref: str = "main") -> str:
        """The commit that a ref (a short name is a branch) points at, or "" when there is none."""
        return self.git("for-each-ref", "--format=%(objectname)", _full(ref))

    def _date(self) -> str:
        return f"{EPOCH + 60 * self._minutes} +0000"

    def _import(
        self,
        changes: Iterable[_Change],
        message: str,
        branch: str,
        parents: Sequence[str] | None,
    ) -> str:
        if parents is None:
            head = self.head(branch)
            parents = [head] if head else []
        stream = _commit_stream(_full(branch), message, self._date(), parents)
        sha = _fast_import(
            self.bare, (part for source in (stream, _all(changes)) for part in source)
        )
        self._minutes += 1
        return sha


def _file(path: str, data: bytes | str | None, executable: bool) -> _Change:
    if data is None:
        return _Change(path)
    raw = data.encode() if isinstance(data, str) else data
    return _Change(path, "100755" if executable else "100644", raw)


def _full(ref: str) -> str:
    return ref if ref.startswith("refs/") else f"refs/heads/{ref}"


def _quoted(path: str) -> bytes:
    raw = path.encode(errors="surrogateescape")
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _commit_stream(ref: str, message: str, date: str, parents: Sequence[str]) -> Iterator[bytes]:
    text = message.encode()
    yield f"commit {ref}\nmark :1\n".encode()
    yield f"author {_PERSON} {date}\ncommitter {_PERSON} {date}\n".encode()
    yield f"data {len(text)}\n".encode() + text + b"\n"
    for number, parent in enumerate(parents):
        yield f"{'merge' if number else 'from'} {parent}\n".encode()


def _all(changes: Iterable[_Change]) -> Iterator[bytes]:
    for change in changes:
        yield from change.lines()
    yield b"\nget-mark :1\n"


def _fast_import(bare: Path, stream: Iterable[bytes]) -> str:
    command = ["git", f"--git-dir={bare}", "fast-import", "--quiet", "--force", "--date-format=raw"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=git_environment(),
    ) as process:
        with suppress(BrokenPipeError):
            assert process.stdin is not None
            process.stdin.writelines(stream)
        out, err = process.communicate()
    if process.returncode:
        raise GitError(f"git fast-import: {err.decode(errors='replace')}")
    return out.decode().strip()


def _git(args: Sequence[str], data: bytes = b"", date: str = f"{EPOCH} +0000") -> bytes:
    env = git_environment() | {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    done = subprocess.run(["git", *args], input=data, capture_output=True, env=env, check=False)
    if done.returncode:
        raise GitError(f"git {' '.join(args)}: {done.stderr.decode(errors='replace')}")
    return done.stdout
