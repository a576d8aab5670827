#!/usr/bin/env python3
"""Check a skill folder against the Agent Skills format and against good sense.

Errors break the format: another host may not load the skill. Advice names what
usually makes a skill worse. `skill validate` does the same with a full YAML reader
where it is installed; this script needs nothing but Python.

Exit statuses:
  0  no errors (advice may have been given)
  1  errors were found
  2  wrong usage (no such folder)
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CLEAN, ERRORS, USAGE = 0, 1, 2
LIMIT = 1_048_576
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
KEY = re.compile(r"([A-Za-z0-9_.-]+):(?:[ \t]+(.*))?$")
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
PATH = re.compile(r"(?<![\w/.-])((?:scripts|references|assets)/[\w./-]*\w)")
LINK = re.compile(r"\]\(([^()\s#]+)(?:#[^()\s]*)?\)")
WHEN = re.compile(r"\b(when|whenever|if|before|after|for)\b", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing to change."""

    level: str
    line: int
    text: str


@dataclasses.dataclass
class Header:
    """The front matter as far as this reader understands it."""

    values: dict[str, str] = dataclasses.field(default_factory=dict)
    maps: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)
    lines: dict[str, int] = dataclasses.field(default_factory=dict)


def error(line: int, text: str) -> Finding:
    """A finding that breaks the format."""
    return Finding("error", line, text)


def advice(line: int, text: str) -> Finding:
    """A finding that is a matter of quality."""
    return Finding("advice", line, text)


# --- reading ------------------------------------------------------------------------------


def split(text: str) -> tuple[list[str], list[str]] | None:
    """The lines of the front matter and of the body, or None without a front matter."""
    lines = text.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return None
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() == "---":
            return lines[1:index], lines[index + 1 :]
    return None


def scalar(raw: str) -> str:
    """The text of a plain or quoted value."""
    value = raw.strip()
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return re.split(r"[ \t]#", value, maxsplit=1)[0].rstrip()


def read_header(lines: Sequence[str]) -> tuple[Header, list[Finding]]:
    """Read `key: value` lines, one level of maps, and block texts."""
    header, found = Header(), list[Finding]()
    current = ""
    for number, line in enumerate(lines, start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if "\t" in line[: len(line) - len(line.lstrip())]:
            found.append(error(number, "a tab indents this line; YAML wants spaces"))
        if line[0] in " \t":
            nested(header, current, line.strip(), number, found)
            continue
        match = KEY.match(line)
        if match is None:
            found.append(error(number, f"this is not `key: value`: {show(line)}"))
            continue
        current = match[1]
        if current in header.lines:
            found.append(error(number, f"`{current}` is given twice"))
        header.lines[current] = number
        found += suspicious(match[2] or "", number)
        header.values[current] = (
            "" if (match[2] or "")[:1] in {"|", ">"} else scalar(match[2] or "")
        )
    return header, found


def nested(header: Header, key: str, text: str, number: int, found: list[Finding]) -> None:
    """Take an indented line into the map or the block text it belongs to."""
    match = KEY.match(text)
    if match and key == "metadata":
        inner = header.maps.setdefault(key, {})
        if match[1] in inner:
            found.append(error(number, f"`{key}.{match[1]}` is given twice"))
        inner[match[1]] = match[2] or ""
    else:
        header.values[key] = f"{header.values.get(key, '')} {text}".strip()


def suspicious(raw: str, number: int) -> Iterator[Finding]:
    """Values that YAML reads otherwise than they look."""
    value = raw.strip()
    if value[:1] in {"&", "*", "!"}:
        yield error(
            number, "anchors, aliases and tags are refused by strict readers; quote the value"
        )
    elif value[:1] not in {'"', "'", "|", ">"} and (": " in value or value.endswith(":")):
        yield error(number, "a plain value can't hold `: `; put it in quotes")
    elif value[:1] in {"{", "[", "@", "`", "%"}:
        yield error(number, f"a plain value can't begin with {value[0]}; put it in quotes")


def show(text: str) -> str:
    """Text from a file, cut and harmless on a terminal."""
    return "".join(
        char if unicodedata.category(char)[0] != "C" else f"\\u{ord(char):04x}"
        for char in text[:80]
    )


# --- judging ------------------------------------------------------------------------------


def check_header(header: Header, folder: str) -> Iterator[Finding]:
    """The rules for the fields."""
    at = header.lines
    name = header.values.get("name", "")
    if not name:
        yield error(at.get("name", 1), "`name` is missing")
    elif not NAME.fullmatch(name) or len(name) > 64:
        yield error(
            at["name"], "`name`: lower-case letters, digits, single inner hyphens, at most 64"
        )
    elif name != folder:
        yield error(
            at["name"], f"`name` is {name}, the folder is {show(folder)}; they must be equal"
        )
    yield from check_description(header.values.get("description", ""), at.get("description", 1))
    length = len(header.values.get("compatibility", "x"))
    if not 1 <= length <= 500:
        yield error(at["compatibility"], "`compatibility` must have 1 to 500 characters")
    for key, value in header.maps.get("metadata", {}).items():
        if re.fullmatch(r"[0-9.]+|true|false|null|~|", value.strip(), re.IGNORECASE):
            yield error(at["metadata"], f"`metadata.{key}` must be a text; put it in quotes")
    unknown = [key for key in at if key not in FIELDS]
    if {"triggers", "actions"} <= set(unknown):
        yield advice(at["triggers"], "a workflow skill: `skill workflow validate` checks the rest")
        return
    for key in unknown:
        yield advice(at[key], f"`{key}` is not a field of the format; `metadata` is for your own")


def check_description(text: str, line: int) -> Iterator[Finding]:
    """The rules for the one line that decides whether the skill is ever opened."""
    if not text:
        yield error(line, "`description` is missing")
        return
    if len(text) > 1024:
        yield error(line, f"`description` has {len(text)} characters, at most 1024 are allowed")
    elif len(text) > 300:
        yield advice(line, f"`description` has {len(text)} characters; every session pays for it")
    if not WHEN.search(text):
        yield advice(line, "`description` says what, not when; add `Use when …`")
    if re.search(r"<[a-z/!]", text, re.IGNORECASE):
        yield advice(line, "`description` holds markup; some hosts refuse it")


def check_body(lines: Sequence[str], start: int) -> Iterator[Finding]:
    """The rules for the instructions."""
    if not any(line.strip() for line in lines):
        yield error(start, "the body is empty")
    if len(lines) >= 500:
        yield advice(start, f"{len(lines)} lines; keep it below 500, move the rest to references/")
    for number, line in enumerate(lines, start=start):
        if re.search(r"\bTODO\b|\bFIXME\b", line):
            yield advice(number, "something is unfinished here")
        hidden = [char for char in line if unicodedata.category(char) in {"Cf", "Co", "Cs"}]
        if hidden:
            yield error(number, f"invisible character U+{ord(hidden[0]):04X}")


def check_paths(root: Path, lines: Sequence[str], start: int) -> Iterator[Finding]:
    """Every file of the skill that the text names must be there, and inside."""
    for number, line in enumerate(lines, start=start):
        named = {match[1] for match in PATH.finditer(line)}
        named |= {match[1] for match in LINK.finditer(line) if not re.match(r"[a-z]+:", match[1])}
        for path in sorted(named):
            target = root / path
            if path.startswith("/") or not target.resolve().is_relative_to(root.resolve()):
                yield error(number, f"{show(path)} leads out of the skill")
            elif not target.exists():
                yield error(number, f"{show(path)} does not exist")


def check_files(root: Path) -> Iterator[Finding]:
    """Links, sizes, and scripts that can't be started."""
    for path in sorted(root.rglob("*")):
        name = show(str(path.relative_to(root)))
        if path.is_symlink():
            yield error(0, f"{name} is a link; a skill must carry its own files")
        elif path.is_file() and path.stat().st_size > LIMIT:
            yield advice(0, f"{name} has {path.stat().st_size} bytes")
        elif path.is_file() and path.parent.name == "scripts":
            with path.open("rb") as file:
                shebang = file.read(2) == b"#!"
            if shebang and not os.access(path, os.X_OK):
                yield advice(0, f"{name} begins with #! but is not executable")


def check(root: Path) -> list[Finding]:
    """All findings for a skill folder."""
    entry = root / "SKILL.md"
    if not entry.is_file() or entry.is_symlink():
        return [error(0, "there is no SKILL.md")]
    if entry.stat().st_size > LIMIT:
        return [error(0, "SKILL.md is over 1 MiB")]
    try:
        text = entry.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        return [error(0, f"SKILL.md is not UTF-8: byte {problem.start}")]
    parts = split(text)
    if parts is None:
        return [error(1, "SKILL.md must open with a front matter between two lines of ---")]
    head, body = parts
    start = len(head) + 3
    header, found = read_header(head)
    found += check_header(header, root.resolve().name)
    found += check_body(body, start)
    found += check_paths(root, body, start)
    found += check_files(root)
    return found


def main() -> int:
    """Run; see the module text for the exit statuses."""
    made = argparse.ArgumentParser(
        prog="check.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("folder", type=Path, nargs="+", help="folder with a SKILL.md")
    made.add_argument("--json", action="store_true", help="for a program")
    options = made.parse_args()
    for folder in options.folder:
        if not folder.is_dir():
            made.error(f"{show(str(folder))} is not a folder")
    results = {str(folder): check(folder) for folder in options.folder}
    if options.json:
        print(json.dumps({name: [vars(f) for f in found] for name, found in results.items()}))
    else:
        for name, found in results.items():
            for item in found:
                print(f"{show(name)}/SKILL.md:{item.line}: {item.level}: {item.text}")
            print(f"{show(name)}: {sum(f.level == 'error' for f in found)} errors")
    bad = any(item.level == "error" for found in results.values() for item in found)
    return ERRORS if bad else CLEAN


if __name__ == "__main__":
    sys.exit(main())
