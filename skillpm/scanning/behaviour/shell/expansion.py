"""What words become: parameters, substitutions and braces expanded, split into fields."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries
from skillpm.scanning.behaviour.shell.grammar import (
    Channel,
    Literal,
    Output,
    Parameter,
    Piece,
    Statement,
    Word,
)
from skillpm.scanning.behaviour.shell.spelling import CLOSE, COMMA, OPEN
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, join, origin

MAX_FIELDS: Final = 200
MAX_PATTERN: Final = 60
MAX_TRIMMED: Final = 400
_SEQUENCE: Final = regex(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])\Z")
_RESTORE: Final = str.maketrans({OPEN: "{", COMMA: ",", CLOSE: "}"})


class Scope(Protocol):
    """What an expansion asks the machine for."""

    def parameter(self, name: str, index: str) -> Sequence[Value] | None:
        """The values of a variable; None when nothing in the script sets it."""
        ...

    def outside(self, name: str) -> Value:
        """What a variable is that nothing in the script sets."""
        ...

    def assign(self, name: str, value: Value) -> None:
        """Sets a variable."""
        ...

    def output(self, body: list[Statement]) -> Value:
        """What statements write to their standard output."""
        ...

    def channel(self, piece: Channel) -> Value:
        """The name of the file that stands for a process."""
        ...

    def literal(self, text: str) -> Value:
        """A text of the script that has a hole."""
        ...


def fields(words: Sequence[Word], scope: Scope) -> list[Value]:
    """The fields that words become, at most `MAX_FIELDS`."""
    found: list[Value] = []
    for word in words:
        if len(word.pieces) == 1 and type(piece := word.pieces[0]) is Literal:
            text = piece.text
            if HOLE not in text and OPEN not in text and not piece.coded:
                found.append(Value(text))
                continue
        found += _fields(word, scope)
        if len(found) >= MAX_FIELDS:
            break
    return found[:MAX_FIELDS]


def single(word: Word, scope: Scope) -> Value:
    """What a word becomes where it is not split: behind `=`, in a here-document."""
    values = [join(list(_values(piece, scope)), " ") for piece in word.pieces]
    if not values:
        return EMPTY
    whole = _marked(join(values), values)
    return whole.saying(whole.text.translate(_RESTORE)) if OPEN in whole.text else whole


def _fields(word: Word, scope: Scope) -> list[Value]:
    done: list[Value] = []
    current: list[Value] = []
    for piece in word.pieces:
        values = list(_values(piece, scope))
        if type(piece) is Literal or (getattr(piece, "quoted", True) and len(values) == 1):
            current += values
            continue
        parts = values if getattr(piece, "quoted", True) else _split(values)
        for number, part in enumerate(parts):
            if number and current:
                done.append(_marked(join(current), current))
                current = []
            if part.text or len(values) > 1:
                current.append(part)
            elif current and number < len(parts) - 1:
                done.append(_marked(join(current), current))
                current = []
    if current:
        done.append(_marked(join(current), current))
    if any(isinstance(piece, Parameter) and piece.name == "IFS" for piece in word.pieces):
        done = [field._replace(joined=True) for field in done]
    return [field for value in done for field in _braced(value)]


def _split(values: Sequence[Value]) -> list[Value]:
    """Values as fields; an empty one at either end stands for a blank there."""
    found: list[Value] = []
    for value in values:
        if not any(char.isspace() for char in value.text):
            found.append(value)
            continue
        parts = value.text.split()
        if value.text[:1].isspace():
            found.append(EMPTY)
        found += [value.saying(part) for part in parts[:MAX_FIELDS]]
        if value.text[-1:].isspace():
            found.append(EMPTY)
    return found


def _marked(whole: Value, parts: Sequence[Value]) -> Value:
    """The whole, joined when two parts meet between letters."""
    if whole.joined or len(parts) < 2:
        return whole
    last = ""
    for part in parts:
        text = part.text
        if not text:
            continue
        if last.isascii() and last.isalpha() and text[0].isascii() and text[0].isalpha():
            return whole._replace(joined=True)
        last = text[-1]
    return whole


def _values(piece: Piece, scope: Scope) -> Iterator[Value]:
    if isinstance(piece, Literal):
        value = scope.literal(piece.text) if HOLE in piece.text else Value(piece.text)
        yield value.carrying(Carries.BUILT) if piece.coded else value
    elif isinstance(piece, Parameter):
        yield from _parameter(piece, scope)
    elif isinstance(piece, Output):
        out = scope.output(piece.body)
        yield out.saying(out.text.rstrip("\n")) if out.text.endswith("\n") else out
    else:
        yield scope.channel(piece)


def _parameter(piece: Parameter, scope: Scope) -> Sequence[Value]:
    values = scope.parameter(piece.name, piece.index)
    if piece.sign == "#":
        known = values is not None and len(values) == 1 and values[0].known
        return [Value(str(len(values[0].text)))] if known and values else [UNKNOWN]
    if piece.sign == "!":
        values = _indirect(piece, values, scope)
    if piece.operator and piece.operator[-1] in "-=?+":
        return _default(piece, values, scope)
    if values is None:
        values = [scope.outside(piece.name)]
    if not piece.operator:
        return (
            _starred(values, scope) if piece.quoted and "*" in piece.name + piece.index else values
        )
    operands = [single(word, scope) for word in piece.operands]
    return [_changed(value, piece.operator, operands) for value in values]


def _starred(values: Sequence[Value], scope: Scope) -> Sequence[Value]:
    """`"$*"`: all in one, with the first character of `IFS` between them."""
    separators = scope.parameter("IFS", "")
    separator = separators[0].text[:1] if separators else " "
    whole = join(values, separator) if values else EMPTY
    return [whole if separator == " " else whole._replace(joined=True)]


def _indirect(
    piece: Parameter, values: Sequence[Value] | None, scope: Scope
) -> Sequence[Value] | None:
    """What `${!name}` names."""
    if not values or piece.index:
        return values
    pointer = values[0]
    if pointer.known and pointer.text.isidentifier():
        return scope.parameter(pointer.text, "") or [scope.outside(pointer.text)]
    return [origin([pointer])]


def _default(piece: Parameter, values: Sequence[Value] | None, scope: Scope) -> Sequence[Value]:
    """`${name:-word}` and its kin."""
    kind = piece.operator[-1]
    operand = single(piece.operands[0], scope) if piece.operands else EMPTY
    if kind == "+":
        return [operand]
    if kind == "?":
        if values is None:
            outside = scope.outside(piece.name)
            return [outside.saying("$" + piece.name)]
        return values
    if values is not None and any(value.text or value.carries for value in values):
        return values
    if kind == "=":
        scope.assign(piece.name, operand)
    if values is not None:
        return [operand]
    outside = scope.outside(piece.name)
    if outside.known or outside.carries:
        return [outside]
    return [operand if operand.text else outside]


def _changed(value: Value, operator: str, operands: Sequence[Value]) -> Value:
    """`${name#pattern}`, `${name/a/b}`, `${name:0:1}`, `${name^^}`."""
    if operator[0] == "@":
        return value
    if not value.known or not all(operand.known for operand in operands):
        return origin([value, *operands[1:]])
    texts = [operand.text for operand in operands] + ["", ""]
    if operator == ":":
        cut = _substring(value.text, texts[0], texts[1])
        return origin([Value(joined=True), value], cut)
    if operator[0] in "^,":
        return value.saying(value.text.upper() if operator[0] == "^" else value.text.lower())
    if operator[0] == "/":
        return origin([value, *operands[1:]], _replaced(value.text, operator, texts))
    return value.saying(_trimmed(value.text, operator, texts[0]))


def _substring(text: str, offset: str, length: str) -> str:
    try:
        start = int(offset.strip(" ()") or 0)
        stop = int(length) if length else len(text)
    except ValueError:
        return HOLE
    start = max(start + len(text), 0) if start < 0 else start
    return text[start:stop] if stop < 0 else text[start : start + stop]


def _pattern(pattern: str) -> re.Pattern[str] | None:
    if len(pattern) > MAX_PATTERN or pattern.count("*") > 3:
        return None
    try:
        return re.compile(fnmatch.translate(pattern).removesuffix("\\Z"))
    except re.error:
        return None


def _replaced(text: str, operator: str, texts: Sequence[str]) -> str:
    pattern = _pattern(texts[0])
    if not texts[0] or pattern is None or len(text) > MAX_TRIMMED * 5:
        return text if not texts[0] else HOLE
    return pattern.sub(lambda _: texts[1], text, count=0 if operator == "//" else 1)


def _trimmed(text: str, operator: str, pattern: str) -> str:
    """The text without the prefix (`#`) or suffix (`%`) that the pattern matches."""
    compiled = _pattern(pattern)
    if compiled is None or len(text) > MAX_TRIMMED:
        return HOLE
    lengths = range(len(text) + 1)
    for length in reversed(lengths) if len(operator) == 2 else lengths:
        if operator[0] == "#" and compiled.fullmatch(text, 0, length):
            return text[length:]
        if operator[0] == "%" and compiled.fullmatch(text, len(text) - length):
            return text[: len(text) - length]
    return text


def _braced(value: Value) -> list[Value]:
    if OPEN not in value.text:
        return [value]
    texts = list(_braces(value.text, 5))[:MAX_FIELDS]
    if len(texts) == 1:
        return [value.saying(texts[0])]
    return [Value(text, value.carries, value.variables, value.trail, joined=True) for text in texts]


def _braces(text: str, depth: int) -> Iterator[str]:
    """The texts that a brace expansion stands for, each with its marks taken away."""
    start = text.find(OPEN)
    parts, close = _alternatives(text, start) if start >= 0 else ([], -1)
    if not parts or depth == 0:
        yield text.translate(_RESTORE)
        return
    for tail in list(_braces(text[close + 1 :], depth - 1))[:MAX_FIELDS]:
        for part in parts[:MAX_FIELDS]:
            for inner in _braces(part, depth - 1):
                yield text[:start] + inner + tail


def _alternatives(text: str, start: int) -> tuple[list[str], int]:
    """The parts between the brace at `start` and the one that closes it."""
    level, begin, parts = 0, start + 1, list[str]()
    for at in range(start, len(text)):
        char = text[at]
        if char == OPEN:
            level += 1
        elif char == CLOSE:
            level -= 1
        if level == 0 or (level == 1 and char == COMMA):
            parts.append(text[begin:at])
            begin = at + 1
        if level == 0:
            return (parts if len(parts) > 1 else _sequence(parts[0])), at
    return [], -1


def _sequence(part: str) -> list[str]:
    found = _SEQUENCE.match(part)
    if not found:
        return []
    first, last = found[1], found[2]
    if first.isalpha() and last.isalpha():
        return [chr(code) for code in range(ord(first), ord(last) + 1)][:MAX_FIELDS]
    if first.isalpha() or last.isalpha():
        return []
    low, high = int(first), int(last)
    return [str(number) for number in range(low, min(high, low + MAX_FIELDS) + 1)]
