"""The opener for notebooks: each cell is a file of its own language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.parts import Budget, Found, Note, text_part

_MAX_NOTEBOOK: Final = 10_000_000
_SUFFIXES: Final = {
    "python": "py", "python3": "py", "javascript": "js", "typescript": "ts", "bash": "sh",
    "sh": "sh", "shell": "sh", "ruby": "rb", "perl": "pl", "lua": "lua", "powershell": "ps1",
    "html": "html", "svg": "svg", "js": "js", "script": "sh", "system": "sh", "sx": "sh",
    "cmd": "bat",
}  # fmt: skip
_MAGIC: Final = regex(r"%%(?:script[ \t]{1,8})?(\w{1,20})")
_COMMAND: Final = regex(
    r"^([ \t]{0,80})(?:\w{1,40}[ \t]{0,4}=[ \t]{0,4})?(?:!{1,2}|%sx[ \t]|%system[ \t])(.{0,4000})$"
)
_LENT: Final = regex(
    r"^[ \t]{0,80}(?:\w{1,40}[ \t]{0,4}=[ \t]{0,4})?!{1,2}.{0,2000}"
    r"(?:\{[a-z_]\w{0,60}[^{}\n]{0,80}\}|\$[a-z_]\w{0,60})",
    re.MULTILINE,
)
_DOLLAR: Final = regex(r"\$\{?([a-z_]\w{0,60})\}?")
_ACTIVE: Final = regex(r"<script\b|javascript:|<iframe\b|\bon(?:load|error)\s{0,4}=", re.IGNORECASE)
_REACHES: Final = regex(
    r"fetch\(|XMLHttpRequest|sendBeacon|eval\(|document\.cookie|kernel\.execute|Jupyter\.|<iframe[^>]{0,200}src",
    re.IGNORECASE,
)


def open_notebook(data: bytes, budget: Budget) -> Iterator[Found]:
    """The cells of a notebook as texts, and active content in its outputs."""
    try:
        book = json.loads(data[:_MAX_NOTEBOOK].decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return
    suffix = _SUFFIXES.get(_language(book), "py")
    whole: list[str] = []
    for number, cell in enumerate(_cells(book)):
        source = _joined(cell.get("source", cell.get("input")))
        if not budget.take(len(source)):
            yield Note("unscanned/archive-too-large", "a notebook")
            return
        yield from _cell(number + 1, str(cell.get("cell_type", "code")), source, suffix)
        if cell.get("cell_type") == "code" and not _MAGIC.match(source.lstrip()):
            whole.append(source)
        outputs = cell.get("outputs")
        for output in outputs[:100] if isinstance(outputs, list) else ():
            yield from _output(number + 1, output)
    text = "\n".join(whole)
    if suffix == "py" and _LENT.search(text) and budget.take(len(text)):
        yield text_part("cells.py", _as_python(text), "cell")


def _as_python(text: str) -> str:
    """All cells as one program, in which the shell's lines are told what Python's variables are."""
    return "\n".join(("import os as notebook", *map(_called, text.split("\n"))))


def _called(line: str) -> str:
    found = _COMMAND.match(line)
    if not found:
        return "pass" if line.startswith("%") else line
    command = _DOLLAR.sub(r"{\1}", found[2]).replace("\\", "\\\\").replace('"', '\\"')
    return f'{found[1]}notebook.system(f"{command}")'


def _cells(book: Any) -> list[dict[str, Any]]:
    if not isinstance(book, dict):
        return []
    sheets = book.get("worksheets")
    holders = [book, *(sheets if isinstance(sheets, list) else [])]
    return [
        cell
        for holder in holders
        if isinstance(holder, dict) and isinstance(holder.get("cells"), list)
        for cell in holder["cells"]
        if isinstance(cell, dict)
    ]


def _language(book: Any) -> str:
    about = book.get("metadata") if isinstance(book, dict) else None
    about = about if isinstance(about, dict) else {}
    for key, inner in (("kernelspec", "language"), ("language_info", "name")):
        value = about.get(key)
        if isinstance(value, dict) and isinstance(value.get(inner), str):
            return str(value[inner]).lower()
    return "python"


def _joined(source: Any) -> str:
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _cell(number: int, kind: str, source: str, suffix: str) -> Iterator[Found]:
    if not source.strip():
        return
    if kind != "code":
        yield text_part(f"cell-{number}.md", source, "cell")
        return
    magic = _MAGIC.match(source.lstrip())
    if magic and magic[1] in _SUFFIXES:
        body = source.partition("\n")[2]
        yield text_part(f"cell-{number}.{_SUFFIXES[magic[1]]}", "\n" + body, "cell")
        return
    code, commands = _split(source)
    yield text_part(f"cell-{number}.{suffix}", code, "cell")
    if commands:
        yield text_part(f"cell-{number}.sh", commands, "cell")


def _split(source: str) -> tuple[str, str]:
    """The code with its shell lines passed over, and those lines; both with their line numbers."""
    code, commands = [], []
    for line in source.split("\n"):
        found = _COMMAND.match(line)
        magic = line.lstrip().startswith("%")
        code.append(f"{found[1]}pass" if found else "pass" if magic else line)
        commands.append(found[2] if found else line.lstrip()[1:] if magic else "")
    return "\n".join(code), "\n".join(commands) if any(commands) else ""


def _output(number: int, output: Any) -> Iterator[Found]:
    data = output.get("data") if isinstance(output, dict) else None
    for kind in ("text/html", "image/svg+xml", "application/javascript"):
        text = _joined(data.get(kind)) if isinstance(data, dict) else ""
        active = kind.endswith("javascript") or _ACTIVE.search(text)
        if text and active:
            rule = "files/active-output" if _REACHES.search(text) else "files/script-in-output"
            yield Note(rule, f"cell {number}")
            return
