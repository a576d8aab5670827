"""Calls that start programs or hand text to a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.python.effects import Special, send
from skillpm.scanning.behaviour.python.folding import leaf
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.values import (
    BUILT,
    CAPTURED,
    CLEAN,
    CODES,
    DECODED,
    ENVIRONMENT,
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
    spliced,
    text,
    texts,
)

_LANGUAGES: Final = {
    **dict.fromkeys(("python", "python2", "python3", "pythonw", "py", "pypy", "pypy3"), "python"),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "ash"), "shell"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), "javascript"),
    **dict.fromkeys(("powershell", "pwsh"), "powershell"),
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "osascript": "applescript",
    "lua": "lua",
}
_CODE_FLAGS: Final = {
    "python": re.compile(r"-[a-zA-Z]{0,4}c$"),
    "shell": re.compile(r"-[a-z]{0,4}c$"),
    "javascript": re.compile(r"-e$|-p$|-pe$|--eval$|--print$|eval$"),
    "powershell": re.compile(r"(?i)[-/](?:c|command)$"),
    "perl": re.compile(r"-[a-z]{0,3}[eE]$"),
    "ruby": re.compile(r"-e$"),
    "php": re.compile(r"-r$"),
    "applescript": re.compile(r"-e$"),
    "lua": re.compile(r"-e$"),
}
_BEFORE: Final = frozenset({"sudo", "env", "nohup", "nice", "time", "exec", "command", "doas"})
_PLAIN: Final = re.compile(rf"[\w@%+=:,./~{HOLE}-]+\Z")
_RUNS_FILE: Final = re.compile(r"(?:sudo |nohup |exec )*(?:[\w./]*/)?(?:python[\d.]*|bash|sh|zsh|node|perl|ruby|php|source|\.)"
                               r" +(?:-\w+ +)*\"?'?([^\s;&|\"']+)")  # fmt: skip
_SENDS: Final = re.compile(r"\b(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|telnet|rclone|http|https|ssh|aws|gsutil|mail|sendmail)\b")
_LOOKS_UP: Final = re.compile(r"^(?:\S*/)?(?:dig|nslookup|host|ping)\b")
_HOST: Final = re.compile(rf"[a-z]+://[^\s'\"]+|\b[\w.-]*\w@[\w.-]+:?|\b(?:[\w-]+\.)+[a-z]{{2,12}}\b[^\s'\"]*|\b\d+\.\d+\.\d+\.\d+\b|[\w{HOLE}.-]+\.[a-z]{{2,12}}\b")
_TELLS: Final[tuple[tuple[re.Pattern[str], int, str], ...]] = tuple(
    (re.compile(pattern), label, words)
    for pattern, label, words in (
        (r"^\s*(?:\S*/)?(?:env|printenv|set|export -p|declare -x)\s*(?:$|[|;>])|\benv:\s*(?:$|\|)|/proc/(?:self|\d+)/environ",
         ENVIRONMENT, "all environment variables"),
        (r"\bsecurity (?:find|dump|export)-?\w*|--export-secret-keys?|\baws configure (?:get|export)|\bgh auth token"
         r"|\bgcloud auth (?:\S+ )?print-\w+-token|\bkubectl get secrets?|\bop (?:read|item get)|\bpass show"
         r"|\bsecret-tool lookup|\bgit credential fill", SECRET_FILE, "credentials from a store"),
        (r"^\s*(?:pbpaste|xclip\b.*-o|xsel|wl-paste|powershell.*get-clipboard)", CAPTURED, "the clipboard"),
        (r"^\s*(?:\S*/)?(?:whoami|hostname|id|uname|ifconfig|ipconfig|ip|ps|netstat|ss|systeminfo|tasklist|ls|dir|arp|w|who"
         r"|last|lscpu|lsblk|sw_vers|system_profiler|wmic|net|route|df|mount|dscl|getent|find|dmidecode|ioreg)\b",
         FACTS, "facts about the machine"),
    )
)  # fmt: skip
_PRINTS_FILE: Final = re.compile(r"^\s*(?:sudo )?(?:\S*/)?(?:cat|head|tail|less|more|type|base64|xxd|strings|gpg|tar|zip|grep|jq)\s+(.*)")


def quoted(word: str) -> str:
    """A word as a shell would have it; holes and `~` stay as they are."""
    return word if _PLAIN.match(word) else shlex.quote(word)


def as_command(words: Sequence[Value]) -> tuple[str, ...]:
    """The texts of a command out of its words."""
    parts: list[Value] = []
    for word in words[:200]:
        options = tuple(quoted(option) for option in texts(word))
        parts.extend((text(*options), constant(" ")))
    return spliced(parts[:-1]) or (HOLE,)


def _words(command: Value) -> tuple[Value, ...] | None:
    if command.items is not None:
        return command.items
    if isinstance(command.const, tuple):
        return tuple(constant(word) for word in command.const)
    return None


def _inside(words: Sequence[Value]) -> tuple[Sequence[Value], str]:
    """The words from the program on, and the language that the program reads."""
    for number, word in enumerate(words[:6]):
        program = leaf(texts(word)[0]).lower().removesuffix(".exe")
        if program in _BEFORE or (number and program.startswith("-")) or "=" in program:
            continue
        return words[number:], _LANGUAGES.get(re.sub(r"[\d.]+$", "", program) or program, "")
    return words, ""


def _code(words: Sequence[Value], language: str) -> Value | None:
    """The code that is handed to an interpreter on its command line."""
    flag = _CODE_FLAGS.get(language)
    for number, word in enumerate(words[1:8], 1):
        option = texts(word)[0]
        if flag and flag.match(option):
            return words[number + 1] if number + 1 < len(words) else NOTHING
        if not option.startswith("-") and language != "powershell":
            return None
    return None


def _run(machine: Machine, call: Call) -> Value:
    """`subprocess.run` and its like."""
    command = call.argument(0, "args", "cmd", "command")
    if call.argument("shell").const is True:
        words = _words(command)
        return interpret_shell(machine, call, words[0] if words else command)
    words = _words(command)
    if words is None:
        words = _split(command)
    return run_words(machine, call, words)


def _split(command: Value) -> tuple[Value, ...]:
    """A command that is one text: its words, when they are known."""
    options = texts(command)
    if len(options) > 1:
        return (Value("", options=options, flow=command.flow),)
    try:
        words = shlex.split(options[0])
    except ValueError:
        words = options[0].split()
    return tuple(Value("", options=(word,), flow=command.flow) for word in words) or (command,)


def run_words(machine: Machine, call: Call, words: Sequence[Value]) -> Value:
    """Starts a program with arguments."""
    inner, language = _inside(words)
    code = _code(inner, language)
    told = call.argument("input")
    if code is not None and language:
        flow = both(code.flow, call.callee.flow)
        machine.emit(Deed.INTERPRET, call.node, texts(code), flow, _manner(call, words), language)
    else:
        commands = as_command(words)
        machine.emit(Deed.RUN, call.node, commands, _run_flow(machine, call, inner, commands), _manner(call, words), "shell")
        if language and (known(told) or told.flow.labels) and not _script(inner):
            machine.emit(Deed.INTERPRET, call.node, texts(told), told.flow, frozenset(), language)
    commands = as_command(words)
    _sent_by(machine, call, commands, both(flow_of(words), told.flow))
    _rewired(machine, call)
    reads = language if not _script(inner) and code is None else ""
    return _output(machine, call, commands, flow_of(words), reads)


def _script(words: Sequence[Value]) -> bool:
    return any(not option.startswith("-") for word in words[1:] for option in texts(word))


def _run_flow(machine: Machine, call: Call, words: Sequence[Value], commands: Sequence[str]) -> Flow:
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
            match = _RUNS_FILE.match(line)
            for path in (match[1] if match else "", line.split(" ")[0].strip("\"'")):
                found = both(found, machine.contents.get(path, CLEAN))
    return found


def interpret_shell(machine: Machine, call: Call, command: Value) -> Value:
    """Hands a text to a shell."""
    commands = texts(command)
    flow = both(both(command.flow, call.callee.flow), _files_run(machine, commands))
    machine.emit(Deed.INTERPRET, call.node, commands, flow.but(SOCKET), _manner(call, ()) | {"shell"}, "shell")
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
        lookup = _LOOKS_UP.search(command[:200])
        if (lookup and flow.labels & PRIVATE & ~FACTS) or _SENDS.search(command[:2_000]):
            host = _HOST.search(command[:4_000])
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


def _output(machine: Machine, call: Call, commands: Sequence[str], told: Flow, language: str) -> Value:
    """What the program prints."""
    flow = CLEAN
    for command in commands:
        for pattern, label, words in _TELLS:
            if pattern.search(command[:500]):
                flow = both(flow, machine.source(call.node, label, words))
        if match := _PRINTS_FILE.match(command[:500]):
            secret = any(is_secret(word.strip("\"'")) for word in match[1].split())
            flow = both(flow, machine.source(call.node, SECRET_FILE if secret else FILE, f"reads {match[1]}"))
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
        machine.emit(Deed.INTERPRET, call.node, texts(told), told.flow, frozenset(), process.language)
    one = Value("", flow=call.receiver.flow)
    return Value("", flow=one.flow, items=(one, one)) if call.method == "communicate" else NOTHING


def _shell(machine: Machine, call: Call) -> Value:
    return interpret_shell(machine, call, call.argument(0, "command", "cmd"))


def _python(machine: Machine, call: Call) -> Value:
    """`eval`, `exec` and what else runs Python."""
    code = call.argument(0, "source", "object", "code")
    flow = both(code.flow, call.callee.flow)
    machine.emit(Deed.INTERPRET, call.node, texts(code), flow.but(SOCKET), frozenset(), "python")
    return Value("", flow=code.flow.but(CODES | JOINED | BUILT)) if call.callee.name == "builtins.eval" else NOTHING


def _program(machine: Machine, call: Call) -> Value:
    """`os.execvp(file, args)`, `pty.spawn(args)`, `pexpect.spawn(command)`."""
    given = call.positional
    if call.callee.name.startswith("os.spawn"):
        given = given[1:]
    first = given[0] if given else call.argument("argv", "cmd", "command", "file", "path")
    words = _words(first)
    if words is not None:
        return run_words(machine, call, words)
    if len(given) > 1:
        rest = _words(given[1])
        listed_words = (first, *(rest[1:] if rest is not None else given[2:]))
        return run_words(machine, call, listed(listed_words).items or ())
    return run_words(machine, call, _split(first))


def _each(machine: Machine, call: Call) -> Value:
    """`asyncio.create_subprocess_exec(*words)`: every argument is a word."""
    return run_words(machine, call, call.positional or [NOTHING])


PROCESS_CALLS: Final[dict[str, Special]] = {
    **dict.fromkeys(("subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call",
                     "subprocess.check_output"), _run),
    **dict.fromkeys(("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput",
                     "asyncio.create_subprocess_shell", "os.popen2", "os.popen3", "invoke.run", "pexpect.run",
                     "asyncio.subprocess.create_subprocess_shell", "get_ipython().system", "get_ipython().getoutput"),
                    _shell),
    **dict.fromkeys(("builtins.eval", "builtins.exec", "code.InteractiveInterpreter().runsource",
                     "code.InteractiveInterpreter().runcode", "code.InteractiveConsole().push",
                     "types.FunctionType", "IPython.get_ipython().run_cell", "timeit.timeit",
                     "get_ipython().run_cell"), _python),
    **dict.fromkeys(("pty.spawn", "os.startfile", "pexpect.spawn",
                     *(f"os.{kind}{end}" for kind in ("exec", "spawn")
                       for end in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")),
                     "os.posix_spawn", "os.posix_spawnp"), _program),
    **dict.fromkeys(("asyncio.create_subprocess_exec", "asyncio.subprocess.create_subprocess_exec"), _each),
    **dict.fromkeys(("os.dup2", "os.dup"), _dup),
    **dict.fromkeys(("subprocess.Popen().communicate", "subprocess.Popen().stdin.write"), _communicate),
}  # fmt: skip
