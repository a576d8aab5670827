"""Paths: put together, taken apart, found by a search or on a walk."""

from __future__ import annotations

import re
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.python.effects import (
    Special,
    calls,
)
from skillpm.scanning.behaviour.python.folding import joined_path, leaf, parent
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.names import PATH
from skillpm.scanning.behaviour.python.values import (
    FACTS,
    NOTHING,
    WALKED,
    Value,
    both,
    constant,
    flowing,
    known,
    listed,
    text,
    texts,
)


def _names(machine: Machine, call: Call, what: Value, labels: int, below: str) -> Value:
    """The paths that a search or a walk gives."""
    flow = machine.source(call.node, FACTS | labels, "names of files")
    base = what if known(what) else text(HOLE)
    found = joined_path((base, constant(below))) if below else base
    one = Value(
        PATH if call.receiver.name == PATH else "",
        options=found.options,
        flow=both(flow, what.flow),
    )
    return Value("", flow=one.flow, items=(one, NOTHING))


def _walk(machine: Machine, call: Call) -> Value:
    """`os.walk`: triples of a folder, its folders and its files."""
    of_path = call.callee.name != "os.walk"
    if of_path and call.receiver.name != PATH:
        return flowing(call.receiver.flow)
    top = call.receiver if of_path else call.argument(0, "top")
    folder = _names(machine, call, top, WALKED, "")
    folder = (folder.items or ())[0]
    name = Value("", flow=folder.flow)
    names = Value("", flow=folder.flow, items=(name, NOTHING))
    one = Value("", flow=folder.flow, items=(folder, names, names))
    return Value("", flow=folder.flow, items=(one, NOTHING))


def _list(machine: Machine, call: Call) -> Value:
    if call.method == "iterdir":
        return _names(machine, call, call.receiver, 0, "*")
    return _names(machine, call, text(HOLE), 0, "")


def _scan(machine: Machine, call: Call) -> Value:
    return _names(machine, call, call.argument(0, "path"), 0, "*")


def _glob(machine: Machine, call: Call) -> Value:
    pattern = call.argument(0, "pattern", "pathname")
    deep = call.method == "rglob" or "**" in texts(pattern)[0]
    base = joined_path((call.receiver, pattern)) if call.receiver.name == PATH else pattern
    root = call.argument("root_dir")
    base = joined_path((root, base)) if known(root) else base
    return _names(machine, call, base, WALKED if deep else 0, "")


def _join(_machine: Machine, call: Call) -> Value:
    parts = call.positional
    if call.method == "joinpath":
        parts = [call.receiver, *parts]
    name = PATH if call.method == "joinpath" or call.callee.name == "pathlib.Path" else ""
    if not parts:
        return text(".", name=name)
    return joined_path(parts, name)


def _of_path(call: Call, change: str) -> Value:
    path = call.argument(0) if call.positional else call.receiver
    worked = {"dirname": parent, "basename": leaf}[change]
    return Value(
        "", options=tuple(dict.fromkeys(worked(option) for option in path.options)), flow=path.flow
    )


def _dirname(_machine: Machine, call: Call) -> Value:
    return _of_path(call, "dirname")


def _basename(_machine: Machine, call: Call) -> Value:
    return _of_path(call, "basename")


def _split(machine: Machine, call: Call) -> Value:
    return listed((_dirname(machine, call), _basename(machine, call)))


def _renamed(_machine: Machine, call: Call) -> Value:
    """`with_name`, `with_suffix`: another file in the same folder."""
    new = texts(call.argument(0))[0]
    options = [
        parent(option) + "/" + new
        if call.method == "with_name"
        else re.sub(r"\.[^./]{0,40}$", "", option) + new
        for option in call.receiver.options
    ]
    return Value(PATH, options=tuple(dict.fromkeys(options)), flow=call.receiver.flow)


PATH_CALLS: Final[dict[str, Special]] = {
    "os.walk": _walk,
    **calls("os.listdir", _list),
    "os.scandir": _scan,
    **calls("glob.glob glob.iglob", _glob),
    **calls("os.path.join pathlib.Path", _join),
    "os.path.dirname": _dirname,
    "os.path.basename": _basename,
    "os.path.split": _split,
}

PATH_METHODS: Final[dict[str, Special]] = {
    "iterdir": _list,
    "joinpath": _join,
    **calls("with_name with_suffix", _renamed),
    **calls("glob rglob", _glob),
    "walk": _walk,
}
