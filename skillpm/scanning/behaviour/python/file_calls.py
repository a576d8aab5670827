"""Calls that touch files: opened, read, written, copied, deleted, walked through."""

from __future__ import annotations

import ast
import re
from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.python.effects import (
    Row,
    Special,
    aimed,
    delete_file,
    file_contents,
    keys,
    rows,
    write_file,
    write_into,
)
from skillpm.scanning.behaviour.python.folding import joined_path, leaf, parent
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.names import PATH, result_of
from skillpm.scanning.behaviour.python.values import (
    CLEAN,
    ENCODED,
    FACTS,
    FILE,
    TEMPORARY,
    WALKED,
    Flow,
    Stored,
    Value,
    both,
    constant,
    flow_of,
    flowing,
    known,
    listed,
    one_text,
    text,
    texts,
)

FILE_ROWS: Final[dict[str, Row]] = {
    **rows(
        "pandas.read_csv pandas.read_excel pandas.read_json pandas.read_parquet pandas.read_table"
        " openpyxl.load_workbook docx.Document PIL.Image.open polars.read_csv polars.read_parquet"
        " linecache.getlines linecache.getline fileinput.input numpy.loadtxt numpy.genfromtxt"
        " pypdf.PdfReader PyPDF2.PdfReader pdfplumber.open fitz.open cv2.imread ccl_chromium_reader.open",
        Row(files=keys("0 filepath_or_buffer filename fp io"), keeps=True),
    ),
}

_WRITES: Final = re.compile(r"[wax+]")


def _open(machine: Machine, call: Call) -> Value:
    """`open`, and `.open()` of a path: the file is read now; it is written when it is written to."""
    of_path = call.method == "open" and call.receiver.name == PATH
    path = call.receiver if of_path else call.argument(0, "file", "filename", "path")
    mode = one_text(call.argument(0 if of_path else 1, "mode"))
    how = frozenset({"append"}) if "a" in mode else frozenset[str]()
    return opened(machine, call, path, _WRITES.search(mode) is not None, how)


def opened(machine: Machine, call: Call, path: Value, writing: bool, how: frozenset[str]) -> Value:  # noqa: FBT001
    """An open file."""
    if isinstance(path.thing, Stored):
        return Value("file()", flow=both(path.flow, path.thing.flow), thing=path.thing)
    if not writing:
        flow = file_contents(machine, call.node, path)
        return Value("file()", flow=flow, thing=Stored(texts(path), flow))
    stored = Stored(texts(path), CLEAN, True, call.node, bool(how))
    write_file(machine, call.node, path, CLEAN, how)
    return Value("file()", flow=path.flow.but(~(WALKED | TEMPORARY)), thing=stored)


def _os_open(machine: Machine, call: Call) -> Value:
    flags = {node.attr for part in call.node.args[1:2] for node in ast.walk(part)
             if isinstance(node, ast.Attribute)} if isinstance(call.node, ast.Call) else set()  # fmt: skip
    writing = bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"})
    return opened(machine, call, call.argument(0, "path"), writing, frozenset())


def _write(machine: Machine, call: Call) -> Value:
    """`.write(data)` of an open file, an archive or a buffer."""
    stored = call.receiver.thing
    if isinstance(stored, Stored):
        data = call.flow("arcname")
        if call.callee.name.startswith(("zipfile.ZipFile()", "tarfile.open()")) and call.method in ("write", "add"):
            data = both(data, file_contents(machine, call.node, call.argument(0, "filename", "name")))
        write_into(machine, call, stored, data)
    return Value()


def write_to_argument(machine: Machine, call: Call) -> Value:
    """`json.dump(data, file)`, `shutil.copyfileobj(source, file)`, `os.write(file, data)`."""
    for value in (*call.positional, *call.keywords.values()):
        if isinstance(value.thing, Stored) and value.thing.writing:
            inner = Call(call.node, call.callee, [], {}, value)
            write_into(machine, inner, value.thing, call.flow())
    return Value("", flow=call.flow())


def _buffer(_machine: Machine, call: Call) -> Value:
    """A file in memory."""
    flow = call.flow()
    return Value("file()", flow=flow, thing=Stored((HOLE,), flow, True))


def _archive(machine: Machine, call: Call) -> Value:
    """A zip or tar file, on disk or in a buffer."""
    target = call.argument(0, "file", "name", "fileobj")
    mode = one_text(call.argument(1, "mode"))
    inside = call.argument("fileobj").thing or target.thing
    if isinstance(inside, Stored):
        made = Value("", flow=both(target.flow, inside.flow), thing=inside)
    else:
        made = opened(machine, call, target, _WRITES.search(mode) is not None, frozenset())
    if isinstance(made.thing, Stored) and made.thing.writing:
        made.thing.flow = made.thing.flow.plus(ENCODED)
    return Value(result_of(call.callee.name), flow=made.flow, thing=made.thing)


def _extract(machine: Machine, call: Call) -> Value:
    if not isinstance(call.receiver.thing, Stored):
        return Value("", flow=both(call.receiver.flow, call.flow()))
    path = call.argument(0, "path") if call.method == "extractall" else call.argument(1, "path")
    held = both(call.receiver.flow, flow_of((call.receiver,)))
    write_file(machine, call.node, path if known(path) else text("."), held)
    return Value("", flow=held, options=path.options)


def _make_archive(machine: Machine, call: Call) -> Value:
    data = file_contents(machine, call.node, call.argument(2, "root_dir", "base_dir"))
    made = text(*(f"{base}.{one_text(call.argument(1, 'format')) or HOLE}" for base in texts(call.argument(0))))
    write_file(machine, call.node, made, data.plus(ENCODED) if data.labels else data)
    return Value("", options=made.options)


def _copy(machine: Machine, call: Call) -> Value:
    source, target = call.argument(0, "src"), call.argument(1, "dst", "target")
    if call.method in ("copy", "copy_into", "move") and call.receiver.name == PATH:
        source, target = call.receiver, call.argument(0, "target")
    write_file(machine, call.node, target, file_contents(machine, call.node, source))
    return Value(target.name, options=target.options)


def _move(machine: Machine, call: Call) -> Value:
    """A file gets another name: what it holds stands there."""
    source, target = call.argument(0, "src"), call.argument(1, "dst")
    if call.receiver.name == PATH:
        source, target = call.receiver, call.argument(0, "target")
    data = CLEAN
    for path in texts(source):
        data = both(data, machine.contents.get(path, CLEAN))
    write_file(machine, call.node, target, data)
    return Value(target.name, options=target.options)


def _delete(machine: Machine, call: Call) -> Value:
    how = ["recursive"] if call.callee.name in ("shutil.rmtree", "os.removedirs") else []
    if call.argument(1, "ignore_errors").const is True:
        how.append("forced")
    delete_file(machine, call.node, call.argument(0, "path"), how)
    return Value()


def _unlink(machine: Machine, call: Call) -> Value:
    how = ["forced"] if call.argument(0, "missing_ok").const is True else []
    delete_file(machine, call.node, call.receiver, how)
    return Value()


def _permit(machine: Machine, call: Call) -> Value:
    """Mode or owner of a file."""
    of_path = call.callee.name.startswith(PATH) or call.method == "chmod" and len(call.positional) == 1
    path, mode = (call.receiver, 0) if of_path else (call.argument(0, "path"), 1)
    how = _mode(call, mode) if call.callee.name.endswith("chmod") or of_path else {"privileged"}
    machine.emit(Deed.PERMIT, call.node, texts(path), aimed(path.flow), frozenset(how))
    return Value()


def _mode(call: Call, position: int) -> set[str]:
    number = call.argument(position, "mode").const
    bits = number if isinstance(number, int) else 0
    given = call.node.args[position : position + 1] if isinstance(call.node, ast.Call) else []
    parts = [node for one in given for node in ast.walk(one)]
    named = {node.attr for node in parts if isinstance(node, ast.Attribute)}
    for node in parts:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            bits |= node.value
    how = {"executable"} if bits & 0o111 or any(name.startswith(("S_IX", "S_IEX", "S_IRWX")) for name in named) else set()
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
    return Value()


def _names(machine: Machine, call: Call, what: Value, labels: int, below: str) -> Value:
    """The paths that a search or a walk gives."""
    flow = machine.source(call.node, FACTS | labels, "names of files")
    base = what if known(what) else text(HOLE)
    found = joined_path((base, constant(below))) if below else base
    one = Value(PATH if call.receiver.name == PATH else "", options=found.options, flow=both(flow, what.flow))
    return Value("", flow=one.flow, items=(one, Value()))


def _walk(machine: Machine, call: Call) -> Value:
    """`os.walk`: triples of a folder, its folders and its files."""
    of_path = call.callee.name != "os.walk"
    if of_path and call.receiver.name != PATH:
        return flowing(call.receiver.flow)
    top = call.receiver if of_path else call.argument(0, "top")
    folder = _names(machine, call, top, WALKED, "")
    folder = (folder.items or ())[0]
    name = Value("", flow=folder.flow)
    names = Value("", flow=folder.flow, items=(name, Value()))
    return listed((Value("", flow=folder.flow, items=(folder, names, names)),))


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


def _read_path(machine: Machine, call: Call) -> Value:
    flow = file_contents(machine, call.node, call.receiver)
    return Value("", flow=flow, thing=Stored(texts(call.receiver), flow))


def _write_path(machine: Machine, call: Call) -> Value:
    write_file(machine, call.node, call.receiver, call.flow("encoding", "newline"))
    return Value()


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
    return Value("", options=tuple(dict.fromkeys(worked(option) for option in path.options)), flow=path.flow)


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
        parent(option) + "/" + new if call.method == "with_name" else re.sub(r"\.[^./]{0,40}$", "", option) + new
        for option in call.receiver.options
    ]
    return Value(PATH, options=tuple(dict.fromkeys(options)), flow=call.receiver.flow)


def _temporary(machine: Machine, call: Call) -> Value:
    """A new temporary file or folder."""
    flow: Flow = machine.source(call.node, TEMPORARY, "makes a temporary path")
    suffix = one_text(call.argument("suffix"))
    path = Value("", options=(f"/tmp/{HOLE}{suffix}",), flow=flow)  # noqa: S108  # as the code names it
    name = call.callee.name
    if name == "tempfile.gettempdir":
        return text("/tmp")  # noqa: S108
    if name == "tempfile.mkstemp":
        return Value("", flow=flow, items=(Value(), path))
    if name in ("tempfile.mkdtemp", "tempfile.TemporaryDirectory", "tempfile.mktemp"):
        return path
    return Value("file()", flow=flow, thing=Stored(path.options, CLEAN, True, call.node))


def _database(machine: Machine, call: Call) -> Value:
    path = call.argument(0, "database")
    if one_text(path) == ":memory:":
        return Value(result_of(call.callee.name))
    flow = file_contents(machine, call.node, path)
    return Value(result_of(call.callee.name), flow=flow.but(FILE))


def _crontab(machine: Machine, call: Call) -> Value:
    machine.emit(Deed.WRITE, call.node, ("/var/spool/cron/crontab",), call.flow())
    return Value(flow=flowing(call.flow()).flow)


def _registry_key(_machine: Machine, call: Call) -> Value:
    return joined_path([Value("", options=tuple(option.replace("\\", "/") for option in texts(call.argument(number, name))))
                        for number, name in ((0, "key"), (1, "sub_key"))])  # fmt: skip


def _registry_value(machine: Machine, call: Call) -> Value:
    path = joined_path((call.argument(0, "key"), call.argument(1, "value_name")))
    machine.emit(Deed.WRITE, call.node, texts(path), call.flow())
    return Value()


FILE_CALLS: Final[dict[str, Special]] = {
    "builtins.open": _open,
    f"{PATH}.open": _open,
    "os.open": _os_open,
    "os.fdopen": _open,
    **dict.fromkeys(("json.dump", "pickle.dump", "marshal.dump", "yaml.dump", "yaml.safe_dump", "toml.dump",
                     "shutil.copyfileobj", "os.write", "csv.writer", "csv.DictWriter", "plistlib.dump"),
                    write_to_argument),
    **dict.fromkeys(("io.BytesIO", "io.StringIO"), _buffer),
    **dict.fromkeys(("zipfile.ZipFile", "tarfile.open", "tarfile.TarFile", "gzip.GzipFile", "pyzipper.AESZipFile"), _archive),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "os.link",
                     "distutils.dir_util.copy_tree"), _copy),
    **dict.fromkeys(("shutil.move", "os.rename", "os.replace", "os.symlink", f"{PATH}.rename", f"{PATH}.replace"), _move),
    "shutil.make_archive": _make_archive,
    **dict.fromkeys(("shutil.rmtree", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.truncate"), _delete),
    **dict.fromkeys(("os.chmod", "os.lchmod", "os.chown", "os.lchown", f"{PATH}.chmod", "shutil.chown"), _permit),
    **dict.fromkeys(("os.setuid", "os.setgid", "os.seteuid", "os.setreuid", "os.umask"), _privilege),
    "os.walk": _walk,
    **dict.fromkeys(("os.listdir",), _list),
    "os.scandir": _scan,
    **dict.fromkeys(("glob.glob", "glob.iglob"), _glob),
    **dict.fromkeys(("os.path.join", "pathlib.Path"), _join),
    "os.path.dirname": _dirname,
    "os.path.basename": _basename,
    "os.path.split": _split,
    **dict.fromkeys(("tempfile.mkdtemp", "tempfile.mkstemp", "tempfile.mktemp", "tempfile.gettempdir",
                     "tempfile.TemporaryDirectory", "tempfile.NamedTemporaryFile", "tempfile.TemporaryFile",
                     "tempfile.SpooledTemporaryFile"), _temporary),
    "sqlite3.connect": _database,
    **dict.fromkeys(("crontab.CronTab().new", "crontab.CronTab().write"), _crontab),
    **dict.fromkeys(("winreg.OpenKey", "winreg.CreateKey", "winreg.OpenKeyEx", "winreg.CreateKeyEx"), _registry_key),
    **dict.fromkeys(("winreg.SetValueEx", "winreg.SetValue"), _registry_value),
}  # fmt: skip

FILE_METHODS: Final[dict[str, Special]] = {
    **dict.fromkeys(("write", "writelines", "writestr", "add", "writerow", "writerows", "addfile"), _write),
    **dict.fromkeys(("extractall", "extract"), _extract),
    **dict.fromkeys(("read_text", "read_bytes"), _read_path),
    **dict.fromkeys(("write_text", "write_bytes"), _write_path),
    **dict.fromkeys(("unlink", "rmdir"), _unlink),
    "iterdir": _list,
    "joinpath": _join,
    **dict.fromkeys(("with_name", "with_suffix"), _renamed),
    **dict.fromkeys(("glob", "rglob"), _glob),
    "walk": _walk,
    "chmod": _permit,
}  # fmt: skip
"""Methods of paths and files."""
