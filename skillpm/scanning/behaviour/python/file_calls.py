"""Calls that touch files: opened, read, written, copied, deleted, walked through."""

from __future__ import annotations

import ast
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.python.effects import (
    Row,
    Special,
    calls,
    file_contents,
    keys,
    rows,
    write_file,
    write_into,
)
from skillpm.scanning.behaviour.python.machine import Call, Machine, Stored
from skillpm.scanning.behaviour.python.names import PATH, result_of
from skillpm.scanning.behaviour.python.values import (
    CLEAN,
    ENCODED,
    FILE,
    NOTHING,
    TEMPORARY,
    WALKED,
    Flow,
    Value,
    both,
    flow_of,
    known,
    one_text,
    text,
    texts,
)

FILE_ROWS: Final[dict[str, Row]] = {
    **rows(
        "pandas.{read_csv,read_excel,read_json,read_parquet,read_table} openpyxl.load_workbook "
        "docx.Document PIL.Image.open polars.read_csv polars.read_parquet linecache.getlines "
        "linecache.getline fileinput.input numpy.loadtxt numpy.genfromtxt pypdf.PdfReader "
        "PyPDF2.PdfReader pdfplumber.open fitz.open cv2.imread ccl_chromium_reader.open",
        Row(files=keys("0 filepath_or_buffer filename fp io"), keeps=True),
    ),
}

_WRITES: Final = regex(r"[wax+]")


def _open(machine: Machine, call: Call) -> Value:
    """`open`, and `.open()` of a path; what is read is read now, what is written comes later."""
    of_path = call.method == "open" and call.receiver.name == PATH
    path = call.receiver if of_path else call.argument(0, "file", "filename", "path")
    mode = one_text(call.argument(0 if of_path else 1, "mode"))
    how = frozenset({"append"}) if "a" in mode else frozenset[str]()
    return opened(machine, call, path, _WRITES.search(mode) is not None, how)


def opened(machine: Machine, call: Call, path: Value, writing: bool, how: frozenset[str]) -> Value:
    """An open file."""
    if isinstance(path.thing, Stored):
        return Value("file()", flow=both(path.flow, path.thing.flow), thing=path.thing)
    if not writing:
        flow = file_contents(machine, call.node, path)
        return Value("file()", flow=flow, thing=Stored(texts(path), flow))
    spot = (call.node, machine.frame)
    stored = Stored(texts(path), CLEAN, writing=True, spot=spot, append=bool(how))
    write_file(machine, call.node, path, CLEAN, how)
    return Value("file()", flow=path.flow.but(~(WALKED | TEMPORARY)), thing=stored)


def _os_open(machine: Machine, call: Call) -> Value:
    given = call.node.args[1:2] if isinstance(call.node, ast.Call) else []
    parts = [node for one in given for node in ast.walk(one)]
    flags = {node.attr for node in parts if isinstance(node, ast.Attribute)}
    writing = bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"})
    return opened(machine, call, call.argument(0, "path"), writing, frozenset())


def _write(machine: Machine, call: Call) -> Value:
    """`.write(data)` of an open file, an archive or a buffer."""
    stored = call.receiver.thing
    if isinstance(stored, Stored):
        data = call.flow("arcname")
        if call.callee.name.startswith(("zipfile.ZipFile()", "tarfile.open()")) and call.method in (
            "write",
            "add",
        ):
            data = both(
                data, file_contents(machine, call.node, call.argument(0, "filename", "name"))
            )
        write_into(machine, call, stored, data)
    return NOTHING


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
    if isinstance(made.thing, Stored) and _WRITES.search(mode):
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
    made = text(
        *(
            f"{base}.{one_text(call.argument(1, 'format')) or HOLE}"
            for base in texts(call.argument(0))
        )
    )
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
        if len(call.positional) > 1:  # it was a text after all
            return Value("", flow=call.receiver.flow)
        source, target = call.receiver, call.argument(0, "target")
    data = CLEAN
    for path in texts(source):
        data = both(data, machine.contents.get(path, CLEAN))
    write_file(machine, call.node, target, data)
    return Value(target.name, options=target.options)


def _read_path(machine: Machine, call: Call) -> Value:
    flow = file_contents(machine, call.node, call.receiver)
    return Value("", flow=flow, thing=Stored(texts(call.receiver), flow))


def _write_path(machine: Machine, call: Call) -> Value:
    write_file(machine, call.node, call.receiver, call.flow("encoding", "newline"))
    return NOTHING


def _temporary(machine: Machine, call: Call) -> Value:
    """A new temporary file or folder."""
    flow: Flow = machine.source(call.node, TEMPORARY, "makes a temporary path")
    suffix = one_text(call.argument("suffix"))
    path = Value("", options=(f"/tmp/{HOLE}{suffix}",), flow=flow)  # noqa: S108  # not ours
    name = call.callee.name
    if name == "tempfile.gettempdir":
        return text("/tmp")  # noqa: S108
    if name == "tempfile.mkstemp":
        return Value("", flow=flow, items=(NOTHING, path))
    if name in ("tempfile.mkdtemp", "tempfile.TemporaryDirectory", "tempfile.mktemp"):
        return path
    return Value(
        "file()", flow=flow, thing=Stored(path.options, CLEAN, True, (call.node, machine.frame))
    )


def _database(machine: Machine, call: Call) -> Value:
    path = call.argument(0, "database")
    if one_text(path) == ":memory:":
        return Value(result_of(call.callee.name))
    flow = file_contents(machine, call.node, path)
    return Value(result_of(call.callee.name), flow=flow.but(FILE))


def _save(machine: Machine, call: Call) -> Value:
    """`.save(path)` of a picture or document that came from somewhere."""
    if call.receiver.flow.labels and call.positional:
        write_file(machine, call.node, call.positional[0], call.receiver.flow)
    return NOTHING


FILE_CALLS: Final[dict[str, Special]] = {
    "builtins.open": _open,
    f"{PATH}.open": _open,
    "os.open": _os_open,
    "os.fdopen": _open,
    **calls(
        "json.dump pickle.dump marshal.dump yaml.dump yaml.safe_dump toml.dump "
        "shutil.copyfileobj os.write csv.writer csv.DictWriter plistlib.dump",
        write_to_argument,
    ),
    **calls("io.BytesIO io.StringIO", _buffer),
    **calls(
        "zipfile.ZipFile tarfile.open tarfile.TarFile gzip.GzipFile pyzipper.AESZipFile",
        _archive,
    ),
    **calls("shutil.{copy,copy2,copyfile,copytree} os.link distutils.dir_util.copy_tree", _copy),
    **calls(
        "shutil.move os.{rename,replace,symlink} pathlib.Path().rename pathlib.Path().replace",
        _move,
    ),
    "shutil.make_archive": _make_archive,
    **calls(
        "tempfile.{mkdtemp,mkstemp,mktemp,gettempdir,TemporaryDirectory}"
        " tempfile.{NamedTemporaryFile,TemporaryFile,SpooledTemporaryFile}",
        _temporary,
    ),
    "sqlite3.connect": _database,
}

FILE_METHODS: Final[dict[str, Special]] = {
    "save": _save,
    **calls("write writelines writestr add writerow writerows addfile", _write),
    **calls("extractall extract", _extract),
    **calls("read_text read_bytes", _read_path),
    **calls("write_text write_bytes", _write_path),
}
"""Methods of paths and files."""
