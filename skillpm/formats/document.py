"""The entry document of a skill: an optional YAML header between `---` lines, then Markdown.

Format: <https://agentskills.io/specification>. The reader is kind (BOM, CRLF, a value with an
unquoted colon) and says what it forgave; it never rewrites a file of the author's.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from skillpm.errors import InvalidSkillError
from skillpm.formats import encoding, recovery, yaml
from skillpm.formats.recovery import Remark

MAX_DOCUMENT: Final = 1024 * 1024
SUMMARY_FROM_HEADER: Final = 500
SUMMARY_FROM_BODY: Final = 120

HeaderState = Literal["present", "recovered", "missing", "invalid"]


@dataclass(frozen=True, slots=True)
class Document:
    """A skill's entry document, read.

    Attributes:
        header: the header's mapping; empty when missing or invalid.
        body: the Markdown after the header, or everything when there is none.
        state: whether the header was present, recovered, missing or invalid.
        remarks: what was forgiven or is wrong, each with its place in the file.
        body_line: the 1-based line of the file at which the body begins.
        encoding: of the bytes.
        head: the header as text, without the lines around it, as its author wrote it.
    """

    header: yaml.Mapping
    body: str
    state: HeaderState
    remarks: tuple[Remark, ...] = ()
    body_line: int = 1
    encoding: encoding.Encoding = encoding.PLAIN
    head: str = ""

    @property
    def problem(self) -> str:
        """The first thing that was forgiven or is wrong, with its line; "" when nothing."""
        return self.remarks[0].text if self.remarks else ""

    @property
    def name(self) -> str:
        """The header's name as written; "" when there is none."""
        return self.header.raw.get("name", "").strip()

    def place_of(self, *path: str | int, key: bool = False) -> tuple[int, int]:
        """Line and column in the file of a value of the header, or of its key; 1, 1 for none."""
        spot = self.header.spots.get(path)
        if spot is None:
            return 1, 1
        line, column = (spot.line, spot.column) if key else spot.at
        return line + 1, column

    @property
    def version(self) -> str:
        """The header's version, top level or under `metadata`; "" when there is none."""
        metadata = self.header.values.get("metadata")
        nested = metadata.get("version") if isinstance(metadata, dict) else None
        return (self.header.raw.get("version") or _text(nested)).strip()[:64]

    @property
    def summary(self) -> str:
        """One line: the header's description, else the first real line of the body."""
        described = " ".join(_text(self.header.values.get("description")).split())
        return described[:SUMMARY_FROM_HEADER] if described else _first_line(self.body)


def decode(data: bytes) -> str:
    """The text of a document: UTF-8 (a BOM is dropped), or UTF-16 and UTF-32 with their BOM.

    Raises:
        InvalidSkillError: the bytes are empty, too many, binary, or in another encoding, which the
            message names.
    """
    if len(data) > MAX_DOCUMENT:
        raise InvalidSkillError(f"the document is larger than {MAX_DOCUMENT // 1024} kB")
    wrong = encoding.fault(data)
    if wrong:
        raise InvalidSkillError(
            f"the document {wrong.reason}", hint="its author should save it as UTF-8"
        )
    text = data.decode(encoding.marked(data).codec)
    if not text.strip():
        raise InvalidSkillError("the document is empty")
    return text


def looks_like_html(data: bytes) -> bool:
    """Whether the bytes are a web page rather than Markdown."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml"))


def read_document(data: bytes) -> Document:
    """Read a document; a bad header is reported in the result, not raised.

    Raises:
        InvalidSkillError: as `decode`.
    """
    text, coded = decode(data), encoding.marked(data)
    lines = list(io.StringIO(text, newline=""))  # ends at \n, \r\n and \r, at nothing else
    if lines[0].strip() != "---" or lines[0].startswith((" ", "\t")):
        return Document(yaml.Mapping(), text, "missing", encoding=coded)
    end = next(
        (i for i, line in enumerate(lines[1:], 1) if re.match(r"---[ \t]*\r?\n?\Z", line)), 0
    )
    if not end:
        remark = Remark("header_invalid", "the header is never closed by '---'", 1, 1)
        return Document(yaml.Mapping(), text, "invalid", (remark,), encoding=coded)
    header, body = "".join(lines[1:end]), "".join(lines[end + 1 :])
    try:
        found = recovery.read(re.sub(r"\r\n?", "\n", header))
    except yaml.YamlError as error:
        remarks = _below(_faults(error))
        return Document(yaml.Mapping(), text, "invalid", remarks, encoding=coded, head=header)
    state: HeaderState = "recovered" if found.remarks else "present"
    return Document(found.mapping, body, state, _below(found.remarks), end + 2, coded, header)


def _faults(error: yaml.YamlError) -> Iterable[Remark]:
    for one in (error, *error.more):
        place = " on line {line}" if one.line else ""
        text = f"the header{place}: {one.reason.replace('{', '{{').replace('}', '}}')}"
        yield Remark("header_invalid", text, one.line, one.column)


def _below(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Remarks about a header, with the lines of the file, in which it begins on the second."""
    return tuple(
        one._replace(text=one.text.format(line=one.line + 1), line=one.line + 1) for one in remarks
    )


def _first_line(body: str) -> str:
    for line in body.splitlines():
        stripped = line.strip()
        if stripped and stripped != "---" and not stripped.startswith("<!--"):
            words = " ".join(stripped.removeprefix("# ").lstrip("#").split())
            return words[:SUMMARY_FROM_BODY]
    return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
