"""What is told of the machine and its user, captured from him, and shown to him."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.javascript.calls import Call, Handler
from skillpm.scanning.behaviour.javascript.things import Instance, Known, Record, Thing, text_of
from skillpm.scanning.behaviour.shell.words import UNKNOWN, Value, is_secret_name

_UNTOLD: Final = Carries.FILE | Carries.FACTS | Carries.INPUT | Carries.TEMPORARY


class Keeper(Protocol):
    """What a property may ask of the machine."""

    @property
    def path(self) -> str:
        """The file whose text is being run."""
        ...

    def kept(self, name: str) -> Value:
        """What a browser keeps for the user under a name."""


def facts(call: Call) -> Thing:
    """`os.hostname`, `os.userInfo`, `os.networkInterfaces`."""
    hop = call.hop(f"told by {call.name}")
    value = Value(HOLE, Carries.FACTS, frozenset(), (hop,), f"<{call.name}>")
    if call.leaf == "userInfo":
        return Record({"username": value, "homedir": Value("~"), "shell": UNKNOWN}, [value])
    return value


def home(_call: Call) -> Thing:
    """`os.homedir`."""
    return Value("~")


def temporary(_call: Call) -> Thing:
    """`os.tmpdir`."""
    return Value("$TMPDIR")


def folder(_call: Call) -> Thing:
    """`process.cwd`."""
    return Value(".")


def shown(call: Call) -> Thing:
    """`console.log`, `process.stdout.write`."""
    values = [call.value(number) for number in range(len(call.arguments))]
    text = " ".join(value.text for value in values)
    for value in values:
        if value.carries & ~_UNTOLD:
            call.act(Deed.SHOW, value.text, value)
            return UNKNOWN
    if text.strip(HOLE + " "):
        call.act(Deed.SHOW, text[:400])
    return UNKNOWN


def captured(call: Call) -> Thing:
    """`navigator.clipboard.readText`, `screenshot-desktop`, `iohook`."""
    what = _CAPTURES[call.name]
    call.act(Deed.CAPTURE, what)
    hop = call.hop(f"{what} captured")
    value = Value(HOLE, Carries.CAPTURED, frozenset(), (hop,), f"<{what}>")
    call.callback(value)
    return value


def kept(call: Call) -> Thing:
    """`localStorage.getItem(name)`: a secret when the name says so."""
    name = call.value(0)
    if name.known and not is_secret_name(name.text.replace("-", "_")):
        return UNKNOWN
    hop = call.hop(f"kept by the browser: {name.text}")
    names = frozenset({name.text})
    return Value(HOLE, Carries.SECRET_VARIABLE, names, (hop,), f"<{name.text}>")


def element(call: Call) -> Thing:
    """`document.createElement(name)`, `new Image()`."""
    return Instance("element", Value(text_of(call.thing(0)).lower()))


def sourced(call: Call) -> Thing:
    """`script.src = url`."""
    url = call.value(0)
    script = isinstance(call.this, Instance) and call.this.value.text == "script"
    if script and url.text.startswith(("http", HOLE, "//")):
        call.act(Deed.FETCH, url.text)
        call.act(Deed.INTERPRET, HOLE, call.fetched(url.text), language="javascript")
    elif url.carries & (Carries.SECRET_VARIABLE | Carries.ENVIRONMENT | Carries.SECRET_FILE):
        call.act(Deed.SEND, url.text, url)
    return UNKNOWN


def typed(call: Call) -> Thing:
    """`readline.question(text, f)`, `prompt(text)`: what the user types."""
    value = Value(HOLE, Carries.INPUT)
    call.callback(value)
    return value


_CAPTURES: Final = {
    "navigator.clipboard.readText": "clipboard",
    "navigator.clipboard.read": "clipboard",
    "clipboardy.read": "clipboard",
    "clipboardy.readSync": "clipboard",
    "clipboard.readText": "clipboard",
    "electron.clipboard.readText": "clipboard",
    "copy-paste.paste": "clipboard",
    "screenshot-desktop": "screen",
    "robotjs.screen.capture": "screen",
    "navigator.mediaDevices.getDisplayMedia": "screen",
    "navigator.mediaDevices.getUserMedia": "camera",
    "electron.desktopCapturer.getSources": "screen",
    "desktopCapturer.getSources": "screen",
    "iohook.on": "keyboard",
    "uiohook-napi.uIOhook.on": "keyboard",
    "node-global-key-listener.GlobalKeyboardListener.addListener": "keyboard",
    "gkm.events.on": "keyboard",
    "mic": "microphone",
    "node-record-lpcm16.record": "microphone",
    "node-webcam.capture": "camera",
}

_FACTS: Final = (
    "os.hostname os.userInfo os.networkInterfaces os.release os.version os.cpus os.arch_ os.uptime"
    " Deno.hostname Deno.osRelease Deno.networkInterfaces systeminformation.osInfo address.ip"
    " systeminformation.users systeminformation.networkInterfaces public-ip.publicIpv4"
    " node-machine-id.machineId node-machine-id.machineIdSync username fullname"
)


def _value(value: Value) -> Callable[[Keeper], Thing]:
    return lambda _: value


PROPERTIES: Final[dict[str, Callable[[Keeper], Thing]]] = {
    "process.argv": _value(Value(HOLE, Carries.INPUT)),
    "Deno.args": _value(Value(HOLE, Carries.INPUT)),
    "Bun.argv": _value(Value(HOLE, Carries.INPUT)),
    "process.stdin": _value(Value(HOLE, Carries.INPUT)),
    "process.platform": _value(UNKNOWN),
    "process.arch": _value(UNKNOWN),
    "process.version": _value(UNKNOWN),
    "process.pid": _value(UNKNOWN),
    "process.execPath": _value(Value("node")),
    "os.EOL": _value(Value("\n")),
    "path.sep": _value(Value("/")),
    "document.cookie": lambda host: host.kept("document.cookie"),
    "import.meta.url": lambda host: Value("file://" + host.path),
    "import.meta.dirname": lambda host: Value(host.path.rpartition("/")[0] or "."),
    "import.meta.dir": lambda host: Value(host.path.rpartition("/")[0] or "."),
    "import.meta.filename": lambda host: Value(host.path),
    "location.href": _value(UNKNOWN),
    "navigator.userAgent": _value(UNKNOWN),
}
"""Fields of the language and its libraries that are values."""


def _all(handler: Handler, *names: str) -> dict[str, Handler]:
    return dict.fromkeys(names, handler)


HANDLERS: Final[dict[str, Handler]] = {
    **_all(facts, *_FACTS.split()),
    **_all(shown, "console.log", "console.info", "console.error", "console.warn", "console.debug"),
    **_all(shown, "console.table", "console.dir", "process.stdout.write", "process.stderr.write"),
    **_all(captured, *_CAPTURES),
    **_all(kept, "localStorage.getItem", "sessionStorage.getItem"),
    **_all(element, "document.createElement", "new Image"),
    **_all(typed, "readline.question", "prompt", "inquirer.prompt", "process.stdin.on"),
    **_all(home, "os.homedir", "homedir"),
    **_all(temporary, "os.tmpdir"),
    **_all(folder, "process.cwd", "Deno.cwd"),
    "<element>.src=": sourced,
    "new Console": lambda _: Known("console"),
}
