"""How words are spelled in a shell: quotes, escapes, expansions and what stands inside them."""

from __future__ import annotations

import re
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.shell.grammar import (
    Channel,
    Literal,
    Output,
    Parameter,
    Piece,
    Statement,
    Word,
)

MAX_DEPTH: Final = 40
"""Substitutions, parameters and compound commands that are nested deeper are read as text."""

OPEN, COMMA, CLOSE = "\ue000", "\ue001", "\ue002"
"""Stand for the braces and commas of a brace expansion that are not quoted."""

_MARKS: Final = str.maketrans("{,}", OPEN + COMMA + CLOSE)
_ENDS: Final = frozenset(" \t\r\n;&|()<>")
_WHOLE: Final = regex(r"[^\s;&|()<>'\"`$\\{}]+(?=[\s;&|)]|\Z)")
_RUN: Final = regex(r"[^\s;&|()<>'\"`$\\{},:/@?*+!]+")
_QUOTED_RUN: Final = regex(r"[^\"`$\\]+")
_BODY_RUN: Final = regex(r"[^`$\\]+")
_NAME: Final = regex(r"\$([A-Za-z_]\w*|\d|[@*#?$!-])")
_BRACED: Final = regex(
    r"\$\{([!#^]?)([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]\n]{0,80})\])?"
    r"(:?[-=?+]|/[/#%]?|##?|%%?|\^\^?|,,?|:|@)?"
)
_ARITHMETIC: Final = regex(r"\$\(\((?:[^()\n]|\([^()\n]{0,80}\)){0,200}\)\)")
_WORKFLOW: Final = regex(r"\$\{\{\s{0,9}(?:secrets\.(\w{1,80}))?[^}\n]{0,200}\}\}")
_ANSI: Final = regex(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_BRACES: Final = regex(r"\{[^\s;&|<>}]{0,100}(?:,|\.\.)")
_EXTENDED: Final = regex(r"[@?*+!]\([^()\n]{0,200}\)")
_PLACEHOLDER: Final = regex(
    r"<(?:[A-Za-z][\w .,|-]{0,60}(?<! )|\.\.\.)>"
    r"(?=[\s:.,)\"'@=;|&_<-]|/(?!dev/|tmp/|var/)|\Z)(?![ \t]*(?:/dev/|&))"
)
_INFIX: Final = regex(r"<[A-Za-z][\w .,/|-]{0,60}(?<! )>")
_ESCAPE: Final = regex(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_LETTERS: Final = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b",
    "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?", "0": "\0",
}  # fmt: skip


def unescape(text: str) -> tuple[str, bool]:
    """The text that escapes such as `\\x41` spell, and whether they spell letters."""
    coded = 0

    def character(found: re.Match[str]) -> str:
        nonlocal coded
        digits = found[1] or found[2] or found[3]
        if not (digits or found[4]):
            return _LETTERS.get(found[5], found[0])
        code = int(digits, 16) if digits else int(found[4], 8)
        char = chr(code) if code < 0x110000 else HOLE
        coded += char.isalnum() and char.isascii()
        return char

    return _ESCAPE.sub(character, text), coded >= 2


class Spelling:
    """Reads words of a text, from an offset on; `reading.Reader` adds statements."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.end = len(text)
        self.depth = 0
        self.ticks = False
        self._lone_quote = self.end + 1

    def statements(self) -> list[Statement]:
        """The statements up to the end of what encloses them."""
        raise NotImplementedError

    def word(self) -> Word:
        """The word at the offset; empty when none is there."""
        start = self.at
        found = _WHOLE.match(self.text, start, self.end)
        if found:
            self.at = found.end()
            return Word([Literal(found[0])], start, self.at)
        pieces = self._pieces(_ENDS)
        return Word(pieces, start, self.at)

    def placeholder(self) -> bool:
        """Whether documentation's `<your token>` stands here and no redirection."""
        return bool(_PLACEHOLDER.match(self.text, self.at, self.end))

    def body(self) -> list[Piece]:
        """All up to the end as the inside of a here-document whose delimiter was not quoted."""
        return self._inside(_BODY_RUN, "")

    def _pieces(self, ends: frozenset[str]) -> list[Piece]:
        pieces: list[Piece] = []
        text, braces = self.text, False
        while self.at < self.end:
            found = _RUN.match(text, self.at, self.end)
            if found:
                self.at = found.end()
                _add(pieces, found[0])
                continue
            char = text[self.at]
            if char in ends or (char == "`" and self.ticks):
                if not (char in "<>" and self._angle(pieces)):
                    break
            elif char in "'\"$`\\":
                self._special(char, pieces)
            else:
                braces = braces or (char == "{" and bool(_BRACES.match(text, self.at, self.end)))
                self._other(pieces, marked=braces)
        return pieces

    def _other(self, pieces: list[Piece], *, marked: bool) -> None:
        found = _EXTENDED.match(self.text, self.at, self.end)
        taken = found[0] if found else self.text[self.at]
        self.at += len(taken)
        _add(pieces, taken.translate(_MARKS) if marked else taken)

    def _angle(self, pieces: list[Piece]) -> bool:
        """`<(…)`, `>(…)` or a placeholder."""
        expected = _INFIX if pieces else _PLACEHOLDER
        found = expected.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
            _add(pieces, HOLE)
            return True
        if self.text[self.at + 1 : self.at + 2] != "(" or self.depth >= MAX_DEPTH:
            return False
        writing = self.text[self.at] == ">"
        self.at += 2
        pieces.append(Channel(self._enclosed(")"), writing))
        return True

    def _special(self, char: str, pieces: list[Piece]) -> None:
        if char == "'":
            self._single(pieces)
        elif char == '"':
            self._double(pieces)
        elif char == "\\":
            self._escaped(pieces)
        else:
            self._dollar(pieces, quoted=False)

    def _single(self, pieces: list[Piece]) -> None:
        close = -1
        if self.at < self._lone_quote:
            close = self.text.find("'", self.at + 1, self.end)
        if close < 0:
            self._lone_quote = self.at
            _add(pieces, "'")
            self.at += 1
            return
        pieces.append(Literal(self.text[self.at + 1 : close], quoted=True))
        self.at = close + 1

    def _double(self, pieces: list[Piece]) -> None:
        self.at += 1
        pieces.extend(self._inside(_QUOTED_RUN, '"') or [Literal("", quoted=True)])
        self.at = min(self.at + 1, self.end)

    def _escaped(self, pieces: list[Piece]) -> None:
        char = self.text[self.at + 1 : self.at + 2]
        if not pieces and char.isalpha():
            pieces.append(Literal(char))
        elif char not in ("", "\n"):
            pieces.append(Literal(char, quoted=True))
        self.at = min(self.at + 2, self.end)

    def _inside(self, run: re.Pattern[str], close: str) -> list[Piece]:
        """Pieces between double quotes, or to the end when nothing closes them."""
        pieces: list[Piece] = []
        text = self.text
        while self.at < self.end:
            found = run.match(text, self.at, self.end)
            if found:
                self.at = found.end()
                pieces.append(Literal(found[0], quoted=True))
                continue
            char = text[self.at]
            if char == close:
                break
            if char == "\\":
                following = text[self.at + 1 : self.at + 2]
                kept = "" if following == "\n" else following
                special = following in ("$", "`", '"', "\\", "\n")
                pieces.append(Literal(kept if special else "\\" + following, quoted=True))
                self.at = min(self.at + 2, self.end)
            elif char == "`" and self.ticks:
                break
            else:
                self._dollar(pieces, quoted=True)
        return pieces

    def _dollar(self, pieces: list[Piece], *, quoted: bool) -> None:
        """What `$` or a backquote begins."""
        text, deep = self.text, self.depth >= MAX_DEPTH
        if text[self.at] == "`":
            if not deep:
                pieces.append(self._ticked(quoted=quoted))
                return
        elif found := _NAME.match(text, self.at, self.end):
            self.at = found.end()
            pieces.append(Parameter(found[1], quoted))
            return
        else:
            following = text[self.at + 1 : self.at + 2]
            if following == "(" and not deep:
                pieces.append(self._output(quoted=quoted))
                return
            if following == "{" and not deep and self._parameter(pieces, quoted=quoted):
                return
            if not quoted and following in ("'", '"') and self._coded(following, pieces):
                return
        pieces.append(Literal(text[self.at], quoted))
        self.at += 1

    def _coded(self, quote: str, pieces: list[Piece]) -> bool:
        if quote == '"':
            self.at += 1
            self._double(pieces)
            return True
        found = _ANSI.match(self.text, self.at, self.end)
        if not found:
            return False
        self.at = found.end()
        said, coded = unescape(found[1])
        pieces.append(Literal(said, quoted=True, coded=coded))
        return True

    def _ticked(self, *, quoted: bool) -> Piece:
        self.at += 1
        self.ticks = True
        body = self._enclosed("`")
        self.ticks = False
        return Output(body, quoted)

    def _output(self, *, quoted: bool) -> Piece:
        found = _ARITHMETIC.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
            inner = found[0][3:-2].strip()
            return Literal(inner if inner.isdigit() else HOLE, quoted)
        self.at += 2
        return Output(self._enclosed(")"), quoted)

    def _enclosed(self, close: str) -> list[Statement]:
        self.depth += 1
        body = self.statements()
        self.depth -= 1
        if self.text.startswith(close, self.at):
            self.at += 1
        return body

    def _parameter(self, pieces: list[Piece], *, quoted: bool) -> bool:
        found = _WORKFLOW.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
            pieces.append(Parameter(found[1], quoted) if found[1] else Literal(HOLE, quoted))
            return True
        found = _BRACED.match(self.text, self.at, self.end)
        if not found:
            return False
        self.at = found.end()
        sign, name, index, operator = found.groups("")
        operands = self._operands(operator[:1] if operator[:1] in ("/", ":") else "")
        pieces.append(Parameter(name, quoted, sign, index, operator, operands))
        return True

    def _operands(self, separator: str) -> tuple[Word, ...]:
        """What follows the operator, split once at the separator, up to the closing brace."""
        self.depth += 1
        words = []
        ends = frozenset("}" + separator)
        while self.at < self.end:
            start = self.at
            words.append(Word(self._pieces(ends), start, self.at))
            closing = self.text[self.at : self.at + 1]
            self.at = min(self.at + 1, self.end)
            if closing != separator or not separator:
                break
            ends = frozenset("}")
        self.depth -= 1
        return tuple(words)


def _add(pieces: list[Piece], text: str) -> None:
    """Appends unquoted text, to the piece before when that is such."""
    if pieces:
        last = pieces[-1]
        if isinstance(last, Literal) and not last.quoted:
            last.text += text
            return
    pieces.append(Literal(text))
