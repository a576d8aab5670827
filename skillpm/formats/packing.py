"""A skill as an archive: the same bytes for the same skill, on every machine and with every Python.

Nothing is compressed, because compressors differ between versions; servers compress on the way.
Members are sorted, lie in one folder, and have no times and no owners.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from gzip import GzipFile
from typing import Final

from skillpm.model.tree import Tree

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3


def zipped(tree: Tree, folder: str) -> bytes:
    """A zip archive of the tree, below a folder of that name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for file in tree.files:
            info = zipfile.ZipInfo(f"{folder}/{file.path}", _EPOCH)
            info.create_system = _UNIX
            info.external_attr = int(file.mode, 8) << 16
            archive.writestr(info, file.data)
    return buffer.getvalue()


def tarred(tree: Tree, folder: str) -> bytes:
    """A gzipped tar archive of the tree, below a folder of that name."""
    buffer = io.BytesIO()
    with (
        GzipFile("", "wb", 0, buffer, 0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for file in tree.files:
            info = tarfile.TarInfo(f"{folder}/{file.path}")
            info.size, info.mode = len(file.data), int(file.mode, 8) & 0o777
            archive.addfile(info, io.BytesIO(file.data))
    return buffer.getvalue()


FORMATS: Final[dict[str, Callable[[Tree, str], bytes]]] = {
    ".zip": zipped,
    ".tar.gz": tarred,
    ".tgz": tarred,
}
"""How a file's name ends, to what makes it."""
