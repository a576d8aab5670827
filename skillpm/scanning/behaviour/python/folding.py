"""Works out texts and constants as Python would, within bounds, and nothing else.

Every function is total: what cannot be worked out, or would grow, is MISSING or no text at all.
"""

from __future__ import annotations

import ast
import lzma
import operator
import re
import string
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, MAX_SOURCE, MAX_TEXT
from skillpm.scanning.behaviour.python.values import (
    CODES,
    JOINED,
    MISSING,
    NOTHING,
    RANDOM,
    SECRET,
    Flow,
    Value,
    both,
    constant,
    flow_of,
    known,
    one_of,
    spliced,
    text,
    texts,
)

_MAX_BITS: Final = 200_000
_CODING_ERRORS: Final = (ValueError, TypeError, KeyError, LookupError, OverflowError, EOFError,
                         zlib.error, lzma.LZMAError, OSError, MemoryError)  # fmt: skip

_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Sub: operator.sub,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.RShift: operator.rshift,
}
_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _small(value: object, bits: int = _MAX_BITS) -> bool:
    return isinstance(value, int) and value.bit_length() <= bits


def arithmetic(kind: type[ast.operator], left: Any, right: Any) -> Any:
    """The result of an operator on two constants, or MISSING."""
    if kind is ast.Add:
        return _sum(left, right)
    if kind is ast.Mult:
        return _repeated(left, right)
    if not (_small(left) and _small(right)):
        return MISSING
    try:
        if kind is ast.LShift:
            return left << right if _small(left, 512) and 0 <= right <= 512 else MISSING
        if kind is ast.Pow:
            return left**right if _small(left, 16) and 0 <= right <= 64 else MISSING
        worked = _OPERATORS.get(kind)
        return worked(left, right) if worked else MISSING
    except (ArithmeticError, ValueError, TypeError):
        return MISSING


def _sum(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return left + right if _small(left) and _small(right) else MISSING
    same = type(left) is type(right) and isinstance(left, str | bytes | tuple)
    return left + right if same and len(left) + len(right) <= MAX_TEXT else MISSING


def _repeated(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, str | bytes | tuple):
        left, right = right, left
    if isinstance(left, str | bytes | tuple) and isinstance(right, int):
        return left * right if len(left) * max(right, 0) <= MAX_TEXT else MISSING
    return left * right if _small(left, 512) and _small(right, 512) else MISSING


def compared(kind: type[ast.cmpop], left: Any, right: Any) -> Any:
    """Whether two constants stand in a relation, or MISSING."""
    worked = _COMPARISONS.get(kind)
    if worked is None or left is MISSING or right is MISSING:
        return MISSING
    if not (_small(left) and _small(right)) and not (
        isinstance(left, str) and isinstance(right, str)
    ):
        return MISSING
    return worked(left, right)


def glued(left: Value, right: Value) -> Value:
    """Two texts one after the other, or two lists."""
    flow = both(left.flow, right.flow)
    if left.const is not MISSING and right.const is not MISSING:
        whole = _sum(left.const, right.const)
        if whole is not MISSING:
            if isinstance(whole, str) and left.const[-1:].isalnum() and right.const[:1].isalnum():
                flow = flow.plus(JOINED)
            return constant(whole, flow)
    if left.items is not None and right.items is not None:
        return Value("", MISSING, (), flow, (left.items + right.items)[: MAX_TEXT // 4])
    return Value("", MISSING, spliced((left, right)), flow)


def joined_path(parts: Sequence[Value], name: str = "") -> Value:
    """The parts of a path put together; what begins at the root starts anew."""
    flow = flow_of(parts)
    if not any(known(part) for part in parts):
        return Value(name, MISSING, (), flow)
    whole = parts[0]
    for part in parts[1:]:
        options = [_under(base, below) for base in texts(whole)[:6] for below in texts(part)[:12]]
        whole = text(*dict.fromkeys(options))
    return Value(name, MISSING, texts(whole), flow)


def _under(base: str, below: str) -> str:
    if below.startswith("/") or base in ("", "."):
        return below or base
    return (base if base.endswith("/") else base + "/") + below.removeprefix("./")


def parent(path: str) -> str:
    """The folder of a path."""
    if path in (".", "..") or path.endswith("/.."):
        return ".." if path == "." else path + "/.."
    head, slash, _ = path.rstrip("/").rpartition("/")
    return head or (slash or ".")


def leaf(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def filled(template: str, values: Sequence[Value], named: dict[str, Value]) -> list[Value]:
    """The pieces of a `str.format` template with its arguments put in."""
    pieces: list[Value] = []
    count = 0
    try:
        for literal, name, _, _ in string.Formatter().parse(template):
            if literal:
                pieces.append(constant(literal))
            if name is None:
                continue
            key = re.split(r"[.\[]", name, maxsplit=1)[0]
            if not key or key.isdigit():
                number, count = int(key[:4] or count), count + 1
                held = values[number] if number < len(values) else NOTHING
            else:
                held = named.get(key, NOTHING)
            pieces.append(held if name == key else Value("", MISSING, (), held.flow))
    except ValueError:
        return [constant(template)]
    return pieces


def character(code: Value) -> Value:
    """The letter of a code."""
    number = code.const
    if isinstance(number, int) and 0 <= number < 0x110000 and not 0xD800 <= number < 0xE000:
        return constant(chr(number), code.flow.plus(CODES))
    return code if isinstance(number, str) else Value("", MISSING, (), code.flow)


_PERCENT: Final = regex(r"%(?:\((\w{1,80})\))?[-+ #0-9.*]{0,8}[a-zA-Z]|%%")


def percent(template: str, given: Value) -> list[Value]:
    """The pieces of a `%` template with what it is given put in."""
    values = list(given.items) if given.items is not None else [given]
    if isinstance(given.const, tuple):
        values = [constant(item, given.flow) for item in given.const]
    pieces: list[Value] = []
    at = count = 0
    for match in _PERCENT.finditer(template):
        pieces.append(constant(template[at : match.start()]))
        at = match.end()
        if match[0] == "%%":
            pieces.append(constant("%"))
        elif match[1]:
            pieces.append((given.fields or {}).get(match[1], NOTHING))
        else:
            held = values[count] if count < len(values) else NOTHING
            pieces.append(character(held) if match[0][-1] == "c" else held)
            count += 1
    pieces.append(constant(template[at:]))
    return pieces


def joined_by(separator: Value, parts: Sequence[Value]) -> Value:
    """What `str.join` makes of the parts."""
    flow = flow_of((separator, *parts))
    gap = separator.const
    if isinstance(gap, str | bytes) and all(type(part.const) is type(gap) for part in parts):
        whole = gap.join(part.const for part in parts)
        short = not gap and len(parts) > 2 and len(whole) <= 2.5 * len(parts)
        mark = CODES if short else 0 if gap else JOINED
        return constant(whole[:MAX_SOURCE], flow.plus(mark) if mark else flow)
    if len(parts) > 200:
        return Value("", MISSING, (), flow)
    pieces: list[Value] = []
    for part in parts:
        pieces.extend((separator, part))
    return Value("", MISSING, spliced(pieces[1:]), flow)


# Methods of texts and bytes whose result is never longer than what goes in.
_SAFE: Final = frozenset(
    {
        *("lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "title"),
        *("swapcase", "capitalize", "removeprefix", "removesuffix", "partition", "rpartition"),
        *(
            "casefold",
            "decode",
            "encode",
            "hex",
            "startswith",
            "endswith",
            "find",
            "index",
            "count",
        ),
        *("isalpha", "isdigit"),
    }
)
_ON_TEXTS: Final = frozenset({"lower", "upper", "strip", "lstrip", "rstrip", "casefold", "replace"})
_SAME: Final = frozenset({"encode", "decode", "expanduser", "resolve", "absolute", "as_posix",
                          "expandvars", "copy", "__str__", "tolist"})  # fmt: skip


def method(receiver: Value, name: str, given: Sequence[Value]) -> Value | None:
    """What a method of a text or of bytes gives; None when that is not known."""
    if name in _SAME and not isinstance(receiver.const, bytes):
        return receiver
    if isinstance(receiver.const, str | bytes | int):
        return _method_of_constant(receiver, name, given)
    if name in _ON_TEXTS and receiver.options:
        arguments = [item.const for item in given]
        if all(isinstance(item, str) and HOLE not in item for item in arguments):
            options = [_call(option, name, arguments) for option in receiver.options]
            kept = [option for option in options if isinstance(option, str)]
            return text(*dict.fromkeys(kept), flow=receiver.flow) if kept else None
    return None


def _method_of_constant(receiver: Value, name: str, given: Sequence[Value]) -> Value | None:
    arguments = [item.const for item in given]
    if any(item is MISSING for item in arguments):
        return None
    flow = both(receiver.flow, flow_of(given))
    whole = receiver.const
    if isinstance(whole, str) and name == "encode":
        return Value("", _call(whole, name, []), (), flow)
    result = _call(whole, name, arguments)
    if result is MISSING:
        return None
    if isinstance(result, list):
        result = tuple(result)
    if name == "replace" and result != whole and not arguments[1] and whole.count(arguments[0]) > 1:
        flow = flow.plus(JOINED)
    hidden = name == "to_bytes" or (name == "translate" and result != whole)
    return constant(result, flow.plus(CODES) if hidden else flow)


def _call(whole: Any, name: str, arguments: list[Any]) -> Any:
    grows = name == "replace" and len(arguments) >= 2 and isinstance(arguments[1], str | bytes)
    bytes_of = (
        name == "to_bytes" and isinstance(whole, int) and arguments and _small(arguments[0], 16)
    )
    table = name == "translate" and isinstance(whole, str) and len(whole) <= MAX_TEXT
    if not (name in _SAFE or grows or bytes_of or table):
        return MISSING
    try:
        if grows and len(whole) + whole.count(arguments[0]) * len(arguments[1]) > MAX_TEXT:
            return MISSING
        if table and not isinstance(arguments[0], dict):
            return MISSING
        if bytes_of:
            return whole.to_bytes(arguments[0], "little" if "little" in arguments[1:] else "big")
        return getattr(whole, name)(*arguments)
    except (*_CODING_ERRORS, AttributeError):
        return MISSING


def sliced(value: Value, lower: Any, upper: Any, step: Any) -> Value:
    """A part of a text, list or tuple; a few characters of a secret are no secret."""
    bounds = (lower, upper, step)
    exact = all(part is None or isinstance(part, int) for part in bounds)
    whole = value.const
    if exact and isinstance(whole, str | bytes | tuple | range) and 0 not in bounds[2:]:
        part = whole[slice(*bounds)]
        backwards = step == -1 and isinstance(whole, str) and len(whole) > 3
        return constant(part, value.flow.plus(CODES) if backwards else value.flow)
    if exact and value.items is not None and 0 not in bounds[2:]:
        return Value(value.name, MISSING, (), value.flow, value.items[slice(*bounds)])
    if step == -1 and lower is None and upper is None:
        backwards_options = tuple(option[::-1] for option in value.options)
        return Value("", MISSING, backwards_options, value.flow.plus(CODES))
    few = (isinstance(upper, int) and 0 <= upper <= 12) or (
        isinstance(lower, int) and -12 <= lower < 0
    )
    return Value(
        "",
        MISSING,
        (),
        value.flow.but(SECRET) if few and value.flow.labels & SECRET else value.flow,
        None,
        None,
        value.thing,
    )


def characters(codes: Sequence[Value]) -> Value:
    """What `bytes([...])` or `bytearray` makes of numbers."""
    numbers = [code.const for code in codes]
    if numbers and all(isinstance(number, int) and 0 <= number < 256 for number in numbers):
        zeros = RANDOM if not any(numbers) else 0
        return Value("", bytes(numbers), (), flow_of(codes).plus(CODES | zeros))
    return Value("", MISSING, (), flow_of(codes))


def any_of(values: Sequence[Value], flow: Flow) -> Value:
    """One value out of several, chosen by something of the given flow."""
    found = one_of(values)
    return Value(
        found.name,
        found.const,
        found.options,
        both(found.flow, flow),
        found.items,
        found.fields,
        found.thing,
    )
