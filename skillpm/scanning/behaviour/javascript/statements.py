"""What statements do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import Source
from skillpm.scanning.behaviour.javascript.expressions import Expressions
from skillpm.scanning.behaviour.javascript.things import (
    Items,
    Kind,
    Known,
    Record,
    Scope,
    Thing,
    merged,
)
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, origin
from skillpm.scanning.behaviour.syntax import Node

MAX_ITEMS: Final = 8
"""A loop is run for so many of its items."""


class Statements(Expressions):
    """Runs statements."""

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__(sources)
        self.returned: list[list[Thing]] = [[]]

    def execute(self, node: Node, scope: Scope) -> None:
        """Runs a statement."""
        handler = self.statements.get(node.type)
        if handler is None:
            self.evaluate(node, scope)
        elif self.depth < MAX_NESTED:
            self.depth += 1
            handler(self, node, scope)
            self.depth -= 1
        else:
            self.deferred.append((node, scope, self.script))

    def run_block(self, node: Node, scope: Scope) -> None:
        """Runs the statements in a block; functions and classes in it are known from the start."""
        children = node.named_children
        for child in children:
            inner = child
            if child.type == "export_statement":
                inner = child.child_by_field_name("declaration") or child
            if inner.type in _FUNCTIONS:
                self._declared(inner, scope)
        for child in children:
            self.execute(child, scope)

    def _declared(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            scope.names[self.source_text(name)] = self.closure(node, scope)

    def _skip(self, node: Node, scope: Scope) -> None:
        """Nothing is done here: types, and functions that are declared already."""

    def _block(self, node: Node, scope: Scope) -> None:
        self.run_block(node, scope)

    def _all(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            self.execute(child, scope)

    def _variables(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            if child.type != "variable_declarator":
                continue
            value = child.child_by_field_name("value")
            if value is not None:
                self.bind(child.child_by_field_name("name"), self.evaluate(value, scope), scope)

    def _return(self, node: Node, scope: Scope) -> None:
        for child in node.named_children:
            self.returned[-1].append(self.evaluate(child, scope))

    def _class(self, node: Node, scope: Scope) -> None:
        name = node.child_by_field_name("name")
        kind = self.class_of(node, scope)
        if name is not None:
            scope.names[self.source_text(name)] = kind

    def class_of(self, node: Node, scope: Scope) -> Thing:
        """The class that a node defines."""
        kind = Kind(Record())
        body = node.child_by_field_name("body")
        for child in node.named_children:
            if child.type == "class_heritage":
                kind.parent = self._heritage(child, scope)
        inner = Scope(scope, this=kind.shared)
        if isinstance(kind.parent, Kind):
            kind.shared.fields.update(kind.parent.shared.fields)
            kind.constructor = kind.parent.constructor
        for child in body.named_children if body is not None else ():
            self._class_member(child, kind, inner)
        return kind

    def _heritage(self, node: Node, scope: Scope) -> Thing:
        thing: Thing = UNKNOWN
        for child in node.named_children:
            expression = child
            if child.type == "extends_clause":
                expression = child.child_by_field_name("value") or child
            elif child.type == "implements_clause":
                continue
            thing = self.evaluate(expression, scope)
        return thing

    def _class_member(self, node: Node, kind: Kind, scope: Scope) -> None:
        if node.type == "method_definition":
            name = self.key_of(node.child_by_field_name("name"), scope)
            closure = self.closure(node, scope, kind.shared)
            if name == "constructor":
                kind.constructor = closure
                self.pending.pop()
                self.pending.appendleft(closure)
            else:
                kind.shared.fields[name] = closure
        elif node.type in ("field_definition", "public_field_definition"):
            named = node.child_by_field_name("property") or node.child_by_field_name("name")
            value = node.child_by_field_name("value")
            if value is not None:
                kind.shared.fields[self.key_of(named, scope)] = self.evaluate(value, scope)
        elif node.type == "class_static_block":
            self._all(node, scope)

    def _for_in(self, node: Node, scope: Scope) -> None:
        left = node.child_by_field_name("left")
        thing = self.evaluate(node.child_by_field_name("right"), scope)
        body = node.child_by_field_name("body")
        operator = node.child_by_field_name("operator")
        names = operator is not None and operator.type == "in"
        for number, item in enumerate(self._iterated(thing, names=names)):
            if number and body is not None:
                self.fuel -= body.end_byte - body.start_byte
                if self.fuel < 0:
                    break
            self.bind(left, item, scope)
            if body is not None:
                self.execute(body, scope)

    def _iterated(self, thing: Thing, *, names: bool) -> Sequence[Thing]:
        """The items that a loop is run for, secrets first."""
        if names:
            return [self.keys(thing)]
        if not isinstance(thing, Items):
            return [thing if isinstance(thing, Value | Record | Known) else UNKNOWN]
        items = sorted(thing.items, key=lambda i: not (isinstance(i, Value) and is_secret(i.text)))
        if thing.rest.text or thing.rest.carries or not items:
            items.append(thing.rest)
        return items[:MAX_ITEMS]

    def keys(self, thing: Thing) -> Thing:
        """The names of a thing's fields."""
        raise NotImplementedError

    def _catch(self, node: Node, scope: Scope) -> None:
        parameter = node.child_by_field_name("parameter")
        self.bind(parameter, UNKNOWN, scope)
        body = node.child_by_field_name("body")
        if body is not None:
            self.run_block(body, scope)

    def _import(self, node: Node, scope: Scope) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return self._import_require(node, scope)
        self.span = self.place(node)
        module = self.load(Value(self.source_text(source)[1:-1]))
        for clause in node.named_children:
            if clause.type == "import_clause":
                for part in clause.named_children:
                    self._imported(part, module, scope)
        return None

    def _import_require(self, node: Node, scope: Scope) -> None:
        """`import fs = require('fs')`."""
        for child in node.named_children:
            if child.type == "import_require_clause":
                name = next(iter(child.named_children), None)
                source = child.child_by_field_name("source")
                if name is not None and source is not None:
                    module = self.load(Value(self.source_text(source)[1:-1]))
                    scope.names[self.source_text(name)] = module

    def _imported(self, part: Node, module: Thing, scope: Scope) -> None:
        if part.type == "identifier":
            scope.names[self.source_text(part)] = self.default_of(module)
        elif part.type == "namespace_import":
            for child in part.named_children:
                scope.names[self.source_text(child)] = module
        else:
            for child in part.named_children:
                name = child.child_by_field_name("name")
                if name is None:
                    continue
                alias = child.child_by_field_name("alias") or name
                scope.names[self.source_text(alias)] = self.member(module, self.source_text(name))

    def load(self, name: Value) -> Thing:
        """A module by its name."""
        raise NotImplementedError

    def default_of(self, module: Thing) -> Thing:
        """What `import x from` gives."""
        if isinstance(module, Record):
            return module.fields.get("default", module)
        return module

    def _export(self, node: Node, scope: Scope) -> None:
        exports = self.exports.setdefault(self.script.number, Record())
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        source = node.child_by_field_name("source")
        if source is not None:
            module = self.load(Value(self.source_text(source)[1:-1]))
            exports.rest.append(module)
            if isinstance(module, Record):
                exports.fields.update(module.fields)
        elif value is not None:
            exports.fields["default"] = self.evaluate(value, scope)
        elif declaration is not None:
            self.execute(declaration, scope)
            self._export_names(declaration, scope, exports)
        else:
            self._export_clause(node, scope, exports)

    def _export_names(self, declaration: Node, scope: Scope, exports: Record) -> None:
        nodes = [declaration, *declaration.named_children]
        for node in nodes:
            name = node.child_by_field_name("name")
            thing = scope.find(self.source_text(name)) if name is not None else None
            if name is not None and thing is not None:
                exports.fields[self.source_text(name)] = thing

    def _export_clause(self, node: Node, scope: Scope, exports: Record) -> None:
        for clause in node.named_children:
            for part in clause.named_children:
                name = part.child_by_field_name("name")
                if name is None:
                    continue
                alias = part.child_by_field_name("alias") or name
                thing = scope.find(self.source_text(name))
                exports.fields[self.source_text(alias)] = thing if thing is not None else UNKNOWN

    def outcome(self, returned: Sequence[Thing]) -> Thing:
        """What a function returns that has several ways out."""
        thing: Thing = UNKNOWN
        for one in returned:
            thing = merged(thing, one)
            if isinstance(thing, Value) and isinstance(one, Value) and one.carries:
                thing = origin([thing, one], thing.text, thing.key)
        return thing

    statements: Final[dict[str, Callable[[Statements, Node, Scope], None]]] = {
        "program": _block,
        "statement_block": _block,
        "expression_statement": _all,
        "variable_declaration": _variables,
        "lexical_declaration": _variables,
        "function_declaration": _skip,
        "generator_function_declaration": _skip,
        "class_declaration": _class,
        "abstract_class_declaration": _class,
        "return_statement": _return,
        "yield_expression": _return,
        "if_statement": _all,
        "else_clause": _all,
        "for_statement": _all,
        "for_in_statement": _for_in,
        "while_statement": _all,
        "do_statement": _all,
        "try_statement": _all,
        "finally_clause": _all,
        "catch_clause": _catch,
        "switch_statement": _all,
        "switch_body": _all,
        "switch_case": _all,
        "switch_default": _all,
        "labeled_statement": _all,
        "throw_statement": _all,
        "import_statement": _import,
        "export_statement": _export,
        "comment": _skip,
        "interface_declaration": _skip,
        "type_alias_declaration": _skip,
        "ambient_declaration": _skip,
        "function_signature": _skip,
        "type_annotation": _skip,
        "type_arguments": _skip,
        "statement_identifier": _skip,
        "property_identifier": _skip,
    }


MAX_NESTED: Final = 90
_FUNCTIONS: Final = frozenset({"function_declaration", "generator_function_declaration"})
