"""Simple commands: words, assignments, redirections and here-documents."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.shell.grammar import (
    Assignment,
    Literal,
    Piece,
    Redirect,
    Simple,
    Statement,
    Word,
)
from skillpm.scanning.behaviour.shell.spelling import Spelling

DECLARATIONS: Final = frozenset(
    {"export", "declare", "typeset", "local", "readonly", "alias", "integer"}
)

_BLANK: Final = regex(r"(?:[ \t\r\f\v]|\\\r?\n)*(?:#[^\n]*)?")
_LINE: Final = regex(r"([\w./:@%+,~-]+)(?:[ \t]+[\w./:@%+,~=*-]+)*[ \t]*(?=[\n;|)]|&&|\Z)(?!\|&)")
_NOT_BLANK: Final = regex(r"\S+")
_REDIRECT: Final = regex(
    r"(\d{1,4}|\{\w{1,40}\})?(<<<|<<-|<<|<>|<&|>&|>>|>\||&>>|&>|<(?!\()|>(?!\())"
)
_ASSIGNMENT: Final = regex(r"([A-Za-z_]\w*)(?:\[([^\]\n]{0,80})\])?(\+?)=")


class _Pending(NamedTuple):
    """A here-document whose body begins on the next line."""

    redirect: Redirect
    delimiter: str
    quoted: bool
    tabs: bool


class Simples(Spelling):
    """Reads simple commands of a text, from an offset on."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._pending: list[_Pending] = []

    def _blank(self) -> str:
        """Passes over blanks and a comment; the character then at hand, "" at the end."""
        if self.at >= self.end:
            return ""
        char = self.text[self.at]
        if char not in " \t\r\f\v\\#":
            return char
        found = _BLANK.match(self.text, self.at, self.end)
        if found:
            self.at = found.end()
        return self.text[self.at] if self.at < self.end else ""

    def _gap(self) -> bool:
        """Passes over all that stands between statements; whether there is more."""
        while (char := self._blank()) and char in "\n;&":
            following = self.text[self.at + 1 : self.at + 2]
            if char == ";" and following in (";", "&"):
                return True
            if char == "&" and following == ">":
                return True
            self.at += 1
            if char == "\n" and self._pending:
                self._documents()
        return self.at < self.end

    def _simple(self) -> Statement | None:
        plain = _LINE.match(self.text, self.at, self.end)
        if plain and plain[1] not in DECLARATIONS:
            return self._easy(plain)
        simple = Simple(self.at)
        words, declaring = simple.words, False
        while char := self._blank():
            if char in "<>&0123456789{" and (redirect := self._redirect()):
                simple.redirects.append(redirect)
                continue
            if (not words or declaring) and self._assignment(simple):
                continue
            word = self.word()
            if not word.pieces:
                break
            words.append(word)
            declaring = (len(words) == 1 and word.plain in DECLARATIONS) or declaring
            simple.end = self.at
        if not (words or simple.assignments or simple.redirects):
            return None
        simple.end = max(
            [simple.end, *(r.word.end for r in simple.redirects)]
            + [a.words[-1].end for a in simple.assignments if a.words]
        )
        return simple

    def _easy(self, plain: re.Match[str]) -> Simple:
        """A command without quotes, expansions and redirections."""
        start, self.at = plain.span()
        words = [
            Word([Literal(found[0])], found.start(), found.end())
            for found in _NOT_BLANK.finditer(self.text, start, self.at)
        ]
        return Simple(start, words[-1].end, words=words)

    def _assignment(self, simple: Simple) -> bool:
        found = _ASSIGNMENT.match(self.text, self.at, self.end)
        if not found:
            return False
        self.at = found.end()
        name, index, plus = found.groups("")
        array = self.text.startswith("(", self.at)
        words = self._array() if array else [self.word()]
        words[-1].end = self.at
        simple.assignments.append(Assignment(name, words, array, bool(plus), index))
        return True

    def _array(self) -> list[Word]:
        self.at += 1
        words = self._words_until(")")
        self.at = min(self.at + 1, self.end)
        return words or [Word([], self.at, self.at)]

    def _words_until(self, closing: str) -> list[Word]:
        words = []
        while (char := self._blank()) and char not in closing:
            if char == "\n":
                self.at += 1
                continue
            word = self.word()
            if word.pieces:
                words.append(word)
            elif char in ";&|)":
                break
            else:
                self.at += 1
        return words

    def _redirect(self) -> Redirect | None:
        char = self._blank()
        if not char or char not in "<>&0123456789{" or self.placeholder():
            return None
        found = _REDIRECT.match(self.text, self.at, self.end)
        if not found:
            return None
        start, self.at = self.at, found.end()
        operator = found[2]
        digits = found[1] or ""
        descriptor = int(digits) if digits.isdigit() else (0 if operator[0] == "<" else 1)
        self._blank()
        word = self.word()
        word.end = max(word.end, start + len(found[0]))
        redirect = Redirect(operator, descriptor, word)
        if operator in ("<<", "<<-"):
            literals = [piece for piece in word.pieces if isinstance(piece, Literal)]
            delimiter = "".join(piece.text for piece in literals)
            quoted = any(piece.quoted for piece in literals)
            self._pending.append(_Pending(redirect, delimiter, quoted, operator == "<<-"))
        return redirect

    def _documents(self) -> None:
        pending, self._pending = self._pending, []
        for document in pending:
            start, close = self.at, self.end
            while self.at < self.end:
                line = self.text.find("\n", self.at, self.end)
                line = self.end if line < 0 else line
                said = self.text[self.at : line].strip()
                close, self.at = self.at, min(line + 1, self.end)
                if said == document.delimiter:
                    break
                close = self.at
            document.redirect.word.pieces = self._document(document, start, close)

    def _document(self, document: _Pending, start: int, close: int) -> list[Piece]:
        if document.quoted or not {"$", "`", "\\"} & set(self.text[start:close]):
            return [Literal(self.text[start:close], quoted=True)]
        outer = self.at, self.end
        self.at, self.end = start, close
        pieces = self.body()
        self.at, self.end = outer
        return pieces
