"""Calls that reach code by its name, load it from somewhere, or call it back."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.python.effects import Row, Special, calls, keys, rows, targets_of
from skillpm.scanning.behaviour.python.lookup import attribute_of, module_value, named, namespace_of
from skillpm.scanning.behaviour.python.machine import Bound, Call, Function, Instance, Machine
from skillpm.scanning.behaviour.python.names import result_of
from skillpm.scanning.behaviour.python.operating import rounds_of
from skillpm.scanning.behaviour.python.values import (
    BUILT,
    CLEAN,
    CODES,
    DECODED,
    INPUT,
    JOINED,
    NETWORK,
    NOTHING,
    UNPACKED,
    Flow,
    Partial,
    Value,
    both,
    constant,
    element,
    flow_of,
    known,
    listed,
    one_text,
    texts,
)


def _load(target: str) -> Row:
    return Row(Deed.LOAD, keys(target))


CODE_ROWS: Final[dict[str, Row]] = {
    **rows(
        "runpy.run_path runpy.run_module zipimport.zipimporter ctypes.{CDLL,WinDLL,PyDLL} "
        "ctypes.cdll.LoadLibrary ctypes.windll.LoadLibrary ctypes.OleDLL",
        _load("0 path path_name name mod_name"),
    ),
    **rows(
        "importlib.machinery.SourceFileLoader importlib.machinery.ExtensionFileLoader "
        "imp.load_dynamic imp.load_compiled importlib.machinery.SourcelessFileLoader",
        _load("1 path pathname"),
    ),
    **rows("importlib.util.spec_from_file_location", _load("1 location")),
    **rows(
        "pickle.load pickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads "
        "marshal.load jsonpickle.decode joblib.load shelve.open pandas.read_pickle "
        "pickle.Unpickler",
        Row(Deed.LOAD, keys("0 file filename data"), keeps=True),
    ),
    **rows(
        "execjs.eval execjs.compile js2py.eval_js py_mini_racer.MiniRacer().eval "
        "quickjs.Context().eval",
        Row(Deed.INTERPRET, keys("0"), language="javascript"),
    ),
    **rows(
        "ctypes.windll.kernel32.RtlMoveMemory ctypes.windll.kernel32.WriteProcessMemory "
        "ctypes.memmove",
        Row(Deed.LOAD, says="memory"),
    ),
    **rows(
        "ctypes.windll.shell32.ShellExecuteW ctypes.windll.shell32.ShellExecuteA",
        Row(Deed.RUN, keys("2"), language="shell", how=frozenset({"privileged"})),
    ),
}

_HIDDEN: Final = CODES | JOINED | DECODED | UNPACKED | BUILT


def marked(found: Value, name: Value) -> Value:
    """What was reached by a name: hidden when the name was."""
    labels = name.flow.labels & _HIDDEN
    if not labels:
        return found
    hidden = (BUILT if labels & (CODES | JOINED | BUILT) else 0) | (
        DECODED if labels & (DECODED | UNPACKED) else 0
    )
    flow = both(found.flow, Flow(hidden, frozenset(), name.flow.trail))
    return Value(
        found.name, found.const, found.options, flow, found.items, found.fields, found.thing
    )


def _getattr(machine: Machine, call: Call) -> Value:
    holder, name = call.argument(0), call.argument(1)
    wanted = one_text(name)
    if not wanted:
        return Value("", flow=both(holder.flow, call.argument(2).flow))
    return marked(attribute_of(machine, holder, wanted, call.node), name)


def _import(machine: Machine, call: Call) -> Value:
    """`__import__` and `importlib.import_module`: plain names are imports like others."""
    name = call.argument(0, "name")
    wanted = one_text(name)
    labels = name.flow.labels
    if not wanted or labels & _HIDDEN:
        if labels & (_HIDDEN | NETWORK | INPUT) or not known(name):
            machine.emit(Deed.LOAD, call.node, texts(name), name.flow)
        if not wanted:
            return NOTHING
    if call.callee.name == "builtins.__import__" and not call.has(3, "fromlist"):
        wanted = wanted.partition(".")[0]
    return marked(module_value(machine, wanted), name)


def _names(_machine: Machine, call: Call) -> Value:
    """`globals()`, `locals()`, `vars(module)`: a dict of names."""
    holder = call.argument(0)
    if call.callee.name == "builtins.vars" and call.positional:
        return namespace_of(holder)
    return Value("globals()")


def _getter(_machine: Machine, call: Call) -> Value:
    """`operator.attrgetter("system")`: what it is called with has that attribute."""
    return Value(
        call.callee.name + "()",
        thing=Partial(Value("builtins.getattr"), (), {"name": call.argument(0)}),
    )


def _got(machine: Machine, call: Call) -> Value:
    getter = call.callee.thing
    if not isinstance(getter, Partial):
        return NOTHING
    inner = Call(call.node, call.callee, [call.argument(0), getter.keywords["name"]], {})
    return _getattr(machine, inner)


def _partial(_machine: Machine, call: Call) -> Value:
    if not call.positional:
        return NOTHING
    return Value(
        "", thing=Partial(call.positional[0], tuple(call.positional[1:]), dict(call.keywords))
    )


def _thread(machine: Machine, call: Call) -> Value:
    """`Thread(target=f, args=(…))` and its like."""
    target = (
        call.argument("target", "function")
        if call.has("target", "function")
        else call.argument(1, 0)
    )
    if not call.has("target", "function") and call.callee.name == "threading.Thread":
        target = call.argument(0)
    given = call.argument("args")
    machine.call_back(target, given.items or _constants(given), call.node)
    return Value(result_of(call.callee.name))


def _constants(value: Value) -> tuple[Value, ...]:
    return tuple(constant(item) for item in value.const) if isinstance(value.const, tuple) else ()


def _call_first(machine: Machine, call: Call) -> Value:
    """Calls its first argument with the rest."""
    if not call.positional:
        return NOTHING
    return machine.call(
        Call(
            call.node,
            call.positional[0],
            call.positional[1:],
            dict(call.keywords),
            spread=call.spread,
        )
    )


def _call_second(machine: Machine, call: Call) -> Value:
    if len(call.positional) < 2:
        return NOTHING
    return machine.call_back(call.positional[1], call.positional[2:], call.node)


def _map(machine: Machine, call: Call) -> Value:
    """Calls its first argument with the elements of the others."""
    if not call.positional:
        return NOTHING
    held = rounds_of(machine, call.argument(1)) if len(call.positional) == 2 else None
    if held is not None:
        return listed(machine.call_back(call.positional[0], [item], call.node) for item in held)
    found = machine.call_back(
        call.positional[0], [element(value) for value in call.positional[1:]], call.node
    )
    return Value("", flow=found.flow, items=(found, NOTHING))


def _yaml(machine: Machine, call: Call) -> Value:
    """YAML makes objects of any kind, unless a safe loader reads it."""
    loader = call.argument(1, "Loader").name
    if "Safe" not in loader and "Base" not in loader:
        machine.emit(Deed.LOAD, call.node, targets_of(call.argument(0)), call.argument(0).flow)
    return Value("", flow=call.flow())


def _tensors(machine: Machine, call: Call) -> Value:
    safe = call.argument("weights_only").const is True
    if call.callee.name == "numpy.load":
        safe = call.argument("allow_pickle").const is not True
    if not safe:
        machine.emit(Deed.LOAD, call.node, targets_of(call.argument(0, "f")), call.argument(0).flow)
    return Value("", flow=call.flow())


def _code_object(machine: Machine, call: Call) -> Value:
    """Code that was stored as bytes: what is made of it is run later."""
    data = call.argument(0)
    machine.emit(Deed.LOAD, call.node, (HOLE,), data.flow)
    return Value("", flow=data.flow)


def _compile(_machine: Machine, call: Call) -> Value:
    source = call.argument(0, "source")
    return Value("", source.const, source.options, source.flow)


def _super(machine: Machine, _call: Call) -> Value:
    owner = machine.frame.owner
    return Value(thing=Instance(owner, above=True)) if owner is not None else NOTHING


def callable_thing(value: Value) -> bool:
    """Whether a value is code of the skill that can be called back."""
    return isinstance(value.thing, Function | Bound | Partial)


def _global_get(machine: Machine, call: Call) -> Value:
    name = call.argument(0)
    return marked(named(machine, one_text(name)) or NOTHING, name)


def _as_dict(_machine: Machine, call: Call) -> Value:
    thing = call.argument(0).thing
    held = flow_of(thing.owner.names.values()) if isinstance(thing, Instance) else CLEAN
    return Value("", flow=both(call.flow(), held))


def _search_path(machine: Machine, call: Call) -> Value:
    """`sys.path.insert(0, path)`: what the code put there itself is what it imports next."""
    path = call.positional[-1] if call.positional else NOTHING
    for one in texts(path):
        if one in machine.contents:
            machine.emit(Deed.LOAD, call.node, (one,), machine.contents[one])
    return NOTHING


CODE_CALLS: Final[dict[str, Special]] = {
    **calls("sys.path.{insert,append}", _search_path),
    "builtins.getattr": _getattr,
    "builtins.__import__": _import,
    "importlib.import_module": _import,
    "importlib.__import__": _import,
    **calls("builtins.{globals,locals,vars}", _names),
    "globals().get": _global_get,
    "operator.attrgetter": _getter,
    "operator.attrgetter()": _got,
    **calls("functools.partial functools.partialmethod", _partial),
    **calls("threading.Thread threading.Timer multiprocessing.Process", _thread),
    **calls(
        "atexit.register asyncio.to_thread concurrent.futures.Executor().submit "
        "asyncio.get_event_loop().call_soon",
        _call_first,
    ),
    **calls(
        "asyncio.get_event_loop().run_in_executor asyncio.get_running_loop().run_in_executor "
        "signal.signal",
        _call_second,
    ),
    **calls(
        "builtins.map concurrent.futures.Executor().map multiprocessing.Pool().map "
        "itertools.starmap",
        _map,
    ),
    **calls("yaml.{load,unsafe_load,full_load,load_all}", _yaml),
    **calls("torch.load numpy.load", _tensors),
    "marshal.loads": _code_object,
    "builtins.compile": _compile,
    "builtins.super": _super,
    **calls("dataclasses.asdict dataclasses.astuple", _as_dict),
}
