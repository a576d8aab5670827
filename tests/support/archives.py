"""Builders of zip and tar archives, from well-formed ones to ones no honest tool would write."""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal

Kind = Literal["file", "folder", "symlink", "hardlink", "fifo", "char", "block"]
Files = Mapping[str, bytes | str]

GOOD: Final[Files] = {
    "SKILL.md": "---\nname: sample\ndescription: A sample.\n---\n\nDo it.\n",
    "scripts/run.sh": "#!/bin/sh\necho done\n",
}
"""The files of a small good skill."""

_DATE: Final = (2024, 1, 1, 0, 0, 0)
_STAMP: Final = 1_704_067_200
_TYPES: Final[Mapping[Kind, tuple[bytes, int]]] = {
    "file": (tarfile.REGTYPE, stat.S_IFREG),
    "folder": (tarfile.DIRTYPE, stat.S_IFDIR),
    "symlink": (tarfile.SYMTYPE, stat.S_IFLNK),
    "hardlink": (tarfile.LNKTYPE, stat.S_IFREG),
    "fifo": (tarfile.FIFOTYPE, stat.S_IFIFO),
    "char": (tarfile.CHRTYPE, stat.S_IFCHR),
    "block": (tarfile.BLKTYPE, stat.S_IFBLK),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of an archive, taken as it is.

    Attributes:
        path: the name, unchecked.
        data: the content of a file.
        mode: permission bits, setuid and the like included.
        kind: what it claims to be; a zip has no hard links, they become files.
        target: where a link points.
        pax: the member's own PAX records (tar only).
    """

    path: str
    data: bytes = b""
    mode: int = 0o644
    kind: Kind = "file"
    target: str = ""
    pax: Mapping[str, str] = field(default_factory=dict)


def entries(files: Files, executable: Iterable[str] = (), folder: str = "") -> list[Entry]:
    """Plain entries for a mapping of path to content, all below a folder when one is given."""
    runnable = set(executable)
    base = f"{folder}/" if folder else ""
    return [
        Entry(
            base + path,
            data.encode() if isinstance(data, str) else data,
            0o755 if path in runnable else 0o644,
        )
        for path, data in files.items()
    ]


def zip_of(
    files: Files | Iterable[Entry], *, executable: Iterable[str] = (), folder: str = ""
) -> bytes:
    """A zip of a mapping, or of entries as they are; equal input gives equal bytes."""
    members = entries(files, executable, folder) if isinstance(files, Mapping) else files
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # duplicate names are the point
        for entry in members:
            info = zipfile.ZipInfo(entry.path, _DATE)
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (_TYPES[entry.kind][1] | entry.mode) << 16
            archive.writestr(info, entry.target.encode() if entry.target else entry.data)
    return out.getvalue()


def tar_of(
    files: Files | Iterable[Entry],
    *,
    executable: Iterable[str] = (),
    folder: str = "",
    compress: bool = True,
    pax: Mapping[str, str] | None = None,
) -> bytes:
    """A tar.gz (or plain tar) of a mapping, or of entries as they are.

    Args:
        files: path to content, or entries.
        executable: those of the paths that get mode 0755.
        folder: a wrapper folder around a mapping's paths.
        compress: gzip it.
        pax: records of a global PAX header.
    """
    members = entries(files, executable, folder) if isinstance(files, Mapping) else files
    out = io.BytesIO()
    with tarfile.open(
        fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers=dict(pax or {})
    ) as archive:
        for entry in members:
            archive.addfile(_member(entry), io.BytesIO(entry.data))
    return gzip.compress(out.getvalue(), mtime=0) if compress else out.getvalue()


def _member(entry: Entry) -> tarfile.TarInfo:
    info = tarfile.TarInfo(entry.path)
    info.type = _TYPES[entry.kind][0]
    info.mode = entry.mode
    info.mtime = _STAMP
    info.linkname = entry.target
    info.size = len(entry.data) if entry.kind == "file" else 0
    info.pax_headers = dict(entry.pax)
    return info


def bomb(megabytes: int = 100, *, kind: Literal["zip", "tar"] = "zip") -> bytes:
    """An honest archive of one highly compressible file of that size."""
    members = [*entries(GOOD), Entry("big.bin", bytes(megabytes * 1024 * 1024))]
    return zip_of(members) if kind == "zip" else tar_of(members)


def overlapping(copies: int = 100, megabytes: int = 1) -> bytes:
    """A zip whose directory names the same compressed bytes many times."""
    raw = zip_of([Entry("000000", bytes(megabytes * 1024 * 1024))])
    start, size = _directory(raw)
    record = raw[start : start + size]
    body = b"".join(record.replace(b"000000", b"%06d" % n) for n in range(copies))
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, copies, copies, len(body), start, 0)
    return raw[:start] + body + end


def with_sizes(data: bytes, size: int) -> bytes:
    """The zip with another unpacked size claimed for its first file, in both its headers."""
    start, _ = _directory(data)
    return _patched(_patched(data, 22, size), start + 24, size)


def with_bad_crc(data: bytes) -> bytes:
    """The zip with a wrong checksum for its first file, in both its headers."""
    start, _ = _directory(data)
    return _patched(_patched(data, 14, 0xDEADBEEF), start + 16, 0xDEADBEEF)


def with_local_name(data: bytes, name: str, new: str) -> bytes:
    """The zip with one name changed in the local header only; both names are equally long."""
    old, other = name.encode(), new.encode()
    assert len(old) == len(other)
    at = data.index(old)
    assert at < _directory(data)[0]
    return data[:at] + other + data[at + len(old) :]


def with_flags(data: bytes, flags: int = 0, method: int | None = None) -> bytes:
    """The zip whose first file claims flags (1: encrypted) or another compression method."""
    start, _ = _directory(data)
    for at in (6, start + 8):
        old = struct.unpack_from("<HH", data, at)
        fields = struct.pack("<HH", flags or old[0], old[1] if method is None else method)
        data = data[:at] + fields + data[at + 4 :]
    return data


def _directory(data: bytes) -> tuple[int, int]:
    """Offset and size of the central directory of a zip without a comment."""
    size, start = struct.unpack_from("<LL", data, len(data) - 10)
    return start, size


def _patched(data: bytes, at: int, number: int) -> bytes:
    return data[:at] + struct.pack("<L", number) + data[at + 4 :]


def _with(*more: Entry) -> list[Entry]:
    return [*entries(GOOD), *more]


_TWISTS: Final[Mapping[str, tuple[Entry, ...]]] = {
    "parent": (Entry("../evil.txt", b"evil"),),
    "deep parent": (Entry("a/../../evil.txt", b"evil"),),
    "backslash parent": (Entry("..\\evil.txt", b"evil"),),
    "absolute": (Entry("/tmp/skillpm-evil.txt", b"evil"),),
    "drive letter": (Entry("C:/evil.txt", b"evil"),),
    "dot": (Entry("./a/./b.txt", b"evil"),),
    "control character": (Entry("a\x1b[31m.txt", b"evil"),),
    "bidi": (Entry("a\u202etxt.exe", b"evil"),),
    "nested git": (Entry(".git/config", b"[core]\n"),),
    "duplicate": (Entry("SKILL.md", b"another"),),
    "case collision": (Entry("skill.md", b"another"),),
    "unicode collision": (Entry("caf\u00e9.md", b"a"), Entry("cafe\u0301.md", b"b")),
    "file and folder": (Entry("scripts", b"a file"),),
    "symlink out": (Entry("link", kind="symlink", target="/etc/passwd"),),
    "symlink in": (Entry("link", kind="symlink", target="SKILL.md"),),
    "through symlink": (
        Entry("out", kind="symlink", target=".."),
        Entry("out/evil.txt", b"evil"),
    ),
    "fifo": (Entry("pipe", kind="fifo"),),
    "device": (Entry("device", kind="char"),),
    "long name": (Entry("x" * 5000, b"evil"),),
}
_TAR_TWISTS: Final[Mapping[str, tuple[Entry, ...]]] = {
    "hardlink out": (Entry("link", kind="hardlink", target="/etc/passwd"),),
    "hardlink in": (Entry("link", kind="hardlink", target="SKILL.md"),),
    "pax path": (Entry("fine.txt", b"evil", pax={"path": "../evil.txt"}),),
    "pax link": (Entry("link", kind="symlink", target="a", pax={"linkpath": "/etc/passwd"}),),
    "pax size": (Entry("fine.txt", b"evil" * 200, pax={"size": "99999999999"}),),
    "pax negative size": (Entry("fine.txt", b"evil", pax={"size": "-1"}),),
    "block device": (Entry("device", kind="block"),),
}


@cache
def hostile_zips() -> Mapping[str, bytes]:
    """What is wrong to a zip of a good skill with that wrong, for parametrized tests."""
    good = zip_of(GOOD)
    made = {name: zip_of(_with(*more)) for name, more in _TWISTS.items()}
    return made | {
        "size too small": with_sizes(good, 1),
        "size too large": with_sizes(good, 0x7FFFFFFF),
        "wrong checksum": with_bad_crc(good),
        "two names": with_local_name(good, "scripts/run.sh", "scripts/pwn.sh"),
        "encrypted": with_flags(good, flags=1),
        "unknown method": with_flags(good, method=93),
        "cut": good[: len(good) // 2],
        "no directory": good[: _directory(good)[0]],
        "overlapping": overlapping(),
        "bomb": bomb(32),
        "empty": zip_of({}),
    }


@cache
def hostile_tars() -> Mapping[str, bytes]:
    """What is wrong to a tar.gz of a good skill with that wrong, for parametrized tests."""
    good = tar_of(GOOD)
    plain = tar_of(GOOD, compress=False)
    made = {name: tar_of(_with(*more)) for name, more in {**_TWISTS, **_TAR_TWISTS}.items()}
    return made | {
        "global pax path": tar_of(GOOD, pax={"path": "../evil.txt"}),
        "wrong checksum": gzip.compress(plain[:150] + bytes([plain[150] ^ 1]) + plain[151:]),
        "cut": good[: len(good) // 2],
        "cut tar": gzip.compress(plain[:700]),
        "bomb": bomb(32, kind="tar"),
        "empty": tar_of({}),
        "not a tar": gzip.compress(b"just text"),
    }


def odd_but_good() -> dict[str, Callable[[], bytes]]:
    """Unusual archives whose content is still a plain good skill."""
    return {
        "trailing data": lambda: zip_of(GOOD) + b"trailing",
        "leading data": lambda: b"#!/bin/sh\n" + zip_of(GOOD),
        "wrapper folder": lambda: zip_of(GOOD, folder="sample-1.0"),
        "folder entries": lambda: zip_of([Entry("scripts/", kind="folder"), *entries(GOOD)]),
        "setuid": lambda: tar_of([Entry("run.sh", b"#!/bin/sh\n", 0o6755), *entries(GOOD)]),
        "plain tar": lambda: tar_of(GOOD, compress=False),
        "two gzip members": lambda: _two_members(tar_of(GOOD, compress=False)),
        "tar trailing data": lambda: tar_of(GOOD) + b"\0" * 100,
    }


def _two_members(data: bytes) -> bytes:
    return gzip.compress(data[:600]) + gzip.compress(data[600:])
