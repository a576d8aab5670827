"""Runs code with things in place of values, and notes the acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, MAX_SOURCE, Carries, Deed, Source
from skillpm.scanning.behaviour.javascript import functions
from skillpm.scanning.behaviour.javascript.calls import Call
from skillpm.scanning.behaviour.javascript.core import tree_of
from skillpm.scanning.behaviour.javascript.methods import Methods
from skillpm.scanning.behaviour.javascript.names import canonical, module_path
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Closure,
    Instance,
    Items,
    Kind,
    Known,
    Native,
    Record,
    Scope,
    Script,
    Thing,
    merged,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, origin
from skillpm.scanning.behaviour.syntax import Node

MAX_NESTED: Final = 10
"""Functions that call each other deeper are not run for that call."""


class Machine(Methods):
    """Runs all sources of a skill."""

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__(sources)
        self._begun: set[int] = set()
        self.unread: set[int] = set()

    def main(self) -> None:
        """Runs every source, and then what was not run: functions, and what is nested too deep."""
        for number in range(len(self.sources)):
            self.module(number)
        while self.pending or self.deferred:
            if self.deferred:
                node, scope, self.script = self.deferred.pop()
                self.execute(node, scope)
                continue
            function = self.pending.popleft()
            if not self.visited(function):
                self.apply(function, [])

    def module(self, number: int) -> Record:
        """What a source exports; it is run when it was not."""
        exports = self.exports.setdefault(number, Record())
        source = self.sources[number]
        if number in self._begun or len(source.text) > MAX_SOURCE:
            return exports
        self._begun.add(number)
        root = tree_of(source.path, source.text)
        if root is None:
            self.unread.add(number)
        else:
            outer, depth, span = self.script, self.depth, self.span
            self.script = Script(number, source.path, source.text)
            self.depth = min(depth, 20)
            self.run_block(root, Scope())
            self.script, self.depth, self.span = outer, depth, span
        return self.exports[number]

    def load(self, name: Value) -> Thing:
        """A module by its name."""
        text = name.text
        if not name.known or not text:
            return UNKNOWN
        if text[0] in "./" or text.startswith(("@/", "~/", "#")):
            number = self.found(text)
            return UNKNOWN if number is None else self.module(number)
        return Known(module_path(text))

    # Calls

    def call(self, node: Node, scope: Scope) -> Thing:
        """What a call returns."""
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        if given is not None and given.type == "template_string":
            return self._tagged(node, function, given, scope)
        if function.type in ("member_expression", "subscript_expression"):
            return self._method_call(node, function, given, scope)
        if function.type == "super":
            return self._super(given, scope)
        callee = Known("import") if function.type == "import" else self.evaluate(function, scope)
        arguments = self._arguments(given, scope)
        self.span = self.place(node)
        return self.apply(callee, arguments)

    def _arguments(self, node: Node | None, scope: Scope) -> list[Thing]:
        things: list[Thing] = []
        for child in node.named_children if node is not None else ():
            if child.type == "spread_element":
                thing = self.evaluate(child, scope)
                things += thing.items if isinstance(thing, Items) and thing.items else [thing]
            elif child.type != "comment":
                things.append(self.evaluate(child, scope))
        return things

    def _method_call(self, node: Node, function: Node, given: Node | None, scope: Scope) -> Thing:
        thing = self.evaluate(function.child_by_field_name("object"), scope)
        if function.type == "subscript_expression":
            index = self.evaluate(function.child_by_field_name("index"), scope)
            self.span = self.place(node)
            name = text_of(index)
            callee = self.indexed(thing, index)
            arguments = self._arguments(given, scope)
            self.span = self.place(node)
            if not isinstance(callee, Value) and not isinstance(thing, Items):
                return self.apply(callee, arguments, thing)
            return self.method(thing, name, arguments)
        named = function.child_by_field_name("property")
        name = self.source_text(named) if named is not None else ""
        arguments = self._arguments(given, scope)
        self.span = self.place(node)
        if isinstance(thing, Known):
            return self._provided_method(thing, name, arguments)
        if isinstance(thing, Kind):
            return self.apply(self.member(thing, name), arguments, thing.shared)
        return self.method(thing, name, arguments)

    def _provided_method(self, known: Known, name: str, arguments: list[Thing]) -> Thing:
        if name in ("call", "apply", "bind") and known.path in functions.HANDLERS:
            if name == "bind":
                return known
            given = arguments[1:]
            if name == "apply":
                given = given[0].items if given and isinstance(given[0], Items) else given
            return self.apply(known, given)
        if name == "then" and arguments:
            return self.apply(arguments[0], [known])
        if known.path in ("process.env", "Deno.env") and name in ("get", "has"):
            return self.indexed(Known("process.env"), arguments[0]) if arguments else UNKNOWN
        if known.path == "Deno.env" and name == "toObject":
            return Known("process.env")
        if name == "constructor":
            return self.apply(Known("Function"), arguments)
        return self.provide(canonical(f"{known.path}.{name}"), arguments, known)

    def _tagged(self, node: Node, function: Node, given: Node, scope: Scope) -> Thing:
        callee = self.evaluate(function, scope)
        text = self._template(given, scope)
        self.span = self.place(node)
        if isinstance(callee, Known) and callee.path in ("$", "shell.$", "execa", "String.raw"):
            name = "shell.$" if callee.path == "$" else callee.path
            return self.provide(f"{name}`", [text], None)
        return (
            self.unknown([text], [])
            if not isinstance(callee, Closure)
            else self.apply(callee, [text])
        )

    def _super(self, given: Node | None, scope: Scope) -> Thing:
        arguments = self._arguments(given, scope)
        this = self._this_of(scope)
        at: Scope | None = scope
        while at is not None:
            kind = at.names.get("super")
            if isinstance(kind, Kind) and kind.constructor is not None:
                return self.apply(kind.constructor, arguments, this)
            at = at.parent
        return UNKNOWN

    def _this_of(self, scope: Scope) -> Thing | None:
        at: Scope | None = scope
        while at is not None:
            if at.this is not None:
                return at.this
            at = at.parent
        return None

    def apply(
        self, function: Thing, arguments: Sequence[Thing], this: Thing | None = None
    ) -> Thing:
        """Calls a function."""
        if isinstance(function, Closure):
            return self._run(function, arguments, this)
        if isinstance(function, Known):
            return self.provide(canonical(function.path), list(arguments), this)
        if isinstance(function, Native):
            return function.call(arguments)
        if isinstance(function, Record):
            default = function.fields.get("default")
            if default is not None and not isinstance(default, Record):
                return self.apply(default, arguments, this)
        if isinstance(function, Kind):
            return self._construct(function, arguments)
        return self.unknown([function, *arguments], arguments)

    def _run(self, function: Closure, arguments: Sequence[Thing], this: Thing | None) -> Thing:
        urgent = any(isinstance(thing, Value) and thing.carries for thing in arguments)
        if self.nested >= MAX_NESTED or not self.visit(function.node, urgent=urgent):
            return origin(
                [self.inert(a) for a in arguments if not isinstance(a, (*CALLABLE, Known))]
            )
        outer, span, depth = self.script, self.span, self.depth
        self.script, self.nested = function.script, self.nested + 1
        self.depth = min(depth, 40)
        scope = Scope(function.scope, this=this if function.this is None else function.this)
        if function.node.type == "arrow_function" and function.this is None:
            scope.this = None
        self._parameters(function.node, arguments, scope)
        self.returned.append([])
        body = function.node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.run_block(body, scope)
        elif body is not None:
            self.returned[-1].append(self.evaluate(body, scope))
        outcome = self.outcome(self.returned.pop())
        self.script, self.span, self.depth = outer, span, depth
        self.nested -= 1
        return outcome

    def _parameters(self, node: Node, arguments: Sequence[Thing], scope: Scope) -> None:
        single = node.child_by_field_name("parameter")
        listed = node.child_by_field_name("parameters")
        nodes = [single] if single is not None else []
        nodes += (
            [n for n in listed.named_children if n.type != "comment"] if listed is not None else []
        )
        for number, parameter in enumerate(nodes):
            if parameter.type == "rest_pattern" or self.source_text(parameter).startswith("..."):
                self.bind(
                    next(iter(parameter.named_children), None),
                    Items(list(arguments[number:])),
                    scope,
                )
                break
            given = arguments[number] if number < len(arguments) else UNKNOWN
            self.bind(parameter, given, scope)

    # Objects

    def create(self, node: Node, scope: Scope) -> Thing:
        """What `new` makes."""
        callee = self.evaluate(node.child_by_field_name("constructor"), scope)
        arguments = self._arguments(node.child_by_field_name("arguments"), scope)
        self.span = self.place(node)
        if isinstance(callee, Kind):
            return self._construct(callee, arguments)
        if isinstance(callee, Closure):
            record = Record()
            returned = self.apply(callee, arguments, record)
            return record if isinstance(returned, Value) else returned
        if isinstance(callee, Known):
            return self._created(callee, arguments)
        return self.unknown(arguments, arguments)

    def _construct(self, kind: Kind, arguments: Sequence[Thing]) -> Thing:
        if kind.constructor is not None:
            if isinstance(kind.parent, Kind):
                kind.constructor.scope.names["super"] = kind.parent
            self.apply(kind.constructor, arguments, kind.shared)
        return kind.shared

    def _created(self, known: Known, arguments: list[Thing]) -> Thing:
        path = canonical(known.path)
        if path == "Promise":
            return self._promise(arguments)
        made = f"new {path}"
        if made in functions.HANDLERS or path == "Function":
            return self.provide(made if made in functions.HANDLERS else path, arguments, None)
        whole = self.unknown(arguments, arguments)
        if isinstance(whole, Value) and not arguments:
            return Known(path)
        if isinstance(whole, Value):
            return whole._replace(carries=whole.carries & ~_KEPT)
        return whole

    def _promise(self, arguments: Sequence[Thing]) -> Thing:
        settled: list[Thing] = []

        def resolve(given: Sequence[Thing]) -> Thing:
            settled.extend(given[:1])
            return EMPTY

        if arguments:
            self.apply(arguments[0], [Native(resolve), Native(lambda _: EMPTY)])
        outcome: Thing = UNKNOWN
        for thing in settled:
            outcome = merged(outcome, thing)
        return outcome

    def provide(self, name: str, arguments: list[Thing], this: Thing | None) -> Thing:
        """Calls a function of the language or a library."""
        handler = functions.HANDLERS.get(name)
        if handler is not None:
            return handler(Call(self, name, arguments, *self.span, this))
        if name.endswith("="):
            return UNKNOWN
        fallback = functions.by_pattern(name, this)
        if fallback is not None:
            return fallback(Call(self, name, arguments, *self.span, this))
        flowing = [*arguments, this] if isinstance(this, Instance) else arguments
        whole = self.unknown(flowing, arguments)
        if isinstance(whole, Value) and Carries.SECRET_VARIABLE in whole.carries:
            return whole._replace(carries=whole.carries & ~_KEPT, variables=frozenset())
        return whole

    def run_text(self, text: Value) -> Thing:
        """Runs a text as code of the same language in place of the call."""
        self.played -= len(text.text)
        if self.played < 0 or self.nested >= MAX_NESTED or not text.text.strip(HOLE + " \n"):
            return UNKNOWN
        root = tree_of(".ts", text.text)
        if root is None:
            return UNKNOWN
        outer, span = self.script, self.span
        self.script = Script(outer.number, outer.path, text.text, span)
        self.nested += 1
        self.returned.append([])
        self.run_block(root, Scope())
        outcome = self.outcome(self.returned.pop())
        self.nested -= 1
        self.script, self.span = outer, span
        return outcome


_KEPT: Final = Carries.SECRET_VARIABLE
"""Stays in an object of a library that was made with it."""

__all__ = ["Deed", "Machine"]
