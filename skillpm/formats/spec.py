"""What the Agent Skills specification demands of a skill.

Specification: <https://agentskills.io/specification>. What its reference reader refuses is an
error too, as such a skill does not load there; `docs/decisions/0017-validation.md` has where the
two differ and why. What this project advises stands in `advice`, what single agents demand in
`profiles`, rules of another dialect in `dialect`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from skillpm.errors import InvalidSkillError
from skillpm.formats import encoding, yaml
from skillpm.formats.advice import advice
from skillpm.formats.dialect import Dialect, dialect_of
from skillpm.formats.document import Document, read_document
from skillpm.formats.profiles import Profile, demanded
from skillpm.model.name import is_skill_name
from skillpm.model.problem import Problem, Severity
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, File, Tree

MAX_NAME: Final = 64
MAX_DESCRIPTION: Final = 1_024
MAX_COMPATIBILITY: Final = 500

_NAME: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LOWER_ENTRY: Final = "skill.md"
_QUOTE: Final = "put the value in quotes"
_FIXES: Final = {
    "header_recovered": _QUOTE,
    "value_cut": _QUOTE,
    "header_tab": "use spaces instead of the tab",
    "header_invalid": "write plain 'key: value' lines between two lines '---'",
}


def validate(tree: Tree, expected_name: str, profile: Profile | None = None) -> tuple[Problem, ...]:
    """Every problem of a skill at once, errors first.

    Args:
        tree: the skill's files.
        expected_name: the folder or file name the skill goes by; "" when it has none.
        profile: an agent whose demands count as well.
    """
    entry = entry_of(tree)
    if entry is None:
        fix = "write one, or name the folder that has it"
        return (Problem("error", "entry_missing", f"there is no {ENTRY}", fix=fix),)
    found = list(_problems(entry, tree, expected_name, profile))
    if entry.path != ENTRY:
        message = f"the document is called {entry.path}: many tools look for {ENTRY} alone"
        found = [replace(one, path=entry.path) for one in found]
        found.append(Problem("advice", "entry_name", message, fix="rename it", path=entry.path))
    return tuple(sorted(found, key=lambda p: (p.severity != "error", p.line, p.column)))


def entry_of(tree: Tree) -> File | None:
    """The entry document: `SKILL.md`, else `skill.md`."""
    return tree.get(ENTRY) or tree.get(_LOWER_ENTRY)


def _problems(entry: File, tree: Tree, expected: str, profile: Profile | None) -> Iterator[Problem]:
    try:
        document = read_document(entry.data)
    except InvalidSkillError as error:
        wrong = encoding.fault(entry.data)
        at = (wrong.line, wrong.column) if wrong else (1, 1)
        yield Problem("error", "document_unreadable", error.message, *at, error.hint)
        return
    yield from _encoding(document)
    yield from _header(document)
    yield from advice(document, tree)
    if document.state in ("present", "recovered"):
        yield from _fields(document, expected, profile)


def _fields(document: Document, expected: str, profile: Profile | None) -> Iterator[Problem]:
    dialect = dialect_of(document.header.values)
    yield from _name(document, expected)
    yield from _description(document)
    yield from _types(document, profile)
    yield from _compatibility(document)
    yield from _unknown(document, dialect, profile)
    if dialect.strict:
        yield from _flow(document, profile)
        yield from _indentation(document)
        yield from _dashes(document, expected)
    if dialect.check:
        yield from dialect.check(document)
    if profile:
        yield from demanded(document, profile)


def _encoding(document: Document) -> Iterator[Problem]:
    if not document.encoding.is_plain:
        message = f"the document is {document.encoding.name}: other tools read plain UTF-8 alone"
        fix = "save it as UTF-8 without a byte-order mark"
        yield Problem("error", "encoding", message, 1, 1, fix, fixable=True)


def _header(document: Document) -> Iterator[Problem]:
    if document.state == "missing":
        fix = "begin it with '---', 'name: …', 'description: …', '---'"
        yield Problem("error", "header_missing", "the document does not open with '---'", 1, 1, fix)
    for remark in document.remarks:
        severity: Severity = "advice" if remark.rule == "value_cut" else "error"
        fixable = remark.rule != "header_invalid"
        at = remark.line, remark.column
        yield Problem(severity, remark.rule, remark.text, *at, _FIXES[remark.rule], fixable)


def _name(document: Document, expected: str) -> Iterator[Problem]:
    value = document.header.values.get("name")
    at, fixable = document.place_of("name"), is_skill_name(expected)
    if value is None or (isinstance(value, str) and not value.strip()):
        fix = f"add 'name: {expected}'" if fixable else "add 'name: NAME', that of its folder"
        yield Problem("error", "name_missing", "the header has no name", *at, fix, fixable)
        return
    if not isinstance(value, str):
        told = "the name is not text"
        yield Problem("error", "name_type", told, *at, _QUOTE, not isinstance(value, list | dict))
        return
    name = unicodedata.normalize("NFKC", value.strip())
    if len(name) > MAX_NAME:
        message = f"the name has {len(name)} characters, {MAX_NAME} are allowed"
        yield Problem("error", "name_length", message, *at, "choose a shorter one")
    if not _NAME.fullmatch(name) or name != name.lower():
        message = "the name is not lower-case words joined by hyphens"
        fix = "use a-z, 0-9 and single hyphens inside"
        yield Problem("error", "name_format", message, *at, fix, fixable)
    if expected and name != unicodedata.normalize("NFKC", expected):
        message = f"the name '{safe(name, 64)}' is not that of its folder, '{safe(expected, 64)}'"
        yield Problem("error", "name_mismatch", message, *at, "name both alike", fixable)


def _description(document: Document) -> Iterator[Problem]:
    value, at = document.header.values.get("description"), document.place_of("description")
    if value is None or (isinstance(value, str) and not value.strip()):
        fix = "add 'description: what it does, and when to use it'"
        yield Problem("error", "description_missing", "the header has no description", *at, fix)
    elif not isinstance(value, str):
        told = "the description is not text"
        fixable = not isinstance(value, list | dict)
        yield Problem("error", "description_type", told, *at, _QUOTE, fixable)
    elif len(value) > MAX_DESCRIPTION:
        message = f"the description has {len(value)} characters, {MAX_DESCRIPTION} are allowed"
        yield Problem("error", "description_length", message, *at, "say the rest in the body")


def _types(document: Document, profile: Profile | None) -> Iterator[Problem]:
    values = document.header.values
    for key, kind in (("license", str), ("metadata", dict), ("allowed-tools", str)):
        value, at = values.get(key), document.place_of(key)
        if value is None or isinstance(value, kind):  # nothing after the colon: not given
            continue
        if key == "allowed-tools" and isinstance(value, list):
            if not (profile and key in profile.lists):
                message = "allowed-tools is a list; the specification has words with spaces between"
                fixable = all(isinstance(one, str) and " " not in one for one in value)
                fix = "write them on one line, with spaces between"
                yield Problem("advice", "allowed_tools_list", message, *at, fix, fixable)
            continue
        rule, fixable = f"{key.replace('-', '_')}_type", _is_scalar(value) and kind is str
        message = f"{key} is not {'a mapping' if kind is dict else 'text'}"
        fix = "write 'key: value' lines below it" if kind is dict else _QUOTE
        yield Problem("error", rule, message, *at, fix, fixable)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _compatibility(document: Document) -> Iterator[Problem]:
    value, at = document.header.values.get("compatibility"), document.place_of("compatibility")
    if value is None:
        return
    if not isinstance(value, str):
        told = "compatibility is not text"
        yield Problem("error", "compatibility_type", told, *at, _QUOTE, _is_scalar(value))
    elif not 1 <= len(value) <= MAX_COMPATIBILITY:
        message = f"compatibility has {len(value)} characters, not 1 to {MAX_COMPATIBILITY}"
        fix = "shorten it, or leave it out when it is empty"
        yield Problem("error", "compatibility_length", message, *at, fix)


def _unknown(document: Document, dialect: Dialect, profile: Profile | None) -> Iterator[Problem]:
    known = dialect.fields | (profile.fields if profile else frozenset())
    for key in document.header.values:
        if key not in known:
            message = f"'{safe(key, 60)}' is no field of the specification"
            fix = "put it below 'metadata:'"
            at = document.place_of(key, key=True)
            yield Problem("error", "field_unknown", message, *at, fix)


def _flow(document: Document, profile: Profile | None) -> Iterator[Problem]:
    """The outermost `[…]` and `{…}`: the reference reader refuses them."""
    if profile and profile.flow:
        return
    spots, values = document.header.spots, document.header.values
    for path, spot in spots.items():
        outer = spots.get(path[:-1])
        if spot.style == "flow" and not (outer and outer.style == "flow"):
            where = safe(".".join(map(str, path)), 60)
            message = f"{where} is written in brackets, which strict readers refuse"
            fix = "write it as indented lines, or in quotes when it is text"
            at = spot.at[0] + 1, spot.at[1]
            yield Problem(
                "error", "flow_style", message, *at, fix, len(path) == 1 and bool(_at(values, path))
            )


def _indentation(document: Document) -> Iterator[Problem]:
    """Mappings side by side begin in one column: the reference reader refuses others."""
    columns: dict[yaml.Path, int] = {}
    for path, spot in document.header.spots.items():
        value = _at(document.header.values, path)
        if spot.style != "nested" or not isinstance(value, dict) or isinstance(path[-1], int):
            continue
        if columns.setdefault(path[:-1], spot.at[1]) != spot.at[1]:
            where = safe(".".join(map(str, path)), 60)
            message = f"what is below {where} is indented otherwise than its neighbours"
            at = spot.at[0] + 1, spot.at[1]
            yield Problem("error", "indentation", message, *at, "indent them all alike")


def _at(value: Any, path: yaml.Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _dashes(document: Document, expected: str) -> Iterator[Problem]:
    """Three hyphens inside the header end it for the reference reader: is it whole by then?"""
    before, found, _ = document.head.partition("---")
    if not found:
        return
    line = before.count("\n") + 2
    column = len(before.rpartition("\n")[2]) + 1
    cut = read_document(f"---\n{before}\n---\n{document.body or 'x'}".encode(errors="replace"))
    whole = cut.state == "present" and not [*_name(cut, expected), *_description(cut)]
    severity: Severity = "advice" if whole else "error"
    message = "'---' inside the header ends it for some readers"
    yield Problem(severity, "header_dashes", message, line, column, "write it otherwise")
