"""What a name, a module or an attribute stands for."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from skillpm.scanning.behaviour.python.folding import leaf, parent
from skillpm.scanning.behaviour.python.machine import (
    Bound,
    Call,
    Class,
    Function,
    Instance,
    Machine,
    Module,
    Stored,
)
from skillpm.scanning.behaviour.python.names import (
    BUILTINS,
    ENVIRON,
    PATH,
    ROOTS,
    canonical,
    is_secret_name,
    result_of,
)
from skillpm.scanning.behaviour.python.source_calls import ATTRIBUTES, TEXTS
from skillpm.scanning.behaviour.python.values import (
    ENVIRONMENT,
    MISSING,
    NETWORK,
    NOTHING,
    SECRET_VARIABLE,
    Flow,
    Thing,
    Value,
    both,
    constant,
    flow_of,
    joined,
    listed,
    text,
)

_MAX_BASES: Final = 8
_NAMESPACES: Final = frozenset({"globals()", "builtins", "sys.modules"})


@dataclass(slots=True, eq=False)
class Namespace(Thing):
    """The dict behind a module or object."""

    holder: Value


def dotted(name: str) -> str:
    """The canonical name of a module or of something in it."""
    found = ""
    for part in name.split(".")[:12]:
        found = canonical(f"{found}.{part}" if found else part)
    return found


def module_value(machine: Machine, name: str, level: int = 0) -> Value:
    """A module by its name: one of the skill, or one that is known by name only."""
    local = machine.language.imported(machine, name, level)
    if local is not None:
        return Value(thing=local)
    return Value(dotted(name)) if name and not level else NOTHING


def named(machine: Machine, name: str) -> Value | None:
    """What a name stands for; None when it is not known."""
    found = machine.look_up(name)
    if found is not None:
        return found
    module = machine.frame.module
    if name == "__file__":
        return text(module.path)
    if name == "__name__":
        return text("__main__")
    if name in BUILTINS:
        return Value("builtins") if name == "__builtins__" else Value(canonical(f"builtins.{name}"))
    for star in module.stars:
        full = dotted(f"{star}.{name}")
        if full in machine.language.known:
            return known_attribute(full, NOTHING)
    return Value(name) if name in ROOTS else None


def known_attribute(name: str, base: Value) -> Value:
    """An attribute of something that is known by its name only."""
    if name in TEXTS:
        return Value(name, TEXTS[name], (TEXTS[name],))
    flow = base.flow
    if name in ATTRIBUTES:
        labels, _ = ATTRIBUTES[name]
        flow = Flow(labels, frozenset(), flow.trail)
    return Value(name, MISSING, (), flow, None, None, base.thing)


def attribute_of(machine: Machine, base: Value, attribute: str, node: ast.AST) -> Value:
    """What stands after the dot."""
    thing = base.thing
    if isinstance(thing, Module):
        found = member_of(machine, thing, attribute)
        return found if found is not None else NOTHING
    if isinstance(thing, Instance | Class):
        found = class_member(thing, attribute, base)
        if found is not None:
            return _property(machine, found, node)
        if attribute == "__dict__":
            return namespace_of(base)
        base = _outside(thing, base)
    if base.name == PATH or (isinstance(thing, Stored) and attribute == "name"):
        found = _of_path(base, attribute)
        if found is not None:
            return found
    if base.name:
        return _of_known(machine, base, attribute, node)
    if attribute in ("rfile", "query_params") and not base.flow.labels:
        return Value("", flow=machine.source(node, NETWORK, "a request"))
    return Value("", MISSING, (), part_of(machine, base.flow, attribute, node), None, None, thing)


def _of_known(machine: Machine, base: Value, attribute: str, node: ast.AST) -> Value:
    name = canonical(f"{base.name}.{attribute}")
    if attribute == "__dict__":
        return namespace_of(base)
    if attribute in ("__call__", "__self__", "__wrapped__"):
        return base
    found = known_attribute(name, base)
    if name in ATTRIBUTES:
        labels, words = ATTRIBUTES[name]
        return Value(name, flow=machine.source(node, labels, words))
    if found.flow.labels & ENVIRONMENT and base.name != ENVIRON:
        return Value(name, flow=part_of(machine, found.flow, attribute, node), thing=base.thing)
    return Value(
        name,
        found.const,
        found.options or (base.options if attribute == "loader" else ()),
        found.flow,
        None,
        None,
        found.thing,
    )


def member_of(machine: Machine, module: Module, name: str) -> Value | None:
    """A name of a module of the skill, or a module below it."""
    found = module.frame.names.get(name)
    if found is not None:
        return found
    if name == "__dict__":
        return namespace_of(Value(thing=module))
    package = module.path.rpartition("/")[0].replace("/", ".")
    local = machine.language.imported(machine, f"{package}.{name}" if package else name, 0)
    if local is not None and local is not module and module.path.endswith("__init__.py"):
        return Value(thing=local)
    return None


def namespace_of(holder: Value) -> Value:
    """The dict of what a module or object holds."""
    flow = holder.flow
    if isinstance(holder.thing, Instance):
        flow = both(flow, flow_of(holder.thing.owner.names.values()))
    return Value("namespace()", flow=flow, thing=Namespace(holder))


def class_member(thing: Instance | Class, name: str, base: Value, depth: int = 0) -> Value | None:
    """A method or attribute of an instance or class of the skill, or of its bases."""
    owner = thing.owner if isinstance(thing, Instance) else thing
    above = isinstance(thing, Instance) and thing.above and depth == 0
    found = None if above else owner.names.get(name)
    if found is not None:
        function = found.thing
        if (
            isinstance(function, Function)
            and function.owner is not None
            and not _is_static(function)
        ):
            return Value(thing=Bound(function, _self(base)))
        return found
    if depth < _MAX_BASES:
        for parent_class in owner.bases:
            if isinstance(parent_class.thing, Class):
                found = class_member(parent_class.thing, name, base, depth + 1)
                if found is not None:
                    return found
    return None


def _self(base: Value) -> Value:
    """The instance that a method is called on, also when it was reached by `super()`."""
    thing = base.thing
    return (
        Value(thing=Instance(thing.owner)) if isinstance(thing, Instance) and thing.above else base
    )


def _outside(thing: Instance | Class, base: Value) -> Value:
    """What an instance is beside its class: one of a base that is known by name."""
    owner = thing.owner if isinstance(thing, Instance) else thing
    name = next((one.name for one in owner.bases if one.name), "")
    return Value(name + "()" if name else "", flow=base.flow)


def _decorators(function: Function) -> set[str]:
    marks = getattr(function.node, "decorator_list", [])
    return {getattr(mark, "id", getattr(mark, "attr", "")) for mark in marks}


def _is_static(function: Function) -> bool:
    return "staticmethod" in _decorators(function)


def _property(machine: Machine, found: Value, node: ast.AST) -> Value:
    thing = found.thing
    if (
        isinstance(thing, Bound)
        and _decorators(thing.function) & {"property", "cached_property"}
        and isinstance(node, ast.expr)
    ):
        return machine.call(Call(node, found, [], {}))
    return found


def set_attribute(base: Value, attribute: str, value: Value) -> None:
    """Keeps what an attribute holds: for all instances of a class together."""
    thing = base.thing
    owner = thing.owner if isinstance(thing, Instance) else thing
    if isinstance(owner, Class):
        before = owner.names.get(attribute)
        after = value if before is None else joined(before, value)
        if before is None or after.flow.labels != before.flow.labels:
            owner.version += 1
        owner.names[attribute] = after
    elif isinstance(owner, Module):
        owner.frame.names[attribute] = value


def part_of(machine: Machine, flow: Flow, key: str, node: ast.AST) -> Flow:
    """The flow of one part, by its name, of something that all of the environment flowed into."""
    if not flow.labels & ENVIRONMENT:
        return flow
    rest = flow.but(ENVIRONMENT)
    if is_secret_name(key):
        hop = machine.hop(node, f"variable {key}")
        return both(Flow(SECRET_VARIABLE, frozenset({key}), (hop,)), rest)
    return rest


def _of_path(base: Value, attribute: str) -> Value | None:
    if attribute == "name" and isinstance(base.thing, Stored):
        return Value(PATH, options=base.thing.path, flow=base.flow)
    options = base.options
    if attribute == "parent":
        return Value(PATH, options=tuple(dict.fromkeys(map(parent, options))), flow=base.flow)
    if attribute == "name":
        return Value("", options=tuple(dict.fromkeys(map(leaf, options))), flow=base.flow)
    if attribute == "parents":
        above = [Value(PATH, options=options, flow=base.flow)]
        for _ in range(6):
            above.append(Value(PATH, options=tuple(map(parent, above[-1].options)), flow=base.flow))
        return listed(above[1:])
    if attribute in ("stem", "suffix", "parts", "anchor"):
        return Value("", flow=base.flow)
    return None


def item_of(machine: Machine, base: Value, key: Value, node: ast.expr) -> Value:
    """What stands under an index or key."""
    if isinstance(base.thing, Namespace):
        name = key.options[0] if len(key.options) == 1 else ""
        return attribute_of(machine, base.thing.holder, name, node) if name else NOTHING
    if base.name in _NAMESPACES:
        return _in_namespace(machine, base, key, node)
    index = key.const
    if base.name == ENVIRON:
        return machine.call(Call(node, Value(f"{ENVIRON}.get"), [key], {}, base, "get"))
    if isinstance(index, int) and not isinstance(index, bool):
        if base.items is not None and -len(base.items) <= index < len(base.items):
            return base.items[index]
        if isinstance(base.const, str | bytes | tuple | range) and -len(base.const) <= index < len(
            base.const
        ):
            return constant(base.const[index], base.flow)
    if base.fields is not None:
        return _field(base, key)
    if base.items is not None and index is MISSING:
        return Value("", flow=both(flow_of(base.items[:64]), base.flow))
    flow = base.flow
    if isinstance(index, str):
        flow = part_of(machine, flow, index, node)
    return Value("", MISSING, (), flow, None, None, base.thing) if flow.labels else NOTHING


def _field(base: Value, key: Value) -> Value:
    fields = base.fields or {}
    found = [fields[option] for option in key.options if option in fields]
    if not found:
        options = [] if key.options else list(fields.values())[:12]
        found = options or [Value("", flow=base.flow)]
    whole = found[0]
    for other in found[1:]:
        whole = joined(whole, other)
    return whole


def _in_namespace(machine: Machine, base: Value, key: Value, node: ast.expr) -> Value:
    name = key.options[0] if len(key.options) == 1 else ""
    if not name:
        return NOTHING
    if base.name == "globals()":
        return named(machine, name) or NOTHING
    if base.name == "sys.modules":
        return module_value(machine, name)
    return attribute_of(machine, base, name, node)


def annotated(machine: Machine, node: ast.expr | None) -> Value:
    """A parameter of which only the type is known."""
    if isinstance(node, ast.Name | ast.Attribute):
        kind = machine.value(node)
        if isinstance(kind.thing, Class):
            return Value(thing=Instance(kind.thing))
        if kind.name and not kind.name.startswith("builtins."):
            return Value(result_of(kind.name))
    return NOTHING
