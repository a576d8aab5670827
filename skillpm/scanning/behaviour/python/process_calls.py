"""Calls that start programs or hand text to a shell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.python.commands import (
    HOST,
    LOOKS_UP,
    PRINTED,
    PRINTS_FILE,
    RUNS_FILE,
    SENDS,
    as_command,
    code_of,
    has_script,
    program_of,
    split,
    words_of,
)
from skillpm.scanning.behaviour.python.effects import Special, calls, send
from skillpm.scanning.behaviour.python.folding import leaf
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.values import (
    BUILT,
    CLEAN,
    CODES,
    DECODED,
    FACTS,
    FILE,
    JOINED,
    NETWORK,
    NOTHING,
    PRIVATE,
    SECRET_FILE,
    SOCKET,
    UNPACKED,
    Flow,
    Link,
    Process,
    Value,
    both,
    constant,
    flow_of,
    known,
    listed,
    texts,
)


def _run(machine: Machine, call: Call) -> Value:
    """`subprocess.run` and its like."""
    command = call.argument(0, "args", "cmd", "command")
    if call.argument("shell").const is True:
        words = words_of(command)
        return interpret_shell(machine, call, words[0] if words else command)
    words = words_of(command)
    if words is None:
        words = split(command)
    return run_words(machine, call, words)


def run_words(machine: Machine, call: Call, words: Sequence[Value]) -> Value:
    """Starts a program with arguments."""
    inner, language = program_of(words)
    code = code_of(inner, language)
    told = call.argument("input")
    if code is not None and language:
        flow = both(code.flow, call.callee.flow)
        machine.emit(Deed.INTERPRET, call.node, texts(code), flow, _manner(call, words), language)
    else:
        commands = as_command(words)
        machine.emit(
            Deed.RUN,
            call.node,
            commands,
            _run_flow(machine, call, inner, commands),
            _manner(call, words),
            "shell",
        )
        if language and (known(told) or told.flow.labels) and not has_script(inner):
            machine.emit(Deed.INTERPRET, call.node, texts(told), told.flow, frozenset(), language)
    commands = as_command(words)
    _sent_by(machine, call, commands, both(flow_of(words), told.flow))
    _rewired(machine, call)
    reads = language if not has_script(inner) and code is None else ""
    return _output(machine, call, commands, flow_of(words), reads)


def _run_flow(
    machine: Machine, call: Call, words: Sequence[Value], commands: Sequence[str]
) -> Flow:
    """What flows into a RUN: the program or script whole; of other arguments only private data."""
    head = flow_of(words[:1])
    rest = flow_of(words[1:]).but(NETWORK | DECODED | UNPACKED | SOCKET)
    flow = both(both(head, rest), call.callee.flow)
    return both(flow, _files_run(machine, commands))


def _files_run(machine: Machine, commands: Sequence[str]) -> Flow:
    """What stands in the files that a command runs, as far as the code wrote them itself."""
    found = CLEAN
    if not machine.contents:
        return found
    for command in commands:
        for part in re.split(r"[;&|\n]+", command[:2_000]):
            line = part.strip()
            match = RUNS_FILE.match(line)
            for path in (match[1] if match else "", line.split(" ")[0].strip("\"'")):
                found = both(found, machine.contents.get(path, CLEAN))
    return found


def interpret_shell(machine: Machine, call: Call, command: Value) -> Value:
    """Hands a text to a shell."""
    commands = texts(command)
    flow = both(both(command.flow, call.callee.flow), _files_run(machine, commands))
    machine.emit(
        Deed.INTERPRET,
        call.node,
        commands,
        flow.but(SOCKET),
        _manner(call, ()) | {"shell"},
        "shell",
    )
    told = call.argument("input")
    _sent_by(machine, call, commands, both(command.flow, told.flow))
    _rewired(machine, call)
    return _output(machine, call, commands, command.flow, "")


def _manner(call: Call, words: Sequence[Value]) -> frozenset[str]:
    how = set()
    if call.argument("start_new_session").const is True or call.has("creationflags", "preexec_fn"):
        how.add("background")
    silent = [call.argument(name).name == "subprocess.DEVNULL" for name in ("stdout", "stderr")]
    if any(silent):
        how.add("quiet")
    if words and leaf(texts(words[0])[0]) in ("sudo", "doas", "pkexec"):
        how.add("privileged")
    return frozenset(how)


def _sent_by(machine: Machine, call: Call, commands: Sequence[str], flow: Flow) -> None:
    """Programs that send what they are told."""
    if not flow.labels & PRIVATE:
        return
    for command in commands:
        lookup = LOOKS_UP.search(command[:200])
        if (lookup and flow.labels & PRIVATE & ~FACTS) or SENDS.search(command[:2_000]):
            host = HOST.search(command[:4_000])
            how = frozenset({"lookup"} if lookup else ())
            send(machine, call.node, (host[0] if host else HOLE,), flow, how)


def _rewired(machine: Machine, call: Call) -> None:
    for stream in ("stdin", "stdout", "stderr"):
        value = call.argument(stream)
        if value.flow.labels & SOCKET or isinstance(value.thing, Link):
            peer = value.thing.peer if isinstance(value.thing, Link) else HOLE
            machine.emit(Deed.REWIRE, call.node, (peer,), value.flow)
            return


def _dup(machine: Machine, call: Call) -> Value:
    source = call.argument(0, "fd")
    if source.flow.labels & SOCKET:
        peer = source.thing.peer if isinstance(source.thing, Link) else HOLE
        machine.emit(Deed.REWIRE, call.node, (peer,), source.flow)
    return source


def _output(
    machine: Machine, call: Call, commands: Sequence[str], told: Flow, language: str
) -> Value:
    """What the program prints."""
    flow = CLEAN
    for command in commands:
        for label, words, pattern in PRINTED:
            if pattern.search(command[:500]):
                flow = both(flow, machine.source(call.node, label, words))
        if match := PRINTS_FILE.match(command[:500]):
            secret = any(is_secret(word.strip("\"'")) for word in match[1].split())
            flow = both(
                flow,
                machine.source(call.node, SECRET_FILE if secret else FILE, f"reads {match[1]}"),
            )
    if HOLE in commands and told.labels & NETWORK:
        flow = both(flow, machine.source(call.node, FACTS, "what a command prints"))
    one = Value("subprocess.Popen()", flow=flow, thing=Process(language))
    if call.callee.name in ("subprocess.getstatusoutput", "os.popen2", "os.popen3"):
        return Value("", flow=flow, items=(one, one))
    return one


def _communicate(machine: Machine, call: Call) -> Value:
    """What is written to a shell that was started is interpreted."""
    told = call.argument(0, "input", "s")
    process = call.receiver.thing
    if isinstance(process, Process) and process.language and (known(told) or told.flow.labels):
        machine.emit(
            Deed.INTERPRET, call.node, texts(told), told.flow, frozenset(), process.language
        )
    one = Value("", flow=call.receiver.flow)
    return Value("", flow=one.flow, items=(one, one)) if call.method == "communicate" else NOTHING


def _shell(machine: Machine, call: Call) -> Value:
    return interpret_shell(machine, call, call.argument(0, "command", "cmd"))


def _python(machine: Machine, call: Call) -> Value:
    """`eval`, `exec` and what else runs Python."""
    code = call.argument(0, "source", "object", "code")
    flow = both(code.flow, call.callee.flow)
    machine.emit(Deed.INTERPRET, call.node, texts(code), flow.but(SOCKET), frozenset(), "python")
    return (
        Value("", flow=code.flow.but(CODES | JOINED | BUILT))
        if call.callee.name == "builtins.eval"
        else NOTHING
    )


def _program(machine: Machine, call: Call) -> Value:
    """`os.execvp(file, args)`, `pty.spawn(args)`, `pexpect.spawn(command)`."""
    given = call.positional
    if call.callee.name.startswith("os.spawn"):
        given = given[1:]
    first = given[0] if given else call.argument("argv", "cmd", "command", "file", "path")
    words = words_of(first)
    if words is not None:
        return run_words(machine, call, words)
    if len(given) > 1:
        rest = words_of(given[1])
        listed_words = (first, *(rest[1:] if rest is not None else given[2:]))
        return run_words(machine, call, listed(listed_words).items or ())
    return run_words(machine, call, split(first))


def _each(machine: Machine, call: Call) -> Value:
    """`asyncio.create_subprocess_exec(*words)`: every argument is a word."""
    return run_words(machine, call, call.positional or [NOTHING])


def _pip(machine: Machine, call: Call) -> Value:
    words = (constant("pip"), *(words_of(call.argument(0, "args")) or (NOTHING,)))
    machine.emit(Deed.RUN, call.node, as_command(words), CLEAN, frozenset({"install"}), "shell")
    return NOTHING


PROCESS_CALLS: Final[dict[str, Special]] = {
    **calls("pip.main pip._internal.main pip._internal.cli.main.main", _pip),
    **calls("subprocess.{run,Popen,call,check_call,check_output}", _run),
    **calls(
        "os.system os.popen subprocess.getoutput subprocess.getstatusoutput "
        "asyncio.create_subprocess_shell os.popen2 os.popen3 invoke.run pexpect.run "
        "asyncio.subprocess.create_subprocess_shell get_ipython().system "
        "get_ipython().getoutput",
        _shell,
    ),
    **calls(
        "builtins.eval builtins.exec code.InteractiveInterpreter().runsource "
        "code.InteractiveInterpreter().runcode code.InteractiveConsole().push "
        "types.FunctionType IPython.get_ipython().run_cell timeit.timeit get_ipython().run_cell",
        _python,
    ),
    **calls(
        "pty.spawn os.startfile pexpect.spawn "
        "os.{exec,spawn}{l,le,lp,lpe,v,ve,vp,vpe} os.{posix_spawn,posix_spawnp}",
        _program,
    ),
    **calls("asyncio.create_subprocess_exec asyncio.subprocess.create_subprocess_exec", _each),
    **calls("os.dup2 os.dup", _dup),
    **calls("subprocess.Popen().communicate subprocess.Popen().stdin.write", _communicate),
}
