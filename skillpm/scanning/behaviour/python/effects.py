"""What a call does to the world, written as rows of a table, and the few ways to carry one out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.python.machine import Call, Machine, Stored
from skillpm.scanning.behaviour.python.names import result_of
from skillpm.scanning.behaviour.python.values import (
    BUILT,
    CLEAN,
    CODES,
    ENCODED,
    FILE,
    NOTHING,
    PRIVATE,
    RANDOM,
    SECRET_FILE,
    TEMPORARY,
    WALKED,
    Flow,
    Link,
    Thing,
    Value,
    both,
    flow_of,
    texts,
)

Keys: TypeAlias = tuple[int | str, ...]
Special: TypeAlias = Callable[[Machine, Call], Value]

RECEIVER: Final = "(receiver)"
"""The key of what stands before the dot of a method, instead of that of an argument."""

_DEVICE: Final = regex(r"^/dev/(?:sd|hd|nvme|vd|xvd|mmcblk|disk|rdisk|mem)")


@dataclass(frozen=True, slots=True)
class Row:
    """What one function does.

    Attributes:
        deed: the act, if it is one.
        target: the keys of the argument that the act is aimed at; none for `says`.
        says: the target, when it is the same for every call; else what stands before it.
        files: the keys of an argument that is the path of a file whose contents flow in.
        gives: labels of what it returns.
        keeps: whether what flows in also flows out of it.
        how: words about the manner.
        language: of the text that it is given.
        words: what happened, for the trail of what it returns.
    """

    deed: Deed | None = None
    target: Keys = ()
    says: str = ""
    files: Keys = ()
    gives: int = 0
    keeps: bool = False
    how: frozenset[str] = frozenset()
    language: str = ""
    words: str = ""


_BRACES: Final = regex(r"(.*?)\{([^{}]*)\}(.*)")


def _spelled_out(name: str) -> Iterator[str]:
    """The names that one with braces stands for: `a.{b,c}` for `a.b` and `a.c`."""
    match = _BRACES.fullmatch(name)
    if match is None:
        yield name
        return
    for choice in match[2].split(","):
        yield from _spelled_out(match[1] + choice + match[3])


def rows(names: str, row: Row) -> dict[str, Row]:
    """The same row for several names, which may have braces as in a shell."""
    return {name: row for word in names.split() for name in _spelled_out(word)}


def calls(names: str, special: Special) -> dict[str, Special]:
    """The same function for several names, which may have braces as in a shell."""
    return {name: special for word in names.split() for name in _spelled_out(word)}


def keys(text: str) -> Keys:
    """Keys of arguments out of a short text: `0 url` is the first argument or that named url."""
    return tuple(int(key) if key.isdigit() else key for key in text.split())


def chosen(call: Call, wanted: Keys) -> Value:
    """The argument under one of the keys."""
    if wanted and wanted[0] == RECEIVER:
        return call.receiver
    return call.argument(*wanted)


def aimed(flow: Flow) -> Flow:
    """The flow of a text that says where something goes: hidden letters are hidden there."""
    return flow.plus(BUILT) if flow.labels & CODES else flow


def targets_of(value: Value) -> tuple[str, ...]:
    """The texts of a target: of an address its host and port, of a file its path."""
    if isinstance(value.thing, Stored):
        return value.thing.path
    if isinstance(value.thing, Link):
        return (value.thing.peer,)
    parts = value.items
    if isinstance(value.const, tuple):
        return (":".join(str(part) for part in value.const[:2]),)
    if parts and len(parts) >= 2 and not value.options:
        hosts, ports = texts(parts[0]), texts(parts[1])
        return tuple(f"{host}:{port}" for host in hosts for port in ports)[:12]
    return texts(value)


def perform(machine: Machine, row: Row, call: Call) -> Value:
    """Carries out what a row says."""
    aim = chosen(call, row.target)
    where: Sequence[str] = (row.says,) if row.says and not row.target else targets_of(aim)
    if row.says and row.target:
        where = [row.says + text for text in where]
    flow = both(call.flow("env"), call.callee.flow)
    if row.target[:1] == (RECEIVER,):
        flow = both(flow, aim.flow)
    if row.files:
        flow = both(flow, file_contents(machine, call.node, call.argument(*row.files)))
    if row.deed is Deed.SEND or row.deed is Deed.FETCH:
        flow = both(flow, call.receiver.flow)
        transfer(machine, row, call, where, both(flow, aimed(aim.flow)))
    elif row.deed is Deed.CAPTURE or row.deed is Deed.LISTEN:
        machine.emit(row.deed, call.node, where, how=row.how)
        if row.deed is Deed.CAPTURE:
            paths = [option for value in call.everything() for option in value.options]
            machine.remember(paths, machine.source(call.node, row.gives, row.words))
    elif row.deed is not None:
        if row.deed is Deed.LOAD:
            for path in where:
                flow = both(flow, machine.contents.get(path, CLEAN))
        machine.emit(row.deed, call.node, where, aimed(flow), row.how, row.language)
    return given_back(machine, row, call, flow)


def given_back(machine: Machine, row: Row, call: Call, flow: Flow) -> Value:
    """What the call returns."""
    out = flow if row.keeps else CLEAN
    if row.gives and (not row.keeps or out.labels):
        words = row.words or call.callee.name
        out = out.then(machine.hop(call.node, words), row.gives)
    options = chosen(call, row.target).options if row.deed is None else ()
    return Value(result_of(call.callee.name), options=options, flow=out)


def transfer(machine: Machine, row: Row, call: Call, where: Sequence[str], flow: Flow) -> None:
    """Notes that something is sent, or that something is fetched; often it is both."""
    how = row.how
    if call.argument("verify", "ssl").const is False:
        how = how | {"unverified"}
    private = flow.labels & PRIVATE
    if row.deed is Deed.FETCH:
        machine.emit(Deed.FETCH, call.node, where, flow, how, row.language)
    if row.deed is Deed.SEND or private:
        send(machine, call.node, where, flow, how)


def send(
    machine: Machine,
    node: ast.AST,
    where: Sequence[str],
    flow: Flow,
    how: frozenset[str] = frozenset(),
) -> None:
    """Notes that something is sent."""
    if flow.trail:
        flow = flow.then(machine.hop(node, f"sent to {where[0] if where else HOLE}"))
    machine.emit(Deed.SEND, node, where, flow, how)


def _is_secret(path: str) -> bool:
    return len(path) <= 500 and is_secret(path)


def file_contents(machine: Machine, node: ast.AST, path: Value) -> Flow:
    """Reads files: notes it, and says what flows out of them."""
    if isinstance(path.thing, Stored):
        return both(path.flow, path.thing.flow)
    if path.const is None or isinstance(path.const, int):
        return CLEAN
    where = texts(path)
    machine.emit(Deed.READ, node, where, aimed(path.flow))
    secret = [text for text in where if _is_secret(text)]
    shown = secret[0] if secret else where[0]
    label = SECRET_FILE if secret else FILE
    flow = machine.source(
        node, label | path.flow.labels & WALKED, f"reads {shown.replace(HOLE, '…')}"
    )
    for text in where:
        if text in machine.contents:
            flow = both(machine.contents[text], flow)
        elif inside := _secrets_in(machine, text):
            flow = both(inside, flow)
    return flow


def _secrets_in(machine: Machine, folder: str) -> Flow | None:
    """What flows out of a folder into which secrets were put."""
    start = folder.rstrip("/") + "/"
    return next((held for path, held in machine.secrets.items() if path.startswith(start)), None)


def write_file(
    machine: Machine, node: ast.AST, path: Value, data: Flow, how: frozenset[str] = frozenset()
) -> None:
    """Notes that a file is written, and keeps what it then holds."""
    where = targets_of(path)
    machine.emit(Deed.WRITE, node, where, both(data, aimed(path.flow).but(~BUILT)), how)
    devices = [text for text in where if _DEVICE.match(text)]
    if devices:
        machine.emit(Deed.DELETE, node, devices, path.flow, frozenset({"overwrite"}))
    elif data.labels & RANDOM and (path.flow.labels & WALKED or machine.loops):
        machine.emit(Deed.DELETE, node, where, path.flow, _in_all(path.flow, "overwrite"))
    machine.remember(where, data)


def delete_file(machine: Machine, node: ast.AST, path: Value, how: Iterable[str] = ()) -> None:
    """Notes that files are deleted."""
    machine.emit(Deed.DELETE, node, texts(path), aimed(path.flow), _in_all(path.flow, *how))


def _in_all(path: Flow, *how: str) -> frozenset[str]:
    return frozenset({*how, "recursive"} if path.labels & WALKED else how)


def write_into(machine: Machine, call: Call, stored: Stored, data: Flow) -> None:
    """Writes to an open file: its WRITE stands where it was opened."""
    stored.flow = both(stored.flow, data)
    if stored.spot is not None:
        node, frame = stored.spot
        path = Value("", options=stored.path, flow=call.receiver.flow.but(~(WALKED | TEMPORARY)))
        how = frozenset({"append"}) if stored.append else frozenset[str]()
        outer, machine.frame = machine.frame, frame
        write_file(machine, node, path, data, how)
        machine.frame = outer


def encoded(machine: Machine, call: Call) -> Value:
    """Encodes or compresses what it is given."""
    flow = both(call.flow("key", "password"), call.receiver.flow)
    if flow.labels:
        word = call.callee.name.rpartition(".")[2] or call.method
        flow = flow.then(machine.hop(call.node, word), ENCODED)
    return Value(result_of(call.callee.name), flow=flow)


def dropped(_machine: Machine, _call: Call) -> Value:
    """Gives something that tells nothing of what went in: a length, a hash."""
    return NOTHING


def same(_machine: Machine, call: Call) -> Value:
    """Gives its first argument, in another form."""
    if not call.positional:
        return Value(result_of(call.callee.name), flow=call.flow())
    first = call.positional[0]
    thing: Thing | None = first.thing
    return Value(
        first.name,
        first.const,
        first.options,
        flow_of((*call.positional, *call.keywords.values())),
        first.items,
        first.fields,
        thing,
    )
