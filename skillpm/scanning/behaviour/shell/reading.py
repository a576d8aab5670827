"""Turns shell text into statements; takes any text, in time linear in its length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.shell.grammar import (
    Choice,
    Function,
    Group,
    Literal,
    Loop,
    Pipeline,
    Simple,
    Statement,
    Word,
)
from skillpm.scanning.behaviour.shell.simple import Simples
from skillpm.scanning.behaviour.shell.spelling import MAX_DEPTH, Spelling

_CLOSER: Final = regex(r"(?:done|fi|esac|then|do|else|elif|\})(?=[\s;&|)<>`]|\Z)")
_OPENER: Final = regex(
    r"(?:(if|while|until|for|select|case|function|\{|\[\[)(?=[\s;(]|\Z)|(\()|[!](?=\s))"
)
_TIME: Final = regex(r"time(?:[ \t]+-p)?[ \t]+")
_DEFINITION: Final = regex(r"([\w:.@?/+-]{1,80})[ \t]*\([ \t]*\)")
_ARITHMETIC: Final = regex(r"\(\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}\)\)")
_COUNTED: Final = regex(r"\(\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}\)\)")
_FOREVER: Final = regex(r"(?:true|:|\[ +1 +\]|\(\( *1 *\)\)|1)\s*(?:;|\n)")
_PROMPT: Final = regex(
    r"(?:\([\w.-]{1,40}\)[ \t]+)?(?:[\w.-]{1,40}@[\w.-]{1,60}[:~\w/. -]{0,80})?"
    r"[$%\u276f\u279c][ \t]+(?=\S)"
)


def read(text: str) -> list[Statement]:
    """The statements of a text, as a shell would take them; what no shell takes is passed over."""
    return Reader(text).all()


class Reader(Simples):
    """Reads statements of a text, from an offset on."""

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
            if self.text[before] == "|":
                self.at = self.text.find("\n", before, self.end) % (self.end + 1)
                continue
            statement = self._pipeline()
            if statement:
                found.append(statement)
            if self.text.startswith(("&&", "||"), self.at):
                self.at += 2
            elif self.at == before:
                self.at += 1
        return found

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
