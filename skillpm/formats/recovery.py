"""What is forgiven in a header that is nearly YAML: values that lack quotes, and tabs.

The text is read as if it had been written rightly; each change is told with its line.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from skillpm.formats import yaml

PROSE: Final = frozenset({"description", "compatibility"})
"""Keys whose value is a sentence: a `#` before a letter in it is no comment."""

_VALUE: Final = re.compile(r"([A-Za-z_][\w-]*):[ \t]+([^\s\"'\[\]{}|>&*!#].*)")
_LOST: Final = re.compile(r":(?:\s|$)|\s#")
_HASHED: Final = re.compile(r"[^\s\"'\[\]{}|>&*!#].*?\s#[^\s#]")
_OPENS: Final = re.compile(r":\s|:$")
_NO_START: Final = ("@", "`", "%")
_LEADING: Final = re.compile(r"^ *\t[ \t]*(?=\S)")
_TAB_AFTER: Final = re.compile(r"([A-Za-z_][\w-]*:)[ ]*\t[ \t]*")
_MOST_TABS: Final = 50
_TOLD: Final = {
    "header_recovered": "the value on line {line} needs quotes; it was read as plain text",
    "value_cut": "the value on line {line} needs quotes: ' #' begins a comment",
    "header_tab": "there is a tab on line {line} where YAML takes only spaces",
}


class Remark(NamedTuple):
    """One thing that was forgiven, or is wrong, and its place, 1-based.

    Attributes:
        text: the reason; `{line}` in that of a header stands for the line in the file.
    """

    rule: str
    text: str
    line: int = 0
    column: int = 0


class Repaired(NamedTuple):
    """A header as it was read.

    Attributes:
        text: the header with what was forgiven written rightly.
        remarks: what was forgiven; lines are those of the header.
    """

    text: str
    mapping: yaml.Mapping
    remarks: tuple[Remark, ...]


def read(header: str) -> Repaired:
    """Read a header, forgiving what can only be meant one way.

    Raises:
        YamlError: it is no YAML all the same; the first thing that is wrong with it as written.
    """
    text, cut = _quote(header, hashes_only=True)
    try:
        return Repaired(text, yaml.load_mapping(text), cut)
    except yaml.YamlError as error:
        first = error
    text, tabs = _without_tabs(header)
    text, quoted = _quote(text, hashes_only=False)
    remarks = sorted([*tabs, *quoted], key=lambda remark: remark.line)
    if not remarks:
        raise first
    try:
        return Repaired(text, yaml.load_mapping(text), tuple(remarks))
    except yaml.YamlError:
        raise first from None


def _quote(header: str, *, hashes_only: bool) -> tuple[str, tuple[Remark, ...]]:
    """Put quotes around top-level values that YAML would cut or refuse; lines stay lines."""
    lines = header.split("\n")
    remarks: list[Remark] = []
    for at, line in enumerate(lines):
        match = _VALUE.fullmatch(line.rstrip("\r"))
        if not match:
            continue
        last = _last(lines, at) if match[1] in PROSE else at
        value = "\n".join([match[2], *lines[at + 1 : last + 1]]).rstrip()
        rule = _fault(match[1], value, hashes_only=hashes_only)
        if rule:
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            quoted = f'{match[1]}: "{escaped}"'.split("\n")
            lines[at : last + 1] = quoted + [""] * (last + 1 - at - len(quoted))
            remarks.append(Remark(rule, _TOLD[rule], at + 1, match.start(2) + 1))
    return "\n".join(lines), tuple(remarks)


def _fault(key: str, value: str, *, hashes_only: bool) -> str:
    """The rule that a plain value breaks; "" when YAML reads it as it is meant."""
    first = value.split("\n")[0]
    if key in PROSE and _HASHED.match(first) and not _OPENS.search(first.split(" #")[0]):
        return "value_cut"
    lost = value.startswith(_NO_START) or _LOST.search(value)
    return "header_recovered" if lost and not hashes_only else ""


def _last(lines: list[str], at: int) -> int:
    """The last line of a plain value that goes on, further in, on the next ones."""
    last = at
    while last + 1 < len(lines) and lines[last + 1].startswith("  ") and lines[last + 1].strip():
        last += 1
    return last


def _without_tabs(header: str) -> tuple[str, tuple[Remark, ...]]:
    """Spaces for tabs where YAML takes none: before a key, after its colon, at the end."""
    lines = header.split("\n")
    remarks: list[Remark] = []
    for at, line in enumerate(lines):
        spaced = _TAB_AFTER.sub(r"\1 ", _LEADING.sub(_spaces, line).rstrip("\t\r "))
        if spaced != line.rstrip("\r ") and len(remarks) < _MOST_TABS:
            lines[at] = spaced
            column = line.index("\t") + 1
            remarks.append(Remark("header_tab", _TOLD["header_tab"], at + 1, column))
    return "\n".join(lines), tuple(remarks)


def _spaces(match: re.Match[str]) -> str:
    return match[0].expandtabs(2)
