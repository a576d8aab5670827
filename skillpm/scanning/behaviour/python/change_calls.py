"""Calls that delete files, change who may do what, or have something started later."""

from __future__ import annotations

import ast
from typing import Final

from skillpm.scanning.behaviour.acts import Deed
from skillpm.scanning.behaviour.python.effects import (
    Special,
    aimed,
    calls,
    delete_file,
)
from skillpm.scanning.behaviour.python.folding import joined_path
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.names import PATH
from skillpm.scanning.behaviour.python.values import (
    NOTHING,
    Value,
    flowing,
    texts,
)


def _delete(machine: Machine, call: Call) -> Value:
    how = ["recursive"] if call.callee.name in ("shutil.rmtree", "os.removedirs") else []
    if call.argument(1, "ignore_errors").const is True:
        how.append("forced")
    delete_file(machine, call.node, call.argument(0, "path"), how)
    return NOTHING


def _unlink(machine: Machine, call: Call) -> Value:
    how = ["forced"] if call.argument(0, "missing_ok").const is True else []
    delete_file(machine, call.node, call.receiver, how)
    return NOTHING


def _permit(machine: Machine, call: Call) -> Value:
    """Mode or owner of a file."""
    of_path = call.callee.name.startswith(PATH) or (
        call.method == "chmod" and len(call.positional) == 1
    )
    path, mode = (call.receiver, 0) if of_path else (call.argument(0, "path"), 1)
    how = _mode(call, mode) if call.callee.name.endswith("chmod") or of_path else {"privileged"}
    machine.emit(Deed.PERMIT, call.node, texts(path), aimed(path.flow), frozenset(how))
    return NOTHING


def _mode(call: Call, position: int) -> set[str]:
    number = call.argument(position, "mode").const
    bits = number if isinstance(number, int) else 0
    given = call.node.args[position : position + 1] if isinstance(call.node, ast.Call) else []
    parts = [node for one in given for node in ast.walk(one)]
    named = {node.attr for node in parts if isinstance(node, ast.Attribute)}
    if not any(isinstance(node, ast.BitAnd) for node in parts):
        for node in parts:
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                bits |= node.value
    how = (
        {"executable"}
        if bits & 0o111 or any(name.startswith(("S_IX", "S_IEX", "S_IRWX")) for name in named)
        else set()
    )
    if bits & 0o002 or "S_IWOTH" in named or "S_IRWXO" in named:
        how.add("world")
    if bits & 0o6000 or named & {"S_ISUID", "S_ISGID"}:
        how.add("privileged")
    return how


def _privilege(machine: Machine, call: Call) -> Value:
    if call.callee.name == "os.umask":
        if call.argument(0).const == 0:
            machine.emit(Deed.PERMIT, call.node, ("umask 0",), how=frozenset({"world"}))
    elif call.argument(0).const == 0:
        machine.emit(Deed.PERMIT, call.node, ("root",), how=frozenset({"privileged"}))
    return NOTHING


def _crontab(machine: Machine, call: Call) -> Value:
    machine.emit(Deed.WRITE, call.node, ("/var/spool/cron/crontab",), call.flow())
    return Value(flow=flowing(call.flow()).flow)


def _registry_key(_machine: Machine, call: Call) -> Value:
    parts = (call.argument(0, "key"), call.argument(1, "sub_key"))
    slashed = [tuple(option.replace("\\", "/") for option in texts(part)) for part in parts]
    return joined_path([Value("", options=options) for options in slashed])


def _registry_value(machine: Machine, call: Call) -> Value:
    path = joined_path((call.argument(0, "key"), call.argument(1, "value_name")))
    machine.emit(Deed.WRITE, call.node, texts(path), call.flow())
    return NOTHING


CHANGE_CALLS: Final[dict[str, Special]] = {
    **calls("shutil.rmtree os.{remove,unlink,rmdir,removedirs,truncate}", _delete),
    **calls("os.{chmod,lchmod,chown,lchown} pathlib.Path().chmod shutil.chown", _permit),
    **calls("os.{setuid,setgid,seteuid,setreuid,umask}", _privilege),
    **calls("crontab.CronTab().new crontab.CronTab().write", _crontab),
    **calls("winreg.{OpenKey,CreateKey,OpenKeyEx,CreateKeyEx}", _registry_key),
    **calls("winreg.SetValueEx winreg.SetValue", _registry_value),
}

CHANGE_METHODS: Final[dict[str, Special]] = {
    **calls("unlink rmdir", _unlink),
    "chmod": _permit,
}
