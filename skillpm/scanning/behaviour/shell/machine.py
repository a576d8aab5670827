"""Plays statements through with abstract values, and notes the acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.shell.calls import Call
from skillpm.scanning.behaviour.shell.commands import dispatch
from skillpm.scanning.behaviour.shell.environment import Environment, State, merged
from skillpm.scanning.behaviour.shell.expansion import fields
from skillpm.scanning.behaviour.shell.grammar import (
    Channel,
    Choice,
    Function,
    Group,
    Loop,
    Pipeline,
    Simple,
    Statement,
)
from skillpm.scanning.behaviour.shell.redirection import streams
from skillpm.scanning.behaviour.shell.scripts import Library, Script
from skillpm.scanning.behaviour.shell.simple import DECLARATIONS
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, is_secret_name, join, lines, origin

MAX_LEVEL: Final = 40
"""Statements within statements, functions and played texts that are nested deeper are not run."""

MAX_ITEMS: Final = 8
"""A loop is run for so many of its items."""

_UNTOLD: Final = Carries.FILE | Carries.FACTS | Carries.INPUT | Carries.TEMPORARY
_TYPED: Final = Carries.INPUT | Carries.SECRET_VARIABLE
_UNSEEN: Final = Carries.NETWORK | Carries.DECODED


class Machine(Environment):
    """Runs one script of a library."""

    def __init__(self, script: Script, library: Library) -> None:
        super().__init__(script, library)
        self._level = 0
        self._captured = 0
        self._endless = 0
        self._urgent = 0

    def main(self) -> None:
        """Runs the script, and then each of its functions that it has not called."""
        self.run_all(self.script.body, None)
        for call in self.state.traps:
            self.play(call.words[1], call)
        for name, (function, script) in list(self.state.functions.items()):
            if name not in self.state.called and script is self.script:
                span = function.start, function.end
                self._function(name, Call(self, [Value(name)], None, *span))

    def captured(self) -> Value:
        """Runs the script for code that takes what it prints."""
        return self.output(self.script.body)

    def run_all(self, body: Sequence[Statement], stdin: Value | None) -> Value:
        """Runs statements one after the other; what they print."""
        if self._level >= MAX_LEVEL:
            return EMPTY
        self._level += 1
        outputs = [out for statement in body if (out := self._run(statement, stdin)) is not EMPTY]
        self._level -= 1
        return lines(outputs)

    def _run(self, statement: Statement, stdin: Value | None) -> Value:
        if not self.library.visit(statement, urgent=self._urgent > 0):
            return EMPTY
        if isinstance(statement, Simple):
            return self._simple(statement, stdin)
        if isinstance(statement, Pipeline):
            return self._pipeline(statement, stdin)
        if isinstance(statement, Function):
            self.state.functions[statement.name] = (statement, self.script)
            return EMPTY
        if not statement.redirects:
            return self._compound(statement, stdin)
        call = self._call(statement, [EMPTY], stdin)
        opened = streams(call, statement.redirects, self)
        self._captured += opened.diverts
        out = self._compound(statement, opened.stdin)
        self._captured -= opened.diverts
        return opened.deliver(out, self)

    def _call(self, statement: Statement, words: list[Value], stdin: Value | None) -> Call:
        self._span = self.script.span or (statement.start, statement.end)
        how = ["background"] if statement.background else []
        how += ["loop"] if self._endless else []
        return Call(self, words, stdin, *self._span, frozenset(how))

    def _compound(self, statement: Statement, stdin: Value | None) -> Value:
        if isinstance(statement, Choice):
            return self._choose(statement, stdin)
        if isinstance(statement, Loop):
            return self._repeat(statement, stdin)
        return self.run_all(statement.body, stdin) if isinstance(statement, Group) else EMPTY

    def _simple(self, statement: Simple, stdin: Value | None) -> Value:
        call = self._call(statement, [], stdin)
        alias = bool(statement.words) and statement.words[0].plain == "alias"
        for assignment in statement.assignments:
            self.assigned(assignment, alias=alias)
        call.words = words = fields(statement.words, self)
        self._span = call.start, call.end
        if not statement.redirects:
            declares = statement.assignments and words and words[0].text in DECLARATIONS
            return self._shown(self.invoke(call), call) if words and not declares else EMPTY
        opened = streams(call, statement.redirects, self)
        call.stdin = opened.stdin
        if not words or [word.text for word in words] == [":"]:
            return opened.bare()
        opened.rewire(call)
        self._captured += opened.diverts
        out = self.invoke(call)
        self._captured -= opened.diverts
        return self._shown(opened.deliver(out, self), call)

    def _shown(self, out: Value, call: Call) -> Value:
        """What a command prints; noted when nothing takes it."""
        if self._captured or out is EMPTY:
            return out
        text = out.text.strip()
        if text.strip(HOLE) or out.carries & ~_UNTOLD:
            call.act(Deed.SHOW, text, out)
        return EMPTY

    def _pipeline(self, statement: Pipeline, stdin: Value | None) -> Value:
        self.state.looped = False
        out = self._stages(statement, stdin)
        if self.state.looped:
            out = self._stages(statement, stdin)
        return out

    def _stages(self, statement: Pipeline, stdin: Value | None) -> Value:
        folder, out = self.state.folder, stdin
        for stage in statement.stages[:-1]:
            self._captured += 1
            out = self._run(stage, out)
            self._captured -= 1
        out = self._run(statement.stages[-1], out)
        self.state.folder = folder
        return out

    def _choose(self, choice: Choice, stdin: Value | None) -> Value:
        """Goes every way of an `if` or `case`, each with the variables from before."""
        fields(choice.subject, self)
        outputs = [self.run_all(choice.tests, stdin)]
        before = self.state.variables
        after = [before]
        for way in choice.ways:
            self.state.variables = dict(before)
            outputs.append(self.run_all(way, stdin))
            after.append(self.state.variables)
        self.state.variables = merged(after)
        return lines(outputs)

    def _repeat(self, loop: Loop, stdin: Value | None) -> Value:
        self._endless += loop.endless
        outputs = [self.run_all(loop.test, stdin)]
        if loop.variable:
            items = sorted(fields(loop.items, self), key=lambda item: not is_secret(item.text))
            for item in items[:MAX_ITEMS]:
                self.state.variables[loop.variable] = (item,)
                outputs.append(self.run_all(loop.body, stdin))
        else:
            outputs.append(self.run_all(loop.body, stdin))
        self._endless -= loop.endless
        return lines(outputs)

    # Commands

    def invoke(self, call: Call) -> Value:
        """Runs a command; its standard output."""
        name = call.words[0].text
        if not name and len(call.words) > 1:
            return self.invoke(replace(call, words=call.words[1:]))
        alias = self.state.aliases.get(name)
        if alias is not None and name not in self.state.active:
            self.state.active.append(name)
            out = self.play(join([alias, *call.words[1:]], " "), call, stdin=call.stdin)
            self.state.active.pop()
            return out
        if name in self.state.functions:
            return self._function(name, call)
        if name in (".", "source") and len(call.words) > 1:
            return self._source(call)
        if name in ("read", "mapfile", "readarray"):
            return self._read(call)
        if name == "trap" and len(call.words) > 1:
            self.state.traps.append(call)
            return EMPTY
        return Value(self.state.folder or ".") if name == "pwd" else dispatch(call)

    def _function(self, name: str, call: Call) -> Value:
        function, script = self.state.functions[name]
        if name in self.state.active or self._level >= MAX_LEVEL:
            call.act(Deed.RUN, call.line, EMPTY, "loop")
            return EMPTY
        self.state.called.add(name)
        arguments, outer = self.state.arguments, self.script
        self.state.arguments = tuple(call.words[1:]) if len(call.words) > 1 else None
        self.state.active.append(name)
        self.script = script
        urgent = _flows(call)
        self._urgent += urgent
        out = self.run_all(function.body, call.stdin)
        self._urgent -= urgent
        self.script = outer
        self.state.active.pop()
        self.state.arguments = arguments
        return out

    def _source(self, call: Call) -> Value:
        """`source file`: of the skill, of what the script wrote, or of another."""
        path = call.words[1]
        stored = self.stored(path)
        if stored is not None and (stored.known or stored.carries & _UNSEEN):
            call.act(Deed.INTERPRET, stored.text, stored, language="shell")
            return self.play(stored, call)
        call.act(Deed.LOAD, path.text, path, language="shell")
        script = self.library.find(path.text, self.script.path)
        return EMPTY if script is None else self._borrow(script, call.stdin)

    def _borrow(self, script: Script, stdin: Value | None) -> Value:
        if self._level >= MAX_LEVEL or script.path in (*self.state.active, self.script.path):
            return EMPTY
        self.state.active.append(script.path)
        outer, self.script = self.script, script
        out = self.run_all(script.body, stdin)
        self.script = outer
        self.state.active.pop()
        return out

    def perform(self, path: Value, words: Sequence[Value], call: Call) -> Value | None:
        """Runs a script of the skill in a state of its own, when data flows into it."""
        script = self.library.find(path.text, self.path)
        if script is None or not _flows(call):
            return None
        outer = self.state
        self.state = State(
            arguments=tuple(words[1:]),
            active=outer.active,
            files=outer.files,
            secrets=outer.secrets,
        )
        out = self._borrow(script, call.stdin)
        self.state = outer
        return out

    def _read(self, call: Call) -> Value:
        """`read names`: takes a line of the input."""
        source = call.stdin
        if source is None:
            value = Value(HOLE, Carries.INPUT)
        else:
            lines = source.text.strip("\n").split("\n")
            value = source.saying(lines[0]) if len(lines) == 1 else origin([source])
        names = [word.text for word in call.words[1:] if word.text.isidentifier()]
        hidden = any(word.text[:1] == "-" and "s" in word.text for word in call.words[1:])
        if source is None and hidden and is_secret_name(names[-1] if names else ""):
            hop = call.hop(f"typed for {names[-1]}")
            value = Value(HOLE, _TYPED, frozenset(names[-1:]), (hop,), f"<{names[-1]}>")
        for name in names or ["REPLY"]:
            self.state.variables[name] = (value if len(names) < 2 else origin([value]),)
        return EMPTY

    def play(self, text: Value, call: Call, *, stdin: Value | None = None) -> Value:
        """Runs a text as shell commands in place of the call; its standard output."""
        if self._level >= MAX_LEVEL or not text.text.strip():
            return EMPTY
        body = self.library.statements(text.text)
        outer = self.script
        span = outer.span or (call.start, call.end)
        self.script = Script(outer.number, outer.path, body, span, text)
        out = self.run_all(body, stdin)
        self.script = outer
        return out

    # Expansion

    def output(self, body: Sequence[Statement]) -> Value:
        """What statements write to their standard output."""
        span, folder = self._span, self.state.folder
        self._captured += 1
        out = self.run_all(body, None)
        self._captured -= 1
        self._span, self.state.folder = span, folder
        return out

    def channel(self, piece: Channel) -> Value:
        """The name of the file that stands for a process."""
        if piece.writing:
            return self.drained(piece)
        return self.supplied(self.output(piece.body))


def _flows(call: Call) -> bool:
    """Whether anything flows into a command."""
    return bool(call.given.carries) or any(word.carries for word in call.words[1:])
