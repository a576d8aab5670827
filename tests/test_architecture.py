"""The house: which floor may import which, no cycles, and budgets that keep code readable."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "skillpm"

FLOORS: Final = {
    "errors": 0,
    "model": 1,
    "formats": 2,
    "edges": 3,
    "sources": 4,
    "scanning": 4,
    "store": 4,
    "operations": 5,
    "mcp": 6,
    "cli": 7,
}
MAX_FILE: Final = 400
MAX_FUNCTION: Final = 60
MEDIAN_FUNCTION: Final = 10
MAX_PARAMETERS: Final = 6

ONLY_IN: Final = {
    "httpx": {"edges/http.py"},
    "git": {"edges/gitrun.py"},
    "sqlite3": {  # outside edges its connection type alone
        "edges/database.py",
        "store/records.py",
        "store/history.py",
        "store/journal.py",
    },
    "yaml": {"formats/yaml.py"},
    "rich": {"cli/tables.py"},
    "platformdirs": {"edges/host.py"},
    "tomllib": {"formats/config.py"},
    "sigstore": {"edges/bundles.py"},
    "mcp": {"mcp/server.py"},
    "mcp_types": {"mcp/server.py"},
    "anyio": {"mcp/server.py", "mcp/web.py", "mcp/lines.py"},
    "uvicorn": {"mcp/web.py"},
    "subprocess": {
        "edges/process.py",
        "edges/gitrun.py",
        "edges/gitversion.py",
        "edges/credentials.py",
    },
}
CALLS_ONLY_IN: Final = {
    "print": set[str](),
    "sys.exit": {"cli/main.py"},
    "os.environ": {"edges/host.py"},
    "datetime.now": {"edges/host.py"},
    "Path.home": {"edges/host.py"},
    "Path.cwd": {"edges/host.py"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(path: Path) -> Iterator[str]:
    """Every module of ours that a file imports: lazily and for typing as well."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def graph() -> dict[str, set[str]]:
    names = {name_of(path) for path in modules()}
    return {name_of(path): set(imports_of(path)) & names - {"skillpm"} for path in modules()}


def test_a_module_imports_only_floors_below_its_own_and_its_own_room() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module, found in graph().items()
        for imported in found
        if (room := room_of(module)) in FLOORS
        and (other := room_of(imported)) != room
        and FLOORS[other] >= FLOORS[room]
    ]
    assert not wrong


def test_every_room_has_a_floor() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(FLOORS)


def test_there_is_no_import_cycle_even_with_lazy_and_typing_imports() -> None:
    edges = graph()
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for imported in edges[module] - {module}:
                visit(imported, (*trail, module))
            done.add(module)

    for module in edges:
        visit(module, ())


@pytest.mark.parametrize("library", ONLY_IN)
def test_an_outside_library_has_one_door(library: str) -> None:
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if any(name.split(".")[0] == library for name in imports_of(path))
    }
    assert users <= ONLY_IN[library]


@pytest.mark.parametrize("call", CALLS_ONLY_IN)
def test_what_touches_the_process_stands_in_one_module(call: str) -> None:
    owner, _, attribute = call.rpartition(".")
    users = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            plain = isinstance(node, ast.Name) and not owner and node.id == attribute
            dotted = (
                isinstance(node, ast.Attribute)
                and node.attr == attribute
                and isinstance(node.value, ast.Name)
                and node.value.id == owner
            )
            if plain or dotted:
                users.add(path.relative_to(PACKAGE).as_posix())
    assert users <= CALLS_ONLY_IN[call]


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(PACKAGE)}:{node.name}", node


def body_lines(node: ast.FunctionDef) -> int:
    """The lines of code of a function: without its docstring."""
    body = node.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(body) > 1:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def test_files_are_short() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in [*modules(), *(ROOT / "tests").rglob("*.py")]
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_FILE
    }
    assert not long


def test_functions_are_short() -> None:
    sizes = {name: body_lines(node) for name, node in functions()}
    assert not {name: size for name, size in sizes.items() if size > MAX_FUNCTION}
    assert statistics.median(sizes.values()) <= MEDIAN_FUNCTION


def test_functions_take_few_parameters() -> None:
    def count(node: ast.FunctionDef) -> int:
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        return len([name for name in names if name not in ("self", "cls")])

    many = {
        name: count(node)
        for name, node in functions()
        if count(node) > MAX_PARAMETERS and not name.endswith("_command")  # one per option
    }
    assert not many


def public_definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Public functions, classes and methods; what a function defines inside is its own affair."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node.body)


def test_every_public_function_and_class_says_what_it_promises() -> None:
    silent = [
        f"{path.relative_to(PACKAGE)}:{node.name}"
        for path in modules()
        for node in public_definitions(ast.parse(path.read_text("utf-8")).body)
        if not ast.get_docstring(node)
    ]
    assert not silent


def test_patches_are_rare() -> None:
    text = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    tests = sum(content.count("def test_") for content in text)
    patches = sum(
        content.count("monkeypatch.setattr") + content.count("mock.patch") for content in text
    )
    assert patches * 20 <= tests
