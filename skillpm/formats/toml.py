"""TOML as we write it: the smallest spelling of a value that reads back as the same value.

Format: <https://toml.io/en/v1.0.0>. Every value of a key stands on one line, except lists that are
asked to have a line for each item. Whatever is invisible or active in a text is escaped, so that
a person who reads a difference sees what is there.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from typing import Any, Final

MAX_DEPTH: Final = 16

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Not "Cn": what is unassigned today gets a meaning tomorrow, and the same lock other bytes.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Co", "Zl", "Zp"})


def pair(key: str, value: Any) -> str:
    """One line `key = value`.

    Raises:
        ValueError: as `inline`.
    """
    return f"{_key(key)} = {inline(value)}\n"


def listed(key: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """A list of tables with a line for each of them, so that a change of one is one line.

    Raises:
        ValueError: as `inline`.
    """
    lines = "".join(f"  {inline(row)},\n" for row in rows)
    return f"{_key(key)} = [\n{lines}]\n"


def inline(value: Any, depth: int = 0) -> str:
    """A value in one line; tables with their keys in the order given.

    Raises:
        ValueError: TOML has no such value, a text holds half a surrogate pair, or it is nested
            deeper than `MAX_DEPTH`.
    """
    if depth > MAX_DEPTH:
        raise ValueError("it is nested too deeply")
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return str(value)
        case float():
            return repr(value) if math.isfinite(value) else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case dict():
            items = (f"{_key(key)} = {inline(item, depth + 1)}" for key, item in value.items())
            return f"{{ {', '.join(items)} }}" if value else "{}"
        case list() | tuple():
            return f"[{', '.join(inline(item, depth + 1) for item in value)}]"
    raise ValueError(f"TOML has no value like a {type(value).__name__}")


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _text(text)


def _text(text: str) -> str:
    return f'"{"".join(map(_char, text))}"'


def _char(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if " " <= char <= "~":
        return char
    category = unicodedata.category(char)
    if category == "Cs":
        raise ValueError("a text holds half a surrogate pair")
    if category not in _HIDDEN:
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
