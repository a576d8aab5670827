"""What each kind of expression gives."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final

from skillpm.scanning.behaviour.python.binding import MUTATORS, bind, mutate
from skillpm.scanning.behaviour.python.code_calls import marked
from skillpm.scanning.behaviour.python.folding import character, compared, sliced
from skillpm.scanning.behaviour.python.lookup import attribute_of, item_of, named
from skillpm.scanning.behaviour.python.machine import Call, Expression, Function, Machine
from skillpm.scanning.behaviour.python.names import ENVIRON
from skillpm.scanning.behaviour.python.operating import (
    LARGE_LOOP,
    SMALL_LOOP,
    combined,
    rounds_of,
)
from skillpm.scanning.behaviour.python.values import (
    CLEAN,
    MISSING,
    NOTHING,
    Value,
    both,
    constant,
    element,
    elements,
    flow_of,
    flowing,
    joined,
    listed,
    one_of,
    spliced,
    text,
)


def _name(machine: Machine, node: ast.Name) -> Value:
    return named(machine, node.id) or NOTHING


def _attribute(machine: Machine, node: ast.Attribute) -> Value:
    return attribute_of(machine, machine.value(node.value), node.attr, node)


def _call(machine: Machine, node: ast.Call) -> Value:
    function = node.func
    receiver, method = NOTHING, ""
    if isinstance(function, ast.Attribute):
        receiver, method = machine.value(function.value), function.attr
        callee = attribute_of(machine, receiver, method, function)
    else:
        callee = machine.value(function)
    call = Call(node, callee, [], {}, receiver, method)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            _spread(call, machine.value(argument.value))
        else:
            call.positional.append(machine.value(argument))
    for keyword in node.keywords:
        value = machine.value(keyword.value)
        if keyword.arg is not None:
            call.keywords[keyword.arg] = value
        elif value.fields is not None:
            call.keywords.update(value.fields)
        else:
            call.spread = both(call.spread, value.flow)
    found = machine.call(call)
    if method in MUTATORS and isinstance(function, ast.Attribute):
        mutate(machine, function, call)
    return found


def _spread(call: Call, value: Value) -> None:
    held = elements(value)
    if held is not None:
        call.positional.extend(islice(held, 200))
    else:
        call.positional.append(element(value))
        call.spread = both(call.spread, value.flow)


def _binary(machine: Machine, node: ast.BinOp) -> Value:
    kind = type(node.op)
    if kind is not ast.Add:
        return combined(machine, kind, machine.value(node.left), machine.value(node.right))
    parts: list[ast.expr] = []  # a long chain of + leans to the left: no recursion into it
    chain: ast.expr = node
    while isinstance(chain, ast.BinOp) and isinstance(chain.op, ast.Add):
        parts.append(chain.right)
        chain = chain.left
    whole = machine.value(chain)
    for part in reversed(parts):
        whole = combined(machine, kind, whole, machine.value(part))
    return whole


def _boolean(machine: Machine, node: ast.BoolOp) -> Value:
    return one_of([machine.value(value) for value in node.values])


def _compare(machine: Machine, node: ast.Compare) -> Value:
    left = machine.value(node.left)
    rights = [machine.value(other) for other in node.comparators]
    if len(rights) != 1:
        return NOTHING
    worked = compared(type(node.ops[0]), left.const, rights[0].const)
    return constant(worked) if worked is not MISSING else NOTHING


def _unary(machine: Machine, node: ast.UnaryOp) -> Value:
    value = machine.value(node.operand)
    number = value.const
    if isinstance(number, int) and number.bit_length() < 512:
        if isinstance(node.op, ast.USub):
            return constant(-number, value.flow)
        if isinstance(node.op, ast.Invert):
            return constant(~number, value.flow)
    if isinstance(node.op, ast.Not):
        return constant(not number) if isinstance(number, bool) else NOTHING
    return flowing(value.flow)


def _choice(machine: Machine, node: ast.IfExp) -> Value:
    machine.value(node.test)
    return joined(machine.value(node.body), machine.value(node.orelse))


def _sequence(machine: Machine, node: ast.List | ast.Tuple | ast.Set) -> Value:
    if len(node.elts) > 16 and all(part.__class__ is ast.Constant for part in node.elts):
        return constant(tuple(part.value for part in node.elts if isinstance(part, ast.Constant)))
    items: list[Value] = []
    for part in node.elts:
        if isinstance(part, ast.Starred):
            value = machine.value(part.value)
            held = elements(value)
            items.extend(islice(held, LARGE_LOOP) if held is not None else (element(value),))
        else:
            items.append(machine.value(part))
    return listed(items)


def _dict(machine: Machine, node: ast.Dict) -> Value:
    fields: dict[str, Value] = {}
    flow = CLEAN
    for key, inner in zip(node.keys, node.values, strict=True):
        value = machine.value(inner)
        flow = both(flow, flow_of((value,)))
        if key is None:
            if value.name == ENVIRON:
                machine.call(Call(node, Value(f"{ENVIRON}.copy"), [], {}, value, "copy"))
            fields.update(value.fields or {})
            continue
        name = machine.value(key)
        flow = both(flow, name.flow)
        fields[name.options[0] if name.options else str(name.const)[:40]] = value
    return Value(ENVIRON if _is_environment(node) else "", flow=flow, fields=fields)


def _is_environment(node: ast.Dict) -> bool:
    """`{**os.environ, "X": "1"}` is one more environment."""
    return any(
        key is None and isinstance(value, ast.Attribute) and value.attr == "environ"
        for key, value in zip(node.keys, node.values, strict=True)
    )


def _subscript(machine: Machine, node: ast.Subscript) -> Value:
    base = machine.value(node.value)
    if isinstance(node.slice, ast.Slice):
        lower, upper, step = (
            None if part is None else machine.value(part).const
            for part in (node.slice.lower, node.slice.upper, node.slice.step)
        )
        return sliced(base, lower, upper, step)
    key = machine.value(node.slice)
    return (
        marked(item_of(machine, base, key, node), key)
        if base.name or base.thing is not None
        else item_of(machine, base, key, node)
    )


def _formatted(machine: Machine, node: ast.JoinedStr) -> Value:
    pieces: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = machine.value(part.value)
            if part.format_spec is not None:
                value = _with_spec(machine, value, part.format_spec)
            pieces.append(value)
        else:
            pieces.append(machine.value(part))
    flow = flow_of(pieces)
    found = spliced(pieces)
    if len(found) == 1 and all(isinstance(piece.const, str | int) for piece in pieces):
        return constant(found[0], flow)
    return text(*found, flow=flow)


def _with_spec(machine: Machine, value: Value, spec: ast.expr) -> Value:
    kind = machine.value(spec).const
    if kind == "c":
        return character(value)
    return flowing(value.flow) if isinstance(value.const, int | float) else value


def _lambda(machine: Machine, node: ast.Lambda) -> Value:
    function = Function(node, machine.frame)
    machine.functions[node] = function
    return Value(thing=function)


def _await(machine: Machine, node: ast.Await | ast.Starred) -> Value:
    return machine.value(node.value)


def _yield(machine: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    if node.value is not None:
        value = machine.value(node.value)
        machine.frame.returned.append(
            value if isinstance(node, ast.YieldFrom) else listed((value, NOTHING))
        )
    return NOTHING


def _walrus(machine: Machine, node: ast.NamedExpr) -> Value:
    value = machine.value(node.value)
    bind(machine, node.target, value)
    return value


def _each(
    machine: Machine,
    generators: Sequence[ast.comprehension],
    take: Callable[[], None],
    body: Sequence[ast.AST],
) -> bool:
    """Goes through the loops of a comprehension; whether every element was met by itself."""
    if not generators:
        take()
        return True
    first, rest = generators[0], generators[1:]
    iterable = machine.value(first.iter)
    found = rounds_of(machine, iterable, body)
    if found is None:
        bind(machine, first.target, element(iterable))
        for test in first.ifs:
            machine.value(test)
        _each(machine, rest, take, body)
        return False
    exact = True
    for item in found:
        bind(machine, first.target, item)
        tests = [machine.value(test).const for test in first.ifs]
        if False in [test for test in tests if isinstance(test, bool)]:
            continue
        exact = (
            _each(machine, rest, take, body)
            and all(isinstance(test, bool) for test in tests)
            and exact
        )
    return exact


def _comprehension(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Value:
    taken: list[Value] = []

    def take() -> None:
        if len(taken) < LARGE_LOOP:
            taken.append(machine.value(node.elt))

    exact = _each(machine, node.generators, take, (node.elt,))
    if exact:
        return listed(taken)
    one = one_of(taken[:SMALL_LOOP])
    if all(len(option) < 2 for option in one.options):  # the letters of a text say nothing
        one = flowing(one.flow)
    return Value("", flow=flow_of(taken), items=(one, NOTHING))


def _dict_comprehension(machine: Machine, node: ast.DictComp) -> Value:
    fields: dict[str, Value] = {}
    flows: list[Value] = []

    def take() -> None:
        key, value = machine.value(node.key), machine.value(node.value)
        flows.extend((key, value))
        if key.options and len(fields) < LARGE_LOOP:
            fields[key.options[0]] = value

    exact = _each(machine, node.generators, take, (node.key, node.value))
    return Value("", flow=flow_of(flows), fields=fields if exact and fields else None)


EXPRESSIONS: Final[dict[type[ast.AST], Expression]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.IfExp: _choice,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.JoinedStr: _formatted,
    ast.Lambda: _lambda,
    ast.Await: _await,
    ast.Starred: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.NamedExpr: _walrus,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}
"""The meaning of every kind of expression."""
