"""How a call is carried out: one of the skill's own functions, a known one, or an unknown one."""

from __future__ import annotations

import ast
from itertools import islice
from typing import Final

from skillpm.scanning.behaviour.python.builtin_calls import BUILTIN_CALLS, VALUE_METHODS
from skillpm.scanning.behaviour.python.change_calls import CHANGE_CALLS, CHANGE_METHODS
from skillpm.scanning.behaviour.python.code_calls import CODE_CALLS, CODE_ROWS, callable_thing
from skillpm.scanning.behaviour.python.effects import Row, Special, perform
from skillpm.scanning.behaviour.python.file_calls import FILE_CALLS, FILE_METHODS, FILE_ROWS
from skillpm.scanning.behaviour.python.folding import method
from skillpm.scanning.behaviour.python.lookup import annotated, set_attribute
from skillpm.scanning.behaviour.python.machine import (
    Bound,
    Call,
    Class,
    Frame,
    Function,
    Instance,
    Machine,
    Stored,
)
from skillpm.scanning.behaviour.python.names import ENVIRON, is_foreign, passes_on, result_of
from skillpm.scanning.behaviour.python.network_calls import (
    METHOD_ROWS,
    NETWORK_CALLS,
    NETWORK_ROWS,
)
from skillpm.scanning.behaviour.python.path_calls import PATH_CALLS, PATH_METHODS
from skillpm.scanning.behaviour.python.process_calls import PROCESS_CALLS
from skillpm.scanning.behaviour.python.source_calls import (
    CAPTURE_METHODS,
    SOURCE_CALLS,
    SOURCE_ROWS,
)
from skillpm.scanning.behaviour.python.values import (
    ENVIRONMENT,
    MISSING,
    NOTHING,
    SECRET_VARIABLE,
    SOCKET,
    Flow,
    Link,
    Partial,
    Process,
    Value,
    both,
    flow_of,
    flowing,
    listed,
    one_of,
)

_MAX_CALLS: Final = 7
_FEW_WAYS: Final = 8
_MANY_WAYS: Final = 4_096

SPECIALS: Final[dict[str, Special]] = {
    **BUILTIN_CALLS,
    **SOURCE_CALLS,
    **FILE_CALLS,
    **PATH_CALLS,
    **CHANGE_CALLS,
    **PROCESS_CALLS,
    **NETWORK_CALLS,
    **CODE_CALLS,
}
ROWS: Final[dict[str, Row]] = {**NETWORK_ROWS, **FILE_ROWS, **SOURCE_ROWS, **CODE_ROWS}
METHODS: Final[dict[str, Special]] = {
    **FILE_METHODS,
    **PATH_METHODS,
    **CHANGE_METHODS,
    **VALUE_METHODS,
}
ROWS_OF_METHODS: Final[dict[str, Row]] = {**METHOD_ROWS, **CAPTURE_METHODS}


def carry_out(machine: Machine, call: Call) -> Value:
    """Carries out a call."""
    callee = call.callee
    if callee.thing is not None:
        found = _own(machine, call)
        if found is not None:
            return found
    name = callee.name
    if name:
        special = SPECIALS.get(name)
        if special is not None:
            return special(machine, call)
        row = ROWS.get(name)
        if row is not None:
            return perform(machine, row, call)
    if call.method and (not call.receiver.name or call.receiver.name.endswith(")")):
        return _method(machine, call)
    return _unknown(machine, call)


def _method(machine: Machine, call: Call) -> Value:
    found = method(call.receiver, call.method, call.positional)
    if found is not None:
        return found
    special = METHODS.get(call.method)
    if special is not None:
        return special(machine, call)
    row = ROWS_OF_METHODS.get(call.method)
    return perform(machine, row, call) if row is not None else _unknown(machine, call)


def _unknown(machine: Machine, call: Call) -> Value:
    """Whatever it does, what went in may come out; code that it is given may be called."""
    name = call.callee.name
    receiver = call.receiver
    flow = both(call.flow(), receiver.flow)
    for given in (*call.positional, *call.keywords.values()):
        if given.thing is not None and callable_thing(given) and machine.calls < _MAX_CALLS:
            rest = [
                Value("", flow=flow_of(v for v in call.positional if v is not given).but(SOCKET))
            ]
            flow = both(flow, machine.call_back(given, rest * 4, call.node).flow)
    if receiver.thing is not None:
        flow = both(flow, receiver.thing.held())
    if flow.labels & (SECRET_VARIABLE | ENVIRONMENT):
        if is_foreign(name):
            last = name.rpartition(".")[2]
            flow = flow.but(SECRET_VARIABLE | (ENVIRONMENT if last[:1].isupper() else 0))
        elif last_is_client(call):
            flow = flow.but(SECRET_VARIABLE)
        if not passes_on(name or call.method) and any(
            value.name == ENVIRON for value in call.positional
        ):
            flow = flow.but(ENVIRONMENT)  # it looks some of them up
    thing = receiver.thing if isinstance(receiver.thing, Link | Process | Stored) else None
    options = receiver.options if thing is not None else ()
    return Value(result_of(name), MISSING, options, flow, None, None, thing)


def last_is_client(call: Call) -> bool:
    """Whether a nameless call takes a key by its name: what it gives is no longer the key."""
    return not call.callee.name and bool(
        call.keywords.keys() & {"api_key", "token", "key", "password", "auth"}
    )


def _own(machine: Machine, call: Call) -> Value | None:
    thing = call.callee.thing
    if isinstance(thing, Function):
        return invoke(machine, thing, call)
    if isinstance(thing, Bound):
        bound = Call(
            call.node,
            call.callee,
            [thing.instance, *call.positional],
            call.keywords,
            spread=call.spread,
        )
        return invoke(machine, thing.function, bound)
    if isinstance(thing, Class):
        return _construct(machine, thing, call)
    if isinstance(thing, Partial) and thing.callee.name != "builtins.getattr":
        whole = {**thing.keywords, **call.keywords}
        return machine.call(
            Call(
                call.node,
                thing.callee,
                [*thing.positional, *call.positional],
                whole,
                spread=call.spread,
            )
        )
    if isinstance(thing, Instance):
        called = thing.owner.names.get("__call__")
        if called is not None and isinstance(called.thing, Function):
            given = Call(call.node, call.callee, [call.callee, *call.positional], call.keywords)
            return invoke(machine, called.thing, given)
    return None


def _construct(machine: Machine, owner: Class, call: Call) -> Value:
    instance = Value(thing=Instance(owner))
    made = _initialiser(owner)
    if made is not None:
        inner = Call(
            call.node, call.callee, [instance, *call.positional], call.keywords, spread=call.spread
        )
        invoke(machine, made, inner)
        return instance
    fields = [node.target.id for node in owner.node.body
              if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)]  # fmt: skip
    for name, value in (*zip(fields, call.positional, strict=False), *call.keywords.items()):
        set_attribute(instance, name, value)
    return Value("", flow=call.flow(), thing=Instance(owner))


def _initialiser(owner: Class, depth: int = 0) -> Function | None:
    found = owner.names.get("__init__")
    if found is not None and isinstance(found.thing, Function):
        return found.thing
    for base in owner.bases if depth < 8 else ():
        if isinstance(base.thing, Class):
            above = _initialiser(base.thing, depth + 1)
            if above is not None:
                return above
    return None


def invoke(machine: Machine, function: Function, call: Call) -> Value:
    """Goes through a function with what it is given, unless it was given the same before."""
    way = _way(function, call)
    before = function.known.get(way)
    if before is not None:
        return before
    if (
        function.active > 0
        or machine.calls >= _MAX_CALLS
        or len(function.known) >= _ways(machine, function)
    ):
        made = one_of(function.known.values()) if function.known else NOTHING
        return Value(
            made.name,
            MISSING,
            made.options,
            both(made.flow, call.flow()),
            made.items,
            made.fields,
            made.thing,
        )
    function.known[way] = NOTHING
    notes = machine.ledger.notes
    found = _gone_through(machine, function, call)
    function.acts = function.acts or machine.ledger.notes > notes
    function.known[way] = found
    return found


def _ways(machine: Machine, function: Function) -> int:
    """In how many ways a function is gone through: many if it acts, or decodes in one line."""
    if not machine.ample:
        return 1
    body = function.node.body
    short = not isinstance(body, list) or (len(body) == 1 and isinstance(body[0], ast.Return))
    return _MANY_WAYS if short or function.acts else _FEW_WAYS


def _way(function: Function, call: Call) -> object:
    """What tells one way to call a function from another."""
    given = (*enumerate(call.positional), *call.keywords.items())
    version = function.owner.version if function.owner is not None else 0
    return (version, call.spread.labels, *((key, *_look(value)) for key, value in given))


def _look(value: Value) -> tuple[object, ...]:
    thing = value.thing
    shown = thing.owner if isinstance(thing, Instance) else thing
    version = shown.version if isinstance(shown, Class) else 0
    items = (*(value.items or ())[:32], *islice((value.fields or {}).values(), 32))
    exact = value.const if isinstance(value.const, bytes | int) else None
    return (
        value.name,
        value.options,
        exact,
        value.flow.labels,
        value.flow.variables,
        shown,
        version,
        tuple((item.options[:2], item.thing) for item in items),
        tuple(islice(value.fields or (), 32)),
    )


def _gone_through(machine: Machine, function: Function, call: Call) -> Value:
    node = function.node
    frame = Frame(function.frame.module, function.frame, owner=function.owner)
    caller, machine.frame = machine.frame, frame
    loops, machine.loops = machine.loops, 0
    function.active += 1
    machine.called.add(node)
    machine.calls += 1
    _bind(machine, function, call)
    if isinstance(node, ast.Lambda):
        found = machine.value(node.body)
    else:
        machine.run(node.body)
        found = one_of(frame.returned)
    machine.calls -= 1
    function.active -= 1
    machine.loops = loops
    machine.frame = caller
    return found


def _bind(machine: Machine, function: Function, call: Call) -> None:
    """Gives the parameters their values."""
    arguments = function.node.args
    names = machine.frame.names
    parameters = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(parameters), reversed(arguments.defaults), strict=False))
    defaults.update(
        (parameter, default)
        for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    )
    rest = call.positional[len(parameters) :]
    given = dict(zip((parameter.arg for parameter in parameters), call.positional, strict=False))
    keywords = dict(call.keywords)
    for parameter in (*parameters, *arguments.kwonlyargs):
        name = parameter.arg
        value = given.get(name) or keywords.pop(name, None)
        if value is None and parameter in defaults:
            value = machine.value(defaults[parameter])
        if value is None:
            value = (
                flowing(call.spread)
                if call.spread.labels
                else annotated(machine, parameter.annotation)
            )
        elif value is NOTHING and parameter.annotation is not None:
            value = annotated(machine, parameter.annotation)
        names[name] = value
    if arguments.vararg:
        names[arguments.vararg.arg] = listed(rest) if rest else flowing(call.spread)
    if arguments.kwarg:
        flow: Flow = both(flow_of(keywords.values()), call.spread)
        names[arguments.kwarg.arg] = Value("", flow=flow, fields=keywords)


def standalone(machine: Machine, function: Function) -> None:
    """Goes through a function that nobody calls, as if someone did."""
    call = Call(ast.Constant(None), NOTHING, [], {})
    if function.owner is not None:
        call.positional.append(Value(thing=Instance(function.owner)))
    invoke(machine, function, call)
