"""Two versions of a file as a unified diff, for people: one line a line, nothing hidden."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Final

from skillpm.model.text import safe

MAX_LINES: Final = 20_000
_WIDTH: Final = 2_000


def unified(path: str, old: bytes | None, new: bytes | None) -> list[str]:
    """The lines of a diff; [] when nothing differs.

    Characters that cannot be seen or that steer a terminal are written as escapes, so that a
    change that is made of them shows.

    Args:
        path: what the file is called; made safe here.
        old: its bytes before; None when it was not there.
        new: its bytes after; None when it is gone.
    """
    if old == new:
        return []
    name = safe(path)
    head = [f"--- {name}" if old is not None else "--- (new)",
            f"+++ {name}" if new is not None else "+++ (gone)"]  # fmt: skip
    before, after = _lines(old), _lines(new)
    if before is None or after is None:
        return [*head, f"binary: {len(old or b'')} -> {len(new or b'')} bytes"]
    if max(len(before), len(after)) > MAX_LINES:
        return [*head, f"too long to show: {len(before)} -> {len(after)} lines"]
    return [*head, *_hunks(before, after)]


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    for line in list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]:
        yield safe(line[:_WIDTH])
        for at in range(_WIDTH, len(line), _WIDTH):  # nothing hides at the end of a long line
            yield f"{line[0]}… {safe(line[at : at + _WIDTH])}"


def _lines(data: bytes | None) -> list[str] | None:
    """The lines of a text, ends of line and a missing last one included; None for no text."""
    if not data:
        return []
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last} (no end of line)"] if last else lines
