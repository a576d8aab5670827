"""Files on this machine: looked at and read without following links.

Changing what is ours is the business of `edges.folders`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.tree import MAX_BYTES, MAX_DEPTH, MAX_FILES, File, Tree

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


@contextlib.contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn the operating system's refusals into our error, naming what was attempted.

    Raises:
        StateError: for any OSError inside.
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        where = f" ({error.filename})" if error.filename else ""
        raise StateError(f"cannot {what}: {reason}{where}", hint=_advice(error.errno)) from error


def read_file(path: Path, limit: int) -> bytes | None:
    """The bytes of a regular file, or None when there is none.

    Raises:
        StateError: it is a link, a device or too large, or it cannot be read.
    """
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StateError(f"cannot read {path}: {os.strerror(error.errno or 0)}") from error
    try:
        return _read_open(descriptor, limit, str(path))
    except InvalidSkillError as error:
        raise StateError(error.message) from None
    finally:
        os.close(descriptor)


def export(path: Path, data: bytes) -> None:
    """Write a file where the user asked for one; what stood there is replaced in one step.

    Raises:
        StateError: there is no such folder, a folder is there, or it cannot be written.
    """
    temporary = path.with_name(f".{path.name[:100]}.{os.urandom(6).hex()}")
    with translated(f"write {path}"):
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def read_tree(root: Path, *, without: frozenset[str] = frozenset()) -> Tree:
    """The files below a folder as a tree.

    Args:
        root: the folder; itself never a link.
        without: names of files and folders to leave out, at any depth.

    Raises:
        InvalidSkillError: a link, a device, an unsafe path or too much of anything.
        StateError: something cannot be read.
    """
    walk = _Walk()
    with translated(f"read {root}"):
        descriptor = os.open(root, _FOLDER)
        try:
            _read_folder(descriptor, "", walk, without)
        finally:
            os.close(descriptor)
    return Tree.of(walk.files)


def read_below(root: Path, path: str, limit: int) -> bytes:
    """The bytes of a regular file below a folder; no link on the way is followed.

    Raises:
        InvalidSkillError: it is too large or no regular file.
        StateError: it cannot be read.
    """
    *folders, name = path.split("/")
    with translated(f"read {root / path}"):
        descriptor = os.open(root, _FOLDER)
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            return _read_named(descriptor, name, path, limit)[0]
        finally:
            os.close(descriptor)


def entry_kind(path: Path) -> str:
    """What stands at a path without following links: file, folder, link, other, or ""."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise StateError(f"cannot look at {path}: {os.strerror(error.errno or 0)}") from error
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


@dataclass(slots=True)
class _Walk:
    """The files read so far, within the limits of a tree."""

    files: list[File] = field(default_factory=list)
    size: int = 0

    def add(self, file: File) -> None:
        """Keep one more file.

        Raises:
            InvalidSkillError: too many files or bytes.
        """
        self.files.append(file)
        self.size += len(file.data)
        if len(self.files) > MAX_FILES:
            raise InvalidSkillError(f"the folder has more than {MAX_FILES} files")
        if self.size > MAX_BYTES:
            raise InvalidSkillError(f"the folder holds more than {MAX_BYTES // 1024 // 1024} MiB")


def _read_folder(descriptor: int, prefix: str, walk: _Walk, without: frozenset[str]) -> None:
    if prefix.count("/") > MAX_DEPTH:
        raise InvalidSkillError(f"the folder is deeper than {MAX_DEPTH} levels")
    for name in sorted(os.listdir(descriptor)):
        path = prefix + name
        if name in without:
            continue
        mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            inner = os.open(name, _FOLDER, dir_fd=descriptor)
            try:
                _read_folder(inner, path + "/", walk, without)
            finally:
                os.close(inner)
        elif stat.S_ISREG(mode):
            walk.add(File(path, *_read_named(descriptor, name, path, MAX_BYTES)))
        else:
            kind = "a link" if stat.S_ISLNK(mode) else "a device, socket or pipe"
            raise InvalidSkillError(f"{ascii(path)} is {kind}; a skill holds regular files only")


def _read_named(folder: int, name: str, path: str, limit: int) -> tuple[bytes, bool]:
    """The bytes of a file in an open folder, and whether it is executable."""
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        executable = bool(os.fstat(descriptor).st_mode & 0o111)
        return _read_open(descriptor, limit, path), executable
    finally:
        os.close(descriptor)


def _read_open(descriptor: int, limit: int, what: str) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise InvalidSkillError(f"{ascii(what)} is not a regular file")
    chunks, total = [], 0
    while chunk := os.read(descriptor, 1 << 20):
        total += len(chunk)
        if total > limit:
            raise InvalidSkillError(f"{ascii(what)} is larger than {limit // 1024} kB")
        chunks.append(chunk)
    return b"".join(chunks)


def _advice(code: int | None) -> str:
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "check who may write there, or set SKILL_HOME to a folder of yours"
    if code in (errno.ENOSPC, errno.EDQUOT):
        return "free some space and run the command again; nothing was changed"
    return ""
