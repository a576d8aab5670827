"""The members of a tar file, read without the standard library's.

That one searches extended headers with patterns that take quadratic time (CVE-2024-6232), and a
scanner needs no more than names, kinds, links and bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_BLOCK: Final = 512
_MAX_HEADERS: Final = 5_000
_MAX_EXTENDED: Final = 64_000


@dataclass(frozen=True, slots=True)
class Member:
    """One entry: `kind` is `file`, `folder`, `link` or `other`, `target` where a link leads."""

    name: str
    kind: str
    data: bytes
    target: str = ""
    executable: bool = False


_KINDS: Final = {"0": "file", "\0": "file", "7": "file", "1": "link", "2": "link", "5": "folder"}


def is_tar(data: bytes) -> bool:
    """Whether the first block is a tar header with a checksum that holds."""
    block = data[:_BLOCK]
    if len(block) < _BLOCK or not block[0]:
        return False
    plain = sum(block) - sum(block[148:156]) + 8 * 0x20
    return _number(block[148:156]) == plain


def members(data: bytes) -> Iterator[Member | None]:
    """Every entry in order; None in the end when the archive is cut off or damaged."""
    at, long_name, long_target = 0, "", ""
    for _ in range(_MAX_HEADERS):
        block = data[at : at + _BLOCK]
        if not block.strip(b"\0"):
            return
        size = _number(block[124:136])
        if size < 0 or not is_tar(block):
            break
        at += _BLOCK
        body = data[at : at + size]
        if len(body) < size:
            break
        at += -(-size // _BLOCK) * _BLOCK
        flag = chr(block[156])
        if flag in "xgLK":
            long_name, long_target = _extended(flag, body, long_name, long_target)
            continue
        yield _member(block, flag, body, long_name, long_target)
        long_name = long_target = ""
    yield None


def _member(block: bytes, flag: str, body: bytes, long_name: str, long_target: str) -> Member:
    prefix = _text(block[345:500]) if block[257:262] == b"ustar" and block[262] == 0 else ""
    name = long_name or "/".join(filter(None, (prefix, _text(block[:100]))))
    kind = "folder" if name.endswith("/") else _KINDS.get(flag, "other")
    return Member(
        name,
        kind,
        body if kind == "file" else b"",
        long_target or _text(block[157:257]),
        executable=bool(_number(block[100:108]) & 0o111),
    )


def _extended(flag: str, body: bytes, name: str, target: str) -> tuple[str, str]:
    if flag == "L":
        return _text(body[:_MAX_EXTENDED]), target
    if flag == "K":
        return name, _text(body[:_MAX_EXTENDED])
    if flag == "x":
        for record in body[:_MAX_EXTENDED].split(b"\n"):
            key, _, value = record.partition(b" ")[2].partition(b"=")
            if key == b"path":
                name = _text(value)
            elif key == b"linkpath":
                target = _text(value)
    return name, target


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")


def _number(field: bytes) -> int:
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    try:
        return int(field.strip(b" \0") or b"0", 8)
    except ValueError:
        return -1
