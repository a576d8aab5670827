"""Changing folders: durable, in one step, and never through a link.

Every folder on the way to what is changed is opened relative to the one above it, and none of
them may be a link; so a folder that somebody exchanges for a link while we work stops us, and
nothing is ever written or removed elsewhere. Paths are therefore given without links: `Host`
resolves the folders that are ours once, when it is made.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from skillpm.edges.disk import entry_kind, translated
from skillpm.errors import StateError
from skillpm.model.tree import File, Tree

_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY
_PASSED: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
_NO_EXCHANGE: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_RENAME_EXCHANGE: Final = 2


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can read, parents included.

    Raises:
        StateError: it cannot be made, or something else stands there.
    """
    with translated(f"make the folder {path}"), _opened(path, make=True):
        return path


def open_folder(path: Path) -> Path:
    """Make a folder that others can read as far as the user lets them, parents included.

    Raises:
        StateError: as `private_folder`.
    """
    with translated(f"make the folder {path}"), _opened(path, make=True, mode=0o777):
        return path


class Facts(NamedTuple):
    """What the system says of a folder of ours.

    Attributes:
        private: nobody else may look into it.
        writable: we may write there.
        free: bytes that are left on its disk.
    """

    private: bool
    writable: bool
    free: int


def facts(path: Path) -> Facts:
    """What the system says of a folder that is there.

    Raises:
        StateError: it cannot be looked at.
    """
    with translated(f"look at {path}"):
        private = not os.lstat(path).st_mode & 0o077
        room = os.statvfs(path)
        return Facts(private, os.access(path, os.W_OK | os.X_OK), room.f_bavail * room.f_frsize)


def new_folder(parent: Path) -> Path:
    """A new private folder with a name nobody can predict.

    Raises:
        StateError: the parent cannot be written.
    """
    name = f"tmp-{os.urandom(8).hex()}"
    with translated(f"write in {parent}"), _opened(parent, make=True) as folder:
        os.mkdir(name, 0o700, dir_fd=folder)
    return parent / name


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file of ours in one step, durably; mode 0600.

    Raises:
        StateError: the old file is then still there, whole.
    """
    temporary = f".{path.name}.{os.urandom(6).hex()}"
    with translated(f"write {path}"), _opened(path.parent, make=True) as folder:
        try:
            _write_new(temporary, data, 0o600, folder)
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise


def write_tree(tree: Tree, root: Path) -> None:
    """Write a tree into a new folder `root`, durably: files 0644 or 0755.

    Raises:
        StateError: `root` exists, or the disk refuses; what was written so far may remain.
    """
    with translated(f"write {root}"), _opened(root.parent) as parent:
        os.mkdir(root.name, 0o755, dir_fd=parent)
        top = os.open(root.name, _FOLDER, dir_fd=parent)
        try:
            for file in tree.files:
                _write_below(top, file)
            for folder in sorted({_folder_of(f.path) for f in tree.files} | {""}):
                _sync_below(top, folder)
        finally:
            os.close(top)


def write_file(path: Path, data: bytes) -> None:
    """Write a new file, durably, mode 0644.

    Raises:
        StateError: it exists, or the disk refuses.
    """
    with translated(f"write {path}"), _opened(path.parent) as folder:
        _write_new(path.name, data, 0o644, folder)


def link(path: Path, target: str) -> None:
    """Make a new link; what it says is not looked at.

    Raises:
        StateError: something stands there, or the disk refuses.
    """
    with translated(f"write {path}"), _opened(path.parent) as folder:
        os.symlink(target, path.name, dir_fd=folder)


def move_new(source: Path, target: Path) -> None:
    """Move into a place that is free.

    Raises:
        StateError: the place is taken, or the disk refuses.
    """
    with (
        translated(f"move to {target}"),
        _opened(source.parent) as here,
        _opened(target.parent) as there,
    ):
        if _stands(target.name, there):
            raise StateError(
                f"{target} appeared while we were working", hint="run the command again"
            )
        os.rename(source.name, target.name, src_dir_fd=here, dst_dir_fd=there)
        os.fsync(there)


def place(source: Path, target: Path) -> None:
    """Give a finished file its place; what another process put there meanwhile stays.

    Raises:
        StateError: the disk refuses.
    """
    names = source.name, target.name
    with (
        translated(f"make {target}"),
        _opened(source.parent) as here,
        _opened(target.parent) as there,
    ):
        try:
            os.link(*names, src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except FileExistsError:
            pass
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.rename(*names, src_dir_fd=here, dst_dir_fd=there)  # a disk without hard links
        os.fsync(there)


def exchange(first: Path, second: Path) -> bool:
    """Swap two entries in one step; False where the system cannot (then nothing happened).

    Raises:
        StateError: the disk refuses.
    """
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "renameat2"):
        return False
    names = os.fsencode(first.name), os.fsencode(second.name)
    with (
        translated(f"replace {second}"),
        _opened(first.parent) as here,
        _opened(second.parent) as there,
    ):
        if libc.renameat2(here, names[0], there, names[1], _RENAME_EXCHANGE):
            code = ctypes.get_errno()
            if code in _NO_EXCHANGE:
                return False
            raise StateError(f"cannot replace {second}: {os.strerror(code)}")
        os.fsync(there)
    return True


def remove_entry(path: Path) -> None:
    """Remove a file, a link, or a folder with all below it; links are never followed.

    Raises:
        StateError: the disk refuses.
    """
    if entry_kind(path.parent) != "folder":
        return
    with translated(f"remove {path}"), _opened(path.parent) as parent:
        if entry_kind(path) != "folder":
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path.name, dir_fd=parent)
            return
        for _, _, _, descriptor in os.fwalk(path.name, follow_symlinks=False, dir_fd=parent):
            if not os.fstat(descriptor).st_mode & stat.S_IWUSR:
                os.fchmod(descriptor, 0o700)
        import shutil

        shutil.rmtree(path.name, dir_fd=parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable.

    Raises:
        StateError: the disk refuses.
    """
    with translated(f"write in {path}"), _opened(path) as folder:
        os.fsync(folder)


@contextlib.contextmanager
def _opened(path: Path, *, make: bool = False, mode: int = 0o700) -> Iterator[int]:
    """The folder of an absolute path, reached without following a link.

    Args:
        path: the folder.
        make: make what is missing on the way.
        mode: of what is made, less what the user's mask takes away.

    Raises:
        OSError: it is not there, or something on the way is no folder.
    """
    parts = path.parts[1:]
    descriptor = os.open(path.anchor, _PASSED if parts else _FOLDER)
    try:
        for number, part in enumerate(parts, 1):
            if make and not _stands(part, descriptor):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, mode, dir_fd=descriptor)
            try:
                flags = (
                    _FOLDER if number == len(parts) else _PASSED
                )  # what is passed may be unreadable
                inner = os.open(part, flags, dir_fd=descriptor)
            except OSError as error:
                error.filename = str(path)
                raise
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _stands(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _write_below(root: int, file: File) -> None:
    """Write one file of a tree, opening each folder relative to its parent."""
    with _below(root, _folder_of(file.path), make=True) as folder:
        name, mode = file.path.rpartition("/")[2], 0o755 if file.executable else 0o644
        _write_new(name, file.data, mode, folder)


def _sync_below(root: int, path: str) -> None:
    with _below(root, path) as folder:
        os.fsync(folder)


@contextlib.contextmanager
def _below(root: int, path: str, *, make: bool = False) -> Iterator[int]:
    descriptor = os.dup(root)
    try:
        for part in filter(None, path.split("/")):
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=descriptor)
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def _write_new(name: str, data: bytes, mode: int, folder: int) -> None:
    descriptor = os.open(name, _CREATE, mode, dir_fd=folder)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
