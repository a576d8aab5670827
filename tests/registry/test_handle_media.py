"""Files are known by their first bytes, whatever they are called."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import struct
import tarfile
import wave
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from .pdfs import FOLDER
from .tools import Done, run, script

IDENTIFY: Final = script("handle-media", "identify.py")


def identify(*paths: Path, path: str = "") -> Done:
    return run(IDENTIFY, "--json", *paths, env={"PATH": path})


def answer(path: Path) -> dict[str, Any]:
    loaded = json.loads(identify(path).stdout)
    assert isinstance(loaded, list)
    first = loaded[0]
    assert isinstance(first, dict)
    return first


def sound(path: Path) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\0\0" * 24_000)


def archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "a")


def word(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("[Content_Types].xml", "<x/>")
        file.writestr("word/document.xml", "<x/>")


def book(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/epub+zip")


def tar(path: Path) -> None:
    with tarfile.open(path, "w") as file:
        info = tarfile.TarInfo("a")
        info.size = 1
        file.addfile(info, io.BytesIO(b"a"))


def base(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table t (x)")
    connection.close()


def pdf(path: Path) -> None:
    path.write_bytes((FOLDER / "table.pdf").read_bytes())


def squeezed(path: Path) -> None:
    path.write_bytes(gzip.compress(b"a"))


@pytest.mark.parametrize(
    ("make", "mime"),
    [
        (sound, "audio/wav"),
        (archive, "application/zip"),
        (word, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (book, "application/epub+zip"),
        (tar, "application/x-tar"),
        (base, "application/vnd.sqlite3"),
        (pdf, "application/pdf"),
        (squeezed, "application/gzip"),
    ],
)
def test_files_made_by_real_writers_are_known(
    tmp_path: Path, make: Callable[[Path], None], mime: str
) -> None:
    path = tmp_path / "file.bin"
    make(path)
    assert answer(path)["mime"] == mime


@pytest.mark.parametrize(
    ("head", "mime"),
    [
        (b"OggS\0\x02", "audio/ogg"),
        (b"ID3\x03\0", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\0\0\0\x20ftypM4A \0\0", "audio/mp4"),
        (b"\0\0\0\x20ftypisom\0\0", "video/mp4"),
        (b"\0\0\0\x18ftypheic\0\0", "image/heic"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"\x1a\x45\xdf\xa3\x01", "video/webm"),
        (b"\x7fELF\x02\x01\x01\0", "application/x-elf"),
        (b"MZ\x90\0\x03\0\0\0", "application/x-msdownload"),
        (b"MZ is how this letter begins", "text/plain"),
        (b"BM is too", "text/plain"),
        (b"hello\n", "text/plain"),
        ("h\xe9llo\n".encode(), "text/plain"),
        (b"<!DOCTYPE html><p>", "text/html"),
        (b'<?xml version="1.0"?>\n<svg xmlns="x"/>', "image/svg+xml"),
        ("\xe9".encode() * 40_000, "text/plain"),
        (b"x" + "\xe9".encode() * 40_000, "text/plain"),
    ],
)
def test_kinds_are_known_by_their_first_bytes(tmp_path: Path, head: bytes, mime: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(head)
    assert answer(path)["mime"] == mime


@pytest.mark.parametrize(
    "content", [b"", b"\0\0\0\0", b"RIFF\0\0\0\0WHAT", b"\xff\xff\x01", b"a\0b"]
)
def test_what_no_rule_knows_is_status_3(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert identify(path).returncode == 3


def test_size_and_length_are_told_where_the_head_says_them(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
    picture.write_bytes(head)
    assert answer(picture)["details"] == {"width": 640, "height": 480}
    voice = tmp_path / "a.wav"
    sound(voice)
    assert answer(voice)["details"] == {"seconds": 1.5, "channels": 1, "rate": 16_000}


@pytest.mark.parametrize("length", range(8, 46, 3))
def test_a_head_that_is_cut_off_is_no_crash(tmp_path: Path, length: int) -> None:
    whole = tmp_path / "whole.wav"
    sound(whole)
    path = tmp_path / "cut.wav"
    path.write_bytes(whole.read_bytes()[:length])
    assert "Traceback" not in identify(path).stderr


def test_a_zip_that_is_damaged_is_still_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"PK\x03\x04" + b"\xff" * 100)
    assert answer(path)["mime"] == "application/zip"
    assert answer(path)["mismatch"]


def test_a_name_that_says_otherwise_is_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\x7fELF\x02\x01\x01\0")
    done = run(IDENTIFY, path)
    assert "its name says otherwise" in done.stdout
    assert "don't run it" in done.stdout
    right = tmp_path / "a.jpeg"
    right.write_bytes(b"\xff\xd8\xff\xe0")
    assert not answer(right)["mismatch"]


def test_only_tools_that_are_here_count_as_readers(tmp_path: Path) -> None:
    path = tmp_path / "a.oga"
    path.write_bytes(b"OggS\0\x02")
    assert identify(path).returncode == 1
    tools = tmp_path / "bin"
    tools.mkdir()
    whisper = tools / "whisper"
    whisper.write_text("#!/bin/sh\nexit 1\n")
    whisper.chmod(0o755)
    done = identify(path, path=str(tools))
    assert done.returncode == 0
    readers = json.loads(done.stdout)[0]["readers"]
    assert [reader["name"] for reader in readers if reader["present"]] == ["whisper"]


def test_the_worst_of_several_files_gives_the_status(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.txt", tmp_path / "b"
    good.write_text("a\n")
    bad.write_bytes(b"\0")
    assert identify(good).returncode == 0
    assert identify(good, bad).returncode == 3


def test_a_file_name_can_not_move_the_cursor(tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[2J\u202e.txt"
    path.write_text("a\n")
    done = run(IDENTIFY, path)
    assert not set(done.stdout) & set("\x1b\u202e")


def test_no_such_file_is_wrong_usage(tmp_path: Path) -> None:
    assert identify(tmp_path / "none").returncode == 2
    assert identify(tmp_path).returncode == 2
