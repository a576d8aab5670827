"""Names, attributes and items get their values, and containers what is put into them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.python.lookup import set_attribute
from skillpm.scanning.behaviour.python.machine import Call, Class, Instance, Machine, Module, Stored
from skillpm.scanning.behaviour.python.names import ENVIRON
from skillpm.scanning.behaviour.python.values import (
    MAX_ITEMS,
    MISSING,
    NOTHING,
    Value,
    both,
    element,
    flow_of,
    flowing,
    joined,
)

MUTATORS: Final = frozenset(
    {
        *("append", "add", "extend", "insert", "update", "setdefault", "put", "put_nowait", "push"),
        *("appendleft", "write", "set", "attach", "feed", "add_field", "add_header"),
    }
)
"""Methods that put what they are given into their object."""


def bind(machine: Machine, target: ast.expr, value: Value) -> None:
    """Assigns to a name, an attribute, an item, or to several at once."""
    if isinstance(target, ast.Name):
        machine.assign(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, target.elts, value)
    elif isinstance(target, ast.Starred):
        bind(machine, target.value, value)
    elif isinstance(target, ast.Attribute):
        base = machine.value(target.value)
        if isinstance(base.thing, Instance | Class | Module):
            set_attribute(base, target.attr, value)
        else:
            _absorb(machine, target.value, base, value, target.attr)
    elif isinstance(target, ast.Subscript):
        base = machine.value(target.value)
        key = machine.value(target.slice) if not isinstance(target.slice, ast.Slice) else NOTHING
        if base.name != ENVIRON:
            _absorb(machine, target.value, base, value, key.options[0] if key.options else "")


def _unpack(machine: Machine, targets: Sequence[ast.expr], value: Value) -> None:
    parts = value.items
    if isinstance(value.const, str | bytes | tuple) and len(value.const) == len(targets):
        parts = tuple(
            Value("", part, (part,) if isinstance(part, str) else (), value.flow)
            for part in value.const
        )
    if (
        parts is not None
        and len(parts) == len(targets)
        and not any(isinstance(t, ast.Starred) for t in targets)
    ):
        for target, part in zip(targets, parts, strict=True):
            bind(machine, target, part)
        return
    one = element(value)
    for target in targets:
        bind(machine, target, one)


def _absorb(
    machine: Machine,
    node: ast.expr,
    base: Value,
    value: Value,
    key: str | None = "",
) -> None:
    """What is put into a list, dict or object flows out of it from then on.

    The key is that of a dict or object, "" when it is not known, None at the end of a list.
    """
    flow = both(base.flow, flow_of((value,)))
    fields, items = base.fields, base.items
    if key and items is None:
        fields = {**(fields or {}), key: value} if len(fields or ()) < MAX_ITEMS else fields
    if key is None and items is not None and len(items) < MAX_ITEMS:
        items = (*items, value)
    elif flow is base.flow and fields is base.fields:
        return
    _replace(
        machine, node, Value(base.name, MISSING, base.options, flow, items, fields, base.thing)
    )


def _replace(machine: Machine, node: ast.expr, value: Value) -> None:
    """Gives the name or attribute at the root of an expression another value."""
    while isinstance(node, ast.Subscript):
        node = node.value
        value = Value("", flow=value.flow)
    if isinstance(node, ast.Name):
        before = machine.look_up(node.id)
        if before is not None and value.name == "" and not value.items and not value.fields:
            value = joined(before, value)
        machine.frame.put(node.id, value)
    elif isinstance(node, ast.Attribute):
        base = machine.value(node.value)
        if isinstance(base.thing, Instance | Class | Module):
            set_attribute(base, node.attr, value)
        elif value.flow.labels:
            _absorb(machine, node.value, base, flowing(value.flow))


def mutate(machine: Machine, function: ast.Attribute, call: Call) -> None:
    """Notes what a method such as `append` or `update` leaves in its object."""
    if isinstance(call.receiver.thing, Stored):
        return
    receiver = call.receiver
    if call.method in ("append", "add") and len(call.positional) == 1:
        _absorb(machine, function.value, receiver, call.positional[0], None)
    elif call.method == "extend" and receiver.items is not None and call.argument(0).items:
        items = (*receiver.items, *(call.positional[0].items or ()))[:MAX_ITEMS]
        flow = both(receiver.flow, call.positional[0].flow)
        _replace(machine, function.value, Value(receiver.name, flow=flow, items=items))
    elif call.method == "update" and call.argument(0).fields:
        fields = {**(receiver.fields or {}), **(call.positional[0].fields or {})}
        flow = both(receiver.flow, call.positional[0].flow)
        _replace(
            machine,
            function.value,
            Value(receiver.name, MISSING, receiver.options, flow, None, fields, receiver.thing),
        )
    else:
        _absorb(machine, function.value, receiver, Value("", flow=call.flow()))
