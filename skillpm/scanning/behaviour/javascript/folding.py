"""Computes what operators and methods make of texts and numbers that are known."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, MAX_TEXT, Carries
from skillpm.scanning.behaviour.javascript.things import (
    MAX_ITEMS,
    Items,
    Number,
    Record,
    Thing,
    number_of,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, join, origin

_ESCAPE: Final = regex(
    r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|(\r?\n)|(.))", re.DOTALL
)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_PLAIN_PATTERN: Final = regex(r"(?:[^\\^$.|?*+(){}\[\]]|\\[^\w\s]|\[[^\]\\]{1,40}\]\+?|\\s\+?)+\Z")
_REGEX: Final = regex(r"/(.*)/([a-z]*)\Z", re.DOTALL)


def unescape(text: str) -> tuple[str, bool]:
    """What the escapes in a string literal spell, and whether they hide letters."""
    hidden = 0

    def character(found: re.Match[str]) -> str:
        nonlocal hidden
        digits = found[1] or found[2] or found[3]
        if not digits:
            return "" if found[4] else _LETTERS.get(found[5], found[5])
        code = int(digits, 16)
        char = chr(code) if code < 0x110000 else HOLE
        hidden += char.isascii() and char.isalnum()
        return char

    said = _ESCAPE.sub(character, text)
    return said, hidden > 1


def added(values: Sequence[Value]) -> Value:
    """Texts joined with `+` or in a template; remembers a seam in the middle of a word."""
    whole = join(values) if values else Value()
    if whole.joined:
        return whole
    last = ""
    for value in values:
        text = value.text
        if last.isalpha() and text[:1].isalpha() and last.isascii() and text[0].isascii():
            return whole._replace(joined=True)
        last = text[-1:] or last
    return whole


_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: int(a) ^ int(b),
    "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b),
    "<<": lambda a, b: (int(a) << (int(b) & 31)) & 0xFFFFFFFF,
    ">>": lambda a, b: int(a) >> (int(b) & 31),
    ">>>": lambda a, b: (int(a) & 0xFFFFFFFF) >> (int(b) & 31),
}


def computed(operator: str, left: Thing, right: Thing) -> Thing | None:
    """The number that an operator makes of two; None when that is not known."""
    first, second = _amount(left), _amount(right)
    operation = _ARITHMETIC.get(operator)
    if first is None or second is None or operation is None:
        return None
    if operator in "/%" and not second:
        return None
    return Number(operation(first, second)) if max(abs(first), abs(second)) < 1e15 else None


def _amount(thing: Thing) -> float | None:
    if isinstance(thing, Number):
        return thing.amount
    number = number_of(thing)
    return None if number is None else float(number)


def characters(numbers: Sequence[Thing], source: Value | None = None) -> Value:
    """What `String.fromCharCode` makes of numbers."""
    codes = [number_of(thing) for thing in numbers[:MAX_ITEMS]]
    flows = [thing for thing in numbers if isinstance(thing, Value)] + ([source] if source else [])
    if not codes or any(code is None for code in codes):
        return origin(flows).carrying(Carries.BUILT) if len(codes) > 1 else origin(flows)
    text = "".join(chr(code & 0xFFFF) for code in codes if code is not None)
    whole = origin(flows, text)
    return whole.carrying(Carries.BUILT) if text.strip() else whole


def bytes_of(thing: Thing, encoding: str = "utf8") -> bytes | None:
    """The bytes of a text in an encoding, or of an array of numbers."""
    if isinstance(thing, Items):
        codes = [number_of(item) for item in thing.items]
        if thing.rest.text or thing.rest.carries or any(code is None for code in codes):
            return None
        return bytes((code or 0) & 0xFF for code in codes)
    if not isinstance(thing, Value) or not thing.known:
        return None
    text = thing.text
    try:
        if encoding in ("base64", "base64url"):
            packed = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
            return base64.b64decode(packed + "=" * (-len(packed) % 4))
        if encoding == "hex":
            return bytes.fromhex(text)
        return text.encode("latin-1" if encoding in ("binary", "latin1", "ascii") else "utf-8")
    except ValueError:
        return None


def readable(data: bytes) -> str:
    """Bytes as a text."""
    try:
        return data[:MAX_TEXT].decode("utf-8")
    except UnicodeDecodeError:
        return data[:MAX_TEXT].decode("latin-1")


def string_method(name: str, value: Value, arguments: Sequence[Thing]) -> Thing | None:
    """What a method makes of a text that is known; None when that is not known."""
    method = _STRINGS.get(name)
    if method is None or len(value.text) > MAX_TEXT:
        return None
    return method(value, arguments)


def _split(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    separator = arguments[0] if arguments else None
    if separator is None or not isinstance(separator, Value) or not separator.known:
        return None
    text = separator.text
    regex = _REGEX.match(text) if len(text) > 1 else None
    if regex and regex[1]:
        return Items([], value.saying(HOLE))
    parts = value.text.split(text)[:MAX_ITEMS] if text and text != "//" else list(value.text)
    return Items([value.saying(part) for part in parts[:MAX_ITEMS]])


def _slice(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    start = number_of(arguments[0]) if arguments else 0
    end = number_of(arguments[1]) if len(arguments) > 1 else len(value.text)
    return None if start is None or end is None else _piece(value, value.text[start:end])


def _substring(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    start = number_of(arguments[0]) if arguments else 0
    end = number_of(arguments[1]) if len(arguments) > 1 else len(value.text)
    if start is None or end is None:
        return None
    low, high = sorted((max(start, 0), max(end, 0)))
    return _piece(value, value.text[low:high])


def _substr(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    start = number_of(arguments[0]) if arguments else 0
    length = number_of(arguments[1]) if len(arguments) > 1 else len(value.text)
    if start is None or length is None:
        return None
    start = max(start + len(value.text), 0) if start < 0 else start
    return _piece(value, value.text[start : start + max(length, 0)])


def _piece(value: Value, text: str) -> Value:
    return value.saying(text)._replace(joined=True)


def _char_at(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    at = number_of(arguments[0]) if arguments else 0
    return None if at is None else _piece(value, value.text[at : at + 1] if at >= 0 else "")


def _code_at(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    at = number_of(arguments[0]) if arguments else 0
    if at is None or not 0 <= at < len(value.text):
        return None
    return Number(ord(value.text[at]))


def _replace(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    return _replaced(value, arguments, every=False)


def _replace_all(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    return _replaced(value, arguments, every=True)


def _replaced(value: Value, arguments: Sequence[Thing], *, every: bool) -> Thing | None:
    if len(arguments) < 2 or not all(isinstance(a, Value) and a.known for a in arguments[:2]):
        return None
    wanted, given = text_of(arguments[0]), text_of(arguments[1])
    regex = _REGEX.match(wanted) if len(wanted) > 2 else None
    if regex is None:
        return value.saying(value.text.replace(wanted, given, -1 if every else 1))
    if not _PLAIN_PATTERN.match(regex[1]) or len(regex[1]) > 80:
        return None
    try:
        pattern = re.compile(regex[1], re.IGNORECASE if "i" in regex[2] else 0)
    except re.error:
        return None
    count = 0 if "g" in regex[2] or every else 1
    return _piece(value, pattern.sub(lambda _: given, value.text, count=count))


def _repeat(value: Value, arguments: Sequence[Thing]) -> Thing | None:
    times = number_of(arguments[0]) if arguments else None
    if times is None or times < 0 or times * len(value.text) > MAX_TEXT:
        return None
    return value.saying(value.text * times)


_STRINGS: Final[dict[str, Callable[[Value, Sequence[Thing]], Thing | None]]] = {
    "split": _split,
    "slice": _slice,
    "substring": _substring,
    "substr": _substr,
    "charAt": _char_at,
    "at": _char_at,
    "charCodeAt": _code_at,
    "codePointAt": _code_at,
    "replace": _replace,
    "replaceAll": _replace_all,
    "repeat": _repeat,
    "trim": lambda value, _: value.saying(value.text.strip()),
    "trimStart": lambda value, _: value.saying(value.text.lstrip()),
    "trimEnd": lambda value, _: value.saying(value.text.rstrip()),
    "toLowerCase": lambda value, _: value.saying(value.text.lower()),
    "toUpperCase": lambda value, _: value.saying(value.text.upper()),
    "concat": lambda value, arguments: added(
        [value, *(a if isinstance(a, Value) else Value(text_of(a) or HOLE) for a in arguments)]
    ),
}


def joined(items: Items, separator: str) -> Value:
    """What `join` makes of an array; remembers when that puts a word together from letters."""
    values = [
        item
        if isinstance(item, Value)
        else Value(item.text)
        if isinstance(item, Number)
        else UNKNOWN
        for item in items.items
    ]
    if items.rest.text or items.rest.carries:
        values.append(items.rest)
    whole = join(values, separator) if values else Value()
    pieces = len(values) > 2 and sum(len(value.text) for value in values) <= 3 * len(values)
    hidden = items.reversed or (not separator and pieces and whole.known and whole.text.strip())
    return whole.carrying(Carries.BUILT) if hidden and whole.known else whole


def decoded_uri(value: Value) -> Value:
    """What `decodeURIComponent` or `unescape` makes of a text."""
    said = unquote(value.text)
    letters = re.findall(r"%(?:[46][1-9a-f]|[57][0-9a])", value.text, re.IGNORECASE)
    changed = value.saying(said)
    return changed.carrying(Carries.DECODED) if len(letters) > 3 else changed


def option(thing: Thing | None, name: str) -> Thing | None:
    """A field of an options object."""
    return thing.fields.get(name) if isinstance(thing, Record) else None
