"""The entry document: read kindly, refused clearly, never rewritten."""

from __future__ import annotations

import pytest

from skillpm.errors import InvalidSkillError
from skillpm.formats.document import (
    MAX_DOCUMENT,
    Document,
    HeaderState,
    decode,
    looks_like_html,
    read_document,
)

TEXT = "---\nname: read-pdf\ndescription: Use when there is a PDF.\n---\n\n# Read\n\nDo it.\n"


def read(text: str) -> Document:
    return read_document(text.encode())


def test_a_header_and_a_body_are_told_apart() -> None:
    found = read(TEXT)
    assert (found.state, found.name, found.problem) == ("present", "read-pdf", "")
    assert found.summary == "Use when there is a PDF."
    assert found.body == "\n# Read\n\nDo it.\n"
    assert found.body_line == 5


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + TEXT.encode(), TEXT.replace("\n", "\r\n").encode(), TEXT.encode("utf-16"),
        b"\xff\xfe" + TEXT.encode("utf-16-le"), b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r").encode(), TEXT.replace("---\n", "---  \n").encode(),
    ],
    ids=["BOM", "CRLF", "UTF-16", "UTF-16 LE", "UTF-16 BE", "CR", "spaces after the dashes"],
)  # fmt: skip
def test_a_bom_other_line_ends_and_utf16_are_forgiven(data: bytes) -> None:
    found = read_document(data)
    assert (found.state, found.name) == ("present", "read-pdf")
    assert found.summary == "Use when there is a PDF."


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"), (b" \n\t\n", "empty"), (b"\xef\xbb\xbf", "empty"), (b"\xff\xfe", "empty"),
        ("\u2003\n".encode(), "empty"), ("caf\u00e9".encode("latin-1"), "not UTF-8"),
        (b"\xff\xfea", "not UTF-8"), (b"\xff\xfe\x00\xd8", "not UTF-8"), (b"a\0b", "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not UTF-8"), (b"x" * (MAX_DOCUMENT + 1), "larger"),
        ("\ud800".encode(errors="surrogatepass"), "not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    for reader in (decode, read_document):
        with pytest.raises(InvalidSkillError, match=reason):
            reader(data)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("# No header\n", "missing"), (" ---\na: 1\n---\n", "missing"), ("----\na: 1\n---\n",
        "missing"),
        ("\n---\na: 1\n---\n", "missing"), ("---\nname: x\n", "invalid"), ("---", "invalid"),
        ("---\nname: x\n --- \nbody", "invalid"), ("---\n- a\n---\nx", "invalid"),
        ("---\n[\n---\nx", "invalid"), ("---\na: 1\na: 2\n---\nx", "invalid"),
        ("---\n---\nbody", "present"), ("---\n# comment\n---\nbody", "present"),
        ("---\nname: a: b\n---\nbody", "recovered"),
    ],
)  # fmt: skip
def test_the_state_of_the_header_is_told(text: str, state: HeaderState) -> None:
    found = read(text)
    assert found.state == state
    assert bool(found.problem) == (state in ("invalid", "recovered"))
    if state in ("missing", "invalid"):
        assert found.header.values == {}
        assert found.body == text


def test_only_a_line_of_its_own_closes_the_header() -> None:
    """Other readers end lines at \\n; a header must not end for us where it goes on for them."""
    for end in "\x0b\x0c\x1c\x85\u2028\u2029":
        found = read(f"---\ndescription: x{end}---\nname: a\n---\nbody\n")
        assert found.state == "invalid"
        assert found.header.values == {}


def test_an_unquoted_colon_is_recovered_and_its_line_is_told() -> None:
    found = read('---\nname: x\ndescription: Do this: "now" \\ then # not that\n---\nbody\n')
    assert found.state == "recovered"
    assert found.summary == 'Do this: "now" \\ then # not that'
    assert "line 3" in found.problem


def test_an_invalid_header_names_its_line_in_the_file() -> None:
    assert "line 4" in read("---\nname: x\na: 1\na: 2\n---\nx").problem


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("---\ndescription: |\n  Two\n  lines\n---\n", "Two lines"),
        ("---\nname: x\n---\n\n# The title\n", "The title"),
        ("## Second level\n", "Second level"),
        ("<!-- a comment -->\n\n---\nReal   text\n", "Real text"),
        ("---\ndescription: 5\n---\nbody text\n", "body text"),
        ("---\ndescription: ''\n---\nbody text\n", "body text"),
        ("---\nname: x\n---\n\n", ""),
        ("---\ndescription: " + "x" * 600 + "\n---\n", "x" * 500),
        ("y" * 300, "y" * 120),
        ("---\nname: x\nno end\n", "name: x"),
    ],
)
def test_the_summary_is_the_description_or_the_first_real_line(text: str, summary: str) -> None:
    assert read(text).summary == summary


@pytest.mark.parametrize(
    ("header", "version"),
    [
        ("version: 1.10", "1.10"), ("version: '2'", "2"), ("metadata:\n  version: '1.2'", "1.2"),
        ("metadata: {version: v3}", "v3"), ("metadata: text", ""), ("name: x", ""),
        ("version: 1\nmetadata: {version: '2'}", "1"), ("version: " + "9" * 100, "9" * 64),
    ],
)  # fmt: skip
def test_the_version_is_read_as_it_was_written(header: str, version: str) -> None:
    assert read(f"---\n{header}\n---\n").version == version


@pytest.mark.parametrize(
    ("data", "html"),
    [
        (b"<!DOCTYPE html>", True), (b"\xef\xbb\xbf\r\n <html lang=en>", True), (b"<head>", True),
        (b"<?xml version='1.0'?>", True), (b"# <html>", False), (b"<!-- note -->\n# x", False),
        (b"", False),
    ],
)  # fmt: skip
def test_a_web_page_is_told_from_markdown(data: bytes, html: bool) -> None:
    assert looks_like_html(data) is html
