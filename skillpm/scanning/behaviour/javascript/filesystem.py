"""Functions that read, write, delete and change files."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.javascript.calls import Call, Handler
from skillpm.scanning.behaviour.javascript.folding import option
from skillpm.scanning.behaviour.javascript.things import (
    Instance,
    Number,
    Record,
    Thing,
    number_of,
    text_of,
)
from skillpm.scanning.behaviour.shell.calls import is_home, run_later
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, origin


def read(call: Call) -> Thing:
    """`fs.readFile`, `Deno.readTextFile`."""
    path = call.value(0)
    if not path.text:
        return UNKNOWN
    content = call.read(path)
    call.callback(UNKNOWN, content)
    return content


def opened(call: Call) -> Thing:
    """`fs.createReadStream`, `Bun.file`, `readline` over them."""
    path = call.value(0)
    return call.read(path) if path.text else UNKNOWN


def write(call: Call) -> Thing:
    """`fs.writeFile`, `appendFile`, `Bun.write`."""
    path, content = call.value(0), call.value(1)
    how = ["append"] if "append" in call.leaf or text_of(call.option("flag")) == "a" else []
    _written(call, path, content, how)
    call.callback()
    return UNKNOWN


def _written(call: Call, path: Value, content: Value, how: list[str]) -> None:
    mode = call.option("mode")
    if isinstance(mode, Number) and int(mode.amount) & 0o111:
        how = [*how, "executable"]
    call.write(path, content, *how)
    if content.text.strip(HOLE) and (later := run_later(path.text, content.text)):
        call.host.run_shell(content.saying(later))


def stream(call: Call) -> Thing:
    """`fs.createWriteStream`: what is written to it later."""
    return Instance("file", call.value(0))


def streamed(call: Call) -> Thing:
    """`stream.write(data)`, `stream.end(data)`."""
    target = call.this if isinstance(call.this, Instance) else call.thing(1)
    if isinstance(target, Instance) and call.arguments:
        _written(call, target.value, call.value(0), [])
    return UNKNOWN


def finished(call: Call) -> Thing:
    """`stream.on('finish', f)`."""
    call.callback(UNKNOWN)
    return call.this or UNKNOWN


def copy(call: Call) -> Thing:
    """`fs.copyFile`, `cp`, `rename`, `symlink`, `link`."""
    source, target = call.value(0), call.value(1)
    content = call.host.stored(source)
    if content is None:
        content = call.read(source)
    if call.says("recursive") and is_home(source.text):
        content = content.carrying(Carries.SECRET_FILE)
    call.write(target, content)
    call.callback()
    return UNKNOWN


def delete(call: Call) -> Thing:
    """`fs.unlink`, `rm`, `rmdir`, `remove`, `rimraf`."""
    how = ["recursive"] if call.says("recursive") or call.leaf in _WHOLE else []
    how += ["forced"] if call.says("force") else []
    path = call.value(0)
    call.act(Deed.DELETE, path.text, path, *how)
    call.callback()
    return UNKNOWN


def truncate(call: Call) -> Thing:
    """`fs.truncate`, `ftruncate`."""
    path = call.value(0)
    call.act(Deed.DELETE, path.text, path, "overwrite")
    return UNKNOWN


def permit(call: Call) -> Thing:
    """`fs.chmod`, `chown`."""
    path, mode = call.value(0), call.thing(1)
    how = []
    bits = number_of(mode)
    if isinstance(mode, Value) and mode.text.isdigit():
        bits = int(mode.text, 8) if set(mode.text) <= set("01234567") else None
    if bits is not None and "chmod" in call.leaf:
        how += ["executable"] if bits & 0o111 else []
        how += ["world"] if bits & 0o002 else []
        how += ["privileged"] if bits & 0o6000 else []
    call.act(Deed.PERMIT, path.text, origin([path, call.host.stored(path) or EMPTY]), *how)
    call.callback()
    return UNKNOWN


def listed(call: Call) -> Thing:
    """`fs.readdir`: names that lie in a folder."""
    folder = call.value(0)
    hop = call.hop(f"names in {folder.text}")
    names = Value(HOLE, Carries.FACTS, frozenset(), (hop,), f"<names in {folder.identity}>")
    call.callback(UNKNOWN, names)
    return names


def temporary(call: Call) -> Thing:
    """`fs.mkdtemp`, `tmp.fileSync`."""
    name = Value(f"/tmp/{HOLE}", Carries.TEMPORARY, key=f"/tmp/<{call.start}>")  # noqa: S108
    call.callback(UNKNOWN, name)
    return Record({"name": name, "path": name}) if call.name.startswith("tmp.") else name


def tested(call: Call) -> Thing:
    """`fs.exists`, `stat`, `access`, `mkdir`: nothing that an act stands for."""
    call.callback(UNKNOWN, UNKNOWN)
    return UNKNOWN


def set_up(call: Call) -> Thing:
    """`fs.open`: the file itself stands for its descriptor."""
    path = call.value(0)
    flags = text_of(call.thing(1)) or text_of(option(call.thing(1), "flags"))
    thing: Thing = Instance("file", path) if flags[:1] in ("w", "a") else path
    call.callback(UNKNOWN, thing)
    return thing


_WHOLE: Final = frozenset({"remove", "rimraf", "emptyDir", "deleteAsync", "deleteSync"})


def _all(handler: Handler, owners: str, names: str) -> dict[str, Handler]:
    return {f"{owner}.{name}": handler for owner in owners.split() for name in names.split()}


HANDLERS: Final[dict[str, Handler]] = {
    **_all(read, "fs", "readFile readJson readJSON read readv"),
    **_all(read, "Deno", "readTextFile readFile"),
    **_all(opened, "fs", "createReadStream openAsBlob"),
    **_all(opened, "Bun", "file"),
    **_all(write, "fs", "writeFile appendFile outputFile writeJson writeJSON outputJson write"),
    **_all(write, "Deno", "writeTextFile writeFile"),
    **_all(write, "Bun", "write"),
    **_all(stream, "fs", "createWriteStream"),
    **_all(streamed, "<file>", "write end writeFile appendFile"),
    **_all(finished, "<file>", "on once addListener close"),
    **_all(copy, "fs", "copyFile cp copy rename move symlink link"),
    **_all(copy, "Deno", "copyFile rename symlink link"),
    **_all(delete, "fs", "unlink rm rmdir remove emptyDir"),
    **_all(delete, "Deno", "remove"),
    **_all(delete, "rimraf", "rimraf sync native deleteAsync deleteSync"),
    **_all(truncate, "fs", "truncate ftruncate"),
    **_all(permit, "fs", "chmod chown lchown lchmod"),
    **_all(permit, "Deno", "chmod chown"),
    **_all(listed, "fs", "readdir opendir"),
    **_all(listed, "Deno", "readDir"),
    **_all(temporary, "fs", "mkdtemp"),
    **_all(temporary, "Deno", "makeTempDir makeTempFile"),
    **_all(temporary, "tmp", "fileSync dirSync file dir tmpNameSync"),
    **_all(tested, "fs", "exists stat lstat access mkdir mkdirp ensureDir ensureFile pathExists"),
    **_all(tested, "fs", "realpath watch watchFile utimes close fsync"),
    **_all(tested, "Deno", "stat mkdir lstat"),
    **_all(set_up, "fs", "open"),
    "rimraf": delete,
}
