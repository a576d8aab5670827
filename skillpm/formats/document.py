"""The entry document of a skill: an optional YAML header between `---` lines, then Markdown.

Format: <https://agentskills.io/specification>. The reader is kind (BOM, CRLF, a value with an
unquoted colon) and says what it forgave; it never rewrites a file of the author's.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from skillpm.errors import InvalidSkillError
from skillpm.formats import yaml

MAX_DOCUMENT: Final = 1024 * 1024
SUMMARY_FROM_HEADER: Final = 500
SUMMARY_FROM_BODY: Final = 120

HeaderState = Literal["present", "recovered", "missing", "invalid"]

_PLAIN_VALUE: Final = re.compile(r"^([A-Za-z_][\w-]*):[ \t]+([^\s\"'\[\]{}|>&*!%@`#].*)$")


@dataclass(frozen=True, slots=True)
class Document:
    """A skill's entry document, read.

    Attributes:
        header: the header's mapping; empty when missing or invalid.
        body: the Markdown after the header, or everything when there is none.
        state: whether the header was present, recovered, missing or invalid.
        problem: what was forgiven or wrong, with its line in the file; "" when nothing.
        body_line: the 1-based line of the file at which the body begins.
    """

    header: yaml.Mapping
    body: str
    state: HeaderState
    problem: str = ""
    body_line: int = 1

    @property
    def name(self) -> str:
        """The header's name as written; "" when there is none."""
        return self.header.raw.get("name", "").strip()

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
    """The text of a document: UTF-8 (a BOM is dropped) or UTF-16 with its BOM.

    Raises:
        InvalidSkillError: the bytes are empty, too many, binary, or in another encoding.
    """
    if len(data) > MAX_DOCUMENT:
        raise InvalidSkillError(f"the document is larger than {MAX_DOCUMENT // 1024} kB")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise InvalidSkillError(
            "the document is not UTF-8 text",
            hint="its author should save it as UTF-8",
        ) from None
    if not text.strip():
        raise InvalidSkillError("the document is empty")
    if "\0" in text:
        raise InvalidSkillError("the document is binary, not Markdown")
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
    text = decode(data)
    lines = list(io.StringIO(text, newline=""))  # ends at \n, \r\n and \r, at nothing else
    if lines[0].strip() != "---" or lines[0].startswith((" ", "\t")):
        return Document(yaml.Mapping(), text, "missing")
    end = next(
        (i for i, line in enumerate(lines[1:], 1) if re.match(r"---[ \t]*\r?\n?\Z", line)), 0
    )
    if not end:
        return Document(yaml.Mapping(), text, "invalid", "the header is never closed by '---'")
    return _with_header("".join(lines[1:end]), text, "".join(lines[end + 1 :]), end + 2)


def _with_header(header: str, text: str, body: str, body_line: int) -> Document:
    try:
        return Document(yaml.load_mapping(header), body, "present", "", body_line)
    except yaml.YamlError as error:
        first = error
    quoted, line = _quote_plain_values(header)
    if line:
        try:
            mapping = yaml.load_mapping(quoted)
        except yaml.YamlError:
            pass
        else:
            problem = f"the value on line {line + 1} needs quotes; it was read as plain text"
            return Document(mapping, body, "recovered", problem, body_line)
    place = f" on line {first.line + 1}" if first.line else ""
    return Document(yaml.Mapping(), text, "invalid", f"the header{place}: {first.reason}")


def _quote_plain_values(header: str) -> tuple[str, int]:
    """Quote top-level values that hold `: ` or ` #`; also the first line changed, or 0."""
    changed, lines = 0, header.splitlines()
    for number, line in enumerate(lines, 1):
        match = _PLAIN_VALUE.match(line)
        if match and (": " in match[2] or " #" in match[2] or match[2].rstrip().endswith(":")):
            escaped = match[2].replace("\\", "\\\\").replace('"', '\\"')
            lines[number - 1] = f'{match[1]}: "{escaped}"'
            changed = changed or number
    return "\n".join(lines) + "\n", changed


def _first_line(body: str) -> str:
    for line in body.splitlines():
        stripped = line.strip()
        if stripped and stripped != "---" and not stripped.startswith("<!--"):
            words = " ".join(stripped.removeprefix("# ").lstrip("#").split())
            return words[:SUMMARY_FROM_BODY]
    return ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
