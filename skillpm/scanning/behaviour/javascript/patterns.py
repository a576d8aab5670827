"""Patterns: the names that declarations, parameters and assignments give to things."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.javascript.core import Core
from skillpm.scanning.behaviour.javascript.things import (
    Instance,
    Items,
    Scope,
    Thing,
    merged,
    text_of,
)
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value
from skillpm.scanning.behaviour.syntax import Node

_NAMES: Final = frozenset(
    {"identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"}
)


class Patterns(Core):
    """Takes things apart by patterns."""

    def evaluate(self, node: Node | None, scope: Scope) -> Thing:
        """What an expression stands for; notes the acts in it."""
        raise NotImplementedError

    def member(self, thing: Thing, name: str) -> Thing:
        """A field of a thing."""
        raise NotImplementedError

    def set_member(self, thing: Thing, name: str, value: Thing) -> None:
        """Sets a field of a thing."""
        raise NotImplementedError

    def key_of(self, node: Node | None, scope: Scope) -> str:
        """The name of a field."""
        if node is None:
            return ""
        if node.type == "computed_property_name":
            return text_of(self.evaluate(next(iter(node.named_children), None), scope))
        if node.type == "string":
            return text_of(self.evaluate(node, scope))
        return self.source_text(node)

    def bind(self, node: Node | None, thing: Thing, scope: Scope, *, declares: bool = True) -> None:
        """Gives the names of a pattern what they stand for."""
        if node is None:
            return
        kind = node.type
        if kind in _NAMES:
            name = self.source_text(node)
            (scope if declares else scope.holder(name)).names[name] = thing
        elif kind in ("object_pattern", "object"):
            self._bind_fields(node, thing, scope, declares=declares)
        elif kind in ("array_pattern", "array"):
            self._bind_items(node, thing, scope, declares=declares)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            default = self.evaluate(node.child_by_field_name("right"), scope)
            self.bind(
                node.child_by_field_name("left"), merged(thing, default), scope, declares=declares
            )
        elif kind in ("required_parameter", "optional_parameter"):
            value = node.child_by_field_name("value")
            given = merged(thing, self.evaluate(value, scope)) if value is not None else thing
            self.bind(node.child_by_field_name("pattern"), given, scope, declares=declares)
        elif kind in (
            "rest_pattern",
            "parenthesized_expression",
            "non_null_expression",
            "as_expression",
        ):
            self.bind(next(iter(node.named_children), None), thing, scope, declares=declares)
        elif kind == "member_expression":
            owner = self.evaluate(node.child_by_field_name("object"), scope)
            field = node.child_by_field_name("property")
            self.span = self.place(node)
            self.set_member(owner, self.source_text(field) if field is not None else "", thing)
        elif kind == "subscript_expression":
            owner = self.evaluate(node.child_by_field_name("object"), scope)
            index = self.evaluate(node.child_by_field_name("index"), scope)
            self.span = self.place(node)
            self.set_member(owner, text_of(index), thing)

    def _bind_fields(self, node: Node, thing: Thing, scope: Scope, *, declares: bool) -> None:
        for child in node.named_children:
            self.span = self.place(child)
            if child.type in ("pair_pattern", "pair"):
                key = self.key_of(child.child_by_field_name("key"), scope)
                target = child.child_by_field_name("value")
                self.bind(target, self.member(thing, key), scope, declares=declares)
            elif child.type == "object_assignment_pattern":
                left = child.child_by_field_name("left")
                key = self.source_text(left) if left is not None else ""
                self.bind(child, self.member(thing, key), scope, declares=declares)
            elif child.type == "rest_pattern":
                self.bind(child, thing, scope, declares=declares)
            else:
                self.bind(
                    child, self.member(thing, self.source_text(child)), scope, declares=declares
                )

    def _bind_items(self, node: Node, thing: Thing, scope: Scope, *, declares: bool) -> None:
        at = 0
        for child in node.children:
            if child.type == ",":
                at += 1
            elif child.type not in ("[", "]"):
                rest = child.type == "rest_pattern"
                self.bind(child, thing if rest else self.item(thing, at), scope, declares=declares)

    def item(self, thing: Thing, at: int) -> Thing:
        """An item of an array."""
        if isinstance(thing, Items):
            return thing.items[at] if 0 <= at < len(thing.items) else thing.rest
        return thing if isinstance(thing, Value | Instance) else UNKNOWN
