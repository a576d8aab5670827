"""The text and the tables of real PDF files, and a clear word where there are none."""

from __future__ import annotations

import json
import os
import sys
import time
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from . import pdfs
from .pdfs import FOLDER
from .tools import Done, run, script

EXTRACT: Final = script("read-pdf", "extract.py")
TABLE_PDF: Final = FOLDER / "table.pdf"
SOME, USAGE, DAMAGED, ENCRYPTED, NO_TEXT, MISSING, LIMIT = range(1, 8)


def extract(*words: str | Path, stdin: str = "") -> Done:
    return run(EXTRACT, *words, stdin=stdin)


def pages_of(done: Done) -> list[dict[str, Any]]:
    loaded = json.loads(done.stdout)
    assert isinstance(loaded["pages"], list)
    return loaded["pages"]


def test_the_fixtures_are_what_their_generator_makes() -> None:
    assert {path.name: path.read_bytes() for path in FOLDER.iterdir()} == pdfs.files()


def test_markdown_has_the_prose_and_the_table_once_each() -> None:
    done = extract(TABLE_PDF, "--pages", "1")
    assert done.returncode == 0
    assert done.stdout == (
        "## Page 1\n\n"
        "Stock report\nAll prices in euro.\nCounted by hand.\n\n"
        "| Item | Count | Price |\n"
        "| --- | --- | --- |\n"
        "| Mug \\| blue | 2 | 12.50 |\n"
        "| Tea | 10 | 3.20 |\n"
    )
    assert done.stderr == ""


def test_json_has_the_cells_as_texts() -> None:
    done = extract(TABLE_PDF, "--format", "json")
    loaded = json.loads(done.stdout)
    assert (loaded["schema"], loaded["file"], loaded["page_count"]) == (1, "table.pdf", 3)
    assert pages_of(done)[0]["tables"] == [[list(row) for row in pdfs.TABLE]]
    assert pages_of(done)[1]["text"] == "Second page: caf\xe9"


def test_text_has_a_form_feed_between_pages() -> None:
    done = extract(TABLE_PDF, "--format", "text", "--pages", "2-")
    assert done.stdout == "Second page: caf\xe9\n\fThird page\n"


def test_only_the_tables_when_only_they_are_wanted() -> None:
    done = extract(TABLE_PDF, "--tables-only", "--pages", "1")
    assert "Stock report" not in done.stdout
    assert "| Tea | 10 | 3.20 |" in done.stdout
    none = extract(TABLE_PDF, "--tables-only", "--pages", "2")
    assert none.returncode == 0
    assert "no tables" in none.stderr


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ("2", [2]),
        ("1-2", [1, 2]),
        ("3,1", [3, 1]),
        ("2-", [2, 3]),
        ("-2", [1, 2]),
        ("1,1-2", [1, 2]),
    ],
)
def test_page_ranges(wanted: str, numbers: list[int]) -> None:
    done = extract(TABLE_PDF, f"--pages={wanted}", "--format", "json")
    assert [page["page"] for page in pages_of(done)] == numbers


@pytest.mark.parametrize("wanted", ["0", "4", "2-1", "1-9", "x", ",", "-", "1;2", "9" * 9])
def test_a_page_range_that_makes_no_sense_is_wrong_usage(wanted: str) -> None:
    done = extract(TABLE_PDF, f"--pages={wanted}")
    assert done.returncode == USAGE
    assert "Traceback" not in done.stderr


def test_an_encrypted_file_says_so_and_opens_with_its_password() -> None:
    locked = FOLDER / "encrypted.pdf"
    without = extract(locked)
    assert without.returncode == ENCRYPTED
    assert "--password-stdin" in without.stderr
    wrong = extract(locked, "--password-stdin", stdin="guess\n")
    assert wrong.returncode == ENCRYPTED
    assert "wrong" in wrong.stderr
    right = extract(locked, "--password-stdin", stdin="open sesame\n")
    assert right.returncode == 0
    assert right.stdout == extract(TABLE_PDF).stdout


def test_a_file_encrypted_with_an_empty_password_needs_none() -> None:
    assert extract(FOLDER / "unlocked.pdf").stdout == extract(TABLE_PDF).stdout


def test_a_scanned_file_is_told_from_a_drawn_one() -> None:
    scanned = extract(FOLDER / "scanned.pdf")
    assert scanned.returncode == NO_TEXT
    assert "OCR" in scanned.stderr
    drawn = extract(FOLDER / "drawn.pdf")
    assert drawn.returncode == NO_TEXT
    assert "OCR" not in drawn.stderr


def test_a_scanned_page_among_others_is_named() -> None:
    done = extract(FOLDER / "mixed.pdf")
    assert done.returncode == 0
    assert "A cover" in done.stdout
    assert "[2]" in done.stderr


@pytest.mark.parametrize("name", ["cut.pdf", "no-pages.pdf"])
def test_a_damaged_file_is_said_without_a_traceback(name: str) -> None:
    done = extract(FOLDER / name)
    assert done.returncode == DAMAGED
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"PK\x03\x04", b"%PDF-", b"%PDF-1.7\n" + b"\xff" * 5000]
)
def test_what_is_no_pdf_is_said(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    done = extract(path)
    assert done.returncode == DAMAGED
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("place", range(100, 2000, 190))
def test_a_file_with_a_flipped_byte_never_ends_in_a_traceback(tmp_path: Path, place: int) -> None:
    data = bytearray(TABLE_PDF.read_bytes())
    data[place] ^= 0x5A
    path = tmp_path / "x.pdf"
    path.write_bytes(data)
    done = extract(path)
    assert done.returncode in {0, SOME, DAMAGED, NO_TEXT}
    assert "Traceback" not in done.stderr


def test_a_page_tree_that_bites_its_tail_comes_to_an_end(tmp_path: Path) -> None:
    data = TABLE_PDF.read_bytes().replace(b"/Kids [5 0 R", b"/Kids [2 0 R")
    path = tmp_path / "x.pdf"
    path.write_bytes(data)
    done = extract(path, "--time-limit", "10")
    assert done.returncode in {0, DAMAGED}
    assert "Traceback" not in done.stderr


def test_limits_of_size_pages_and_time_are_kept(tmp_path: Path) -> None:
    assert extract(TABLE_PDF, "--max-bytes", "1000").returncode == LIMIT
    assert extract(TABLE_PDF, "--max-pages", "2").returncode == LIMIT
    path = tmp_path / "long.pdf"
    path.write_bytes(pdfs.pdf((pdfs.text(72, 700, "x " * 2000) * 40,)))
    begun = time.monotonic()
    done = extract(path, "--time-limit", "0.5")
    assert done.returncode == LIMIT
    assert time.monotonic() - begun < 20


def test_escapes_in_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(pdfs.pdf((pdfs.text(72, 700, "a\x1b[2Jb"),)))
    done = extract(path)
    assert "\x1b" not in done.stdout + done.stderr


def test_output_goes_to_a_new_file_and_never_over_an_old_one(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    done = extract(TABLE_PDF, "--output", out)
    assert (done.returncode, done.stdout) == (0, "")
    assert out.read_text(encoding="utf-8") == extract(TABLE_PDF).stdout
    out.write_text("mine")
    assert extract(TABLE_PDF, "--output", out).returncode == USAGE
    assert out.read_text() == "mine"
    assert extract(TABLE_PDF, "--output", tmp_path / "no" / "x").returncode == USAGE


def test_no_such_file_and_a_folder_are_wrong_usage(tmp_path: Path) -> None:
    assert extract(tmp_path / "none.pdf").returncode == USAGE
    assert extract(tmp_path).returncode == USAGE


def test_without_the_library_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "pdfplumber.py").write_text("raise ImportError('not here')\n")
    done = run(EXTRACT, TABLE_PDF, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == MISSING
    assert "uv run extract.py" in done.stderr
    assert "pip install" in done.stderr


def test_the_script_declares_its_requirement_for_uv() -> None:
    lines = EXTRACT.read_text(encoding="utf-8").splitlines()
    start, end = lines.index("# /// script"), lines.index("# ///")
    block = tomllib.loads("\n".join(line[2:] for line in lines[start + 1 : end]))
    assert block["dependencies"] == ["pdfplumber>=0.11"]
    assert block["requires-python"] == ">=3.11"


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f'"{sys.executable}" "{EXTRACT}" "{TABLE_PDF}" | head -c 1'
    with os.popen(command) as pipe:  # noqa: S605  a shell is what closes the pipe early
        assert pipe.read() == "#"
