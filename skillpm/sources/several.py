"""Everything that a place holds, for a scan: each of its skills, or all its files as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from skillpm.errors import InvalidSkillError, SkillError
from skillpm.model.name import show
from skillpm.model.node import Node
from skillpm.model.text import safe
from skillpm.model.tree import MAX_BYTES, MAX_FILES, File, Tree, check_path
from skillpm.sources.collection import (
    Choice,
    Contents,
    documents_in,
    package_folders,
    to_tree,
)

MAX_SKILLS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Part:
    """One skill of a place, or why it cannot be held.

    Attributes:
        path: its folder, or the path of its document; "" is the root of the place.
        tree: its files; None when there is an error.
        package: whether it is a folder with an entry document.
        unread: paths that are no regular files or cannot be named safely.
    """

    path: str
    tree: Tree | None
    package: bool = True
    error: SkillError | None = None
    unread: tuple[str, ...] = ()


def choices(nodes: Sequence[Node], base: str = "") -> tuple[Choice, ...]:
    """Every skill of a place, hidden and archived ones too: its packages, else its documents.

    Args:
        nodes: what the place holds.
        base: the folder inside it to look in; "" for all.

    Raises:
        InvalidSkillError: there are too many.
    """
    below = [n for n in nodes if not base or n.path.startswith(f"{base}/") or n.path == base]
    folders = package_folders(below)
    if folders:
        found = [Choice(f, nodes, package=True) for f, nodes in _grouped(below, folders).items()]
    else:
        found = [Choice(node.path, (node,), package=False) for node in documents_in(below)]
    if len(found) > MAX_SKILLS:
        raise InvalidSkillError(
            f"there are {len(found)} skills, more than {MAX_SKILLS}: take a folder of them"
        )
    return tuple(found)


def parts(contents: Contents, found: Sequence[Choice]) -> Iterator[Part]:
    """The files of each; one that cannot be held does not stop the others."""
    for choice in found:
        try:
            tree = to_tree(contents, choice)
        except SkillError as error:
            yield Part(choice.root, None, choice.package, error)
        else:
            yield Part(choice.root, tree, choice.package)


def whole(contents: Contents) -> Part:
    """All files of a place as they are, whether it is a skill or not; links are not followed.

    Raises:
        InvalidSkillError: too many files or bytes, or names that collide.
    """
    nodes = [node for node in contents.nodes if node.kind == "file" and _is_safe(node.path)]
    unread = {node.path for node in contents.nodes} - {node.path for node in nodes}
    if len(nodes) > MAX_FILES:
        raise InvalidSkillError(f"there are more than {MAX_FILES} files: take a folder of them")
    data = contents.read(nodes)
    if sum(map(len, data.values())) > MAX_BYTES:
        raise InvalidSkillError(f"there are more than {MAX_BYTES // 1024 // 1024} MiB of files")
    files = [File(node.path, data[node.path], node.executable) for node in nodes]
    return Part("", Tree.of(files), unread=tuple(sorted(map(safe, unread))))


def lone(name: str, data: bytes, *, executable: bool = False) -> Part:
    """One file as it is.

    Raises:
        InvalidSkillError: its name cannot be held safely, or it is too large.
    """
    if not _is_safe(name):
        raise InvalidSkillError(f"{show(name)} is no name that can be held safely")
    return Part("", Tree.of([File(name, data, executable)]))


def _grouped(nodes: Sequence[Node], folders: Sequence[str]) -> dict[str, tuple[Node, ...]]:
    """The nodes of each package, by its root; those outside of all are left out."""
    if "." in folders:
        return {"": tuple(nodes)}
    grouped: dict[str, list[Node]] = {folder: [] for folder in folders}
    for node in nodes:
        folder = node.path
        while folder and folder not in grouped:
            folder = folder.rpartition("/")[0]
        if folder:
            grouped[folder].append(node)
    return {folder: tuple(inside) for folder, inside in grouped.items()}


def _is_safe(path: str) -> bool:
    try:
        check_path(path)
    except InvalidSkillError:
        return False
    return True
