"""Commands that look at the machine, its user and the secrets it keeps; and what says nothing."""

from __future__ import annotations

import itertools
import posixpath
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.shell.calls import Call, Handler
from skillpm.scanning.behaviour.shell.network import parsed
from skillpm.scanning.behaviour.shell.programs import environment, run
from skillpm.scanning.behaviour.shell.tables import (
    CAMERA,
    CLIPBOARD,
    CREDENTIALS,
    FACTS,
    KEYBOARD,
    MICROPHONE,
    SCREEN,
    SILENT,
    TOKENS,
)
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, origin

_TOKEN_COMMANDS: Final = frozenset(line.partition(" ")[0] for line in TOKENS)
_DEVICES: Final = {
    "avfoundation": "screen", "x11grab": "screen", "gdigrab": "screen", "kmsgrab": "screen",
    "alsa": "microphone", "pulse": "microphone", "v4l2": "camera", "dshow": "camera",
}  # fmt: skip


def facts(call: Call) -> Value:
    """What commands such as `whoami` print."""
    if call.name == "history" and any(word.text == "-c" for word in call.words[1:]):
        call.act(Deed.DELETE, "~/.bash_history")
        return EMPTY
    if call.name == "ls":
        return _listing(call)
    if call.name == "uname" and not any("a" in w.text or "n" in w.text for w in call.words[1:]):
        return Value(HOLE)
    return Value(HOLE, Carries.FACTS, frozenset(), (call.hop(f"told by {call.name}"),))


def _listing(call: Call) -> Value:
    """`ls folder`: names that lie in the folder."""
    folders = [word for word in call.words[1:] if word.text[:1] != "-"]
    hop = call.hop("told by ls")
    if len(folders) != 1 or "*" not in folders[0].text:
        return Value(HOLE, Carries.FACTS, frozenset(), (hop,))
    return folders[0].carrying(Carries.FACTS, hop)


def credentials(call: Call) -> Value:
    """Commands that may print a secret; else programs."""
    for text in [*(word.text for word in call.words[1:3]), ""]:
        place = CREDENTIALS.get((call.name, text))
        if place:
            call.act(Deed.READ, place, Value(carries=Carries.SECRET_FILE))
            hop = call.hop(f"secret printed by {call.name} {text}".strip())
            return Value(HOLE, Carries.SECRET_FILE, frozenset(), (hop,), f"<{place}>")
    return run(call)


def token(call: Call, out: Value) -> Value:
    """What a command prints, as a secret when it prints one of the user's."""
    if call.name not in _TOKEN_COMMANDS:
        return out
    line = call.line
    for beginning in TOKENS:
        if line.startswith(beginning):
            hop = call.hop(f"secret printed by {beginning}")
            return Value(HOLE, Carries.SECRET_VARIABLE, frozenset({beginning}), (hop,), f"<{line}>")
    return out


def _captured(call: Call, what: str, target: Value | None) -> Value:
    call.act(Deed.CAPTURE, what)
    out = Value(HOLE, Carries.CAPTURED, frozenset(), (call.hop(f"{what} captured"),), f"<{what}>")
    if target is None or target.text == "-":
        return out
    call.write(target, out)
    return EMPTY


def clipboard(call: Call) -> Value:
    """`pbpaste`, `xclip -o`, `xsel -o`, `wl-paste`."""
    if call.name in ("xclip", "xsel") and not any(
        "o" in w.text for w in call.words[1:] if w.text[:1] == "-" and "sel" not in w.text
    ):
        return EMPTY
    return _captured(call, "clipboard", None)


def picture(call: Call) -> Value:
    """`screencapture file`, `scrot file`, `imagesnap file`, `arecord file`."""
    what = "screen" if call.name in SCREEN else "camera" if call.name in CAMERA else "microphone"
    if call.name == "import" and not any(w.text in ("-window", "root") for w in call.words[1:]):
        return run(call)
    return _captured(call, what, call.words[-1] if len(call.words) > 1 else Value("screenshot.png"))


def recorder(call: Call) -> Value:
    """`ffmpeg -f x11grab …`, `sox -d`: with a device as the input; else a program."""
    texts = [word.text for word in call.words[1:]]
    for before, text in itertools.pairwise(texts):
        if before == "-f" and text in _DEVICES:
            return _captured(call, _DEVICES[text], call.words[-1])
    if call.name == "sox" and texts[:1] == ["-d"]:
        return _captured(call, "microphone", call.words[-1])
    return run(call)


def keyboard(call: Call) -> Value:
    """`xinput test`, `evtest`, `logkeys`, …."""
    if call.name in ("xinput", "libinput") and not any(
        "test" in w.text or w.text == "debug-events" for w in call.words[1:]
    ):
        return run(call)
    return _captured(call, "keyboard", None)


def silent(_call: Call) -> Value:
    """Commands that do nothing an act stands for."""
    return EMPTY


def maker(call: Call) -> Value:
    """`mktemp`: the name of a new temporary file."""
    name = f"/tmp/{HOLE}"  # noqa: S108
    return Value(name, Carries.TEMPORARY, key=f"/tmp/<{call.start}>")  # noqa: S108


def path(call: Call) -> Value:
    """`dirname`, `basename`, `realpath`, `readlink`, `pwd` of what is known."""
    rest = [word for word in parsed(call).rest if word.text]
    if not rest:
        return Value(HOLE)
    word = rest[0]
    if call.name == "dirname":
        return word.saying(posixpath.dirname(word.text) or ".")
    if call.name == "basename":
        leaf = posixpath.basename(word.text)
        return word.saying(leaf.removesuffix(rest[1].text) if len(rest) > 1 else leaf)
    return origin([word], posixpath.normpath(word.text), word.key)


def settings(call: Call) -> Value:
    """`set`, `export`, `declare`, `compgen` where they list variables."""
    texts = [word.text for word in call.words[1:]]
    if (not texts and call.name != "compgen") or (
        texts[:1] in (["-p"], ["-x"], ["-px"], ["-xp"]) and len(texts) == 1
    ):
        return environment(call)
    if call.name == "compgen" and texts[:1] in (["-v"], ["-e"], ["-A"]):
        return environment(call)
    return EMPTY


def change(call: Call) -> Value:
    """`cd folder`."""
    rest = [word for word in call.words[1:] if word.text[:1] != "-"]
    if rest:
        call.host.enter(rest[0])
    return EMPTY


HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(SILENT, silent), **dict.fromkeys(FACTS, facts),
    **dict.fromkeys({name for name, _ in CREDENTIALS}, credentials),
    **dict.fromkeys(CLIPBOARD, clipboard), **dict.fromkeys(SCREEN | CAMERA | MICROPHONE, picture),
    **dict.fromkeys(("ffmpeg", "sox", "gst-launch-1.0"), recorder),
    **dict.fromkeys(KEYBOARD, keyboard), "mktemp": maker, "tempfile": maker,
    **dict.fromkeys(("dirname", "basename", "realpath", "readlink"), path),
    **dict.fromkeys(("set", "export", "declare", "typeset", "compgen"), settings),
    **dict.fromkeys(("cd", "pushd"), change),
}  # fmt: skip
