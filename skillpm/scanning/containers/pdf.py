"""The opener for PDF: scripts, actions, attached files, and the text of simple fonts.

The structure of the document is not followed: dictionaries are searched as text, in the file
itself and in the streams that inflate within bounds. See ISO 32000-1, 7.5.7 and 12.6.4.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.inflating import inflate
from skillpm.scanning.containers.parts import Budget, Found, Note, Part, shown, text_part

_MAX_STREAMS: Final = 1_000
_MAX_STREAM: Final = 1_000_000
_MAX_ALL: Final = 8_000_000
_DICTIONARY: Final = 1_500
_STREAM: Final = regex(rb"\bstream\r?\n")
_ESCAPED_NAME: Final = regex(rb"#([0-9A-Fa-f]{2})")
_IMAGE: Final = regex(
    rb"/(?:DCTDecode|JPXDecode|CCITTFaxDecode|JBIG2Decode|Image\b|FontFile|Length1\b)"
)
_FLATE: Final = regex(rb"/(?:FlateDecode|Fl)\b")
_SCRIPT: Final = regex(rb"/S\s{0,8}/JavaScript\b|/JS\s{0,8}[(<\d]")
_SCRIPT_TEXT: Final = regex(rb"/JS\s{0,8}\(([^()]{1,40000})\)")
_SCRIPT_HEX: Final = regex(rb"/JS\s{0,8}<([0-9A-Fa-f\s]{8,80000})>")
_AT_ONCE: Final = regex(
    rb"/(?:OpenAction|AA)\s{0,8}(?:<<([^>]{0,2000})|(\d{1,9})\s{1,4}\d{1,5}\s{1,4}R)"
)
_LAUNCH: Final = regex(rb"/S\s{0,8}/Launch\b|/Launch\s{0,8}<<")
_URI: Final = regex(rb"/(?:URI|F)\s{0,8}\(([^()]{4,2000})\)")
_ADDRESS: Final = regex(rb"(?:[a-z]{2,12}:|www\.|\x05\x05)", re.IGNORECASE)
_TOKEN: Final = regex(
    rb"\(([^()]{0,4000})\)|<([0-9A-Fa-f\s]{2,4000})>|\b(T[dDmJj*]|ET)\b|(-\d{3,5})\b"
)
_ESCAPES: Final = ((b"\\\\", b"\\"), (b"\\n", b" "), (b"\\r", b" "), (b"\\t", b" "))
_OCTAL: Final = regex(rb"\\([0-3][0-7]{2})")
_OPEN, _CLOSE = b"\x01", b"\x02"


def open_pdf(data: bytes, budget: Budget) -> Iterator[Found]:
    """What a PDF holds beside its pages, and the text of these as far as it is plain."""
    if b"/Encrypt" in data:
        yield Note("unscanned/encrypted-document")
    structure, pages = [_neutral(data)], []
    for head, body in _streams(data):
        if b"/EmbeddedFile" in head and budget.take(len(body)):
            yield Part("attached-file", body)
        elif b"/ObjStm" in head:
            structure.append(_neutral(body))
        elif b"BT" in body and (b"Tj" in body or b"TJ" in body):
            pages.append(page_text(body))
        elif _looks_like_script(body):
            yield text_part("script.js", body.decode("utf-8", "replace"), "PDF script", unseen=True)
    yield from _actions(b"\n".join(structure))
    text = "\n\n".join(pages)
    if text.strip():
        yield text_part("text", text, "document text")
        yield Note("files/document-read", f"PDF, {len(pages)} pages")


def page_text(body: bytes) -> str:
    """The strings that a content stream shows, lines kept apart where it moves on."""
    out: list[bytes] = []
    for plain, digits, operator, gap in _TOKEN.findall(_neutral(body)):
        if operator in (b"Td", b"TD", b"T*", b"Tm", b"ET"):
            out.append(b"\n")
        elif gap:
            out.append(b" ")
        elif plain or digits:
            out.append(_unescaped(plain) if plain else _unhexed(digits))
    return re.sub(r"\n{2,200}", "\n", b"".join(out).decode("latin-1"))


def _streams(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    left = _MAX_ALL
    for count, mark in enumerate(_STREAM.finditer(data)):
        if count >= _MAX_STREAMS or left <= 0:
            return
        head = _names(data[max(mark.start() - _DICTIONARY, 0) : mark.start()])
        head = head[head.rfind(b"obj") + 1 :]
        if _IMAGE.search(head) and b"/EmbeddedFile" not in head:
            continue
        end = data.find(b"endstream", mark.end())
        body = _unfiltered(head, data[mark.end() : end if end >= 0 else len(data)])
        left -= len(body)
        yield head, body


def _unfiltered(head: bytes, body: bytes) -> bytes:
    try:
        if b"ASCIIHexDecode" in head:
            digits = re.sub(rb"[^0-9A-Fa-f]", b"", body[: 2 * _MAX_STREAM])
            body = binascii.unhexlify(digits[: len(digits) // 2 * 2])
        elif b"ASCII85Decode" in head:
            body = base64.a85decode(body[:_MAX_STREAM].strip().removesuffix(b"~>").strip())
    except ValueError:
        return b""
    if _FLATE.search(head):
        return inflate(body.lstrip(b"\r\n"), "zlib", _MAX_STREAM)[0]
    return body[:_MAX_STREAM]


def _actions(structure: bytes) -> Iterator[Found]:
    if _LAUNCH.search(structure):
        yield Note("files/document-command", "it launches a program")
    if _SCRIPT.search(structure):
        rule = "files/pdf-script-at-once" if _runs_at_once(structure) else "files/pdf-script"
        yield Note(rule)
    scripts = [_unescaped(found) for found in _SCRIPT_TEXT.findall(structure)]
    scripts += [_unhexed(found) for found in _SCRIPT_HEX.findall(structure)]
    if scripts:
        text = b"\n".join(scripts).decode("utf-8", "replace")
        yield text_part("actions.js", text, "PDF script", unseen=True)
    links = {_unescaped(found) for found in _URI.findall(structure) if _ADDRESS.match(found)}
    if links:
        told = b"\n".join(sorted(links)).decode("utf-8", "replace")
        yield text_part("links", told, "document links")
    if b"/EmbeddedFile" in structure:
        yield Note("files/attached-file", shown("in a PDF document"))


def _runs_at_once(structure: bytes) -> bool:
    for inline, number in _AT_ONCE.findall(structure)[:50]:
        body = inline
        if number:
            found = re.search(rb"\b%s\s{1,4}\d{1,5}\s{1,4}obj([\s\S]{0,1000})" % number, structure)
            body = found[1].partition(b"endobj")[0] if found else b""
        if _SCRIPT.search(body):
            return True
    return bool(re.search(rb"/Names\s{0,8}<<[^>]{0,200}/JavaScript\b", structure))


def _looks_like_script(body: bytes) -> bool:
    head = body[:4_000]
    return (
        b"\0" not in head
        and any(mark in head for mark in (b"app.", b"this.", b"eval(", b"unescape("))
        and any(mark in head for mark in (b"var ", b"function", b");", b"app."))
    )


def _names(data: bytes) -> bytes:
    """Names as they are meant: `/J#61vaScript` is another spelling of `/JavaScript`."""
    return _ESCAPED_NAME.sub(lambda found: bytes([int(found[1], 16)]), data)


def _neutral(data: bytes) -> bytes:
    """Escaped brackets out of the way, so that a string ends where the next bracket is."""
    plain = data.replace(b"\\(", _OPEN).replace(b"\\)", _CLOSE)
    return _names(plain) if b"#" in plain else plain


def _unescaped(text: bytes) -> bytes:
    for escaped, plain in _ESCAPES:
        text = text.replace(escaped, plain)
    text = _OCTAL.sub(lambda found: bytes([int(found[1], 8) & 0xFF]), text)
    return text.replace(_OPEN, b"(").replace(_CLOSE, b")")


def _unhexed(digits: bytes) -> bytes:
    compact = re.sub(rb"\s", b"", digits)
    body = binascii.unhexlify(compact[: len(compact) // 2 * 2])
    return body.replace(b"\0", b"")
