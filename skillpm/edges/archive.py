"""Zip and tar under limits: what they list, and the bytes of single members; nothing is unpacked.

Both readers take bytes and never touch the disk. What two programs could read in two ways is
refused: names that differ between the headers of a zip, members that overlap, data before the
first or after the last member, sizes given twice.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from skillpm.errors import InvalidSkillError
from skillpm.model.name import show
from skillpm.model.node import Node, NodeKind

MAX_ARCHIVE: Final = 50 * 1024 * 1024
MAX_EXPANDED: Final = 100 * 1024 * 1024
MAX_ENTRIES: Final = 20_000
MAX_RATIO: Final = 200
MAX_EXTENDED: Final = 8 * 1024 * 1024
MAX_RECORDS: Final = 64

_EXTENDED: Final = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip
_DIGITS: Final = re.compile(rb"[0-9]{100}")
_LOCAL_HEADER: Final = struct.Struct("<4s5HIIIHH")
_END_SIZE: Final = 22
_DESCRIPTOR: Final = 24
_STORED_OR_DEFLATED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """An archive whose members are listed and can be read; see `open_archive`."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)
        self._left = MAX_EXPANDED

    def read(self, node: Node) -> bytes:
        """The bytes of a regular member.

        Raises:
            InvalidSkillError: it is damaged, larger than it says, or passes the limits.
        """
        data = self._member(node)
        self._left -= len(data)
        if self._left < 0:
            raise InvalidSkillError("the archive unpacks to too much")
        return data

    def _member(self, node: Node) -> bytes:
        raise NotImplementedError


def open_archive(data: bytes) -> Archive:
    """Tell the format by its first bytes, check the whole, and list it.

    Raises:
        InvalidSkillError: no archive we read, damaged, ambiguous, or an unsafe name in it.
    """
    if len(data) > MAX_ARCHIVE:
        raise InvalidSkillError(f"the archive is larger than {MAX_ARCHIVE // 1024 // 1024} MiB")
    if data[:2] == b"PK":
        return _Zip(data)
    if data[:2] == b"\x1f\x8b":
        return _Tar(_gunzip(data))
    if data[257:262] == b"ustar":
        return _Tar(data)
    raise InvalidSkillError("these bytes are neither a zip nor a tar archive")


def is_archive(data: bytes) -> bool:
    """Whether the first bytes are those of a zip, a gzip or a tar."""
    return (
        data[:4] in (b"PK\x03\x04", b"PK\x05\x06")
        or data[:2] == b"\x1f\x8b"
        or (data[257:262] == b"ustar")
    )


class _Zip(Archive):
    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise InvalidSkillError(f"the zip archive is damaged: {error}") from None
        self._infos = self._zip.infolist()
        _check_count(len(self._infos))
        _check_layout(data, self._zip)
        super().__init__(_zip_nodes(self._infos))

    def _member(self, node: Node) -> bytes:
        info = self._infos[int(node.key)]
        if info.file_size > MAX_EXPANDED or info.file_size > MAX_RATIO * (
            info.compress_size + 4_096
        ):
            raise InvalidSkillError(f"{show(node.path)} expands far too much")
        try:
            with self._zip.open(info) as member:
                data = member.read(info.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise InvalidSkillError(f"{show(node.path)} is damaged: {error}") from None
        if len(data) != info.file_size:
            raise InvalidSkillError(f"{show(node.path)} has another size than it says")
        return data


class _Tar(Archive):
    def __init__(self, data: bytes) -> None:
        self._data = data
        try:
            with _Reader(fileobj=io.BytesIO(data), tarinfo=_Header) as tar:
                nodes = tuple(_tar_nodes(_bounded(tar)))
                end = tar.offset
        except (tarfile.TarError, ValueError, OverflowError, OSError, RecursionError) as error:
            raise InvalidSkillError(f"the tar archive is damaged: {error}") from None
        if data[end:].strip(b"\0"):
            raise InvalidSkillError("the tar archive has data after its end")
        super().__init__(nodes)

    def _member(self, node: Node) -> bytes:
        start, end = map(int, node.key.split(":"))
        data = self._data[start:end]
        if len(data) != end - start:
            raise InvalidSkillError(f"{show(node.path)} is cut off")
        return data


class _Reader(tarfile.TarFile):
    """A tar whose extended headers are counted."""

    extended = 0


class _Header(tarfile.TarInfo):
    """A header that looks at an extended one before the library parses it.

    The library searches such a header with patterns that take quadratic time over long runs of
    digits (CVE-2024-6232).
    """

    def _proc_member(self, tar: _Reader) -> tarfile.TarInfo:
        if self.size < 0:
            raise InvalidSkillError(f"{show(self.name)} has an impossible size")
        if self.type in _EXTENDED:
            start = tar.fileobj.tell()
            body = tar.fileobj.read(self.size)
            tar.fileobj.seek(start)
            tar.extended += len(body)
            if tar.extended > MAX_EXTENDED or _DIGITS.search(body):
                raise InvalidSkillError("the tar archive has unreasonable extended headers")
        return super()._proc_member(tar)  # type: ignore[misc, no-any-return]  # the documented hook


def _zip_nodes(infos: list[zipfile.ZipInfo]) -> Iterator[Node]:
    for number, info in enumerate(infos):
        path = _member_path(info.orig_filename)
        if info.filename != info.orig_filename:
            raise InvalidSkillError(f"{show(info.filename)} has two names in the zip archive")
        if info.flag_bits & 0x1:
            raise InvalidSkillError("the zip archive is encrypted; nothing in it can be checked")
        mode = info.external_attr >> 16 if info.create_system == 3 else 0
        if info.is_dir() or not path:
            continue
        yield Node(path, _kind_of_mode(mode), bool(mode & 0o111), str(number))


def _kind_of_mode(mode: int) -> NodeKind:
    if stat.S_IFMT(mode) in (0, stat.S_IFREG):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "other"


def _tar_nodes(members: Iterable[tarfile.TarInfo]) -> Iterator[Node]:
    for member in members:
        path = _member_path(member.name)
        if member.isdir() or not path:
            continue
        if member.issym() or member.islnk():
            yield Node(path, "link")
        elif member.isreg() and not member.issparse():
            key = f"{member.offset_data}:{member.offset_data + member.size}"
            yield Node(path, "file", bool(member.mode & 0o111), key)
        else:
            yield Node(path, "other")


def _bounded(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    total = count = 0
    while (member := tar.next()) is not None:
        tar.members.clear()  # type: ignore[attr-defined]  # else it keeps them all
        count += 1
        _check_count(count)
        if len(tar.pax_headers) > MAX_RECORDS:  # each is copied into every member
            raise InvalidSkillError("the tar archive has unreasonable extended headers")
        if "size" in member.pax_headers:
            raise InvalidSkillError(f"{show(member.name)} gives its size twice")
        total += member.size if member.isreg() else 0
        if total > MAX_EXPANDED:
            raise InvalidSkillError("the archive unpacks to too much")
        yield member


def _member_path(name: str) -> str:
    """The name without `./` and a trailing slash; anything that could climb out is an error."""
    path = name.removeprefix("./").rstrip("/")
    parts = path.split("/")
    climbs = name.startswith("/") or ".." in parts or "\\" in name or "\0" in name
    if climbs or (len(path) > 1 and path[1] == ":"):
        raise InvalidSkillError(f"the archive has an unsafe path: {show(name)}")
    return "" if path == "." else path


def _check_count(count: int) -> None:
    if count > MAX_ENTRIES:
        raise InvalidSkillError(f"the archive has more than {MAX_ENTRIES} entries")


def _check_layout(data: bytes, archive: zipfile.ZipFile) -> None:
    """Members follow each other from the first byte on, and nothing follows the directory."""
    end = data.rfind(b"PK\x05\x06")
    if end + _END_SIZE + len(archive.comment) != len(data):
        raise InvalidSkillError("the zip archive has data after its end")
    position, slack = 0, 0
    for info in sorted(archive.infolist(), key=lambda i: i.header_offset):
        if info.compress_type not in _STORED_OR_DEFLATED:
            raise InvalidSkillError(f"{show(info.filename)} is packed in a way we do not read")
        _check_gap(info.header_offset - position, slack)
        position = _end_of_member(data, info)
        slack = _DESCRIPTOR if info.flag_bits & 0x8 else 0
    _check_gap(archive.start_dir - position, slack)


def _check_gap(gap: int, slack: int) -> None:
    if not 0 <= gap <= slack:
        raise InvalidSkillError("the zip archive has overlapping members or hidden data")


def _end_of_member(data: bytes, info: zipfile.ZipInfo) -> int:
    header = data[info.header_offset : info.header_offset + _LOCAL_HEADER.size]
    if len(header) < _LOCAL_HEADER.size:
        raise InvalidSkillError("the zip archive is cut off")
    magic, _, flags, method, _, _, _, packed, size, name_size, extra = _LOCAL_HEADER.unpack(header)
    start = info.header_offset + _LOCAL_HEADER.size
    name = data[start : start + name_size]
    encoding = "utf-8" if flags & 0x800 else "cp437"
    same_sizes = flags & 0x8 or (packed, size) == (info.compress_size, info.file_size)
    same_name = name.decode(encoding, "replace") == info.orig_filename
    if magic != b"PK\x03\x04" or method != info.compress_type or not same_sizes or not same_name:
        raise InvalidSkillError(f"the two headers of {show(info.filename)} differ in the zip")
    return int(start + name_size + extra + info.compress_size)


def _gunzip(data: bytes) -> bytes:
    decoder = zlib.decompressobj(31)
    try:
        plain = decoder.decompress(data, MAX_EXPANDED + 1)
    except zlib.error as error:
        raise InvalidSkillError(f"the gzip archive is damaged: {error}") from None
    if len(plain) > MAX_EXPANDED or len(plain) > MAX_RATIO * (len(data) + 4_096):
        raise InvalidSkillError("the archive unpacks to too much")
    if not decoder.eof:
        raise InvalidSkillError("the gzip archive is cut off")
    if decoder.unused_data.strip(b"\0"):
        raise InvalidSkillError("the gzip archive has data after its end")
    return plain
