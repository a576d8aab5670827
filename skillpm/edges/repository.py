"""A bare repository of ours in the cache: what git can say about it without asking anybody."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skillpm.edges import disk, folders
from skillpm.edges.gitrun import LOCAL, GitProgram
from skillpm.errors import InvalidSkillError
from skillpm.model.node import Node, NodeKind

MAX_NODES: Final = 200_000

_KINDS: Final[Mapping[str, NodeKind]] = {"120000": "link", "160000": "repository"}


@dataclass(frozen=True, slots=True)
class Repository:
    """A bare repository; every call reads this machine's disk alone."""

    program: GitProgram
    path: Path

    def ensure(self) -> None:
        """Make it when it is missing or damaged; take away what an interrupted fetch left."""
        if disk.entry_kind(self.path) == "folder":
            if self._attempt("rev-parse", "--is-bare-repository"):
                self._tidy()
                return
            folders.remove_entry(self.path)
        folders.private_folder(self.path.parent)
        self.program.run(
            ["init", "--quiet", "--bare", "--template=", "--end-of-options", str(self.path)]
        )

    def touch(self) -> None:
        """Note that it was used today."""
        with contextlib.suppress(OSError):
            os.utime(self.path)

    def known(self, sha: str) -> bool:
        """Whether an object is here."""
        return self._attempt("cat-file", "-e", sha)

    def has(self, commit: str) -> bool:
        """Whether a commit and its root tree are here."""
        return self._attempt("cat-file", "-e", f"{commit}^{{tree}}")

    def keep(self, commits: Iterable[str]) -> None:
        """Give commits a ref, so that the next fetch can say that they are here."""
        text = "".join(f"update refs/kept/{sha} {sha}\n" for sha in commits)
        self.program.run([*self._here, "update-ref", "--stdin"], LOCAL, stdin=text.encode())

    def reaches(self, commit: str, tips: Iterable[str]) -> bool:
        """Whether one of the tips leads to a commit through what is here."""
        text = f"{commit}\n" + "".join(f"^{tip}\n" for tip in tips)
        argv = [*self._here, "rev-list", "--max-count=1", "--stdin"]
        return self.program.attempt(argv, text.encode()) == b"\n"

    def roots(self, commit: str) -> tuple[str, ...]:
        """The commits without a parent that a commit's history begins with, sorted."""
        argv = [*self._here, "rev-list", "--max-parents=0", commit]
        return tuple(sorted(self.program.run(argv).decode("ascii").split()))

    def changes(self, path: str, old: str, new: str) -> tuple[str, ...]:
        """The commits between two, the first first, that give a file other bytes.

        Looked at is the main line, back from the new one; the trees of all of it must be here.
        """
        argv = [
            *self._here, "--literal-pathspecs", "log", "--format=%H", "--reverse", "--first-parent",
            "-m", "--raw", "--no-abbrev", "--no-renames", f"{old}..{new}", "--", path,
        ]  # fmt: skip
        lines = self.program.run(argv).decode("ascii", "replace").splitlines()
        return tuple(line for line in lines if line and not line.startswith(":"))

    def is_shallow(self) -> bool:
        """Whether history is cut off somewhere."""
        argv = [*self._here, "rev-parse", "--is-shallow-repository"]
        return (self.program.attempt(argv) or b"").strip() == b"true"

    def list(self, commit: str) -> Iterator[Node]:
        """Every file, link and nested repository of a commit.

        Raises:
            InvalidSkillError: there are too many.
        """
        argv = [*self._here, "ls-tree", "-r", "-z", "--full-tree", commit]
        for count, line in enumerate(self.program.run(argv).split(b"\0")[:-1]):
            if count > MAX_NODES:
                raise InvalidSkillError(f"the repository has more than {MAX_NODES} files")
            meta, _, raw = line.partition(b"\t")
            mode, _, oid = meta.decode("ascii").split(" ")
            path = raw.decode("utf-8", "surrogateescape")
            yield Node(path, _KINDS.get(mode, "file"), mode == "100755", oid)

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """The sizes of those blobs that are here."""
        out = self._batch("--batch-check", oids)
        fields = (line.split() for line in out.decode("ascii").splitlines())
        return {f[0]: int(f[2]) for f in fields if len(f) == 3 and f[1] == "blob"}

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of blobs that are all here."""
        out = self._batch("--batch", oids)
        blobs, position = {}, 0
        while position < len(out):
            end = out.index(b"\n", position)
            oid, _, size = out[position:end].decode("ascii").split(" ")
            blobs[oid] = out[end + 1 : end + 1 + int(size)]
            position = end + 2 + int(size)
        return blobs

    @property
    def _here(self) -> Sequence[str]:
        return ("--git-dir", str(self.path))

    def _attempt(self, *argv: str) -> bool:
        return bool(self.program.attempt([*self._here, *argv]))

    def _batch(self, how: str, oids: Iterable[str]) -> bytes:
        text = "".join(f"{oid}\n" for oid in oids).encode()
        return self.program.run([*self._here, "cat-file", how], LOCAL, stdin=text)

    def _tidy(self) -> None:
        """Remove what a killed git left; nobody else writes here, the cache's lock is ours."""
        for pattern in ("objects/pack/tmp_*", "objects/*/tmp_*", "*.lock", "refs/kept/*.lock"):
            for left in self.path.glob(pattern):
                folders.remove_entry(left)
