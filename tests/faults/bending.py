"""Good bytes made bad: a table of what nobody would write, and changes by a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

_ESCAPE: Final = "\x1b]0;title\x07\x1b[31m"
_BIDI: Final = "\u202eevil\u2066"
_MERGE: Final = b"<<<<<<< HEAD\n%b=======\n%b>>>>>>> main\n"

WRITTEN: Final[Mapping[str, bytes]] = {
    "nothing": b"",
    "a NUL": b"\0",
    "a lone mark": b"\xff\xfe",
    "a page": b"<!DOCTYPE html><html><title>Sign in</title></html>",
    "an object": b"{}",
    "a list": b"[]",
    "null": b"null",
    "a number": b"7",
    "not a number": b'{"version": NaN, "skills": Infinity}',
    "a list that never ends": b"[" * 99_999,
    "an object that never ends": b'{"a":' * 20_000,
    "a table that never ends": b"a" + b".a" * 20_000 + b" = 1\n",
    "a value that never ends": b"a = " + b"[" * 20_000,
    "a header that never ends": b"---\nname: x\n" + b"a: " * 20_000,
    "a header of lists": b"---\nname: x\ndescription: " + b"[" * 9_000 + b"\n---\n",
    "a number without end": b'{"version": ' + b"9" * 9_000 + b"}",
    "a number without end, as TOML": b"version = " + b"9" * 9_000,
    "a huge exponent": b'{"version": 1e99999, "skills": {}}',
    "a date that is none": b"version = 1979-13-45T99:99:99Z\n",
    "a lone surrogate": b'{"name": "\\ud800", "skills": {"\\udfff": {"source": "\\ud800"}}}',
    "a lone surrogate, raw": b"\xed\xa0\x80",
    "keys that stand twice": b'{"version": 1, "version": 2, "skills": {}, "skills": []}',
    "a key that stands twice": b"version = 1\nversion = 2\n",
    "an alias": b"---\nname: &a x\ndescription: *a\nb: &b [*b]\n---\n",
    "six megabytes": b"x" * 6_000_000,
    "a million lines": b"\n" * 1_000_000,
    "a path as a name": b'{"skills": {"../../x": {"source": "/etc/passwd"}}}',
    "an escape": f"[{json.dumps(_ESCAPE)}]\n# {_ESCAPE}\n".encode(),
}
"""What is malformed wherever it stands."""

_VALUES: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 10**400, 2**63, 1e308, "", "x" * 70_000, "\0", "\ud800", _ESCAPE, _BIDI,
    "../../x", "/etc/passwd", "file:///etc/passwd", "https://127.0.0.1/x", "-x", "ext::sh -c x",
    "git@h:x", "con", "a/b", "https://u:p@h.example/x", "0" * 64, [], {}, [[[[[]]]]],
    {"a": {"b": {}}},
)  # fmt: skip
_PIECES: Final = tuple(
    piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
    for piece in (
        b"\0", b"\xff", b"\xed\xa0\x80", _ESCAPE, _BIDI, "\u2028", "\ufeff", "\x85", '"', "'", "[",
        "{", "]", "}", ",", ":", "=", "#", "\n", "\r", "\t", "---\n", "[[skill]]\n", "../", "&a ",
        "*a", "!!python/object ", "[" * 3_000, "9" * 5_000, "\\ud800", "1e999", "-", "null",
        "PK\x03\x04", "PK\x05\x06", "\x1f\x8b",
    )
)  # fmt: skip


def bent(good: bytes, seed: int) -> bytes:
    """Good bytes after one to three changes; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a game of chance
    data = good
    for _ in range(chance.randint(1, 3)):
        data = chance.choice(_BENDS)(data, chance)
    return data


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8) if data else 0):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _span(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.randint(0, max(len(data) // 3, 1)))


def _cut(data: bytes, chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _end(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _double(data: bytes, chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 50)) + data[end:]


def _insert(data: bytes, chance: random.Random) -> bytes:
    start = chance.randint(0, len(data))
    return data[:start] + chance.choice(_PIECES) + data[start:]


def _exchange(data: bytes, chance: random.Random) -> bytes:
    """Another value in place of one: of JSON wherever it stands, else of a line's end."""
    value = chance.choice(_VALUES)
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return _exchange_line(data, value, chance)
    return json.dumps(_with(whole, value, chance)).encode()


def _with(whole: Any, value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.15 or not whole or not isinstance(whole, dict | list):
        return value
    if isinstance(whole, list):
        at = chance.randrange(len(whole))
        return [*whole[:at], _with(whole[at], value, chance), *whole[at + 1 :]]
    key = chance.choice(sorted(whole))
    name = str(value) if chance.random() < 0.2 else key
    return {k: v for k, v in whole.items() if k != key} | {name: _with(whole[key], value, chance)}


def _exchange_line(data: bytes, value: Any, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    for mark in (b" = ", b": ", b" "):
        head, found, _ = lines[at].partition(mark)
        if found:
            written = json.dumps(value) if chance.random() < 0.5 else str(value)
            lines[at] = head + mark + written.encode("utf-8", "surrogatepass")
            break
    return b"\n".join(lines)


def _merge(data: bytes, chance: random.Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + _MERGE % (data[start:end], data[start:end]) + data[end:]


def _encode(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    coding = chance.choice(("utf-16", "utf-32", "utf-16-be", "utf-7", "cp500"))
    return text.encode(coding, "replace")


_BENDS: Final[tuple[Callable[[bytes, random.Random], bytes], ...]] = (
    _flip, _cut, _end, _double, _insert, _insert, _exchange, _exchange, _exchange, _merge, _encode,
)  # fmt: skip
