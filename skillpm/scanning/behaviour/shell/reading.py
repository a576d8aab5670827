"""Turns shell text into statements; takes any text, in time linear in its length."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from skillpm.scanning.behaviour.shell.grammar import (
    Assignment,
    Choice,
    Function,
    Group,
    Literal,
    Loop,
    Piece,
    Pipeline,
    Redirect,
    Simple,
    Statement,
    Word,
)
from skillpm.scanning.behaviour.shell.spelling import MAX_DEPTH, Spelling

DECLARATIONS: Final = frozenset(
    {"export", "declare", "typeset", "local", "readonly", "alias", "integer"}
)

_BLANK: Final = re.compile(r"(?:[ \t\r\f\v]|\\\r?\n)*(?:#[^\n]*)?")
_CLOSER: Final = re.compile(r"(?:done|fi|esac|then|do|else|elif|\})(?=[\s;&|)<>`]|\Z)")
_OPENER: Final = re.compile(
    r"(?:(if|while|until|for|select|case|function|\{|\[\[)(?=[\s;(]|\Z)|(\()|[!](?=\s))"
)
_TIME: Final = re.compile(r"time(?:[ \t]+-p)?[ \t]+")
_DEFINITION: Final = re.compile(r"([\w:.@?/+-]{1,80})[ \t]*\([ \t]*\)")
_ARITHMETIC: Final = re.compile(r"\(\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}\)\)")
_COUNTED: Final = re.compile(r"\(\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}\)\)")
_FOREVER: Final = re.compile(r"(?:true|:|\[ +1 +\]|\(\( *1 *\)\)|1)\s*(?:;|\n)")
_LINE: Final = re.compile(
    r"([\w./:@%+,~-]+)(?:[ \t]+[\w./:@%+,~=*-]+)*[ \t]*(?=[\n;|)]|&&|\Z)(?!\|&)"
)
_NOT_BLANK: Final = re.compile(r"\S+")
_REDIRECT: Final = re.compile(
    r"(\d{1,4}|\{\w{1,40}\})?(<<<|<<-|<<|<>|<&|>&|>>|>\||&>>|&>|<(?!\()|>(?!\())"
)
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(?:\[([^\]\n]{0,80})\])?(\+?)=")
_PROMPT: Final = re.compile(
    r"(?:\([\w.-]{1,40}\)[ \t]+)?(?:[\w.-]{1,40}@[\w.-]{1,60}[:~\w/. -]{0,80})?[$%\u276f\u279c][ \t]+(?=\S)"
)


class _Pending(NamedTuple):
    """A here-document whose body begins on the next line."""

    redirect: Redirect
    delimiter: str
    quoted: bool
    tabs: bool


def read(text: str) -> list[Statement]:
    """The statements of a text, as a shell would take them; what no shell takes is passed over."""
    return Reader(text).all()


class Reader(Spelling):
    """Reads statements of a text, from an offset on."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._pending: list[_Pending] = []

    def all(self) -> list[Statement]:
        """Everything to the end of the text, also behind what closes nothing."""
        found: list[Statement] = []
        while self.at < self.end:
            found += self.statements()
            closer = _CLOSER.match(self.text, self.at, self.end)
            self.at = closer.end() if closer else self.at + 1
        return found

    def statements(self) -> list[Statement]:
        """The statements up to the end of what encloses them."""
        found: list[Statement] = []
        while self._gap() and not self._closing():
            before = self.at
            statement = self._pipeline()
            if statement:
                found.append(statement)
            if self.text.startswith(("&&", "||"), self.at):
                self.at += 2
            elif self.at == before:
                self.at += 1
        return found

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

    def _closing(self) -> bool:
        char = self.text[self.at]
        if char in ");" or (char == "`" and self.ticks):
            return True
        return char in "dfet}" and bool(_CLOSER.match(self.text, self.at, self.end))

    def _take(self, word: str) -> bool:
        """Passes over a reserved word behind a gap, when it is there."""
        if not self._gap() or not self.text.startswith(word, self.at):
            return False
        following = self.text[self.at + len(word) : self.at + len(word) + 1]
        if following.isalnum() or following in ("_", "-", "="):
            return False
        self.at += len(word)
        return True

    def _pipeline(self) -> Statement | None:
        start = self.at
        first = self._command()
        stages = [first] if first else []
        while self._blank() == "|" and not self.text.startswith("||", self.at):
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            if not self._gap() or self._closing():
                break
            stage = self._command()
            if stage:
                stages.append(stage)
            elif self.text[self.at : self.at + 1] not in ("|", ""):
                self.at += 1
        if not stages:
            return None
        whole = stages[0] if len(stages) == 1 else Pipeline(start, stages[-1].end, stages=stages)
        if self.text.startswith("&", self.at) and not self.text.startswith(("&&", "&>"), self.at):
            whole.background = True
            for stage in stages:
                stage.background = True
        return whole

    def _command(self) -> Statement | None:
        opener = _OPENER.match(self.text, self.at, self.end)
        if not opener:
            return self._plain()
        if opener[0] == "!":
            self.at += 1
            self._blank()
            return self._plain() if not _OPENER.match(self.text, self.at) else None
        if self.depth >= MAX_DEPTH:
            self.at += len(opener[0])
            return None
        self.depth += 1
        start = self.at
        self.at = opener.end()
        statement = self._compounds[opener[0]](self, start)
        self.depth -= 1
        if statement:
            while redirect := self._redirect():
                statement.redirects.append(redirect)
            statement.end = max(self.at, start)
        return statement

    def _plain(self) -> Statement | None:
        prompt = _PROMPT.match(self.text, self.at, self.end) or _TIME.match(self.text, self.at)
        if prompt:
            self.at = prompt.end()
        definition = _DEFINITION.match(self.text, self.at, self.end)
        if definition and self.depth < MAX_DEPTH:
            start, self.at = self.at, definition.end()
            return self._defined(definition[1], start)
        return self._simple()

    def _defined(self, name: str, start: int) -> Statement | None:
        if not self._gap():
            return None
        self.depth += 1
        body = self._command()
        self.depth -= 1
        return Function(start, self.at, name=name, body=[body] if body else [])

    def _function(self, start: int) -> Statement | None:
        self._blank()
        name = self.word().plain
        if self.text.startswith("()", self.at):
            self.at += 2
        return self._defined(name, start)

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
            declaring = len(words) == 1 and word.plain in DECLARATIONS or declaring
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

    def _group(self, start: int) -> Statement:
        group = Group(start, body=self.statements())
        self._take("}")
        return group

    def _subshell(self, start: int) -> Statement:
        found = _ARITHMETIC.match(self.text, start, self.end)
        if found:
            self.at = found.end()
            return Simple(start, self.at)
        group = Group(start, body=self.statements())
        if self.text.startswith(")", self.at):
            self.at += 1
        return group

    def _test(self, start: int) -> Statement:
        test, more = Simple(start, words=[Word([Literal("[[")], start, start + 2)]), False
        while char := self._blank():
            if self.text.startswith("]]", self.at):
                self.at += 2
                break
            if char in ";\n" and not more:
                break
            word = self.word() if char not in "\n;&|()<>" else None
            more = char in "&|"
            if word and word.pieces:
                test.words.append(word)
            else:
                self.at += 1
        return test

    def _if(self, start: int) -> Statement:
        choice = Choice(start, tests=self.statements())
        while self.at < self.end:
            if self._take("then") or self._take("else"):
                choice.ways.append(self.statements())
            elif self._take("elif"):
                choice.tests += self.statements()
            else:
                self._take("fi")
                break
        return choice

    def _case(self, start: int) -> Statement:
        self._blank()
        choice = Choice(start, subject=[self.word()])
        self._take("in")
        while self._gap() and not self._take("esac"):
            before = self.at
            if self.text[self.at] in "(;":
                self.at += 1
            if self.text[self.at : self.at + 1] in (";", "&"):
                self.at += 1
                continue
            self._pattern()
            if self.text.startswith(")", self.at):
                self.at += 1
                choice.ways.append(self.statements())
            if self.at == before or _CLOSER.match(self.text, self.at, self.end):
                self._take("esac")
                break
        return choice

    def _pattern(self) -> None:
        while (char := self._blank()) and char not in ")\n;":
            if char == "|" or not self.word().pieces:
                self.at += 1

    def _while(self, start: int) -> Statement:
        self._blank()
        endless = bool(_FOREVER.match(self.text, self.at, self.end))
        loop = Loop(start, test=self.statements(), endless=endless)
        return self._looped(loop)

    def _for(self, start: int) -> Statement:
        loop = Loop(start)
        self._blank()
        counted = _COUNTED.match(self.text, self.at, self.end)
        if counted:
            self.at = counted.end()
            loop.endless = not counted[0].strip("(); ")
            return self._looped(loop)
        loop.variable = self.word().plain
        if self._blank() == "(":
            loop.items = self._array()
        elif self._take("in"):
            loop.items = self._words_until("\n;")
        else:
            loop.items = [Spelling('"$@"').word()]
        return self._looped(loop)

    def _looped(self, loop: Loop) -> Statement:
        if self._take("do"):
            loop.body = self.statements()
            self._take("done")
        elif self._take("{"):
            loop.body = self.statements()
            self._take("}")
        return loop

    _compounds: Final[dict[str, Callable[[Reader, int], Statement | None]]] = {
        "if": _if, "while": _while, "until": _while, "for": _for, "select": _for, "case": _case,
        "function": _function, "{": _group, "(": _subshell, "[[": _test,
    }  # fmt: skip
