"""What each kind of statement does to the names that it can see."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from skillpm.scanning.behaviour.python.binding import bind
from skillpm.scanning.behaviour.python.lookup import (
    attribute_of,
    member_of,
    module_value,
)
from skillpm.scanning.behaviour.python.machine import (
    Body,
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Machine,
    Module,
    Statement,
)
from skillpm.scanning.behaviour.python.operating import combined, rounds_of, works_on_codes
from skillpm.scanning.behaviour.python.values import (
    MAX_ITEMS,
    NOTHING,
    Value,
    element,
    elements,
    joined,
)


def _assign(machine: Machine, node: ast.Assign) -> None:
    value = machine.value(node.value)
    for target in node.targets:
        bind(machine, target, value)


def _annotated(machine: Machine, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(machine, node.target, machine.value(node.value))


def _expression(machine: Machine, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        machine.value(node.value)


def _return(machine: Machine, node: ast.Return) -> None:
    if node.value is not None:
        machine.frame.returned.append(machine.value(node.value))


def _raise(machine: Machine, node: ast.Raise) -> None:
    if node.exc is not None:
        machine.value(node.exc)


def _assert(machine: Machine, node: ast.Assert) -> None:
    machine.value(node.test)
    if node.msg is not None:
        machine.value(node.msg)


def branches(machine: Machine, bodies: Sequence[Callable[[], None]]) -> bool:
    """Goes through bodies of which one at most is run: afterwards, names may be as after any.

    Gives whether data from somewhere else may stand in a name now.
    """
    frame = machine.frame
    names, outer = frame.names, frame.log
    ends: list[dict[str, Value]] = []
    for body in bodies:
        frame.log = []
        body()
        ends.append({name: names[name] for name, _ in frame.log})
        for name, before in reversed(frame.log):
            if before is None:
                del names[name]
            else:
                names[name] = before
    frame.log = outer
    more = False
    for end in ends:
        for name, value in end.items():
            other = names.get(name)
            frame.put(name, value if other is None else joined(value, other))
            more = more or value.flow.labels & ~(other or NOTHING).flow.labels != 0
    return more


def _if(machine: Machine, node: ast.If) -> None:
    bodies: list[Body] = []
    while True:  # a long chain of elif is nested: no recursion into it
        test = machine.value(node.test).const
        bodies.append(node.body)
        if machine.exact and isinstance(test, bool) and len(bodies) == 1:
            machine.run(node.body if test else node.orelse)
            return
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            continue
        bodies.append(node.orelse)
        break
    branches(machine, [partial(machine.run, body) for body in bodies if body])


def _loop(machine: Machine, body: Body, again: Callable[[], None]) -> None:
    """Goes through a body that may be run many times: again when it changed what it sees."""
    machine.loops += 1

    def once() -> None:
        again()
        machine.run(body)

    if branches(machine, [once]) and machine.loops < 3 and machine.ample:
        branches(machine, [once])
    machine.loops -= 1


def _for(machine: Machine, node: ast.For | ast.AsyncFor) -> None:
    iterable = machine.value(node.iter)
    if elements(iterable) is not None and len(node.body) <= 8 and works_on_codes(node.body):
        found = rounds_of(machine, iterable)
        if found is not None and len(found) > 1:
            machine.loops += 1
            machine.exactly(lambda: _unrolled(machine, node, found))
            machine.loops -= 1
            return
    one = element(iterable)
    _loop(machine, node.body, lambda: bind(machine, node.target, one))
    machine.run(node.orelse)


def _unrolled(machine: Machine, node: ast.For | ast.AsyncFor, found: list[Value]) -> None:
    for item in found:
        bind(machine, node.target, item)
        machine.run(node.body)
    machine.run(node.orelse)


def _while(machine: Machine, node: ast.While) -> None:
    literal = isinstance(node.test, ast.Constant)
    if not literal and machine.value(node.test).const is True:
        machine.loops += 1
        machine.exactly(lambda: _rounds(machine, node))
        machine.loops -= 1
    _loop(machine, node.body, lambda: None if literal else _ignore(machine.value(node.test)))
    machine.run(node.orelse)


def _ignore(_value: Value) -> None:
    return None


def _rounds(machine: Machine, node: ast.While) -> None:
    for _ in range(MAX_ITEMS):
        if machine.value(node.test).const is not True or not machine.affords_rounds(1):
            return
        machine.run(node.body)


def _with(machine: Machine, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        value = machine.value(item.context_expr)
        if isinstance(value.thing, Instance):
            enter = value.thing.owner.names.get("__enter__")
            if enter is not None:
                entered = machine.call(Call(item.context_expr, enter, [value], {}))
                value = value if entered is NOTHING else entered
        if item.optional_vars is not None:
            bind(machine, item.optional_vars, value)
    machine.run(node.body)


def _try(machine: Machine, node: ast.Try) -> None:
    machine.run(node.body)
    branches(machine, [partial(machine.run, handler.body) for handler in node.handlers])
    machine.run(node.orelse)
    machine.run(node.finalbody)


def _match(machine: Machine, node: ast.Match) -> None:
    subject = machine.value(node.subject)

    def case(one: ast.match_case) -> None:
        for part in ast.walk(one.pattern):
            name = getattr(part, "name", None) or getattr(part, "rest", None)
            if isinstance(name, str):
                machine.assign(name, subject)
        if one.guard is not None:
            machine.value(one.guard)
        machine.run(one.body)

    branches(machine, [partial(case, one) for one in node.cases])


def _augmented(machine: Machine, node: ast.AugAssign) -> None:
    load: ast.expr = node.target
    before = machine.value(load)
    bind(machine, node.target, combined(machine, type(node.op), before, machine.value(node.value)))


def _global(machine: Machine, node: ast.Global | ast.Nonlocal) -> None:
    if isinstance(node, ast.Global):
        machine.frame.shared |= frozenset(node.names)


def _function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    function = Function(node, machine.frame)
    machine.functions[node] = function
    machine.frame.put(node.name, Value(thing=function))
    for mark in node.decorator_list:
        machine.value(mark)


def _class(machine: Machine, node: ast.ClassDef) -> None:
    bases = tuple(machine.value(base) for base in node.bases)
    owner = Class(node, machine.frame, bases)
    frame = Frame(machine.frame.module, machine.frame, owner.names)
    outer, machine.frame = machine.frame, frame
    machine.run(node.body)
    machine.frame = outer
    owner.names = frame.names
    for value in owner.names.values():
        if isinstance(value.thing, Function) and value.thing.frame is frame:
            value.thing.owner = owner
            value.thing.frame = outer
    machine.frame.put(node.name, Value(thing=owner))


def _import(machine: Machine, node: ast.Import) -> None:
    for alias in node.names:
        value = module_value(machine, alias.name)
        if alias.asname is None and "." in alias.name:
            root = alias.name.partition(".")[0]
            machine.assign(root, module_value(machine, root))
        else:
            machine.assign(alias.asname or alias.name, value)


def _import_from(machine: Machine, node: ast.ImportFrom) -> None:
    source = module_value(machine, node.module or "", node.level)
    for alias in node.names:
        if alias.name == "*":
            if isinstance(source.thing, Module):
                for name, value in source.thing.frame.names.items():
                    machine.frame.put(name, value)
            elif node.module:
                machine.frame.module.stars.append(node.module)
            continue
        machine.assign(alias.asname or alias.name, _member(machine, source, node, alias.name))


def _member(machine: Machine, source: Value, node: ast.ImportFrom, name: str) -> Value:
    if isinstance(source.thing, Module):
        found = member_of(machine, source.thing, name)
        if found is not None:
            return found
    inner = f"{node.module}.{name}" if node.module else name
    local = machine.language.imported(machine, inner, node.level)
    if local is not None:
        return Value(thing=local)
    return attribute_of(machine, source, name, node) if source.name else NOTHING


STATEMENTS: Final[dict[type[ast.AST], Statement]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Global: _global,
    ast.Nonlocal: _global,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
"""The meaning of every kind of statement."""
