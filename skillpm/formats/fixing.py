"""Fixing a document: what can be written rightly without knowing what its author meant.

Each fix is tried for itself and kept only when it takes its problem away, brings no other and
leaves the body and, but for what it is about, every value as it was.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from skillpm.errors import InvalidSkillError
from skillpm.formats import recovery, yaml
from skillpm.formats.document import Document, decode, read_document
from skillpm.formats.profiles import Profile
from skillpm.formats.spec import entry_of, validate
from skillpm.model.problem import Problem
from skillpm.model.tree import File, Tree

_MOST: Final = 100
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./][\w ./+-]*(?<! )")
_TEXT_RULES: Final = ("name_type", "description_type", "license_type", "compatibility_type",
                      "allowed_tools_type", "metadata_values")  # fmt: skip
_NAME_RULES: Final = ("name_missing", "name_format", "name_mismatch")
_RECOVERED: Final = ("header_recovered", "header_tab", "value_cut")
_KEEPS_VALUES: Final = (*_RECOVERED, "encoding", "flow_style")


class Fixed(NamedTuple):
    """An entry document as it would be.

    Attributes:
        path: of the document, as in the tree.
        before: its bytes; `after` those it would have.
        rules: what was fixed, in the order in which it was.
    """

    path: str
    before: bytes
    after: bytes
    rules: tuple[str, ...]


class _Header:
    """The text of a document, whose header lines can be changed."""

    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self.lines = list(io.StringIO(text, newline=""))
        self.end = next((e for e in ("\r\n", "\r", "\n") if self.lines[0].endswith(e)), "\n")

    def text(self) -> str:
        return "".join(self.lines)

    def replace(self, first: int, last: int, new: Sequence[str]) -> None:
        """Other lines, without ends, for those of the header from `first` to before `last`."""
        self.lines[first:last] = [line + self.end for line in new]

    def within(self, path: yaml.Path, new: str) -> bool:
        """Another text for a value that stands on one line."""
        spot = self.document.header.spots.get(path)
        if spot is None or spot.at[0] != spot.end[0]:
            return False
        line = self.lines[spot.at[0]]
        self.lines[spot.at[0]] = line[: spot.at[1] - 1] + new + line[spot.end[1] - 1 :]
        return True


Fix = Callable[[_Header, Problem, str], bool]


def fix(tree: Tree, expected_name: str, profile: Profile | None = None) -> Fixed | None:
    """The entry document with everything fixed that can be; None when nothing can.

    Args:
        tree: the skill's files.
        expected_name: the folder or file name the skill goes by; "" when it has none.
        profile: an agent whose demands count as well.
    """
    entry = entry_of(tree)
    if entry is None:
        return None
    done: list[str] = []
    failed: set[tuple[str, str]] = set()
    for _ in range(_MOST):
        problems = validate(tree, expected_name, profile)
        wanted = next((p for p in problems if p.fixable and (p.rule, p.where) not in failed), None)
        if wanted is None:
            break
        better = _tried(tree, wanted, problems, expected_name, profile)
        if better is None:
            failed.add((wanted.rule, wanted.where))
            continue
        tree = better
        done.append(wanted.rule)
    now = entry_of(tree)
    if not done or now is None:
        return None
    return Fixed(entry.path, entry.data, now.data, tuple(dict.fromkeys(done)))


def _tried(
    tree: Tree, wanted: Problem, problems: Sequence[Problem], name: str, profile: Profile | None
) -> Tree | None:
    """The files with one problem fixed; None when that does not come out right."""
    entry = entry_of(tree)
    if entry is None:
        return None
    try:
        before = read_document(entry.data)
        data = _fixed(before, decode(entry.data), wanted, name)
        after = read_document(data)
    except InvalidSkillError:
        return None
    others = [file for file in tree.files if file.path != entry.path]
    better = Tree.of([*others, File(entry.path, data, entry.executable)])
    left = validate(better, name, profile)
    fewer = _count(left, wanted.rule) < _count(problems, wanted.rule)
    new = {one.rule for one in left if one.severity == "error"} - {one.rule for one in problems}
    field = wanted.rule.partition("_")[0]  # what was no text may be no good text
    harmless = (
        all(rule.startswith(f"{field}_") for rule in new)
        and before.body == after.body
        and before.header.values.keys() <= (after.header.values.keys())
    )
    kept = wanted.rule not in _KEEPS_VALUES or before.header.values == after.header.values
    return better if data != entry.data and fewer and harmless and kept else None


def _count(problems: Sequence[Problem], rule: str) -> int:
    return sum(problem.rule == rule for problem in problems)


def _fixed(document: Document, text: str, problem: Problem, name: str) -> bytes:
    if problem.rule == "encoding":
        return text.encode()
    header = _Header(document, text)
    for rules, change in _FIXES:
        if problem.rule in rules:
            change(header, problem, name)
    mark = document.encoding.codec
    return header.text().encode(mark)


def _recover(header: _Header, _problem: Problem, _name: str) -> bool:
    try:
        found = recovery.read(re.sub(r"\r\n?", "\n", header.document.head))
    except yaml.YamlError:
        return False
    lines = found.text.split("\n")[:-1]
    header.replace(1, 1 + len(lines), lines)
    return True


def _quote(header: _Header, problem: Problem, _name: str) -> bool:
    path = _path_at(header.document, problem)
    if path is None:
        return False
    spot = header.document.header.spots[path]
    line = header.lines[spot.at[0]]
    raw = line[spot.at[1] - 1 : spot.end[1] - 1]
    return spot.style == "plain" and header.within(path, json.dumps(raw, ensure_ascii=False))


def _path_at(document: Document, problem: Problem) -> yaml.Path | None:
    at = problem.line - 1, problem.column
    return next((path for path, spot in document.header.spots.items() if spot.at == at), None)


def _rename(header: _Header, _problem: Problem, name: str) -> bool:
    spot = header.document.header.spots.get(("name",))
    if spot is None:
        header.replace(1, 1, [f"name: {name}"])
        return True
    if header.document.header.values["name"] is None:
        header.replace(spot.line, spot.line + 1, [f"name: {name}"])
        return True
    return header.within(("name",), name) or _rewrite(header, "name", [f"name: {name}"])


def _words(header: _Header, _problem: Problem, _name: str) -> bool:
    value = header.document.header.values.get("allowed-tools")
    words = " ".join(value) if isinstance(value, list) else ""
    return _rewrite(header, "allowed-tools", [f"allowed-tools: {_scalar(words)}"])


def _block(header: _Header, problem: Problem, _name: str) -> bool:
    path = _path_at(header.document, problem)
    if path is None or len(path) != 1:
        return False
    key = str(path[0])
    value = header.document.header.values[key]
    if not value:
        return False  # an empty list or mapping has no other spelling
    return _rewrite(header, key, [f"{key}:", *_lines(header, path, value)])


def _rewrite(header: _Header, key: str, new: Sequence[str]) -> bool:
    """Other lines for a top-level key, unless a comment would be lost."""
    spot = header.document.header.spots[key,]
    last = spot.end[0] if spot.end[1] == 1 else spot.end[0] + 1
    if any("#" in line for line in header.lines[spot.line : last]):
        return False
    header.replace(spot.line, last, new)
    return True


def _lines(header: _Header, path: yaml.Path, value: Any) -> list[str]:
    """A value as indented lines."""
    lead = "  " * len(path)
    lines: list[str] = []
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in pairs:
        inner = (*path, key)
        head = f"{lead}{_scalar(key)}:" if isinstance(value, dict) else f"{lead}-"
        if not isinstance(item, dict | list):
            lines.append(f"{head} {_as_written(header, inner, item)}".rstrip())
        elif not item or isinstance(value, list):
            raise InvalidSkillError("it has no spelling without brackets")
        else:
            lines += [head, *_lines(header, inner, item)]
    return lines


def _as_written(header: _Header, path: yaml.Path, value: Any) -> str:
    """A scalar as its author wrote it, when that needs no quotes: 1.10 stays 1.10."""
    spot = header.document.header.spots[path]
    line = header.lines[spot.at[0]]
    raw = line[spot.at[1] - 1 : spot.end[1] - 1]
    return raw if spot.style == "plain" and _PLAIN.fullmatch(raw) else _scalar(value)


def _scalar(value: Any) -> str:
    """A scalar as YAML: plain where that means the same, else in double quotes."""
    if value is None:
        return "null"
    if not isinstance(value, str):
        return json.dumps(value)
    plain = _PLAIN.fullmatch(value) and yaml.scalar(value) == value
    return value if plain else json.dumps(value, ensure_ascii=False)


_FIXES: Final[tuple[tuple[tuple[str, ...], Fix], ...]] = (
    (_RECOVERED, _recover),
    (_TEXT_RULES, _quote),
    (_NAME_RULES, _rename),
    (("allowed_tools_list",), _words),
    (("flow_style",), _block),
)
