"""Commands that run other commands, programs and texts."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, SECRETS, Carries, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.shell.calls import (
    Call,
    Handler,
    Options,
    options,
    peer_of,
)
from skillpm.scanning.behaviour.shell.network import parsed
from skillpm.scanning.behaviour.shell.options import FAMILY, VALUED
from skillpm.scanning.behaviour.shell.tables import (
    ARGUMENTS_BEFORE,
    CODE_FLAGS,
    INSTALLS,
    INTERPRETERS,
    WRAPPERS,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, join, origin

STRANGE: Final = Carries.NETWORK | Carries.DECODED | Carries.SOCKET | Carries.BUILT
"""What makes running a file or text more than running a program."""

_VERSION: Final = regex(r"[\d.]+(?:-config)?(?:\.exe)?\Z|\.exe\Z")
_EXECUTES: Final = regex(r"\b(?:exec|eval|system|os\.popen|subprocess|Function|__import__)\s*\(")
_WHOLE_ENVIRONMENT: Final = regex(
    r"\bos\.environ\b(?!\s*(?:\[|\.get|\.setdefault|\.pop))|\bprocess\.env\b(?!\s*[.\[])|%ENV\b"
)
_QUOTED: Final = regex(r"[\"']([^\"'\n]{4,200})[\"']")
_ASSIGNS: Final = regex(r"[A-Za-z_]\w*=")
_SPLITS: Final = ("-S", "--split-string")
_MANNERS: Final = {
    "sudo": "privileged",
    "doas": "privileged",
    "nohup": "background",
    "setsid": "background",
    "watch": "loop",
}
_ENCODED: Final = regex(r"-e(?:nc?|ncodedcommand|c)?\Z", re.IGNORECASE)
_COMMAND: Final = regex(r"-c(?:ommand)?\Z", re.IGNORECASE)
_INNER_SHELLS: Final = frozenset({"sh", "bash", "zsh", "ash", "dash", "/bin/sh", "/bin/bash"})
_MODULES: Final = {"pip": "pip", "pip3": "pip", "pipx": "pipx", "uv": "uv", "ensurepip": "pip"}


def language_of(name: str) -> str:
    """The language that a command interprets, "" when it is no interpreter."""
    return INTERPRETERS.get(name) or INTERPRETERS.get(_VERSION.sub("", name), "")


def interpret(call: Call, text: Value, language: str, *, stdin: Value | None = None) -> Value:
    """Hands a text to an interpreter; shell text is played as well."""
    if text.joined and any(char.isspace() or char == ";" for char in text.text):
        text = text.carrying(Carries.BUILT)
    call.act(Deed.INTERPRET, text.text, text, language=language)
    if Carries.SOCKET in text.carries and language == "shell":
        call.act(Deed.REWIRE, peer_of(text), text)
    given = call.given if stdin is None else stdin
    if language == "shell" and text.text.strip(HOLE + " \n\t;"):
        return call.host.play(text, call, stdin=stdin)
    return _result(given, text)


def _result(*sources: Value) -> Value:
    """What a program prints into which the values went."""
    whole = origin(sources)
    return Value(HOLE, whole.carries & SECRETS, whole.variables, whole.trail)


def run(call: Call, *how: str, carried: Value = EMPTY, language: str = "") -> Value:
    """A program about which nothing else is known; what goes in may come out."""
    call.act(Deed.RUN, call.line, carried, *how, language=language)
    return Value(HOLE, call.given.carries, call.given.variables, call.given.trail)


def interpreter(call: Call) -> Value:
    """`bash`, `python`, `node`, …: code as an option, in a file or piped in."""
    language = language_of(call.name)
    if language == "powershell":
        return _powershell(call)
    valued = VALUED.get(_VERSION.sub("", call.name), VALUED.get(language, frozenset()))
    flags = CODE_FLAGS.get(language, ())
    if language == "javascript":
        valued = VALUED["node"] if call.name not in ("deno", "bun") else frozenset(flags)
    given = options(
        _before_script(call.words[1:], valued | set(flags)), valued - {"-c"} | set(flags)
    )
    if language == "shell" and (given.has("-c") or given.has("--command")):
        return _command_text(call, given)
    if call.name == "deno" and [v.text for v in given.rest[:1]] == ["eval"]:
        given.flags["-e"] = call.words[2:3]
    codes = given.all(*flags)
    if codes and language != "shell":
        return _code(call, join(codes, "\n"), language)
    module = given.first("-m")
    if language == "python" and module is not None:
        return _module(call, module)
    return _script(call, given, language)


def _before_script(words: Sequence[Value], valued: frozenset[str]) -> Sequence[Value]:
    """The options of an interpreter and the first argument: what follows is the script's."""
    at = 0
    while at < len(words):
        text = words[at].text
        if text[:1] not in ("-", "+") or text in ("-", "--"):
            break
        at += (
            2
            if text in valued
            or (text[:1] == "-" and text[-2:-1] != "=" and _clustered(text, valued))
            else 1
        )
    return words[: at + 1]


def _clustered(text: str, valued: frozenset[str]) -> bool:
    return text[1:2] != "-" and len(text) <= 6 and "-" + text[-1] in valued


def _command_text(call: Call, given: Options) -> Value:
    text = given.first("-c", "--command") or EMPTY
    return interpret(call, text, "shell", stdin=call.stdin)


def _code(call: Call, code: Value, language: str) -> Value:
    """A program given as an option; when it executes its input, that belongs to it."""
    if call.given.carries and _EXECUTES.search(code.text):
        code = origin([code, call.given], code.text)
    interpret(call, code, language)
    return _told(call, code)


def _told(call: Call, code: Value) -> Value:
    """What a short program prints: what it was given and the secrets that its text names."""
    printed = _result(call.given, code)
    if _WHOLE_ENVIRONMENT.search(code.text):
        hop = call.hop(f"environment read by {call.name}")
        printed = printed.carrying(Carries.ENVIRONMENT, hop)
    if any(is_secret(path) for path in _QUOTED.findall(code.text)):
        printed = printed.carrying(Carries.SECRET_FILE, call.hop(f"secret read by {call.name}"))
    return printed


def _script(call: Call, given: Options, language: str) -> Value:
    path = given.rest[0] if given.rest else None
    if path is None or path.text in ("-", "/dev/stdin") or given.has("-s"):
        if call.stdin is None:
            return run(call, language=language) if len(call.words) > 1 else EMPTY
        if call.stdin is not EMPTY:
            interpret(call, call.given, language, stdin=EMPTY)
        return _result(call.given)
    if path.text in ("run", "test", "fmt", "lint", "x", "install", "add", "task") and call.name in (
        "deno",
        "bun",
    ):
        return (
            installer(call)
            if path.text in ("x", "install", "add")
            else run(call, language=language)
        )
    stored = call.host.stored(path)
    if stored is None or not (stored.known or stored.carries & STRANGE):
        carried = origin([stored or EMPTY, Value(carries=path.carries & Carries.NETWORK)])
        arguments = list(call.words[1 + call.words[1:].index(path) :])
        out = run(call, carried=carried, language=language)
        played = call.host.perform(path, arguments, call) if language == "shell" else None
        return out if played is None else played
    return interpret(call, stored, language)


def _module(call: Call, module: Value) -> Value:
    rest = (
        call.words[1 + call.words[1:].index(module) + 1 :]
        if module in call.words
        else call.words[3:]
    )
    if module.text in _MODULES:
        return call.again([Value(_MODULES[module.text]), *rest])
    if module.text in ("http.server", "SimpleHTTPServer", "pyftpdlib"):
        port = next((value.text for value in rest if value.text.isdigit()), "8000")
        call.act(Deed.LISTEN, f"0.0.0.0:{port}")
        return EMPTY
    if module.text in ("base64", "json.tool"):
        return call.again([Value("base64" if module.text == "base64" else "cat"), *rest])
    return run(call, language="python")


def _powershell(call: Call) -> Value:
    words = call.words[1:]
    for number, word in enumerate(words):
        following = words[number + 1 :]
        if _ENCODED.match(word.text) and following:
            return interpret(call, _unpacked(call, following[0]), "powershell")
        if _COMMAND.match(word.text) and following:
            return interpret(call, join(following, " "), "powershell")
    if words and words[-1].text[:1] != "-":
        if any(word.text.lower() in ("-f", "-file") for word in words) or words[-1].text.endswith(
            ".ps1"
        ):
            return run(call, language="powershell")
        return interpret(call, join(words, " "), "powershell")
    if call.stdin:
        return interpret(call, call.given, "powershell")
    return run(call, language="powershell")


def _unpacked(call: Call, word: Value) -> Value:
    """The text of `-EncodedCommand`."""
    try:
        text = base64.b64decode(word.text + "=" * (-len(word.text) % 4)).decode("utf-16-le")
    except ValueError:
        text = HOLE
    return word.saying(text).carrying(Carries.DECODED, call.hop("decoded by powershell"))


def evaluate(call: Call) -> Value:
    """`eval words`."""
    if len(call.words) < 2:
        return EMPTY
    text = join(call.words[1:], " ")
    return interpret(call, text, "shell", stdin=call.stdin)


def wrapper(call: Call) -> Value:
    """`sudo`, `env`, `nohup`, …: the command behind their options."""
    name = call.name
    if name == "command" and any(word.text in ("-v", "-V") for word in call.words[1:2]):
        return EMPTY
    split = next((at for at, w in enumerate(call.words) if w.text in _SPLITS), 0)
    if name == "env" and split:
        return call.host.play(join(call.words[split + 1 :], " "), call, stdin=call.stdin)
    words = _wrapped(call)
    if not words:
        return environment(call) if name == "env" else EMPTY
    how = [_MANNERS[name]] if name in _MANNERS else []
    if name == "watch" and len(words) == 1:
        return call.host.play(words[0], call, stdin=call.stdin)
    return call.again(words, *how)


def _wrapped(call: Call) -> list[Value]:
    """The command that a wrapper runs."""
    name, words = call.name, list(call.words[1:])
    valued = VALUED.get(FAMILY.get(name, name), frozenset())
    while words and words[0].text[:1] == "-" and len(words[0].text) > 1:
        text = words.pop(0).text
        if text in valued and words:
            words.pop(0)
    words = words[ARGUMENTS_BEFORE.get(name, 0) :]
    while words and _ASSIGNS.match(words[0].text):
        words.pop(0)
    return words


def environment(call: Call) -> Value:
    """All variables: `env`, `printenv`, `set`, `export -p`, `declare -x`, `compgen -e`."""
    names = [word for word in call.words[1:] if word.text[:1] != "-"]
    if call.name == "printenv" and names:
        return origin([call.host.outside(name.text) for name in names if name.text.isidentifier()])
    hop = call.hop(f"environment listed by {call.name}")
    call.act(Deed.VARIABLE, "*", Value(carries=Carries.ENVIRONMENT))
    return Value(HOLE, Carries.ENVIRONMENT, frozenset(), (hop,), "<environment>")


def substitute_user(call: Call) -> Value:
    """`su -c command`, `script -c`."""
    text = parsed(call).first("-c", "--command")
    if text is None:
        return run(call)
    return call.again(
        [Value("sh"), Value("-c"), text], *(["privileged"] if call.name != "script" else [])
    )


def xargs(call: Call) -> Value:
    """`xargs command`: the input becomes arguments."""
    given = options(_until_command(call.words[1:], VALUED["xargs"]), VALUED["xargs"])
    command = call.words[
        1 + len(_until_command(call.words[1:], VALUED["xargs"])) - len(given.rest) :
    ]
    source = call.given
    listed = given.first("-a", "--arg-file")
    if listed is not None and listed.text:
        source = call.read(listed)
    items = [source.saying(part) for part in source.text.split()[:20]] if source.text else []
    items = items or [origin([source])]
    command = command or [Value("echo")]
    mark = given.first("-I", "--replace", "-i")
    if mark is None and given.has("-I", "-i") is False:
        return call.again([*command, *items], stdin=EMPTY)
    return _each(call, command, (mark.text if mark else "") or "{}", items)


def _each(call: Call, command: Sequence[Value], mark: str, items: Sequence[Value]) -> Value:
    return join(
        [
            call.again([filled(word, mark, item) for word in command], stdin=EMPTY)
            for item in items[:10]
        ]
        or [EMPTY]
    )


def filled(word: Value, mark: str, item: Value) -> Value:
    """A word with an item in place of its mark."""
    if mark not in word.text:
        return word
    return origin(
        [word, item], word.text.replace(mark, item.text), word.identity.replace(mark, item.identity)
    )


def _until_command(words: Sequence[Value], valued: frozenset[str]) -> Sequence[Value]:
    at = 0
    while at < len(words) and words[at].text[:1] == "-":
        at += 2 if words[at].text in valued else 1
    return words[: at + 1]


def parallel(call: Call) -> Value:
    """`parallel command ::: items`."""
    given = options(call.words[1:], VALUED["parallel"])
    texts = [value.text for value in given.rest]
    cut = next((at for at, text in enumerate(texts) if text.startswith(":::")), len(texts))
    items = given.rest[cut + 1 :] or [origin([call.given])]
    command = given.rest[:cut]
    if not command:
        return join([call.host.play(item, call) for item in items[:10]])
    text = join(command, " ")
    if "{" not in text.text:
        text = join([text, Value("{}")], " ")
    return join([call.host.play(filled(text, "{}", item), call) for item in items[:10]])


def container(call: Call) -> Value:
    """`docker run … sh -c text`, `kubectl exec … -- command`: the inner command is played."""
    words = call.words
    run(call)
    texts = [word.text for word in words]
    if not {"run", "exec"} & set(texts[1:6]):
        return Value(HOLE)
    for number, text in enumerate(texts[2:], 2):
        if text in _INNER_SHELLS and number + 1 < len(texts) and texts[number + 1][:1] == "-":
            return call.again(words[number:])
        if text == "--":
            return call.again(words[number + 1 :])
    return Value(HOLE, call.given.carries, call.given.variables, call.given.trail)


def installer(call: Call) -> Value:
    """`pip install`, `npx`, …: a program that installs, else just a program."""
    verbs = INSTALLS.get(_VERSION.sub("", call.name), frozenset())
    texts = [word.text for word in call.words[1:]]
    if call.name == "uv" and texts[:1] == ["run"]:
        rest = _until_command(
            call.words[2:], frozenset({"--with", "--python", "-p", "--project", "--directory"})
        )
        return call.again(call.words[2 + len(rest) - 1 :]) if rest else run(call)
    if "" in verbs or verbs & set(texts[:4]):
        return run(call, "install")
    return run(call)


HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(WRAPPERS, wrapper), **dict.fromkeys(INSTALLS, installer),
    **dict.fromkeys(INTERPRETERS, interpreter),
    "eval": evaluate, "su": substitute_user, "script": substitute_user, "runuser": substitute_user,
    "xargs": xargs, "gxargs": xargs, "parallel": parallel, "docker": container,
    "podman": container, "nerdctl": container, "kubectl": container, "printenv": environment,
    "pip3": installer,
}  # fmt: skip
