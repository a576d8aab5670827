"""Encodings: UTF-8 is read; every other is named, with the place of the first byte that is odd."""

from __future__ import annotations

import codecs

import pytest

from skillpm.formats.encoding import fault, marked

LATIN = "---\nname: x\ndescription: Use when the café is “open” — or naïve.\n---\nx\n"
JAPANESE = "---\nname: x\ndescription: 文書が変なときに使う。\n---\nこれは本文です。\n"
CHINESE = "---\nname: x\ndescription: 当文档很奇怪时使用。\n---\n这是正文的内容,请阅读。\n"
KOREAN = "---\nname: x\ndescription: 문서가 이상할 때 사용합니다.\n---\n본문입니다.\n"
RUSSIAN = "---\nname: x\ndescription: Когда документ странный.\n---\nЭто текст документа.\n"  # noqa: RUF001 - Russian


@pytest.mark.parametrize(
    ("data", "name", "plain"),
    [
        (b"x", "UTF-8", True),
        (codecs.BOM_UTF8 + b"x", "UTF-8 with a byte-order mark", False),
        ("x".encode("utf-16"), "UTF-16", False),
        (codecs.BOM_UTF16_BE + "x".encode("utf-16-be"), "UTF-16", False),
        ("x".encode("utf-32"), "UTF-32", False),
        (codecs.BOM_UTF32_BE + "x".encode("utf-32-be"), "UTF-32", False),
    ],
)
def test_a_byte_order_mark_names_the_encoding(data: bytes, name: str, plain: bool) -> None:
    assert (marked(data).name, marked(data).is_plain) == (name, plain)
    assert fault(data) is None


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (LATIN, "cp1252", "Windows-1252"),
        ("caf\u00e9 na\u00efve", "latin-1", "Windows-1252"),
        (RUSSIAN, "cp1251", "Windows-1251"),
        (RUSSIAN, "koi8_r", "KOI8-R"),
        (JAPANESE, "shift_jis", "Shift JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (CHINESE, "gb18030", "GB 18030"),
        (KOREAN, "euc_kr", "EUC-KR"),
    ],
)
def test_an_old_encoding_is_recognised(text: str, codec: str, name: str) -> None:
    found = fault(text.encode(codec))
    assert found is not None
    assert "not UTF-8" in found.reason
    assert f"it looks like {name}" in found.reason


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_without_a_mark_are_recognised(codec: str) -> None:
    found = fault("---\nname: x\n---\n".encode(codec))
    assert found is not None
    assert f"is {codec[:6].upper()} without a byte-order mark" in found.reason


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"\xff\n", 1, 1), (b"a\nbc\xe9\n", 2, 3), (b"a\r\nb\r\n\xe9", 3, 1), (b"a\rb\xe9", 2, 2),
        (b"a\nb\0", 2, 2), ("ab\u00e9\n".encode() + b"\xe9", 2, 1),
        (codecs.BOM_UTF8 + b"ab\xe9", 1, 3),
    ],
)  # fmt: skip
def test_the_place_of_the_first_odd_byte_is_told(data: bytes, line: int, column: int) -> None:
    found = fault(data)
    assert found is not None
    assert (found.line, found.column) == (line, column)


def test_half_characters_and_cut_off_text_are_told_as_what_they_are() -> None:
    halves = fault("a\ud83d".encode("utf-8", "surrogatepass"))
    cut = fault("x".encode("utf-16") + b"x")
    picture = fault(b"\x89PNG\r\n\x1a\n\0\0")
    assert "CESU-8" in (halves.reason if halves else "")
    assert "begins like UTF-16" in (cut.reason if cut else "")
    assert "looks like" not in (picture.reason if picture else "looks like")
