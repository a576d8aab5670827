#!/usr/bin/env python3
"""Say what a file is by its first bytes, and which tool here can read it.

The name of a file is only compared, never believed. Nothing is opened with
another program and nothing is written.

Exit statuses (the highest over all files):
  0  known, and something here reads it
  1  known, but no reader of it is installed
  2  wrong usage (no such file)
  3  unknown kind of file
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import shutil
import struct
import sys
import unicodedata
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

READABLE, NO_READER, USAGE, UNKNOWN = 0, 1, 2, 3
HEAD = 65_536


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of file, the endings it usually has, and the group that reads it."""

    mime: str
    group: str
    endings: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Reader:
    """A tool that reads a group: a command, or a Python module with `python:` before it."""

    name: str
    does: str
    get: str


def kind(mime: str, group: str, *endings: str) -> Kind:
    """Write a row of the table short."""
    return Kind(mime, group, endings)


MP3 = kind("audio/mpeg", "audio", "mp3")
MP4 = kind("video/mp4", "video", "mp4", "m4v")
ZIP = kind("application/zip", "archive", "zip", "jar", "whl", "apk")
GZIP = kind("application/gzip", "archive", "gz", "tgz")
OLE = kind("application/x-ole-storage", "office", "doc", "xls", "ppt", "msg")
TEXT = kind("text/plain", "text")
DOCX = kind(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "office", "docx"
)
XLSX = kind("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "office", "xlsx")
PPTX = kind(
    "application/vnd.openxmlformats-officedocument.presentationml.presentation", "office", "pptx"
)

STARTS: tuple[tuple[bytes, Kind], ...] = (
    (b"%PDF-", kind("application/pdf", "pdf", "pdf")),
    (b"\x89PNG\r\n\x1a\n", kind("image/png", "image", "png")),
    (b"\xff\xd8\xff", kind("image/jpeg", "image", "jpg", "jpeg")),
    (b"GIF87a", kind("image/gif", "image", "gif")),
    (b"GIF89a", kind("image/gif", "image", "gif")),
    (b"II*\0", kind("image/tiff", "image", "tif", "tiff")),
    (b"MM\0*", kind("image/tiff", "image", "tif", "tiff")),
    (b"BM", kind("image/bmp", "image", "bmp")),
    (b"OggS", kind("audio/ogg", "audio", "ogg", "oga", "opus")),
    (b"fLaC", kind("audio/flac", "audio", "flac")),
    (b"#!AMR", kind("audio/amr", "audio", "amr")),
    (b"ID3", MP3),
    (b"\x1a\x45\xdf\xa3", kind("video/webm", "video", "webm", "mkv")),
    (b"\x1f\x8b", GZIP),
    (b"BZh", kind("application/x-bzip2", "archive", "bz2")),
    (b"\xfd7zXZ\0", kind("application/x-xz", "archive", "xz")),
    (b"7z\xbc\xaf\x27\x1c", kind("application/x-7z-compressed", "archive", "7z")),
    (b"Rar!\x1a\x07", kind("application/vnd.rar", "archive", "rar")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", kind("application/rtf", "office", "rtf")),
    (b"SQLite format 3\0", kind("application/vnd.sqlite3", "database", "db", "sqlite", "sqlite3")),
    (b"\x7fELF", kind("application/x-elf", "program")),
    (b"MZ", kind("application/x-msdownload", "program", "exe", "dll")),
    (b"\xcf\xfa\xed\xfe", kind("application/x-mach-binary", "program")),
    (b"\xca\xfe\xba\xbe", kind("application/x-mach-binary", "program", "class")),
)  # fmt: skip
BRANDS = {
    b"M4A ": kind("audio/mp4", "audio", "m4a"),
    b"M4B ": kind("audio/mp4", "audio", "m4b"),
    b"qt  ": kind("video/quicktime", "video", "mov"),
    b"heic": kind("image/heic", "image", "heic"),
    b"heix": kind("image/heic", "image", "heic"),
    b"mif1": kind("image/heif", "image", "heif", "heic"),
    b"avif": kind("image/avif", "image", "avif"),
    b"3gp4": kind("video/3gpp", "video", "3gp"),
    b"3gp5": kind("video/3gpp", "video", "3gp"),
}
RIFFS = {
    b"WAVE": kind("audio/wav", "audio", "wav"),
    b"WEBP": kind("image/webp", "image", "webp"),
    b"AVI ": kind("video/x-msvideo", "video", "avi"),
}
MIMETYPES = {
    b"application/epub+zip": kind("application/epub+zip", "office", "epub"),
    b"application/vnd.oasis.opendocument.text": kind(
        "application/vnd.oasis.opendocument.text", "office", "odt"
    ),
    b"application/vnd.oasis.opendocument.spreadsheet": kind(
        "application/vnd.oasis.opendocument.spreadsheet", "office", "ods"
    ),
    b"application/vnd.oasis.opendocument.presentation": kind(
        "application/vnd.oasis.opendocument.presentation", "office", "odp"
    ),
}
FOLDERS = (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX))

FFMPEG = Reader("ffmpeg", "converts: ffmpeg -i IN -ar 16000 -ac 1 OUT.wav", "package ffmpeg")
READERS: dict[str, tuple[Reader, ...]] = {
    "audio": (
        Reader("whisper-cli", "transcribes 16 kHz WAV, offline", "package whisper-cpp"),
        Reader("whisper", "transcribes, offline", "Python package openai-whisper"),
        Reader("python:faster_whisper", "transcribes, offline", "Python package faster-whisper"),
    ),
    "video": (FFMPEG, Reader("ffprobe", "tells streams and length", "package ffmpeg")),
    "image": (
        Reader("tesseract", "reads printed text: tesseract IN -", "package tesseract-ocr"),
        Reader("magick", "converts and measures", "package imagemagick"),
        Reader("python:PIL", "converts and measures", "Python package pillow"),
    ),
    "pdf": (
        Reader("python:pdfplumber", "text, tables: skill read-pdf", "Python package pdfplumber"),
        Reader("pdftotext", "text: pdftotext -layout IN -", "package poppler-utils"),
    ),
    "office": (
        Reader("pandoc", "text of docx, odt, epub, rtf: pandoc -t plain IN", "package pandoc"),
        Reader("libreoffice", "converts every office format", "package libreoffice"),
        Reader("python:openpyxl", "reads xlsx", "Python package openpyxl"),
    ),
    "archive": (
        Reader("bsdtar", "lists: bsdtar -tvf IN", "package libarchive-tools"),
        Reader("python:tarfile", "lists tar: python3 -m tarfile -l IN", "part of Python"),
        Reader("python:zipfile", "lists zip: python3 -m zipfile -l IN", "part of Python"),
    ),
    "database": (Reader("python:sqlite3", "reads it, mode=ro", "part of Python"),),
    "text": (Reader("python:json", "read it directly", "nothing"),),
    "program": (),
}  # fmt: skip


# --- telling what it is -------------------------------------------------------------------


def identify(path: Path) -> Kind | None:
    """The kind of the file, or None when no rule knows it."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head[4:8] == b"ftyp":
        return BRANDS.get(head[8:12], MP4)
    if head[:4] == b"RIFF":
        return RIFFS.get(head[8:12])
    if head[:4] in {b"PK\x03\x04", b"PK\x05\x06"}:
        return inside_zip(path, head)
    for start, found in STARTS:
        if head.startswith(start) and (len(start) > 2 or found is GZIP or b"\0\0" in head[:64]):
            return found  # two letters alone may as well begin a text
    if len(head) > 2 and head[0] == 0xFF and head[1] & 0xE6 == 0xE2:
        return MP3
    if head[257:262] == b"ustar":
        return kind("application/x-tar", "archive", "tar")
    return as_text(head)


def inside_zip(path: Path, head: bytes) -> Kind:
    """Which of the formats that are zip files inside this one is; reads its list only."""
    if head[30:38] == b"mimetype":
        for mimetype, found in MIMETYPES.items():
            if head[38:].startswith(mimetype):
                return found
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ZIP
    if "[Content_Types].xml" in names:
        for folder, found in FOLDERS:
            if any(name.startswith(folder) for name in names):
                return found
    return ZIP


def as_text(head: bytes) -> Kind | None:
    """Text, when the beginning is UTF-8 without control characters that text never has."""
    if not head:
        return None
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) < HEAD or error.start < HEAD - 4:
            return None
        text = head[: error.start].decode("utf-8")
    odd = [char for char in text if ord(char) < 32 and char not in "\t\n\r\f\x1b"]
    if odd:
        return None
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    if start.startswith("<svg") or (start.startswith("<?xml") and "<svg" in text[:4000]):
        return kind("image/svg+xml", "text", "svg")
    if start.startswith(("<!doctype html", "<html")):
        return kind("text/html", "text", "html", "htm")
    return TEXT


def details(path: Path, mime: str) -> dict[str, float]:
    """Size of an image or length of a sound, where the head of the file says it plainly."""
    measure = MEASURES.get(mime)
    if measure is None:
        return {}
    with path.open("rb") as file:
        head = file.read(HEAD)
    try:
        return measure(head)
    except (struct.error, IndexError, ZeroDivisionError):
        return {}


def png_size(head: bytes) -> dict[str, float]:
    """Width and height of a PNG."""
    width, height = struct.unpack(">II", head[16:24])
    return {"width": width, "height": height}


def gif_size(head: bytes) -> dict[str, float]:
    """Width and height of a GIF."""
    width, height = struct.unpack("<HH", head[6:10])
    return {"width": width, "height": height}


def wav_length(head: bytes) -> dict[str, float]:
    """Seconds, channels and rate of a WAV whose data chunk begins in the head."""
    place, rate, channels, speed = 12, 0, 0, 0
    while place + 8 <= len(head):
        name, size = struct.unpack("<4sI", head[place : place + 8])
        if name == b"fmt ":
            channels, rate, speed = struct.unpack("<HII", head[place + 10 : place + 20])
        if name == b"data":
            return {"seconds": round(size / speed, 2), "channels": channels, "rate": rate}
        place += 8 + size + size % 2
    return {}


MEASURES: dict[str, Callable[[bytes], dict[str, float]]] = {
    "image/png": png_size,
    "image/gif": gif_size,
    "audio/wav": wav_length,
}


# --- telling what reads it ----------------------------------------------------------------


def present(reader: Reader) -> bool:
    """Whether the reader is installed here."""
    if reader.name.startswith("python:"):
        try:
            return importlib.util.find_spec(reader.name.removeprefix("python:")) is not None
        except (ImportError, ValueError):
            return False
    return shutil.which(reader.name) is not None


def describe(path: Path) -> dict[str, object]:
    """All that is known about one file."""
    found = identify(path)
    ending = path.suffix.lower().lstrip(".")
    readers = READERS[found.group] if found else ()
    listed = [{**dataclasses.asdict(reader), "present": present(reader)} for reader in readers]
    return {
        "file": str(path),
        "bytes": path.stat().st_size,
        "mime": found.mime if found else None,
        "group": found.group if found else None,
        "details": details(path, found.mime) if found else {},
        "mismatch": found is not None and contradicts(found, ending),
        "readers": listed,
    }


def contradicts(found: Kind, ending: str) -> bool:
    """Whether a file name ends like another kind of file."""
    if not ending or ending in found.endings:
        return False
    tables = ([row for _, row in STARTS], BRANDS.values(), RIFFS.values(), MIMETYPES.values())
    named = [row for table in tables for row in table] + [MP3, MP4, ZIP, DOCX, XLSX, PPTX]
    return bool(found.endings) or any(ending in row.endings for row in named)


def status_of(answer: dict[str, object]) -> int:
    """The exit status one answer asks for."""
    if answer["mime"] is None:
        return UNKNOWN
    readers = answer["readers"]
    here = isinstance(readers, list) and any(reader["present"] for reader in readers)
    return READABLE if here else NO_READER


def show(answer: dict[str, object]) -> None:
    """Print one answer for reading."""
    name = clean(str(answer["file"]))
    print(f"{name}: {answer['mime'] or 'unknown kind of file'}, {answer['bytes']} bytes")
    details_found = answer["details"]
    if isinstance(details_found, dict) and details_found:
        print("  " + ", ".join(f"{key} {value}" for key, value in details_found.items()))
    if answer["mismatch"]:
        print("  its name says otherwise; believe the content, and wonder why")
    if answer["group"] == "program":
        print("  a program: don't run it to find out what it does")
    readers = answer["readers"]
    for reader in readers if isinstance(readers, list) else []:
        mark = "here" if reader["present"] else f"missing ({reader['get']})"
        print(f"  {reader['name'].removeprefix('python:')}: {reader['does']} - {mark}")


def clean(text: str) -> str:
    """A file name that can't move the cursor."""
    return "".join(
        char if unicodedata.category(char)[0] != "C" else ascii(char)[1:-1] for char in text
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run; see the module text for the exit statuses."""
    made = argparse.ArgumentParser(
        prog="identify.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", type=Path, nargs="+")
    made.add_argument("--json", action="store_true", help="one JSON list for a program")
    options = made.parse_args(words)
    for path in options.file:
        if not path.is_file():
            made.error(f"{clean(str(path))} is not a file")
    try:
        answers = [describe(path) for path in options.file]
    except OSError as error:
        made.error(clean(str(error)))
    if options.json:
        print(json.dumps(answers, indent=2))
    else:
        for answer in answers:
            show(answer)
    return max(status_of(answer) for answer in answers)


if __name__ == "__main__":
    sys.exit(main())
