"""Which opener looks into which file."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.model.tree import File
from skillpm.scanning.containers import (
    archives,
    bytecode,
    images,
    notebooks,
    office,
    pdf,
    pickles,
    printable,
    vba,
)
from skillpm.scanning.containers.parts import Budget, Found, Note, Opener, Part, text_part
from skillpm.scanning.identify import Identity, Kind

MAX_DEPTH: Final = 3

_HEAD: Final = 128_000
_TAGS: Final = 16
_ARCHIVES: Final = (Kind.ARCHIVE, Kind.ENCRYPTED, Kind.OFFICE, Kind.MACRO)
_COMPRESSED: Final = {"gzip": "gzip", "bzip2": "bzip2", "xz": "xz"}
_SUFFIX: Final = regex(r"\.(?:gz|bz2|xz|gzip)$", re.IGNORECASE)
_ENCODED: Final = ("UEsDB", "f0VMR", "TVqQ", "TVpQ", "H4sI", "gASV", "gAWV", "QlpoO", "/Td6WFo")
_ENCODED_FILE: Final = regex(
    r"\b(?:UEsDB|f0VMR|TVqQ|TVpQ|H4sI|gASV|gAWV|QlpoO|/Td6WFo)"
    r"[A-Za-z0-9+/]{20,200000}(?:(?:\\n|\s){1,4}[A-Za-z0-9+/]{20,200}){0,20000}"
)
_MAX_ENCODED: Final = 20
_TABLE: Final = 70_000
_WRITTEN: Final = 32
_CONTROLS: Final = bytes(set(range(0x20)) - {0x09, 0x0A, 0x0C, 0x0D, 0x1B})
_INERT: Final = regex(
    r"\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|mp[34]|wav|ogg|woff2?|ttf|otf)$", re.IGNORECASE
)
_OPENERS: Final[dict[str, Opener]] = {
    "zip": archives.open_zip,
    "tar": archives.open_tar,
    "PDF": pdf.open_pdf,
    "PNG": images.open_image,
    "JPEG": images.open_image,
    "GIF": images.open_image,
    "WebP": images.open_image,
    "Python bytecode": bytecode.open_bytecode,
    "NumPy array": pickles.open_array,
    "pickle": pickles.open_pickle,
}


def parts_of(file: File, identity: Identity, budget: Budget, depth: int) -> Iterator[Found]:
    """What is inside a file; nothing for a file that holds only itself.

    Args:
        file: the file.
        identity: what it is.
        budget: what may still be taken out of it; is used up.
        depth: how many containers it lies in.
    """
    try:
        yield from _openers(file, identity, budget, depth)
    except Exception as error:  # noqa: BLE001 - whatever an opener missed must not end the scan
        yield Note("unscanned/damaged-archive", type(error).__name__)


def _openers(file: File, identity: Identity, budget: Budget, depth: int) -> Iterator[Found]:
    if identity.kind is Kind.TEXT:
        yield from _in_text(file, identity, budget)
        return
    nested = identity.kind in _ARCHIVES and identity.detail != "OLE"
    if nested and depth >= MAX_DEPTH:
        yield Note("unscanned/nested-too-deep")
        return
    opener = _opener(file, identity)
    if opener is not None:
        yield from opener(file.data, budget)
    if not nested:
        yield from _disguised_text(file, identity)
        yield from _appended_zip(file, identity, budget)


def _opener(file: File, identity: Identity) -> Opener | None:
    data, kind, detail = file.data, identity.kind, identity.detail
    if detail in _COMPRESSED:
        name = _SUFFIX.sub("", file.path.rpartition("/")[2]) or "content"
        return lambda data, budget: archives.open_compressed(data, budget, detail, name)
    if detail == "OLE":
        return _open_compound
    if detail == "zip" and kind in (Kind.OFFICE, Kind.MACRO):
        return office.open_office
    if kind is Kind.UNKNOWN and pickles.starts_pickle(data):
        return pickles.open_pickle
    if detail in _OPENERS:
        return _OPENERS[detail]
    if kind in (Kind.EXECUTABLE, Kind.BYTECODE, Kind.UNKNOWN, Kind.DATABASE):
        return printable.open_program
    return _open_tags if kind in (Kind.IMAGE, Kind.MEDIA, Kind.FONT) else None


def _open_compound(data: bytes, budget: Budget) -> Iterator[Found]:
    yield from vba.open_project(data)
    yield from printable.open_program(data, budget)


def _open_tags(data: bytes, budget: Budget) -> Iterator[Found]:
    """The longer texts at both ends of sounds, films, fonts and rare pictures."""
    del budget  # bounded by itself
    ends = data[:_HEAD] + b"\0" + data[_HEAD:][-_HEAD:]
    told = "\n".join(printable.runs(ends, _TAGS))[: printable.MAX_TEXT]
    if told:
        yield text_part("metadata", told, "metadata", unseen=True)


def _in_text(file: File, identity: Identity, budget: Budget) -> Iterator[Found]:
    """Files that are written as text: notebooks, old pickles, and what is encoded in base64."""
    if file.path.lower().endswith(".ipynb"):
        yield from notebooks.open_notebook(identity.text.encode("utf-8", "replace"), budget)
    own = identity.detail.startswith(("utf", "latin"))  # not read out of something else
    if own and identity.language == "text" and pickles.is_plain_pickle(identity.text):
        yield Note("files/serialized-objects", "protocol 0")
        yield from pickles.open_pickle(file.data, budget)
    if any(mark in identity.text for mark in _ENCODED):
        for count, found in enumerate(_ENCODED_FILE.finditer(identity.text)):
            data = _unbase64(found[0])
            if count >= _MAX_ENCODED or not budget.take(len(data)):
                return
            if data.startswith((b"\x7fELF", b"MZ")):
                yield Note("files/program-in-text")
            yield Part(f"base64-{count + 1}", data)
    if "PK\x05\x06" in identity.text:
        yield from _appended_zip(file, identity, budget)


def _unbase64(text: str) -> bytes:
    compact = re.sub(r"\\n|\s", "", text)
    try:
        return base64.b64decode(compact[: len(compact) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _disguised_text(file: File, identity: Identity) -> Iterator[Found]:
    """A text that begins like a picture, a font or a sound is still a text."""
    data = file.data
    real_document = identity.kind is Kind.DOCUMENT and b" obj" in data
    if b"\0" in data or real_document or identity.kind in (Kind.UNKNOWN, Kind.EMPTY):
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    if len(data) >= _WRITTEN and 50 * (len(data) - len(data.translate(None, _CONTROLS))) <= len(
        data
    ):
        poses = bool(_INERT.search(file.path))
        yield Note("files/disguised" if poses else "files/text-as-binary", identity.detail)
        yield text_part("text", text, "text in disguise", unseen=True)


def _appended_zip(file: File, identity: Identity, budget: Budget) -> Iterator[Found]:
    """A zip file whose table stands at the end of something else."""
    data = file.data
    if identity.detail in ("PNG", "JPEG", "GIF", "WebP"):
        return  # what is behind their end was looked at
    if b"PK\x05\x06" not in data[-_TABLE:] or b"PK\x03\x04" not in data:
        return
    if data.startswith(b"#!"):
        yield Note("files/self-extracting")
    elif identity.kind is not Kind.EXECUTABLE:
        yield Note("files/polyglot", "a zip archive")
    yield from archives.open_zip(data, budget)
