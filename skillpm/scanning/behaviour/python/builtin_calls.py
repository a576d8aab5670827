"""Built-in functions, types and methods that make values out of values."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.python.code_calls import marked
from skillpm.scanning.behaviour.python.effects import Special, calls, dropped, encoded, same
from skillpm.scanning.behaviour.python.folding import (
    any_of,
    character,
    characters,
    filled,
    joined_by,
    method,
)
from skillpm.scanning.behaviour.python.lookup import item_of
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.names import ENVIRON
from skillpm.scanning.behaviour.python.values import (
    CODES,
    FACTS,
    MAX_ITEMS,
    MISSING,
    NOTHING,
    Value,
    both,
    constant,
    element,
    elements,
    flow_of,
    flowing,
    listed,
    spliced,
    text,
)

_MAX_RANGE: Final = 1 << 31


def _text(_machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if isinstance(value.const, int | float) and not isinstance(value.const, bool):
        return text(*spliced((value, constant(""))), flow=value.flow)
    if isinstance(value.const, bytes) and call.has(1, "encoding"):
        return method(value, "decode", ()) or flowing(value.flow)
    found = same(_machine, call)
    return Value("", found.const, found.options, found.flow, found.items, found.fields, found.thing)


def _chr(_machine: Machine, call: Call) -> Value:
    return character(call.argument(0))


def _ord(_machine: Machine, call: Call) -> Value:
    char = call.argument(0)
    if isinstance(char.const, str | bytes) and len(char.const) == 1:
        return constant(ord(char.const), char.flow)
    return flowing(char.flow)


def _len(_machine: Machine, call: Call) -> Value:
    """How long it is, which tells nothing of what it is."""
    value = call.argument(0)
    if isinstance(value.const, str | bytes | tuple):
        return constant(len(value.const))
    if value.items is not None and all(item is not NOTHING for item in value.items):
        return constant(len(value.items))
    return NOTHING


def _int(_machine: Machine, call: Call) -> Value:
    value, base = call.argument(0), call.argument(1, "base")
    digits, radix = value.const, base.const if call.has(1, "base") else 10
    if (
        isinstance(digits, str)
        and len(digits) < 4_000
        and isinstance(radix, int)
        and (radix == 0 or 2 <= radix <= 36)
    ):
        try:
            return constant(int(digits, radix), value.flow)
        except ValueError:
            return NOTHING
    return constant(digits, value.flow) if isinstance(digits, int) else flowing(value.flow)


def _bytes(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if isinstance(value.const, str | bytes):
        data = (
            value.const
            if isinstance(value.const, bytes)
            else value.const.encode("utf-8", "replace")
        )
        return Value("", data, (), value.flow)
    if isinstance(value.const, int):
        return characters([constant(0)])
    codes = elements(value) if value.fields is None else None
    if codes is not None:
        held = list(codes)
        if len(held) <= MAX_ITEMS * 16 and machine.affords(len(held)):
            return characters(held)
    return Value("", options=value.options, flow=value.flow)


def _list(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if not call.positional:
        return listed(())
    if value.name == ENVIRON:
        return machine.call(Call(call.node, Value(f"{ENVIRON}.keys"), [], {}, value, "keys"))
    held = elements(value)
    return value if held is None or value.items is not None else listed(held)


def _dict(machine: Machine, call: Call) -> Value:
    base = call.argument(0)
    if base.name == ENVIRON:
        return machine.call(Call(call.node, Value(f"{ENVIRON}.copy"), [], {}, base, "copy"))
    if call.positional and base.fields is None:
        return Value("", flow=call.flow())
    fields = {**(base.fields or {}), **call.keywords}
    return Value("", flow=both(flow_of(fields.values()), call.spread), fields=fields)


def _range(_machine: Machine, call: Call) -> Value:
    bounds = [value.const for value in call.positional[:3]]
    if (
        bounds
        and all(isinstance(bound, int) and abs(bound) < _MAX_RANGE for bound in bounds)
        and bounds[2:] != [0]
    ):
        return Value("", range(*bounds))
    return NOTHING


def _enumerate(_machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    held = elements(value)
    if held is None:
        one = element(value)
        return Value(
            "", flow=one.flow, items=(Value("", flow=one.flow, items=(NOTHING, one)), NOTHING)
        )
    return listed(listed((constant(number), item)) for number, item in enumerate(held))


def _zip(_machine: Machine, call: Call) -> Value:
    columns = [elements(value) for value in call.positional]
    if not all(column is not None for column in columns):
        row = listed(element(value) for value in call.positional)
        return listed((row, NOTHING))
    return listed(
        listed(row) for row in zip(*(column for column in columns if column), strict=False)
    )


def _reversed(_machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if isinstance(value.const, str) and len(value.const) > 3:
        return listed(
            constant(char, value.flow.plus(CODES)) for char in reversed(value.const[:MAX_ITEMS])
        )
    held = elements(value)
    return Value("", flow=value.flow) if held is None else listed(list(held)[::-1])


def _sorted(_machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    return (
        Value("", MISSING, (), value.flow, value.items, None)
        if value.items
        else element_list(value)
    )


def element_list(value: Value) -> Value:
    """A list of what a value gives."""
    return value if isinstance(value.const, tuple) else listed((element(value), NOTHING))


def _filter(_machine: Machine, call: Call) -> Value:
    return call.argument(1)


def _next(_machine: Machine, call: Call) -> Value:
    return any_of([element(call.argument(0)), *call.positional[1:]], call.spread)


def _format(_machine: Machine, call: Call) -> Value:
    receiver = call.receiver
    if len(receiver.options) != 1:
        return flowing(both(receiver.flow, call.flow()))
    pieces = filled(receiver.options[0], call.positional, call.keywords)
    flow = both(receiver.flow, flow_of(pieces))
    exact = all(isinstance(piece.const, str) for piece in pieces)
    found = spliced(pieces)
    return constant(found[0], flow) if exact and len(found) == 1 else text(*found, flow=flow)


def _join(machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    held = elements(value)
    if held is None:
        return flowing(both(call.receiver.flow, call.flow()))
    parts = list(held)
    if not machine.affords(len(parts)):
        return flowing(call.flow())
    whole = joined_by(call.receiver, parts)
    return Value("", whole.const, whole.options, both(whole.flow, value.flow))


def _get(machine: Machine, call: Call) -> Value:
    """`.get(key, default)` of a dict or of anything like it."""
    base = call.receiver
    if base.name in ("globals()", "namespace()", "builtins", "sys.modules"):
        return marked(item_of(machine, base, call.argument(0), call.node), call.argument(0))
    found = item_of(machine, base, call.argument(0), call.node)
    return any_of([found, *call.positional[1:2]], found.flow) if call.has(1) else found


def _items(_machine: Machine, call: Call) -> Value:
    base = call.receiver
    if base.fields is None:
        one = Value("", flow=base.flow)
        pair = Value("", flow=base.flow, items=(one, one))
        return Value("", flow=base.flow, items=(pair,)) if base.flow.labels else NOTHING
    return listed(listed((constant(key), value)) for key, value in base.fields.items())


def _values(_machine: Machine, call: Call) -> Value:
    base = call.receiver
    return flowing(base.flow) if base.fields is None else listed(base.fields.values())


def _keys(_machine: Machine, call: Call) -> Value:
    base = call.receiver
    if base.fields is None:
        return flowing(base.flow.but(~FACTS))
    return listed(constant(key) for key in base.fields)


def _maketrans(_machine: Machine, call: Call) -> Value:
    arguments = [value.const for value in call.positional]
    if (
        arguments
        and all(isinstance(one, str) for one in arguments)
        and len(arguments[0]) == len(arguments[-1])
    ):
        return Value("", str.maketrans(*arguments[:3])) if len(arguments) in (2, 3) else NOTHING
    return NOTHING


def _from_bytes(_machine: Machine, call: Call) -> Value:
    value = call.argument(0)
    if isinstance(value.const, bytes) and len(value.const) < 4_096:
        order = "little" if call.argument(1, "byteorder").const == "little" else "big"
        return constant(int.from_bytes(value.const, order), value.flow)  # type: ignore[arg-type]
    return flowing(value.flow)


def _hex(_machine: Machine, call: Call) -> Value:
    receiver = call.receiver
    if receiver.const is not MISSING or not receiver.flow.labels:
        return method(receiver, "hex", ()) or flowing(receiver.flow)
    return encoded(_machine, call)


BUILTIN_CALLS: Final[dict[str, Special]] = {
    "builtins.str": _text,
    "builtins.chr": _chr,
    "builtins.ord": _ord,
    "builtins.int": _int,
    "builtins.len": _len,
    **calls("builtins.{bytes,bytearray,memoryview}", _bytes),
    **calls("builtins.{list,tuple,set,frozenset,iter}", _list),
    "builtins.dict": _dict,
    "builtins.range": _range,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.reversed": _reversed,
    "builtins.sorted": _sorted,
    "builtins.filter": _filter,
    "builtins.next": _next,
    "builtins.str.maketrans": _maketrans,
    "builtins.int.from_bytes": _from_bytes,
    **calls(
        "builtins.{hash,id,isinstance,issubclass,bool,hasattr,callable,any,all,type,float}",
        dropped,
    ),
}

VALUE_METHODS: Final[dict[str, Special]] = {
    "format": _format,
    "format_map": _format,
    "join": _join,
    "get": _get,
    "items": _items,
    "values": _values,
    "keys": _keys,
    "maketrans": _maketrans,
    "hex": _hex,
    **calls(
        "startswith endswith isdigit isalpha hexdigest digest count index find exists is_file "
        "is_dir stat",
        dropped,
    ),
}
"""Methods of texts, lists and dicts."""
