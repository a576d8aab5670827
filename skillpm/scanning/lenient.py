"""Configuration as agents and editors read it: JSON with comments, and simple front matter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.regex import regex

MAX_TEXT: Final = 2_000_000
MAX_NODES: Final = 20_000
MAX_DEPTH: Final = 60

_TOKEN: Final = regex(r'"(?:[^"\\\n]|\\.){0,100000}"|//[^\n]{0,100000}|/\*|,(\s{0,1000}[\]}])')
_KEY: Final = regex(r"^([A-Za-z_][\w.-]{0,80})[ \t]{0,20}:[ \t]{0,20}(.{0,20000})$")


def load_json(text: str) -> Any:
    """The value of a JSON text, comments and trailing commas forgiven; None when it is none."""
    source = text[:MAX_TEXT].lstrip("\ufeff")
    try:
        return json.loads(source)
    except RecursionError:
        return None
    except ValueError:
        pass
    try:
        return json.loads(_without_comments(source), strict=False)
    except (ValueError, RecursionError):
        return None


def walk(value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value with its path, containers too; bounded in number and depth."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), value)]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        path, one = waiting.pop()
        yield path, one
        if len(path) >= MAX_DEPTH:
            continue
        inner = _items(one)
        waiting.extend((((*path, key), item) for key, item in reversed(inner)))


def table(value: Any, *keys: str) -> dict[str, Any]:
    """The object at a path of keys; empty when there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> list[str]:
    """A text as a list of one, a list's texts, else nothing."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def place(text: str, *words: str) -> tuple[int, int]:
    """Where the last of the words stands after the others: as written, or as JSON writes it.

    The start of the text when it is not there.
    """
    at, found = 0, (0, 0)
    for word in words:
        for spelled in (word, json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1]):
            start = text.find(spelled, at) if spelled else -1
            if start >= 0:
                found = (start, start + len(spelled))
                at = start
                break
    return found


def front_matter(text: str) -> dict[str, tuple[str, int]]:
    """The top-level keys of a document's front matter: the text under each, and where it begins.

    A value over several lines (a block, a list, a nested mapping) is joined with its line breaks.
    """
    lines = text[:100_000].lstrip("\ufeff").split("\n")
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, tuple[str, int]] = {}
    key, at = "", len(text[:1].replace("\ufeff", "x")) if text.startswith("\ufeff") else 0
    for number, line in enumerate(lines):
        if number and line.rstrip() == "---":
            return found
        match = _KEY.match(line.rstrip()) if number else None
        if match:
            key = match[1]
            found.setdefault(key, (match[2], at))
        elif key and number:
            value, start = found[key]
            found[key] = (f"{value}\n{line.rstrip()}", start)
        at += len(line) + 1
    return {}


def _items(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(str(key), item) for key, item in value.items()]
    if isinstance(value, list):
        return [(str(number), item) for number, item in enumerate(value)]
    return []


def _without_comments(source: str) -> str:
    parts: list[str] = []
    at = 0
    while True:
        found = _TOKEN.search(source, at)
        if not found:
            return "".join((*parts, source[at:]))
        parts.append(source[at : found.start()])
        at = found.end()
        if found[0].startswith('"'):
            parts.append(found[0])
        elif found[0].startswith(","):
            parts.append(found[1])
        elif found[0] == "/*":
            end = source.find("*/", at)
            at = end + 2 if end >= 0 else len(source)
