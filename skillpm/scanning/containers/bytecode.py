"""Python bytecode: what its header promises, and the strings of its constants.

Nothing is unmarshalled. The header is described in PEP 552; strings are found by the type codes
and lengths that marshal writes before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.parts import Budget, Found, Note, text_part

_HEADER: Final = 16
_MAX_STRINGS: Final = 20_000
_MAX_TEXT: Final = 600_000
_SIP13_FROM: Final = 3450  # the first magic of 3.11, which hashes with SipHash-1-3
_STRING: Final = regex(
    rb"[zZ\xfa\xda]([\x01-\xff])|[aAuts\xe1\xc1\xf5\xf4\xf3](...\x00)", re.DOTALL
)
_MASK: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Header:
    """The first 16 bytes of a `.pyc`.

    Attributes:
        magic: the number that stands for the version of the interpreter.
        hashed: whether it names its source by a hash, else by time and size.
        checked: whether the interpreter compares the hash before it runs the code.
        source: the hash.
        size: the size of the source, when it is not named by a hash.
    """

    magic: int
    hashed: bool
    checked: bool
    source: bytes
    size: int


def header_of(data: bytes) -> Header | None:
    """The header, or None when it is none."""
    if len(data) < _HEADER or data[2:4] != b"\r\n":
        return None
    flags = int.from_bytes(data[4:8], "little")
    if flags > 3:
        return None
    return Header(
        magic=int.from_bytes(data[:2], "little"),
        hashed=bool(flags & 1),
        checked=bool(flags & 2),
        source=data[8:16],
        size=int.from_bytes(data[12:16], "little"),
    )


def open_bytecode(data: bytes, budget: Budget) -> Iterator[Found]:
    """The strings of the constants, and whether the interpreter would ever look at the source."""
    del budget  # bounded by itself
    header = header_of(data)
    if header is not None and header.hashed and not header.checked:
        yield Note("files/bytecode-unchecked")
    told = "\n".join(strings(data))[:_MAX_TEXT]
    if told:
        yield text_part("constants", told, "constants", unseen=True)


def strings(data: bytes) -> Iterator[str]:
    """The readable strings, in order."""
    at = _HEADER
    for _ in range(_MAX_STRINGS):
        found = _STRING.search(data, at)
        if not found:
            return
        size = found[1][0] if found[1] else int.from_bytes(found[2], "little")
        body = data[found.end() : found.end() + size]
        text = _readable(body) if len(body) == size else ""
        at = found.end() + size if text else found.start() + 1
        if text:
            yield text


def matches_source(header: Header, source: bytes) -> bool:
    """Whether the header can be that of bytecode made from the source."""
    if header.hashed:
        rounds = 1 if header.magic >= _SIP13_FROM else 2
        return siphash(header.magic | 0x0A0D0000, source, rounds) == header.source
    sizes = {len(source), len(source.replace(b"\r\n", b"\n")), len(source.replace(b"\n", b"\r\n"))}
    return header.size in {size & 0xFFFFFFFF for size in sizes}


def siphash(key: int, data: bytes, rounds: int) -> bytes:
    """SipHash with the key and its finishing rounds as CPython uses it for sources.

    See <https://www.aumasson.jp/siphash/siphash.pdf>; `rounds` is 1 for SipHash-1-3 and 2 for
    SipHash-2-4.
    """
    state = [
        key ^ 0x736F6D6570736575,
        0x646F72616E646F6D,
        key ^ 0x6C7967656E657261,
        0x7465646279746573,
    ]
    whole = len(data) // 8 * 8
    last = data[whole:].ljust(7, b"\0") + bytes([len(data) & 0xFF])
    for at in range(0, whole + 8, 8):
        word = int.from_bytes(data[at : at + 8] if at < whole else last, "little")
        state[3] ^= word
        _rounds(state, rounds)
        state[0] ^= word
    state[2] ^= 0xFF
    _rounds(state, rounds + 2)
    return (state[0] ^ state[1] ^ state[2] ^ state[3]).to_bytes(8, "little")


def _rounds(state: list[int], count: int) -> None:
    a, b, c, d = state
    for _ in range(count):
        a = (a + b) & _MASK
        b = _turned(b, 13) ^ a
        a = _turned(a, 32)
        c = (c + d) & _MASK
        d = _turned(d, 16) ^ c
        a = (a + d) & _MASK
        d = _turned(d, 21) ^ a
        c = (c + b) & _MASK
        b = _turned(b, 17) ^ c
        c = _turned(c, 32)
    state[:] = [a, b, c, d]


def _turned(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & _MASK


def _readable(body: bytes) -> str:
    if not body:
        return ""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""
