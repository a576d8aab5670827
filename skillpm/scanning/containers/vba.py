"""The source text of macros, from the compressed streams of a VBA project.

The format is the run-length compression of [MS-OVBA] 2.4.1. Streams are found by the attribute
line that every module begins with; the compound file around them is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.parts import Found, Note, text_part

_MAX_MODULES: Final = 100
_MAX_TEXT: Final = 1_000_000
_CHUNK: Final = 4096
_STARTS_ITSELF: Final = regex(
    r"\b(?:auto_?(?:open|exec|close|new|exit)|(?:document|workbook)_(?:open|close|activate|beforeclose))\b",
    re.IGNORECASE,
)
_RUNS: Final = regex(
    r"\bshell\b\s{0,4}[\s(]|\bcreateobject\b|\bwscript\b|\bpowershell\b|urldownloadtofile|winmgmts"
    r"|\bmshta\b|\bmacscript\b|applescripttask|\bpopen\b|virtualalloc|xmlhttp",
    re.IGNORECASE,
)


def open_project(data: bytes) -> Iterator[Found]:
    """The modules of a VBA project as texts, and whether they start programs by themselves."""
    sources = "\n".join(modules(data))
    if not sources:
        return
    yield text_part("macros.vba", sources, "macros")
    if _RUNS.search(sources):
        when = "when the document is opened" if _STARTS_ITSELF.search(sources) else "when called"
        yield Note("files/macro-runs-programs", when)


def modules(data: bytes) -> Iterator[str]:
    """The source of every module that is found in the bytes."""
    at = data.find(b"\x00Attribut")
    left = _MAX_TEXT
    for _ in range(_MAX_MODULES):
        if at < 0 or left <= 0:
            return
        if at >= 3 and data[at - 3] == 1:
            text = decompress(data[at - 3 :], left)
            left -= len(text)
            yield text.decode("latin-1")
        at = data.find(b"\x00Attribut", at + 1)


def decompress(data: bytes, limit: int) -> bytes:
    """A compressed container of [MS-OVBA]; as far as it is sound, and at most `limit` bytes."""
    out, at = bytearray(), 1
    while at + 2 <= len(data) and len(out) < limit:
        header = int.from_bytes(data[at : at + 2], "little")
        if header >> 12 & 7 != 3:
            break
        end = min(at + (header & 0xFFF) + 3, len(data))
        if header & 0x8000:
            _chunk(data[at + 2 : end], out)
        else:
            out += data[at + 2 : at + 2 + _CHUNK]
        at = end
    return bytes(out[:limit])


def _chunk(chunk: bytes, out: bytearray) -> None:
    begin, at = len(out), 0
    while at < len(chunk) and len(out) - begin <= _CHUNK:
        flags = chunk[at]
        at += 1
        for bit in range(8):
            if at >= len(chunk):
                return
            if not flags >> bit & 1:
                out.append(chunk[at])
                at += 1
                continue
            token = int.from_bytes(chunk[at : at + 2], "little")
            at += 2
            _copy(out, token, len(out) - begin)


def _copy(out: bytearray, token: int, position: int) -> None:
    bits = max((max(position, 1) - 1).bit_length(), 4)
    length = (token & (0xFFFF >> bits)) + 3
    offset = (token >> (16 - bits)) + 1
    for _ in range(min(length, _CHUNK)):
        if offset > len(out):
            return
        out.append(out[-offset])
