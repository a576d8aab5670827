"""Every command that a hint or a document of ours names can be typed as it stands."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support.cli import ROOT

from skillpm.cli.main import COMMANDS, cli

_COMMAND = re.compile(rf"skill (?:{'|'.join(COMMANDS)})\b[^:;,()]*")
_SAMPLES = {"{}": "sample-name", "NAME": "sample-name", "ADDRESS": "https://example.com/a.md"}


def hints() -> Iterator[tuple[str, str]]:
    """Each command line in a string of the package, with where it stands."""
    for place in sorted((ROOT / "skillpm").rglob("*.py")):
        tree = ast.parse(place.read_text())
        documented = {id(node) for node in _docstrings(tree)}
        inside = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in n.values}
        for node in ast.walk(tree):
            if id(node) in documented or id(node) in inside:
                continue
            for found in _COMMAND.findall(_text(node)):
                yield f"{place.name}:{getattr(node, 'lineno', 0)}", _cut(found)


def _docstrings(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            if isinstance(first, ast.Expr):
                yield first.value


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = (v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
        return "".join(map(str, parts))
    return ""


def _cut(text: str) -> str:
    """The command without the rest of its sentence."""
    ends = r"\s+(?:shows?|overwrites|removes|takes|until|installs|to|in|with|first|when)\b.*"
    return re.sub(ends, "", text.splitlines()[0]).rstrip(" .'")


def parse(words: list[str]) -> None:
    """Let click read a command line without running it."""
    outer = click.Context(cli, info_name="skill")
    name, command, rest = cli.resolve_command(outer, words)
    assert command
    if isinstance(command, click.Group):
        group = click.Context(command, info_name=name, parent=outer)
        name, command, rest = command.resolve_command(group, rest)
        assert command
    command.make_context(name, list(rest), parent=outer)


FOUND = sorted(set(hints()))


def test_there_are_hints_to_check() -> None:
    assert len(FOUND) > 15


@pytest.mark.parametrize(("place", "line"), FOUND, ids=[f"{p} {t}" for p, t in FOUND])
def test_a_hint_parses(place: str, line: str) -> None:
    for mark, sample in _SAMPLES.items():
        line = line.replace(mark, sample)
    parse(shlex.split(line)[1:])


def test_the_package_is_where_the_hints_were_read() -> None:
    module = importlib.import_module("skillpm")
    assert Path(str(module.__file__)).is_relative_to(ROOT)
