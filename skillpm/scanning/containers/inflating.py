"""Decompression that stops at a limit, whatever the input says."""

from __future__ import annotations

import zlib
from typing import Any, Final

_MEMORY: Final = 64 * 1024 * 1024
_MAX_STREAMS: Final = 64
_METHODS: Final = {"gzip": 31, "zlib": 15, "deflate": -15}


def inflate(data: bytes, method: str, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of what was compressed, and whether that was all of it.

    Damaged input gives what came out before the damage, and False. Streams that follow each
    other, as gzip, bzip2 and xz allow, are joined.
    """
    out, left = b"", data
    for _ in range(_MAX_STREAMS):
        decoder = _decoder(method)
        try:
            piece = decoder.decompress(left, limit - len(out) + 1)
        except (zlib.error, OSError, EOFError, ValueError, MemoryError):
            return out, False
        out += piece
        if len(out) > limit or not decoder.eof:
            return out[:limit], False
        left = decoder.unused_data
        if method in ("zlib", "deflate") or not left.strip(b"\0"):
            return out, True
    return out, False


def _decoder(method: str) -> Any:
    if method in _METHODS:
        return zlib.decompressobj(_METHODS[method])
    if method == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    import lzma

    return _Xz(lzma)


class _Xz:
    """A decoder of xz whose errors are ValueErrors, so that the module is loaded only for it."""

    def __init__(self, lzma: Any) -> None:
        self._error = lzma.LZMAError
        self._inner = lzma.LZMADecompressor(memlimit=_MEMORY)

    def decompress(self, data: bytes, limit: int) -> bytes:
        try:
            return bytes(self._inner.decompress(data, limit))
        except self._error as error:
            raise ValueError(str(error)) from None

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)
