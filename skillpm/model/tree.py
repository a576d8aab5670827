"""The files of a skill as a value, the rules for their paths, and the digest over all of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from skillpm.errors import InvalidSkillError

ENTRY: Final = "SKILL.md"
DIGEST_PREFIX: Final = "git-tree-sha256:"

MAX_FILES: Final = 2_000
MAX_BYTES: Final = 20 * 1024 * 1024
MAX_DEPTH: Final = 12
MAX_PATH_BYTES: Final = 512
MAX_PART_BYTES: Final = 200

_HASHES: Final = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}  # git names trees by both
_FORBIDDEN: Final = set('\\:*?"<>|')
_RESERVED: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³"]
)


class File(NamedTuple):
    """One regular file.

    Attributes:
        path: relative, `/`-separated, already checked by `check_path`.
        data: the bytes, verbatim.
        executable: whether the file carries the executable bit.
    """

    path: str
    data: bytes
    executable: bool = False

    @property
    def mode(self) -> str:
        """Git's mode of the file: `100755` or `100644`."""
        return "100755" if self.executable else "100644"

    @property
    def sha256(self) -> str:
        """Hex SHA-256 of the bytes alone."""
        return hashlib.sha256(self.data).hexdigest()


class Blob(NamedTuple):
    """One file of a tree by its id: path, git's mode, and the hex id of its bytes."""

    path: str
    mode: str
    oid: str


@dataclass(frozen=True)
class Tree:
    """The regular files of one skill, sorted by path.

    Build it with `Tree.of`, which checks every path and every limit. A single-file skill is
    the tree with one entry `SKILL.md`.
    """

    files: tuple[File, ...]

    @classmethod
    def of(cls, files: Iterable[File]) -> Tree:
        """Check paths, limits and collisions, and sort.

        Raises:
            InvalidSkillError: a path is unsafe, two paths collide on some file system, or a
                limit (files, bytes, depth) is passed.
        """
        given = tuple(files)
        _check_limits(given)
        ordered = tuple(sorted(given, key=lambda f: f.path.encode()))
        check_collisions(f.path for f in ordered)
        return cls(ordered)

    @classmethod
    def single(cls, document: bytes) -> Tree:
        """The tree of a skill that is one Markdown file."""
        return cls.of([File(ENTRY, document)])

    @cached_property
    def digest(self) -> str:
        """`git-tree-sha256:<64 hex>`: git's tree id in the SHA-256 object format.

        Anyone can recompute it: `git init --object-format=sha256`, add the files, `git
        write-tree`. See <https://git-scm.com/docs/hash-function-transition>.
        """
        return DIGEST_PREFIX + _tree_id(self.files, "sha256")

    @cached_property
    def git_sha1(self) -> str:
        """Git's ordinary (SHA-1) tree id, only to ask cheaply whether upstream moved."""
        return _tree_id(self.files, "sha1")

    @property
    def size(self) -> int:
        """The sum of all bytes."""
        return sum(len(f.data) for f in self.files)

    @property
    def entry(self) -> bytes:
        """The bytes of `SKILL.md`.

        Raises:
            InvalidSkillError: the tree has none.
        """
        found = self.get(ENTRY)
        if found is None:
            raise InvalidSkillError(f"there is no {ENTRY} at the root of the skill")
        return found.data

    def get(self, path: str) -> File | None:
        """The file at `path`, or None."""
        return next((f for f in self.files if f.path == path), None)


def check_path(path: str) -> str:
    """The path, when every file system on every system can hold it safely; else an error.

    Refused: absolute paths, `..`, `.`, empty parts, backslashes, drive letters and streams,
    control and format characters, names reserved by Windows, trailing dots and spaces, text
    that is not NFC, anything named `.git`, and paths that are too long or too deep.

    Raises:
        InvalidSkillError: naming the path and the reason.
    """
    reason = _path_fault(path)
    if reason:
        raise InvalidSkillError(f"unsafe path {ascii(path)} in the skill: {reason}")
    return path


def check_collisions(paths: Iterable[str]) -> None:
    """Refuse duplicates, names that differ only in case or Unicode form, and file/folder clashes.

    Raises:
        InvalidSkillError: naming both paths.
    """
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        folded = fold(path)
        if folded in seen:
            raise InvalidSkillError(
                f"the paths {ascii(seen[folded])} and {ascii(path)} are the same on some disks"
            )
        seen[folded] = path
        _collect_folders(path, folders)
    for folded, folder in folders.items():
        if folded in seen:
            raise InvalidSkillError(f"{ascii(folder)} is both a file and a folder in the skill")


def fold(text: str) -> str:
    """The form in which names are compared: NFKC and case-folded, both ways round."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _collect_folders(path: str, folders: dict[str, str]) -> None:
    parts = path.split("/")
    for end in range(1, len(parts)):
        folder = "/".join(parts[:end])
        known = folders.setdefault(fold(folder), folder)
        if known != folder:
            raise InvalidSkillError(
                f"the folders {ascii(known)} and {ascii(folder)} are the same on some disks"
            )


def _check_limits(files: tuple[File, ...]) -> None:
    for file in files:
        check_path(file.path)
    if not files:
        raise InvalidSkillError("the skill has no files")
    if len(files) > MAX_FILES:
        raise InvalidSkillError(f"the skill has more than {MAX_FILES} files")
    if sum(len(f.data) for f in files) > MAX_BYTES:
        raise InvalidSkillError(f"the skill is larger than {MAX_BYTES // 1024 // 1024} MiB")


@lru_cache(4_096)  # most skills call their files alike
def _path_fault(path: str) -> str:
    if not path:
        return "it is empty"
    if len(path.encode(errors="surrogatepass")) > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes"
    parts = path.split("/")
    if len(parts) > MAX_DEPTH:
        return f"it is deeper than {MAX_DEPTH} folders"
    if unicodedata.normalize("NFC", path) != path:
        return "it is not in Unicode's composed form (NFC)"
    return next((fault for part in parts if (fault := _part_fault(part))), "")


def _part_fault(part: str) -> str:
    if part in ("", ".", ".."):
        return "it has an empty, '.' or '..' part"
    if any(c in _FORBIDDEN or not _printable(c) for c in part):
        return "it has a character that some file system or terminal misreads"
    if part[-1] in ". " or part[0] == " ":
        return "a part begins with a space or ends in a dot or a space"
    if part.split(".")[0].rstrip(" ").casefold() in _RESERVED:
        return "Windows reserves that name"
    if fold(part) == ".git" or part.casefold() == "git~1":
        return "it belongs to a nested git repository"
    if len(part.encode(errors="surrogatepass")) > MAX_PART_BYTES:
        return f"a part is longer than {MAX_PART_BYTES} bytes"
    return ""


def _printable(char: str) -> bool:
    return char == " " or (char.isprintable() and unicodedata.category(char) not in ("Cf", "Co"))


def git_tree_id(blobs: Iterable[Blob], algorithm: str = "sha1") -> str:
    """Git's id of the tree that holds these blobs; nothing of their bytes is needed.

    Args:
        blobs: what the tree holds, with paths relative to it.
        algorithm: `sha1` or `sha256`, the object format that the ids are of.
    """
    nested: dict[str, list[Blob]] = {}
    entries: list[tuple[bytes, bytes, bytes]] = []
    for blob in blobs:
        head, slash, rest = blob.path.partition("/")
        if slash:
            nested.setdefault(head, []).append(Blob(rest, blob.mode, blob.oid))
        else:
            entries.append((head.encode(), blob.mode.encode(), bytes.fromhex(blob.oid)))
    for name, inner in nested.items():
        oid = bytes.fromhex(git_tree_id(inner, algorithm))
        entries.append((name.encode() + b"/", b"40000", oid))
    body = b"".join(
        mode + b" " + name.rstrip(b"/") + b"\0" + oid for name, mode, oid in sorted(entries)
    )
    return _object_id(b"tree", body, algorithm)


def _tree_id(files: Iterable[File], algorithm: str) -> str:
    blobs = (Blob(f.path, f.mode, _object_id(b"blob", f.data, algorithm)) for f in files)
    return git_tree_id(blobs, algorithm)


def _object_id(kind: bytes, data: bytes, algorithm: str) -> str:
    begun = _HASHES[algorithm](b"%s %d\0" % (kind, len(data)))
    begun.update(data)
    return begun.hexdigest()


def manifest(tree: Tree) -> Mapping[str, tuple[str, int, str]]:
    """Path to (sha256, size, mode) for every file: what a record keeps of the tree."""
    return {f.path: (f.sha256, len(f.data), f.mode) for f in tree.files}
