"""Functions that run code, commands and modules."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.javascript.calls import Call, Handler
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Instance,
    Items,
    Known,
    Native,
    Record,
    Thing,
    text_of,
)
from skillpm.scanning.behaviour.shell.calls import command_line, peer_of
from skillpm.scanning.behaviour.shell.programs import language_of
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, join, origin

_COMMANDS: Final = ("rm", "cp", "mv", "chmod", "ln", "touch", "mkdir", "cat", "sed", "grep", "find")


def interpret(call: Call, text: Value, language: str = "javascript") -> Thing:
    """Hands a text to an interpreter; what is known of it is run as well."""
    if text.joined:
        text = text.carrying(Carries.BUILT)
    call.act(Deed.INTERPRET, text.text, text, language=language)
    if language == "shell":
        return call.host.run_shell(text)
    return call.host.run_text(text) if text.text.strip(HOLE) else UNKNOWN


def evaluate(call: Call) -> Thing:
    """`eval`, `vm.runInThisContext`, `importScripts`."""
    value = call.value(0)
    if not value.text and not value.carries:
        return UNKNOWN
    if call.name == "importScripts":
        call.act(Deed.FETCH, value.text)
        value = call.fetched(value.text)
    return interpret(call, value)


def function(call: Call) -> Thing:
    """`new Function(…, body)`: a function whose text is put together."""
    body = call.value(len(call.arguments) - 1) if call.arguments else EMPTY
    if not body.text and not body.carries:
        return UNKNOWN
    interpret(call, body)
    return Native(lambda _: UNKNOWN)


def compiled(call: Call) -> Thing:
    """`new vm.Script`, `vm.compileFunction`, `module._compile`."""
    interpret(call, call.value(0))
    return UNKNOWN


def require(call: Call) -> Thing:
    """`require(name)`, `import(name)`."""
    name = call.value(0)
    if name.joined or Carries.BUILT in name.carries or not name.known or name.carries:
        hidden = name.carrying(Carries.BUILT) if name.joined else name
        call.act(Deed.LOAD, name.text, hidden, language="javascript")
    if name.text.startswith("data:") and name.known:
        call.act(Deed.INTERPRET, name.text, name, language="javascript")
        return UNKNOWN
    if name.text.startswith(("http://", "https://")):
        fetched = call.fetched(name.text)
        call.act(Deed.FETCH, name.text)
        call.act(Deed.INTERPRET, HOLE, fetched, language="javascript")
        return UNKNOWN
    stored = call.host.stored(name)
    if stored is not None:
        interpret(call, stored)
        return UNKNOWN
    return call.host.load(name)


def _process(value: Value, *, shell: bool) -> Instance:
    return Instance("process", value, {"shell": Value("true")} if shell else {})


def execute(call: Call) -> Thing:
    """`child_process.exec(command)`, `$`command``: through a shell."""
    text = call.value(0)
    if not text.text and not text.carries:
        return UNKNOWN
    out = interpret(call, text, "shell")
    value = out if isinstance(out, Value) else UNKNOWN
    call.callback(UNKNOWN, value, UNKNOWN)
    return _process(value, shell=language_of(text.text.strip().rpartition("/")[2]) == "shell")


def _words(call: Call) -> list[Value]:
    """The program and its arguments."""
    first, second = call.thing(0), call.thing(1)
    if isinstance(first, Record):
        first = first.fields.get("cmd") or first.fields.get("command")
    if isinstance(second, Record):
        second = second.fields.get("args")
    words: list[Value] = []
    for thing in (first, second):
        if isinstance(thing, Items):
            words += [call.host.flow(item) for item in thing.items]
            words += [thing.rest] if thing.rest.text else []
        elif isinstance(thing, Value):
            words.append(thing)
    return words


def spawn(call: Call) -> Thing:
    """`child_process.spawn(program, arguments)`, `execFile`, `Deno.Command`."""
    words = _words(call)
    if not words or not (words[0].text or words[0].carries):
        return UNKNOWN
    through = call.option("shell")
    if through is not None and text_of(through) != "false":
        whole = join(words, " ")
        out = interpret(call, whole, "shell")
    else:
        line = Value(command_line(words))
        whole = origin(words, line.text)
        stored = call.host.stored(words[0])
        carried = origin([stored or EMPTY, *words])
        language = language_of(words[0].text.rpartition("/")[2])
        call.act(Deed.RUN, line.text, carried, *_manner(call), language=language)
        out = call.host.run_shell(whole)
    value = out if isinstance(out, Value) else UNKNOWN
    call.callback(UNKNOWN, value, UNKNOWN)
    alone = language_of(words[0].text.rpartition("/")[2]) == "shell" and len(words) < 3
    process = _process(value, shell=alone)
    _wired(call, process)
    return process


def _manner(call: Call) -> list[str]:
    return ["background"] if call.says("detached") else []


def _wired(call: Call, process: Instance) -> None:
    """`{ stdio: [socket, socket, socket] }`."""
    streams = call.option("stdio")
    if isinstance(streams, Items):
        for stream in streams.items:
            if isinstance(stream, Instance) and stream.kind == "socket":
                call.act(Deed.REWIRE, peer_of(stream.value), process.value)
                return


def fork(call: Call) -> Thing:
    """`child_process.fork(module)`, `new Worker(module)`."""
    path = call.value(0)
    if call.name == "new Worker" and call.says("eval"):
        return interpret(call, path)
    stored = call.host.stored(path)
    call.act(Deed.RUN, command_line([Value("node"), path]), stored or EMPTY, language="javascript")
    if path.text:
        call.host.load(path)
    return _process(UNKNOWN, shell=False)


def command(call: Call) -> Thing:
    """`shell.rm('-rf', path)` of shelljs: the command of that name."""
    words = [Value(call.leaf), *(call.value(number) for number in range(len(call.arguments)))]
    return call.host.run_shell(origin(words, command_line(words)))


def piped(call: Call) -> Thing:
    """`from.pipe(to)`: a shell's streams tied to a connection are noted."""
    this, target = call.this, call.thing(0)
    ends = [thing for thing in (this, target) if isinstance(thing, Instance)]
    sockets = [thing for thing in ends if thing.kind == "socket"]
    shells = [t for t in ends if t.kind in ("stdin", "stdout", "stderr") and "shell" in t.fields]
    if sockets and shells:
        call.act(Deed.REWIRE, peer_of(sockets[0].value), Value(carries=Carries.SOCKET))
    flowing = call.host.flow(this) if this is not None else EMPTY
    return _passed(call, flowing, target)


def _passed(call: Call, flowing: Value, target: Thing | None) -> Thing:
    """What comes out behind a target; what can be written to takes up what flows."""
    if isinstance(target, Instance):
        call.host.apply(Known(f"<{target.kind}>.write"), [flowing, target])
        return target
    if target is None or isinstance(target, Known):
        return flowing
    return origin([flowing, call.host.flow(target)], HOLE, flowing.key)


def pipeline(call: Call) -> Thing:
    """`pipeline(from, through…, to)` of `stream`."""
    flowing: Thing = UNKNOWN
    for number, thing in enumerate(call.arguments):
        if isinstance(thing, CALLABLE):
            break
        flowing = _passed(call, call.host.flow(flowing), thing) if number else thing
    call.callback(UNKNOWN)
    return UNKNOWN


def fed(call: Call) -> Thing:
    """`process.stdin.write(text)`: to a shell it is a command."""
    value = call.value(0)
    if not isinstance(call.this, Instance) or "shell" not in call.this.fields:
        return UNKNOWN
    if Carries.SOCKET in value.carries:
        call.act(Deed.REWIRE, peer_of(value), value)
    if value.text or value.carries:
        interpret(call, value, "shell")
    return UNKNOWN


def heard(call: Call) -> Thing:
    """`process.stdout.on('data', f)`, `process.on('exit', f)`."""
    value = call.this.value if isinstance(call.this, Instance) else UNKNOWN
    call.callback(value)
    return call.this or UNKNOWN


def output(call: Call) -> Thing:
    """`process.output()` and whatever else is asked of a process: what it prints."""
    return call.this.value if isinstance(call.this, Instance) else UNKNOWN


def _all(handler: Handler, *names: str) -> dict[str, Handler]:
    return dict.fromkeys(names, handler)


HANDLERS: Final[dict[str, Handler]] = {
    **_all(evaluate, "eval", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext"),
    **_all(evaluate, "importScripts", "execScript", "vm2.VM.run"),
    **_all(function, "Function", "new Function", "AsyncFunction", "GeneratorFunction"),
    **_all(compiled, "new vm.Script", "vm.compileFunction", "vm.Script", "module._compile"),
    **_all(require, "require", "import", "module.require", "require.main.require"),
    **_all(execute, "child_process.exec", "execa.command", "shell.exec", "shell.$`", "execa`"),
    **_all(execute, "execaCommand", "execa.execaCommand", "execa.commandSync", "new exec"),
    **_all(spawn, "child_process.spawn", "child_process.execFile", "execa", "Bun.spawn"),
    **_all(spawn, "Deno.run", "new Deno.Command", "Bun.spawnSync", "pty.spawn", "node-pty.spawn"),
    **_all(fork, "child_process.fork", "new Worker", "new worker_threads.Worker"),
    **{f"shell.{name}": command for name in _COMMANDS},
    **_all(
        piped, "<socket>.pipe", "<stdout>.pipe", "<stderr>.pipe", "<response>.pipe", "<data>.pipe"
    ),
    **_all(
        pipeline, "stream.pipeline", "stream/promises.pipeline", "pump", "stream.promises.pipeline"
    ),
    **_all(fed, "<stdin>.write", "<stdin>.end"),
    **_all(heard, "<stdout>.on", "<stderr>.on", "<process>.on", "<stdout>.once", "<process>.once"),
    **_all(output, "<process>.output", "<process>.outputSync", "<process>.text", "<stdout>.text"),
    **_all(output, "<stdout>.toString", "<process>.toString", "<process>.spawn", "<stdout>.read"),
    **_all(output, "<stdout>.trim", "<process>.stdout", "<process>.then", "<stdout>.split"),
    "createRequire": lambda _: Known("require"),
}
