"""Undoes encodings of constants, within bounds: what a decoder would give is worked out here."""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import html
import lzma
import quopri
import re
import urllib.parse
import zlib
from collections.abc import Callable
from typing import Any, Final

from skillpm.scanning.behaviour.acts import MAX_SOURCE
from skillpm.scanning.behaviour.python.values import MISSING, Value, constant, text

_ERRORS: Final = (ValueError, TypeError, LookupError, OverflowError, EOFError, zlib.error,
                  lzma.LZMAError, OSError, MemoryError, RecursionError)  # fmt: skip


def _inflated(data: bytes, make: Callable[[], Any]) -> bytes:
    worker = make()
    return bytes(worker.decompress(data, MAX_SOURCE))


def _b64(data: bytes) -> bytes:
    return base64.b64decode(data + b"=" * (-len(data) % 4))


def _url_b64(data: bytes) -> bytes:
    return base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))


_DECODERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "base64.b64decode": _b64,
    "base64.standard_b64decode": _b64,
    "base64.decodebytes": _b64,
    "base64.decodestring": _b64,
    "binascii.a2b_base64": _b64,
    "base64.urlsafe_b64decode": _url_b64,
    "base64.b32decode": base64.b32decode,
    "base64.b32hexdecode": base64.b32hexdecode,
    "base64.b16decode": lambda data: base64.b16decode(data, casefold=True),
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.unhexlify,
    "builtins.bytes.fromhex": lambda data: bytes.fromhex(data.decode()),
    "builtins.bytearray.fromhex": lambda data: bytes.fromhex(data.decode()),
    "zlib.decompress": lambda data: _inflated(data, zlib.decompressobj),
    "gzip.decompress": lambda data: _inflated(data, lambda: zlib.decompressobj(31)),
    "bz2.decompress": lambda data: _inflated(data, bz2.BZ2Decompressor),
    "lzma.decompress": lambda data: _inflated(data, lzma.LZMADecompressor),
    "quopri.decodestring": quopri.decodestring,
}
_CODECS: Final = {
    "rot13": lambda data: codecs.decode(data.decode(), "rot13").encode(),
    "base64": _b64,
    "hex": binascii.unhexlify,
    "zlib": _DECODERS["zlib.decompress"],
    "zip": _DECODERS["zlib.decompress"],
    "bz2": _DECODERS["bz2.decompress"],
    "unicodeescape": lambda data: codecs.decode(data, "unicode_escape").encode(),
}
_ALIKE: Final[dict[str, Callable[[str], str]]] = {
    "urllib.parse.unquote": urllib.parse.unquote,
    "urllib.parse.unquote_plus": urllib.parse.unquote_plus,
    "html.unescape": html.unescape,
}
DECODERS: Final = frozenset({*_DECODERS, "codecs.decode"})
UNESCAPERS: Final = frozenset(_ALIKE)


def codec(name: object) -> str:
    """The plain name of a codec that hides text, or "" of one that only spells letters."""
    plain = re.sub(r"[^a-z0-9]", "", str(name).lower()).removesuffix("codec")
    return plain if plain in _CODECS else ""


def decoded(name: str, data: object, how: str = "") -> Any:
    """What a decoding function makes of a constant, or MISSING."""
    worked = _CODECS.get(how) if how else _DECODERS.get(name)
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if worked is None or not isinstance(data, bytes) or len(data) > MAX_SOURCE:
        return MISSING
    try:
        return worked(data)
    except _ERRORS:
        return MISSING


def unescaped(name: str, value: Value) -> Value:
    """A text with its escapes for URLs or HTML undone."""
    options = [_ALIKE[name](option) for option in value.options]
    exact = (
        constant(options[0]) if len(options) == 1 and value.const is not MISSING else text(*options)
    )
    return Value("", exact.const, exact.options, value.flow)
