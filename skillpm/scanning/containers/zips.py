"""The members of a zip file, each inflated to a limit, and what is odd about its table."""

from __future__ import annotations

import io
import stat
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from skillpm.scanning.containers.inflating import inflate

if TYPE_CHECKING:
    import zipfile

_LOCAL: Final = struct.Struct("<4s5HIIIHH")
_DESCRIPTOR: Final = 24
_METHODS: Final = {8: "deflate", 12: "bzip2"}


def table(data: bytes) -> list[zipfile.ZipInfo] | None:
    """The entries of the central directory; None when it cannot be read."""
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.infolist()
    except Exception:  # noqa: BLE001 - zipfile raises many types for damaged input; all mean "no table"
        return None


def content(data: bytes, info: zipfile.ZipInfo, limit: int) -> bytes | None:
    """At most `limit` bytes of a member; None when it is locked, damaged or packed unusually."""
    start = _body(data, info)
    if start < 0 or info.flag_bits & 0x1:
        return None
    packed = data[start : start + info.compress_size]
    if info.compress_type == 0:
        return packed[:limit] if len(packed) == info.compress_size else None
    method = _METHODS.get(info.compress_type)
    if method is None:
        return None
    plain, whole = inflate(packed, method, limit)
    return plain if whole or len(plain) == limit else None


def is_link(info: zipfile.ZipInfo) -> bool:
    """Whether a member is a symbolic link."""
    return info.create_system == 3 and stat.S_ISLNK(info.external_attr >> 16)


def is_executable(info: zipfile.ZipInfo) -> bool:
    """Whether a member is marked as a program."""
    return info.create_system == 3 and bool((info.external_attr >> 16) & 0o111)


def ambiguities(data: bytes, infos: list[zipfile.ZipInfo]) -> Iterator[str]:
    """Why two programs could read the archive in two ways."""
    names = {info.filename for info in infos}
    if len(names) < len(infos):
        yield "a name stands in it twice"
    end, slack = 0, 0
    for info in sorted(infos, key=lambda one: one.header_offset):
        start = _body(data, info)
        if start < 0:
            yield "an entry has no data"
            return
        if end and info.header_offset < end:
            yield "entries overlap"
            return
        if end and info.header_offset - end > slack:
            yield "there is data between its entries"
            return
        if not _same_name(data, info):
            yield "an entry has two names"
            return
        end = start + info.compress_size
        slack = _DESCRIPTOR if info.flag_bits & 0x8 else 0


def _body(data: bytes, info: zipfile.ZipInfo) -> int:
    header = data[info.header_offset : info.header_offset + _LOCAL.size]
    if info.header_offset < 0 or len(header) < _LOCAL.size or header[:4] != b"PK\x03\x04":
        return -1
    *_, name, extra = _LOCAL.unpack(header)
    return int(info.header_offset + _LOCAL.size + name + extra)


def _same_name(data: bytes, info: zipfile.ZipInfo) -> bool:
    flags, size = struct.unpack_from("<H18xH", data, info.header_offset + 6)
    start = info.header_offset + _LOCAL.size
    encoding = "utf-8" if flags & 0x800 else "cp437"
    return data[start : start + size].decode(encoding, "replace") == info.orig_filename
