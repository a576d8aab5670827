"""The opener for pictures: the texts in their metadata, and what stands behind their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.inflating import inflate
from skillpm.scanning.containers.parts import Budget, Found, Note, Part, text_part
from skillpm.scanning.containers.printable import runs

_MAX_CHUNKS: Final = 20_000
_MAX_TEXT: Final = 200_000
_SHORTEST: Final = 12
_TAIL: Final = 16
_KNOWN_TAILS: Final = (b"\xff\xd8\xff", b"\x89PNG", b"RIFF", b"II*\0", b"MM\0*")
_DANGEROUS_TAILS: Final = (
    (b"PK\x03\x04", "a zip archive"), (b"Rar!", "a rar archive"), (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x1f\x8b", "a gzip archive"), (b"\x7fELF", "a program"), (b"MZ", "a program"),
    (b"#!", "a script"), (b"<?php", "a script"), (b"<script", "a script"), (b"<html", "a web page"),
    (b"%PDF-", "a PDF document"), (b"import ", "a script"), (b"eval", "a script"),
    (b"curl ", "a script"), (b"powershell", "a script"),
)  # fmt: skip
_TEXT: Final = regex(rb"[\t\r\n\x20-\x7e\x80-\xff]{16,}")

Reading = tuple[list[bytes], int]


def open_image(data: bytes, budget: Budget) -> Iterator[Found]:
    """What a picture says beside what it shows."""
    texts, end = _read(data)
    told = "\n\n".join(filter(None, (_decoded(text) for text in texts)))[:_MAX_TEXT]
    if told.strip():
        yield text_part("metadata", told, "image metadata", unseen=True)
    tail = data[end:].lstrip(b"\0\r\n\t ") if 0 < end < len(data) else b""
    if len(tail) >= _TAIL:
        yield from _behind(tail, budget)


def _behind(tail: bytes, budget: Budget) -> Iterator[Found]:
    what = next((what for magic, what in _DANGEROUS_TAILS if tail.startswith(magic)), "")
    if what:
        yield Note("files/polyglot", what)
    elif not tail.startswith(_KNOWN_TAILS) and tail[4:8] != b"ftyp":
        yield Note("files/trailing-data", f"{len(tail)} bytes")
    if not tail.startswith(_KNOWN_TAILS) and budget.take(len(tail)):
        plain = bool(_TEXT.fullmatch(tail[:4096])) and not what.endswith("archive")
        if plain:
            text = tail.decode("utf-8", "replace")
            yield text_part("behind-the-end", text, "data behind the end", unseen=True)
        else:
            yield Part("behind-the-end", tail)


def _read(data: bytes) -> Reading:
    if data.startswith(b"\x89PNG"):
        return _png(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(b"GIF8"):
        return _gif(data)
    if data[8:12] == b"WEBP":
        return _webp(data)
    return [], 0


def _png(data: bytes) -> Reading:
    texts: list[bytes] = []
    at = 8
    for _ in range(_MAX_CHUNKS):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        if len(kind) < 4 or len(body) < size:
            return texts, 0
        at += size + 12
        if kind in (b"tEXt", b"zTXt", b"iTXt", b"eXIf"):
            texts.append(_png_text(kind, body))
        if kind == b"IEND":
            return texts, at
    return texts, 0


def _png_text(kind: bytes, body: bytes) -> bytes:
    key, _, rest = body.partition(b"\0")
    if kind == b"tEXt":
        return key + b": " + rest
    if kind == b"zTXt":
        return key + b": " + inflate(rest[1:], "zlib", _MAX_TEXT)[0]
    if kind == b"iTXt":
        text = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
        return key + b": " + (inflate(text, "zlib", _MAX_TEXT)[0] if rest[:1] == b"\1" else text)
    return _exif(body)


def _jpeg(data: bytes) -> Reading:
    texts: list[bytes] = []
    at = 2
    for _ in range(_MAX_CHUNKS):
        at = data.find(b"\xff", at)
        if at < 0 or at + 2 > len(data):
            return texts, 0
        mark = data[at + 1]
        if mark == 0xD9:
            return texts, at + 2
        if mark in (0x00, 0x01, 0xFF) or 0xD0 <= mark <= 0xD8:
            at += 1 if mark == 0xFF else 2
            continue
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        body = data[at + 4 : at + 2 + size]
        if mark == 0xFE:
            texts.append(b"comment: " + body)
        elif mark in (0xE1, 0xED):
            texts.append(_exif(body))
        at += 2 + max(size, 2)
        if mark == 0xDA:
            at = _scan_end(data, at)
    return texts, 0


def _scan_end(data: bytes, at: int) -> int:
    """Where the next marker stands that is neither stuffing nor a restart."""
    found = _MARKER.search(data, at)
    return found.start() if found else len(data)


_MARKER: Final = regex(rb"\xff[^\x00\xd0-\xd7\xff]")


def _gif(data: bytes) -> Reading:
    texts: list[bytes] = []
    at = 13 + (3 << (data[10] & 7) + 1 if len(data) > 10 and data[10] & 0x80 else 0)
    for _ in range(_MAX_CHUNKS):
        mark = data[at : at + 1]
        if mark == b";":
            return texts, at + 1
        if mark == b"!":
            body, end = _sub_blocks(data, at + 2)
            if data[at + 1 : at + 2] in (b"\xfe", b"\x01", b"\xff"):
                texts.append(body)
            at = end
        elif mark == b"," and at + 9 < len(data):
            flags = data[at + 9]
            at = _sub_blocks(data, at + 11 + (3 << (flags & 7) + 1 if flags & 0x80 else 0))[1]
        else:
            return texts, 0
    return texts, 0


def _sub_blocks(data: bytes, at: int) -> tuple[bytes, int]:
    body = bytearray()
    while at < len(data) and data[at]:
        if len(body) < _MAX_TEXT:
            body += data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
    return bytes(body), at + 1


def _webp(data: bytes) -> Reading:
    texts: list[bytes] = []
    at, end = 12, min(int.from_bytes(data[4:8], "little") + 8, len(data))
    for _ in range(_MAX_CHUNKS):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        if at + 8 > end:
            break
        if kind in (b"EXIF", b"XMP "):
            texts.append(_exif(data[at + 8 : at + 8 + size]))
        at += 8 + size + (size & 1)
    return texts, end


def _exif(body: bytes) -> bytes:
    return "\n".join(runs(body[:_MAX_TEXT], _SHORTEST)).encode()


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(runs(text, 4))
