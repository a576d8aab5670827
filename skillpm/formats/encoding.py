"""Which encoding the bytes of a document are in: UTF-8 is read, others are told by their name."""

from __future__ import annotations

import codecs
import re
from typing import Final, NamedTuple

_MARKS: Final = (  # UTF-32 first: its mark begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte-order mark"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_WIDE: Final = (
    ("utf-32-le", "UTF-32"), ("utf-32-be", "UTF-32"), ("utf-16-le", "UTF-16"),
    ("utf-16-be", "UTF-16"),
)  # fmt: skip
_LEGACY: Final = (  # codec, name, and what its letters beyond ASCII mostly are
    ("shift_jis", "Shift JIS", "[\u3040-\u30ff\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e]"),
    ("euc_jp", "EUC-JP", "[\u3040-\u30ff\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e]"),
    ("euc_kr", "EUC-KR", "[\uac00-\ud7a3\u3000-\u303f\uff01-\uff5e]"),
    ("gb18030", "GB 18030", "[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e]"),
    ("big5", "Big5", "[\u4e00-\u9fff\u3000-\u303f\uff01-\uff5e]"),
    ("cp1251", "Windows-1251", "[\u0430-\u044f\u0451\u0410-\u042f\u0401\u00ab\u00bb\u2014\u2116]"),
    ("koi8_r", "KOI8-R", "[\u0430-\u044f\u0451\u0410-\u042f\u0401]"),
    ("cp1252", "Windows-1252", "[\u00bf-\u00ff\u2018-\u201e\u2013\u2014\u2026\u20ac\u00a0-\u00bb]"),
)
_SEVERAL: Final = frozenset({"shift_jis", "euc_jp", "gb18030", "big5", "euc_kr"})
_KANA: Final = frozenset({"shift_jis", "euc_jp"})
_SAMPLE: Final = 64 * 1024
_SHORTEST: Final = 8


class Encoding(NamedTuple):
    """How bytes are to be read.

    Attributes:
        codec: its name for Python.
        name: its name for people.
    """

    codec: str
    name: str

    @property
    def is_plain(self) -> bool:
        """Whether it is UTF-8 and nothing but the text, as every tool expects it."""
        return self.codec == "utf-8"


class Fault(NamedTuple):
    """Why bytes are no text that is read, and where, 1-based."""

    reason: str
    line: int
    column: int


PLAIN: Final = Encoding("utf-8", "UTF-8")


def marked(data: bytes) -> Encoding:
    """The encoding that a byte-order mark names; without one, UTF-8."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return Encoding(codec, name)
    return PLAIN


def fault(data: bytes) -> Fault | None:
    """What keeps the bytes from being read; None when they can be."""
    encoding = marked(data)
    try:
        text = data.decode(encoding.codec.removesuffix("-sig"))  # places count from the mark on
    except UnicodeDecodeError as error:
        return _undecodable(data, encoding, error)
    if "\0" not in text:
        return None
    wide = _unmarked(data)
    if wide:
        return Fault(f"is {wide} without a byte-order mark, not UTF-8", 1, 1)
    line, column = _place(data[: data.find(b"\0")])
    return Fault("is binary, not Markdown", line, column)


def _undecodable(data: bytes, encoding: Encoding, error: UnicodeDecodeError) -> Fault:
    if not encoding.codec.startswith("utf-8"):
        return Fault(f"is not UTF-8 text: it begins like {encoding.name} and is broken", 1, 1)
    line, column = _place(data[: error.start])
    seen = f"byte 0x{data[error.start]:02x} on line {line}"
    guess = _legacy(data)
    looks = f"; it looks like {guess}" if guess else ""
    return Fault(f"is not UTF-8 text ({seen}){looks}", line, column)


def _place(before: bytes) -> tuple[int, int]:
    """Line and column after those bytes."""
    text = before.decode(errors="replace").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\r|\n", text)
    return len(lines), len(lines[-1]) + 1


def _unmarked(data: bytes) -> str:
    """UTF-16 or UTF-32 without a mark: every character of its first lines is one that is seen."""
    for codec, name in _WIDE:
        width = 4 if "32" in codec else 2
        sample = data[: 1024 * width]
        try:
            text = sample[: len(sample) // width * width].decode(codec)
        except UnicodeDecodeError:
            continue
        plain = sum(char.isascii() and (char.isprintable() or char in "\r\n\t") for char in text)
        if len(text) >= _SHORTEST and plain * 10 >= len(text) * 9:
            return name
    return ""


def _legacy(data: bytes) -> str:
    """The name of the old encoding that fits best; "" when none does, as for what is no text."""
    if b"\0" in data:
        return ""
    if _decodes(data, "utf-8", "surrogatepass"):
        return "CESU-8, which has half characters in it"
    best, name = 0.5, ""
    for codec, called, letters in _LEGACY:
        text = _text(data[:_SAMPLE], codec)
        beyond = [char for char in text if not char.isascii()]
        if not beyond or any(ord(char) < 32 and char not in "\r\n\t\f" for char in text):
            continue
        fit = sum(bool(re.match(letters, char)) for char in beyond) / len(beyond)
        if codec in _SEVERAL and len(beyond) < 2:
            fit /= 2  # one pair of bytes is a word of any encoding
        elif codec in _KANA and not re.search("[\u3040-\u30ff]", text):
            fit /= 2  # Chinese and Korean bytes make Chinese characters of Japan
        elif codec in ("cp1251", "koi8_r"):
            fit *= _words(text)
        if fit > best:
            best, name = fit, called
    return name


def _words(text: str) -> float:
    """How far letters of one case follow each other: what is read wrongly changes all the time."""
    words = re.findall("[\u0400-\u04ff]+", text)
    good = sum(len(w) for w in words if len(w) > 1 and (w.islower() or w.istitle() or w.isupper()))
    return good / max(1, sum(map(len, words)))


def _text(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        cut = error.end >= len(data) and len(data) == _SAMPLE  # in the middle of a character
        return data[: error.start].decode(codec) if cut else ""


def _decodes(data: bytes, codec: str, errors: str) -> bool:
    try:
        data.decode(codec, errors)
    except UnicodeDecodeError:
        return False
    return True
