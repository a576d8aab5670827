"""Files on this machine: read without following links, write so that a crash leaves old or new.

Every write is a new file, synced, and moved into place; every folder of a tree is opened
relative to its parent without following links, so nothing can be redirected half way.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skillpm.errors import InvalidSkillError, StateError
from skillpm.model.tree import MAX_BYTES, MAX_DEPTH, MAX_FILES, File, Tree

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2


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


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can read, parents included.

    Raises:
        StateError: it cannot be made, or something else stands there.
    """
    with translated(f"make the folder {path}"):
        for folder in (*reversed(path.parents), path):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)  # refuses what is there and is no folder
    return path


def new_folder(parent: Path) -> Path:
    """A new private folder with a name nobody can predict.

    Raises:
        StateError: the parent cannot be written.
    """
    path = private_folder(parent) / f"tmp-{os.urandom(8).hex()}"
    with translated(f"write in {parent}"):
        path.mkdir(mode=0o700)
    return path


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


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file of ours in one step, durably; mode 0600.

    Raises:
        StateError: the old file is then still there, whole.
    """
    private_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    with translated(f"write {path}"):
        try:
            _write_new(temporary, data, 0o600)
            temporary.replace(path)
            sync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def export(path: Path, data: bytes) -> None:
    """Write a file where the user asked for one; what stood there is replaced in one step.

    Raises:
        StateError: there is no such folder, a folder is there, or it cannot be written.
    """
    temporary = path.with_name(f".{path.name[:100]}.{os.urandom(6).hex()}")
    with translated(f"write {path}"):
        try:
            _write_new(temporary, data, 0o644)
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


def write_tree(tree: Tree, root: Path) -> None:
    """Write a tree into a new folder `root`, durably: files 0644 or 0755, no links followed.

    Raises:
        StateError: `root` exists, or the disk refuses; what was written so far may remain.
    """
    with translated(f"write {root}"):
        root.mkdir(mode=0o755)
        for file in tree.files:
            _write_below(root, file)
        for folder in {root, *(p.parent for p in (root / f.path for f in tree.files))}:
            sync_folder(folder)


def write_file(path: Path, data: bytes) -> None:
    """Write a new file, durably, mode 0644.

    Raises:
        StateError: it exists, or the disk refuses.
    """
    with translated(f"write {path}"):
        _write_new(path, data, 0o644)


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


def move_new(source: Path, target: Path) -> None:
    """Move into a place that is free.

    Raises:
        StateError: the place is taken, or the disk refuses.
    """
    if entry_kind(target):
        raise StateError(f"{target} appeared while we were working", hint="run the command again")
    with translated(f"move to {target}"):
        source.rename(target)
        sync_folder(target.parent)


def place(source: Path, target: Path) -> None:
    """Give a finished file its place; what another process put there meanwhile stays.

    Raises:
        StateError: the disk refuses.
    """
    with translated(f"make {target}"):
        with contextlib.suppress(FileExistsError):
            try:
                os.link(source, target)
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                    raise
                source.rename(target)  # a disk without hard links
        sync_folder(target.parent)


def exchange(first: Path, second: Path) -> bool:
    """Swap two entries in one step; False where the system cannot (then nothing happened)."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    names = os.fsencode(first), os.fsencode(second)
    if libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE):
        code = ctypes.get_errno()
        if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
            return False
        raise StateError(f"cannot replace {second}: {os.strerror(code)}")
    with translated(f"replace {second}"):
        sync_folder(second.parent)
    return True


def remove_entry(path: Path) -> None:
    """Remove a file, a link, or a folder with all below it; links are never followed.

    Raises:
        StateError: the disk refuses.
    """
    with translated(f"remove {path}"):
        if entry_kind(path) != "folder":
            path.unlink(missing_ok=True)
            return
        for folder, _, _, descriptor in os.fwalk(path, follow_symlinks=False):
            if not os.access(folder, os.W_OK | os.X_OK):
                os.fchmod(descriptor, 0o700)
        import shutil

        shutil.rmtree(path)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_below(root: Path, file: File) -> None:
    """Write one file of a tree, opening each folder relative to its parent."""
    *folders, name = file.path.split("/")
    descriptor = os.open(root, _FOLDER)
    try:
        for folder in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o755, dir_fd=descriptor)
            inner = os.open(folder, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        mode = 0o755 if file.executable else 0o644
        _write_new(Path(name), file.data, mode, folder=descriptor)
    finally:
        os.close(descriptor)


def _write_new(path: Path, data: bytes, mode: int, folder: int | None = None) -> None:
    descriptor = os.open(path, _CREATE, mode, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
