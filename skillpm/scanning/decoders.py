"""Encodings that hide text in text, each undone within bounds.

A decoder is a function from a text to (offset, name, decoded text) triples; it never raises and
never yields more than it was given times a small constant.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote_to_bytes

from skillpm.model.regex import regex
from skillpm.scanning import disguises, unicode

Decoded = tuple[int, str, str]
Decoder = Callable[[str], Iterator[Decoded]]

MAX_TOKENS: Final = 2_000
MAX_INFLATED: Final = 1_000_000
_SHORTEST: Final = 8
_AROUND: Final = 600
PARAGRAPH: Final = "\n\n"

_BASE64: Final = regex(
    r"[A-Za-z0-9+/_-]{24,100000}(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{24,100}){0,4000}"
    r"(?:\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]{2,100}){0,1}={0,2}"
)
_HEX: Final = regex(r"(?:[0-9A-Fa-f]{2}){12,50000}")
_ESCAPES: Final = regex(r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[0-3][0-7]{2}){4,20000}")
_PERCENT: Final = regex(r"(?:%[0-9A-Fa-f]{2}[A-Za-z0-9._~-]{0,3}){6,20000}")
_ENTITIES: Final = regex(r"(?:&#x?[0-9A-Fa-f]{2,6};){4,20000}")
_CODES: Final = regex(r"(?:(?:chr\()?\b\d{2,3}\b\)?\s{0,4}[,+.]\s{0,4}){7,20000}(?:chr\()?\d{2,3}")
_CODE_MAKERS: Final = ("chr(", "harCode", "bytes(", "bytearray", "[char]", "pack(")
_CODE: Final = regex(r"\d{2,3}")
_CONCATENATION: Final = regex(r"""(["'])\s{0,8}(?:\+|\.\.?)\s{0,8}["']""")
_SHELL_NOISE: Final = regex(
    r"""(?P<ifs>\$\{?IFS(?:%\?\?|\}|\b)(?:\$9)?)|(?<=\w)(?:''|""|\\(?=[a-z]))|\\(?=[a-z]\\[a-z])"""
)


def printable_text(text: str) -> Iterator[Decoded]:
    """Base64 (URL-safe and wrapped too) and hexadecimal, with gzip or zlib inside."""
    for count, token in enumerate(_BASE64.finditer(text)):
        if count >= MAX_TOKENS:
            return
        found = _readable(_unbase64(token[0]))
        if found:
            yield token.start(), "base64", found
        digits = _HEX.fullmatch(token[0].removeprefix("0x"))
        found = _readable(binascii.unhexlify(digits[0])) if digits else ""
        if found:
            yield token.start(), "hex", found


def escaped_text(text: str) -> Iterator[Decoded]:
    r"""Runs of `\x41`, `\u0041` and `\101`."""
    if not any(mark in text for mark in ("\\x", "\\u", "\\0", "\\1")):
        return
    for token in _ESCAPES.finditer(text):
        found = _readable(
            re.sub(r"\\[xu]?([0-9A-Fa-f]{2,4})", _unescape, token[0]).encode("utf-8", "replace")
        )
        if found:
            yield token.start(), "escapes", found


def percent_text(text: str) -> Iterator[Decoded]:
    """Percent-encoded runs, as in URLs."""
    if text.count("%") < 6:
        return
    for token in _PERCENT.finditer(text):
        found = _readable(unquote_to_bytes(token[0]))
        if found:
            yield token.start(), "percent-encoding", found


def entity_text(text: str) -> Iterator[Decoded]:
    """Runs of numeric HTML entities."""
    if "&#" not in text:
        return
    for token in _ENTITIES.finditer(text):
        yield token.start(), "html-entities", html.unescape(token[0])


def code_text(text: str) -> Iterator[Decoded]:
    """Arrays and sums of character codes."""
    if not any(maker in text for maker in _CODE_MAKERS):
        return
    for token in _CODES.finditer(text):
        codes = [int(code) for code in _CODE.findall(token[0])]
        if all(code < 0x100 for code in codes):
            found = _readable(bytes(codes))
            if found:
                yield token.start(), "character-codes", found


def unseen_text(text: str) -> Iterator[Decoded]:
    """Text in tag characters and in variation selectors."""
    if text.isascii() or not unicode.INVISIBLE.search(unicode.unusual(text)):
        return
    clean = unicode.without_flags(text)
    for run in unicode.TAGS.finditer(clean):
        spelled = unicode.tag_text(run[0])
        if spelled.strip():
            yield run.start(), "tag-characters", spelled
    for run in unicode.VARIATIONS.finditer(clean):
        found = _readable(unicode.variation_bytes(run[0]))
        if found:
            yield run.start(), "variation-selectors", found


PIECEWISE: Final[tuple[Decoder, ...]] = (
    printable_text,
    escaped_text,
    percent_text,
    entity_text,
    code_text,
    unseen_text,
    disguises.spread_letters,
    disguises.swapped_letters,
    disguises.rotated_letters,
    disguises.reversed_letters,
)


def respelled(text: str, *, commands: bool) -> Iterator[tuple[str, str, list[int]]]:
    """The stretches that can be spelled otherwise: (name, text, where each character was).

    Adjacent string literals joined, and the quotes, backslashes and `$IFS` with which a shell
    lets a command name be broken up.
    """
    if any(glue in text for glue in ("+", " . ", '"."')):
        yield from _cleaned("joined-strings", _CONCATENATION, text)
    if commands and any(noise in text for noise in ("''", '""', "IFS", "\\")):
        yield from _cleaned("shell-quoting", _SHELL_NOISE, text)


def without_invisible(text: str) -> Iterator[tuple[str, str, list[int]]]:
    """The stretches with invisible characters, without them."""
    yield from _cleaned("invisible-characters", unicode.INVISIBLE, text)


def _cleaned(name: str, noise: re.Pattern[str], text: str) -> Iterator[tuple[str, str, list[int]]]:
    found = list(noise.finditer(text))
    if not found:
        return
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for match in found:
        if match.start() - at > 2 * _AROUND:
            _take(text, at, min(at + _AROUND, match.start()) if at else 0, parts, offsets)
            parts.append(PARAGRAPH)
            offsets.extend([at] * len(PARAGRAPH))
            at = match.start() - _AROUND
        _take(text, at, match.start(), parts, offsets)
        if noise is _SHELL_NOISE and match["ifs"]:
            parts.append(" ")
            offsets.append(match.start())
        at = match.end()
    _take(text, at, min(at + _AROUND, len(text)), parts, offsets)
    yield name, "".join(parts), offsets


def _take(text: str, start: int, end: int, parts: list[str], offsets: list[int]) -> None:
    parts.append(text[start:end])
    offsets.extend(range(start, end))


def _unescape(found: re.Match[str]) -> str:
    base = 16 if found[0][1] in "xu" else 8
    return chr(int(found[1], base) if base == 16 else int(found[1], 8) & 0xFF)


def _unbase64(token: str) -> bytes:
    compact = re.sub(r"[\s=]", "", token).translate({0x2D: "+", 0x5F: "/"})
    if len(compact) % 4 == 1:
        compact = compact[:-1]
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _readable(data: bytes) -> str:
    """The text that the bytes are, or ""."""
    data = _inflated(data)
    if len(data) < _SHORTEST:
        return ""
    for encoding in ("utf-8", "utf-16-le"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _looks_written(text):
            return text
    return ""


def _looks_written(text: str) -> bool:
    sample = text[:4000]
    plain = sum(char.isascii() and (char.isprintable() or char in "\t\r\n") for char in sample)
    return plain >= 0.9 * len(sample) or (
        plain >= 0.1 * len(sample) and sample.replace("\n", "").isprintable() and " " in sample
    )


def _inflated(data: bytes) -> bytes:
    if not data.startswith((b"\x1f\x8b", b"\x78\x9c", b"\x78\xda", b"\x78\x01")):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, MAX_INFLATED)
    except zlib.error:
        return data
