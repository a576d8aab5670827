"""What the Agent Skills specification demands of a skill, and what this project advises.

Specification: <https://agentskills.io/specification>. An error will not run in another tool; an
advice only trips over a convention.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from skillpm.errors import InvalidSkillError
from skillpm.formats.document import Document, read_document
from skillpm.model.tree import ENTRY, Tree

MAX_DESCRIPTION: Final = 1_024
MAX_COMPATIBILITY: Final = 500
MAX_LINES: Final = 500

_NAME: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_REFERENCE: Final = re.compile(r"\b(?:references|templates|assets|scripts)/[\w./-]*[\w]")
_UNWANTED: Final = ("README.md", "CHANGELOG.md", "install.sh", ".env", ".gitignore")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing found while validating; `line` is 1-based in `SKILL.md`, 0 when it has none."""

    severity: Literal["error", "advice"]
    rule: str
    message: str
    line: int = 0


def validate(tree: Tree, expected_name: str) -> tuple[Problem, ...]:
    """Every problem of a skill at once, errors first.

    Args:
        tree: the skill's files.
        expected_name: the folder or file name the skill goes by; "" when it has none.
    """
    entry = tree.get(ENTRY)
    if entry is None:
        return (Problem("error", "entry_missing", f"there is no {ENTRY}"),)
    try:
        document = read_document(entry.data)
    except InvalidSkillError as error:
        return (Problem("error", "document_unreadable", error.message),)
    found = [*_header(document), *_advice(document, tree)]
    if document.state in ("present", "recovered"):
        found += [*_name(document, expected_name), *_fields(document)]
    return tuple(sorted(found, key=lambda p: (p.severity != "error", p.line)))


def _header(document: Document) -> Iterator[Problem]:
    match document.state:
        case "missing":
            yield Problem("error", "header_missing", "the document does not open with '---'", 1)
        case "invalid":
            yield Problem("error", "header_invalid", document.problem, 1)
        case "recovered":
            yield Problem("advice", "header_recovered", document.problem, 1)


def _name(document: Document, expected: str) -> Iterator[Problem]:
    value = document.header.values.get("name")
    line = _line(document, "name")
    if value is None or value == "":
        yield Problem("error", "name_missing", "the header has no name", 1)
        return
    if not isinstance(value, str):
        yield Problem("error", "name_type", "the name is not text: put it in quotes", line)
        return
    name = unicodedata.normalize("NFKC", value.strip())
    if len(name) > 64:
        yield Problem("error", "name_length", f"the name has {len(name)} characters, not 64", line)
    if not _NAME.fullmatch(name) or name != name.lower():
        yield Problem(
            "error", "name_format", "the name is not lower-case words joined by hyphens", line
        )
    if expected and name != expected:
        yield Problem(
            "error", "name_mismatch", f"the name {name!r} is not that of its folder", line
        )


def _fields(document: Document) -> Iterator[Problem]:
    values = document.header.values
    yield from _description(values.get("description"), _line(document, "description"))
    for key, kinds in (("license", str), ("metadata", dict), ("allowed-tools", str)):
        if key in values and not isinstance(values[key], kinds):
            rule = f"{key.replace('-', '_')}_type"
            kind = "a mapping" if kinds is dict else "text"
            if key == "allowed-tools" and isinstance(values[key], list):
                yield Problem(
                    "advice", "allowed_tools_list", "allowed-tools is a list", _line(document, key)
                )
                continue
            yield Problem("error", rule, f"{key} is not {kind}", _line(document, key))
    yield from _compatibility(values, _line(document, "compatibility"))


def _description(value: Any, line: int) -> Iterator[Problem]:
    if value is None or (isinstance(value, str) and not value.strip()):
        yield Problem("error", "description_missing", "the header has no description", line or 1)
    elif not isinstance(value, str):
        yield Problem("error", "description_type", "the description is not text", line)
    elif len(value.strip()) > MAX_DESCRIPTION:
        yield Problem(
            "error",
            "description_length",
            f"the description has {len(value.strip())} characters, {MAX_DESCRIPTION} are allowed",
            line,
        )
    elif "when" not in value.lower() and "use " not in value.lower():
        yield Problem("advice", "no_trigger", "the description does not say when to use it", line)


def _compatibility(values: dict[str, Any], line: int) -> Iterator[Problem]:
    if "compatibility" not in values:
        return
    value = values["compatibility"]
    if not isinstance(value, str):
        yield Problem("error", "compatibility_type", "compatibility is not text", line)
    elif not 1 <= len(value) <= MAX_COMPATIBILITY:
        yield Problem(
            "error",
            "compatibility_length",
            f"compatibility is not 1 to {MAX_COMPATIBILITY} characters",
            line,
        )


def _advice(document: Document, tree: Tree) -> Iterator[Problem]:
    if not document.summary:
        yield Problem("error", "no_summary", "there is neither a description nor a first line")
    lines = document.body.count("\n")
    if lines > MAX_LINES:
        yield Problem("advice", "body_long", f"the body has {lines} lines, over {MAX_LINES}")
    paths = {f.path for f in tree.files}
    for unwanted in sorted(paths & set(_UNWANTED)):
        yield Problem("advice", "forbidden_file", f"{unwanted} has no place in a skill")
    yield from _dangling(document, paths)


def _dangling(document: Document, paths: set[str]) -> Iterator[Problem]:
    known = paths | {path[:end] for path in paths for end, c in enumerate(path) if c == "/"}
    for number, text in enumerate(document.body.splitlines(), document.body_line):
        for reference in _REFERENCE.findall(text):
            wanted = reference.rstrip("./")
            if wanted not in known:
                known.add(wanted)
                message = f"{wanted} is mentioned and is not in the skill"
                yield Problem("advice", "dangling_reference", message, number)


def _line(document: Document, key: str) -> int:
    line = document.header.lines.get(key, 0)
    return line + 1 if line else 0
