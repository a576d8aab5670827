"""Operators between two values, and the rounds of a loop."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import islice
from typing import Final

from skillpm.scanning.behaviour.python.folding import arithmetic, glued, joined_path, percent
from skillpm.scanning.behaviour.python.machine import Machine
from skillpm.scanning.behaviour.python.names import PATH
from skillpm.scanning.behaviour.python.values import (
    CODES,
    MISSING,
    NOTHING,
    UNPACKED,
    Value,
    both,
    constant,
    elements,
    flow_of,
    flowing,
    spliced,
    text,
)

SMALL_LOOP: Final = 64
LARGE_LOOP: Final = 4_096


def combined(machine: Machine, kind: type[ast.operator], left: Value, right: Value) -> Value:
    """Two values and an operator between them."""
    if (
        kind is ast.Add
        and not isinstance(left.const, int | float)
        and not isinstance(right.const, int | float)
    ):
        size = sum(
            len(side.const) for side in (left, right) if isinstance(side.const, str | bytes | tuple)
        )
        return glued(left, right) if machine.affords(size) else flowing(both(left.flow, right.flow))
    if kind is ast.Div and (PATH in (left.name, right.name) or left.options or right.options):
        return joined_path((left, right), PATH)
    if kind is ast.Mod and len(left.options) == 1:
        pieces = percent(left.options[0], right)
        return text(*spliced(pieces), flow=both(left.flow, flow_of(pieces)))
    flow = both(left.flow, right.flow)
    worked = MISSING
    if left.const is not MISSING and right.const is not MISSING:
        worked = arithmetic(kind, left.const, right.const)
        if isinstance(worked, str | bytes | tuple) and not machine.affords(len(worked)):
            worked = MISSING
    if kind is ast.BitXor:
        return (
            constant(worked, flow.plus(CODES))
            if worked is not MISSING
            else Value("", flow=flow.plus(UNPACKED))
        )
    return constant(worked, flow) if worked is not MISSING else flowing(flow)


def rounds_of(
    machine: Machine, iterable: Value, body: Sequence[ast.AST] = ()
) -> list[Value] | None:
    """The elements that a loop goes through one by one; None when it goes through them as one.

    Many elements are only gone through one by one when the body, if it is given, decodes.
    """
    held = elements(iterable)
    if held is None or machine.unrolled <= 0:
        return None
    found = list(islice(held, SMALL_LOOP + 1))
    if len(found) > SMALL_LOOP:
        if body and not works_on_codes(body):
            return None
        found.extend(islice(held, LARGE_LOOP - len(found)))
    if any(item is NOTHING for item in found):
        return None
    return found if machine.affords_rounds(len(found)) else None


def works_on_codes(nodes: Sequence[ast.AST]) -> bool:
    """Whether code does what decoders do: sums, xor, `chr`, indices."""
    return any(
        isinstance(node, ast.BinOp | ast.AugAssign | ast.Subscript)
        or (isinstance(node, ast.Name) and node.id in ("chr", "int", "bytes", "ord", "unichr"))
        for root in nodes
        for node in islice(ast.walk(root), 400)
    )
