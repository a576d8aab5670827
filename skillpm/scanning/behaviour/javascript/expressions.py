"""What expressions stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries
from skillpm.scanning.behaviour.javascript.folding import added, computed, unescape
from skillpm.scanning.behaviour.javascript.patterns import Patterns
from skillpm.scanning.behaviour.javascript.things import (
    Closure,
    Items,
    Known,
    Number,
    Record,
    Scope,
    Thing,
    merged,
    number_of,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, origin
from skillpm.scanning.behaviour.syntax import Node

MAX_DEPTH: Final = 90
"""What is nested deeper is run later on its own; what it stands for there is not known."""


class Expressions(Patterns):
    """Evaluates expressions."""

    def evaluate(self, node: Node | None, scope: Scope) -> Thing:
        """What an expression stands for; notes the acts in it."""
        if node is None:
            return UNKNOWN
        handler = self.expressions.get(node.type)
        if self.depth >= MAX_DEPTH:
            self.deferred.append((node, scope, self.script))
            return UNKNOWN
        self.depth += 1
        thing = self._inside(node, scope) if handler is None else handler(self, node, scope)
        self.depth -= 1
        return thing

    def execute(self, node: Node, scope: Scope) -> None:
        """Runs a statement."""
        raise NotImplementedError

    def call(self, node: Node, scope: Scope) -> Thing:
        """What a call returns."""
        raise NotImplementedError

    def create(self, node: Node, scope: Scope) -> Thing:
        """What `new` makes."""
        raise NotImplementedError

    def class_of(self, node: Node, scope: Scope) -> Thing:
        """The class that a node defines."""
        raise NotImplementedError

    def _inside(self, node: Node, scope: Scope) -> Thing:
        """Runs what stands inside of a node that says nothing itself."""
        for child in node.named_children:
            self.execute(child, scope)
        return UNKNOWN

    def _identifier(self, node: Node, scope: Scope) -> Thing:
        name = self.source_text(node)
        thing = scope.find(name)
        return self._global(name) if thing is None else thing

    def _global(self, name: str) -> Thing:
        if name == "undefined":
            return EMPTY
        if name == "__dirname":
            return Value(self.path.rpartition("/")[0] or ".")
        return Value(self.path or HOLE) if name == "__filename" else Known(name)

    def _this(self, _node: Node, scope: Scope) -> Thing:
        at: Scope | None = scope
        while at is not None:
            if at.this is not None:
                return at.this
            at = at.parent
        return Known("globalThis")

    def _string(self, node: Node, _scope: Scope) -> Thing:
        text = self.script.text[node.start_byte + 1 : node.end_byte - 1]
        return _unescaped(text) if "\\" in text else Value(text)

    def _template(self, node: Node, scope: Scope) -> Value:
        return added(self.template_parts(node, scope))

    def template_parts(self, node: Node, scope: Scope) -> list[Value]:
        """The texts and values of a template, in order."""
        parts, at = [], node.start_byte + 1
        for child in node.named_children:
            if child.type != "template_substitution":
                continue
            parts.append(_unescaped(self.script.text[at : child.start_byte]))
            parts += [self.flow(self.evaluate(inner, scope)) for inner in child.named_children]
            at = child.end_byte
        parts.append(_unescaped(self.script.text[at : node.end_byte - 1]))
        return [part for part in parts if part.text or part.carries]

    def _number(self, node: Node, _scope: Scope) -> Thing:
        text = self.source_text(node).replace("_", "").rstrip("n")
        try:
            return Number(float(int(text, 0)))
        except ValueError:
            pass
        try:
            return Number(float(text))
        except ValueError:
            return UNKNOWN

    def _literal(self, node: Node, _scope: Scope) -> Thing:
        return Value(self.source_text(node)[:200])

    def _nothing(self, _node: Node, _scope: Scope) -> Thing:
        return EMPTY

    def _array(self, node: Node, scope: Scope) -> Thing:
        items = Items()
        for child in node.named_children:
            if child.type == "spread_element":
                _spread(items, self._inner(child, scope), self.flow)
            elif child.type != "comment":
                items.items.append(self.evaluate(child, scope))
        return items

    def _inner(self, node: Node, scope: Scope) -> Thing:
        """The last expression inside of a node: brackets, `await`, `as`, `!`."""
        thing: Thing = UNKNOWN
        for child in node.named_children:
            if child.type not in _TYPES:
                thing = self.evaluate(child, scope)
        return thing

    def _typed(self, node: Node, scope: Scope) -> Thing:
        """The first expression inside: what follows is a type."""
        children = node.named_children
        return self.evaluate(children[0], scope) if children else UNKNOWN

    def _object(self, node: Node, scope: Scope) -> Thing:
        record = Record()
        for child in node.named_children:
            if child.type == "pair":
                key = self.key_of(child.child_by_field_name("key"), scope)
                record.fields[key] = self.evaluate(child.child_by_field_name("value"), scope)
            elif child.type == "shorthand_property_identifier":
                record.fields[self.source_text(child)] = self._identifier(child, scope)
            elif child.type == "method_definition":
                key = self.key_of(child.child_by_field_name("name"), scope)
                record.fields[key] = self.closure(child, scope, record)
            elif child.type == "spread_element":
                self._spread_into(record, self._inner(child, scope))
        return record

    def _spread_into(self, record: Record, thing: Thing) -> None:
        if isinstance(thing, Record):
            record.fields.update(thing.fields)
            record.rest += thing.rest[:10]
        else:
            record.rest.append(thing)

    def closure(self, node: Node, scope: Scope, this: Thing | None = None) -> Closure:
        """A function of the code; it is run later when nothing calls it."""
        function = Closure(node, scope, self.script, this)
        self.pending.append(function)
        return function

    def _function(self, node: Node, scope: Scope) -> Thing:
        function = self.closure(node, scope)
        name = node.child_by_field_name("name")
        if name is not None:
            function.scope = Scope(scope, {self.source_text(name): function})
        return function

    def _binary(self, node: Node, scope: Scope) -> Thing:
        """Two operands; a long chain of `+` is taken from its left end."""
        operator = self._operator(node)
        if operator != "+":
            left = self.evaluate(node.child_by_field_name("left"), scope)
            right = self.evaluate(node.child_by_field_name("right"), scope)
            return self._operated(operator, left, right)
        chain: list[Node | None] = []
        at: Node | None = node
        while at is not None and at.type == "binary_expression" and self._operator(at) == "+":
            chain.append(at.child_by_field_name("right"))
            at = at.child_by_field_name("left")
        things = [self.evaluate(part, scope) for part in [at, *reversed(chain)]]
        return self._summed(things)

    def _operator(self, node: Node) -> str:
        found = node.child_by_field_name("operator")
        return found.type if found is not None else ""

    def _operated(self, operator: str, left: Thing, right: Thing) -> Thing:
        if operator in ("||", "??"):
            return merged(left, right)
        if operator == "&&":
            return merged(right, left)
        number = computed(operator, left, right)
        if number is not None:
            return number
        if operator in _COMPARISONS:
            return UNKNOWN
        return origin([self.flow(left), self.flow(right)])

    def _summed(self, things: Sequence[Thing]) -> Thing:
        if all(isinstance(thing, Number) for thing in things):
            return Number(sum(thing.amount for thing in things if isinstance(thing, Number)))
        return added([self.flow(thing) for thing in things])

    def _unary(self, node: Node, scope: Scope) -> Thing:
        thing = self.evaluate(node.child_by_field_name("argument"), scope)
        operator = self._operator(node)
        number = number_of(thing)
        if number is not None and operator in ("-", "+", "~"):
            return Number(-number if operator == "-" else number if operator == "+" else ~number)
        return EMPTY if operator == "void" else UNKNOWN

    def _ternary(self, node: Node, scope: Scope) -> Thing:
        self.evaluate(node.child_by_field_name("condition"), scope)
        first = self.evaluate(node.child_by_field_name("consequence"), scope)
        return merged(first, self.evaluate(node.child_by_field_name("alternative"), scope))

    def _member(self, node: Node, scope: Scope) -> Thing:
        thing = self.evaluate(node.child_by_field_name("object"), scope)
        name = node.child_by_field_name("property")
        self.span = self.place(node)
        return self.member(thing, self.source_text(name) if name is not None else "")

    def _subscript(self, node: Node, scope: Scope) -> Thing:
        thing = self.evaluate(node.child_by_field_name("object"), scope)
        index = self.evaluate(node.child_by_field_name("index"), scope)
        self.span = self.place(node)
        return self.indexed(thing, index)

    def indexed(self, thing: Thing, index: Thing) -> Thing:
        """The field of a thing that an expression names."""
        raise NotImplementedError

    def _assigned(self, node: Node, scope: Scope) -> Thing:
        value = self.evaluate(node.child_by_field_name("right"), scope)
        self.bind(node.child_by_field_name("left"), value, scope, declares=False)
        return value

    def _augmented(self, node: Node, scope: Scope) -> Thing:
        left = node.child_by_field_name("left")
        before = self.evaluate(left, scope)
        value = self.evaluate(node.child_by_field_name("right"), scope)
        operator = self._operator(node).removesuffix("=")
        whole = (
            self._summed([before, value])
            if operator == "+"
            else self._operated(operator, before, value)
        )
        self.bind(left, whole, scope, declares=False)
        return whole

    def _sequence(self, node: Node, scope: Scope) -> Thing:
        return self._inner(node, scope)

    expressions: Final[dict[str, Callable[[Expressions, Node, Scope], Thing]]] = {
        "identifier": _identifier,
        "this": _this,
        "string": _string,
        "template_string": _template,
        "number": _number,
        "true": _literal,
        "false": _literal,
        "regex": _literal,
        "null": _nothing,
        "undefined": _nothing,
        "comment": _nothing,
        "array": _array,
        "object": _object,
        "arrow_function": _function,
        "function_expression": _function,
        "function": _function,
        "generator_function": _function,
        "class": lambda self, node, scope: self.class_of(node, scope),
        "binary_expression": _binary,
        "unary_expression": _unary,
        "ternary_expression": _ternary,
        "member_expression": _member,
        "subscript_expression": _subscript,
        "assignment_expression": _assigned,
        "augmented_assignment_expression": _augmented,
        "sequence_expression": _sequence,
        "parenthesized_expression": _inner,
        "await_expression": _inner,
        "spread_element": _inner,
        "non_null_expression": _typed,
        "as_expression": _typed,
        "satisfies_expression": _typed,
        "type_assertion": _inner,
        "call_expression": lambda self, node, scope: self.call(node, scope),
        "new_expression": lambda self, node, scope: self.create(node, scope),
    }


def _unescaped(text: str) -> Value:
    if "\\" not in text:
        return Value(text)
    said, hidden = unescape(text)
    return Value(said, Carries.BUILT) if hidden else Value(said)


def _spread(items: Items, thing: Thing, flow: Callable[[Thing], Value]) -> None:
    if isinstance(thing, Items):
        items.items += thing.items
        thing = thing.rest
    elif isinstance(thing, Value) and thing.known:
        items.items += [thing.saying(char) for char in thing.text[:4000]]
        return
    items.rest = origin([items.rest, flow(thing)], items.rest.text or flow(thing).text)


_TYPES: Final = frozenset({"type_arguments", "comment", "type_annotation", "predefined_type"})
_COMPARISONS: Final = frozenset(
    {"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"}
)
