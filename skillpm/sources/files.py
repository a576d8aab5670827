"""Folders, documents and archives: on this machine, or behind one URL."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from skillpm.edges import archive, disk
from skillpm.edges.host import Host
from skillpm.edges.http import Http, Limits
from skillpm.errors import InvalidSkillError, NotFoundError, StateError, UnreachableError
from skillpm.formats.document import MAX_DOCUMENT
from skillpm.model.address import Local, Web, is_document
from skillpm.model.name import show
from skillpm.model.node import Node
from skillpm.model.provenance import Revision
from skillpm.model.text import safe
from skillpm.model.tree import MAX_BYTES, MAX_DEPTH
from skillpm.sources.collection import choose, single, to_tree
from skillpm.sources.fetched import Fetched, Want

MAX_NODES: Final = 50_000


class Folder:
    """A folder on this machine as a place to choose from; links are listed, never followed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every entry below the folder, except a `.git` at its root."""
        found: list[Node] = []
        with disk.translated(f"read {self._root}"):
            self._walk("", found)
        return tuple(found)

    def read(self, nodes: Sequence[Node]) -> Mapping[str, bytes]:
        """The bytes of regular files, by path."""
        data: dict[str, bytes] = {}
        left = MAX_BYTES
        for node in nodes:
            read = disk.read_below(self._root, node.path, left)
            left -= len(read)
            data[node.path] = read
        return data

    def _walk(self, prefix: str, found: list[Node]) -> None:
        if prefix.count("/") > MAX_DEPTH:
            return
        with os.scandir(self._root / prefix) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed:
            path = prefix + entry.name
            if path == ".git":
                continue
            if len(found) > MAX_NODES:
                raise InvalidSkillError(f"{self._root} holds more than {MAX_NODES} files")
            if entry.is_dir(follow_symlinks=False):
                self._walk(path + "/", found)
            else:
                found.append(_node(path, entry.stat(follow_symlinks=False).st_mode))


class Unpacked:
    """An archive as a place to choose from."""

    def __init__(self, data: bytes) -> None:
        self._archive = archive.open_archive(data)
        self.nodes = self._archive.nodes

    def read(self, nodes: Sequence[Node]) -> Mapping[str, bytes]:
        """The bytes of regular members, by path."""
        return {node.path: self._archive.read(node) for node in nodes}


def fetch_local(host: Host, source: Local, want: Want) -> Fetched:
    """A skill from a folder, a document or an archive on this machine.

    Raises:
        NotFoundError: nothing is there.
        InvalidSkillError: what is there is no skill.
        UnreachableError: it cannot be read.
    """
    try:
        return _from_path(host, source, want)
    except StateError as error:
        raise UnreachableError(error.message, hint=error.hint) from None


def _from_path(host: Host, source: Local, want: Want) -> Fetched:
    path, kind = find(host, source)
    if kind == "folder":
        return _from_folder(path, want)
    data, _ = read(path)
    if not is_document(path.name) and not archive.is_archive(data):
        raise InvalidSkillError(f"{show(path.name)} is neither Markdown nor a zip or tar archive")
    return _from_bytes(data, path.name, want)


def find(host: Host, source: Local) -> tuple[Path, str]:
    """Where a local address leads, and whether a `folder` or a `file` is there.

    Raises:
        NotFoundError: nothing is there, or a device.
    """
    path = host.expand(source.path)
    kind = disk.entry_kind(path)
    if kind == "link":
        path = path.resolve()  # the user typed this very link; none below it is followed
        kind = disk.entry_kind(path)
    if kind not in ("folder", "file"):
        raise NotFoundError(f"there is nothing at {safe(str(path))}")
    return path, kind


def read(path: Path) -> tuple[bytes, bool]:
    """The bytes of one file, at most those of the largest archive; whether it is executable.

    Raises:
        StateError: it cannot be read.
    """
    with disk.translated(f"read {path}"):
        data = disk.read_file(path, archive.MAX_ARCHIVE) or b""
        return data, bool(path.stat().st_mode & 0o111)


def fetch_web(http: Http, source: Web, want: Want) -> Fetched:
    """A skill from one URL: a document or an archive, told apart by its bytes.

    Raises:
        SkillError: as the HTTP port; InvalidSkillError when the answer is no skill.
    """
    data = download(http, source, want)
    return _from_bytes(data, source.url.partition("?")[0].rpartition("/")[2], want)


def download(http: Http, source: Web, want: Want) -> bytes:
    """The bytes behind one URL.

    Raises:
        SkillError: as the HTTP port; InvalidSkillError when the answer is a web page.
    """
    size = MAX_DOCUMENT if source.is_document else archive.MAX_ARCHIVE
    response = http.get(source.url, want.policy, Limits(size))
    if response.is_html and not archive.is_archive(response.body):
        raise InvalidSkillError(
            f"{safe(source.url)} is a web page, not a skill",
            hint="give the raw file's address; or is there a login page in between?",
        )
    return response.body


def from_archive(data: bytes, want: Want, revision: Revision) -> Fetched:
    """A skill out of the bytes of an archive.

    Raises:
        SkillError: as `open_archive`, `choose` and `to_tree`.
    """
    place = Unpacked(data)
    choice = choose(place, want.name, want.path)
    return Fetched(to_tree(place, choice), revision, choice.root, choice.package)


def _from_folder(path: Path, want: Want) -> Fetched:
    place = Folder(path)
    if _is_bare_repository(path):
        raise UnreachableError(
            f"{safe(str(path))} is a git repository without a checkout",
            hint=f"skill install NAME --source git+file://{safe(str(path))}",
        )
    choice = choose(place, want.name, want.path)
    tree = to_tree(place, choice)
    revision = Revision("content", tree.digest.rpartition(":")[2])
    return Fetched(tree, revision, choice.root, choice.package)


def _from_bytes(data: bytes, name: str, want: Want) -> Fetched:
    revision = Revision("content", hashlib.sha256(data).hexdigest())
    if archive.is_archive(data):
        return from_archive(data, want, revision)
    if not is_document(name) and b"\0" in data[:4_096]:
        raise InvalidSkillError(f"{show(name)} is neither Markdown nor a zip or tar archive")
    return Fetched(single(data), revision, "", package=False)


def _is_bare_repository(path: Path) -> bool:
    return all(disk.entry_kind(path / part) for part in ("HEAD", "objects", "refs"))


def _node(path: str, mode: int) -> Node:
    if stat.S_ISREG(mode):
        return Node(path, "file", bool(mode & 0o111))
    return Node(path, "link" if stat.S_ISLNK(mode) else "other")
