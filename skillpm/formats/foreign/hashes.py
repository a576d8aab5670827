"""Other tools' hashes over a skill's files, made again from the files.

`npx skills` and ClawHub sort paths as JavaScript's `localeCompare` does; for paths of ASCII
characters that order is written down here, and for others nothing is claimed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Final

from skillpm.formats.foreign.entry import Algorithm, Foreign
from skillpm.model.tree import File, Tree

# The order of the Unicode collation's root for ASCII: marks, digits, letters of either case.
_ORDER: Final = {char: weight for weight, char in enumerate("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")}
_IGNORE: Final = (".gitignore", ".clawhubignore")
_SKIPPED: Final = (".git", "node_modules")


def agrees(foreign: Foreign, tree: Tree) -> bool | None:
    """Whether the files are those that the record's hash was made over; None: it can't be told."""
    made = _MADE[foreign.algorithm](tree, foreign) if foreign.algorithm in _MADE else ""
    return made == foreign.hash if made and foreign.hash else None


def _git_tree(tree: Tree, _foreign: Foreign) -> str:
    return tree.git_sha1


def _npx_folder(tree: Tree, _foreign: Foreign) -> str:
    kept = [f for f in tree.files if not any(part in _SKIPPED for part in f.path.split("/"))]
    total = hashlib.sha256()
    ordered = _sorted(kept)
    for file in ordered:
        total.update(file.path.encode() + file.data)
    return total.hexdigest() if ordered else ""


def _clawhub(tree: Tree, _foreign: Foreign) -> str:
    if any(file.path.rpartition("/")[2] in _IGNORE for file in tree.files):
        return ""  # what such a file leaves out is not for us to guess
    kept = [f for f in tree.files if not any(p.startswith(".") for p in f.path.split("/"))]
    lines = "\n".join(f"{file.path}:{file.sha256}" for file in _sorted(kept))
    return hashlib.sha256(lines.encode()).hexdigest() if lines else ""


def _file_lines(tree: Tree, foreign: Foreign) -> str:
    """The same lines over the files as they are; one that was not recorded is not compared."""
    recorded = {line.rpartition(":")[0] for line in foreign.hash.split("\n")}
    made = {f.path: _normal(f.data) for f in tree.files if f.path in recorded}
    return "\n".join(f"{path}:{digest}" for path, digest in sorted(made.items())) or "no file"


def _normal(data: bytes) -> str:
    text = data if b"\0" in data else data.replace(b"\r\n", b"\n")
    return hashlib.sha256(text).hexdigest()


def _sorted(files: Iterable[File]) -> list[File]:
    """In the order of the root collation; nothing when a path has other than ASCII characters."""
    listed = list(files)
    if not all(file.path.isascii() for file in listed):
        return []
    return sorted(listed, key=lambda file: _key(file.path))


def _key(path: str) -> tuple[tuple[int, ...], str]:
    """Letters and marks first; of two that differ in case alone, the lower case first."""
    return tuple(_weight(char) for char in path), path.swapcase()


def _weight(char: str) -> int:
    return _ORDER.get(char, 100 + ord(char.lower()) if char != " " else -1)


_MADE: Final[dict[Algorithm, Callable[[Tree, Foreign], str]]] = {
    "git-tree": _git_tree,
    "npx-folder": _npx_folder,
    "clawhub-fingerprint": _clawhub,
    "file-lines": _file_lines,
}
