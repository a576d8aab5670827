"""`skills.lock`: the project's lock as TOML, made to be committed, compared and merged.

One `[[skill]]` a skill, sorted by name, one line a file; no times; no path of one machine except
where a skill comes from one. Whatever a later version adds is kept when this one writes the file.
A lock comes out of somebody's repository, so it is read as hostile input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from skillpm.errors import SkillError, StateError
from skillpm.formats import toml
from skillpm.formats.config import read_toml
from skillpm.formats.lockvalues import OPTIONAL, READERS, fault
from skillpm.model.lock import LOCK_VERSION, MAX_SKILLS, Lock, Locked
from skillpm.model.name import show
from skillpm.model.text import safe

MAX_LOCK: Final = 5 * 1024 * 1024
"""How many bytes a lock may have."""

_HEADING: Final = "# Written by skill. Commit it, and leave it to skill to change it.\n"
_MARKER: Final = re.compile(r"(?:<{7}|>{7}|\|{7})(?: .*)?|={7}")
_ENTRY: Final = re.compile(r"[ \t]*\[\[[ \t]*(?:skill|\"skill\"|'skill')[ \t]*\]\]")
_NAME: Final = re.compile(r"[ \t]*[\"']?name[\"']?[ \t]*=[ \t]*[\"']([a-z0-9-]{1,64})[\"']")
_WHERE: Final = re.compile(r"at line (\d+)")
_DEEPEST_TABLE: Final = 16
_MOST_DOTS: Final = 10_000_000
_DERIVED: Final = "reproducible"


def write_lock(lock: Lock) -> bytes:
    """The bytes of a lock: the same for the same lock, with `\\n` at the end of each line.

    Raises:
        StateError: it holds what `read_lock` would not take again.
    """
    try:
        top = {"version": LOCK_VERSION, **dict(sorted(lock.unknown.items()))}
        blocks = ["".join(toml.pair(key, value) for key, value in top.items())]
        skills = sorted(lock.skills, key=lambda skill: skill.name)
        blocks += [f"[[skill]]\n{''.join(_lines(skill))}" for skill in skills]
        data = (_HEADING + "\n".join(blocks)).encode()
    except ValueError as error:
        raise StateError(f"the lock cannot be written: {error}") from None
    read_lock(data, "what would be the lock")
    return data


def read_lock(data: bytes, path: str) -> Lock:
    """The lock in a file's bytes; empty bytes are an empty lock.

    Args:
        data: the bytes; CRLF is read like LF.
        path: what the file is called in messages.

    Raises:
        StateError: it is malformed, holds what is unsafe, or a later version wrote it; with the
            line where it can be told.
    """
    reader = _Reader(safe(path), _text(data, safe(path)))
    reader.check_markers()
    reader.check_cost()
    table = reader.table()
    reader.check_version(table)
    skills = reader.skills(table.pop("skill", []))
    table.pop("version", None)
    reader.check_unknown(table, 0)
    return Lock(skills, table)


def lines_of(data: bytes) -> dict[str, int]:
    """On which line the entry of each skill begins, as far as that can be told."""
    found: dict[str, int] = {}
    start = 0
    for number, line in enumerate(data.decode("utf-8-sig").splitlines(), 1):
        if _ENTRY.match(line):
            start = number
        named = _NAME.match(line)
        if named and start:
            found.setdefault(named[1], start)
    return found


def _lines(skill: Locked) -> Iterator[str]:
    revision = skill.revision
    values: dict[str, Any] = {
        "name": skill.name,
        "requested": skill.requested,
        "registry": str(skill.registry),
        "source": skill.source,
        **({} if skill.reproducible else {_DERIVED: False}),
        "path": skill.path,
        "revision": {"kind": revision.kind, "value": revision.value, "ref": revision.ref},
        "digest": skill.digest,
        "git_tree": skill.git_tree,
        "origin": skill.origin.value,
        "package": skill.package,
        "version": skill.version,
        "owner": skill.owner,
        "agents": sorted(skill.agents),
        **({"installed_for": skill.installed_for} if skill.installed_for else {}),
        **({"pinned": True} if skill.pinned else {}),
        **({"requires": list(skill.requires)} if skill.requires else {}),
        **dict(sorted(skill.unknown.items())),
    }
    yield from (toml.pair(key, value) for key, value in values.items())
    yield toml.listed("files", [file._asdict() for file in sorted(skill.files)])


def _text(data: bytes, path: str) -> str:
    if len(data) > MAX_LOCK:
        raise StateError(f"{path} is larger than {MAX_LOCK // 1024 // 1024} MiB", hint=_RESTORE)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StateError(f"{path}, line {line}: it is not UTF-8", hint=_RESTORE) from None


_RESTORE: Final = "take the file from the last good commit, or move it away and install anew"
_MERGE: Final = "finish the merge: keep the [[skill]] tables of both sides, without the markers"


@dataclass(slots=True)
class _Reader:
    """One reading of a lock, which knows where everything stands."""

    path: str
    text: str

    def check_markers(self) -> None:
        """Refuse what a merge left behind."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if line[:1] in "<=>|" and _MARKER.fullmatch(line.rstrip()):
                self._fail(number, f"a merge was not finished: {line[:7]}", _MERGE)

    def check_cost(self) -> None:
        """Refuse keys of so many parts that reading them would take for ever."""
        cost = 0
        for number, line in enumerate(self.text.split("\n"), 1):
            dots = line.count(".")
            cost += dots * dots
            if cost > _MOST_DOTS or (dots > _DEEPEST_TABLE and line.lstrip().startswith("[")):
                self._fail(number, "its keys have too many parts")

    def table(self) -> dict[str, Any]:
        """The top table."""
        try:
            return read_toml(self.text.encode())
        except ValueError as error:
            where = _WHERE.search(str(error))
            reason = safe(_WHERE.sub("", str(error)).partition(" (")[0], 200)
            self._fail(int(where[1]) if where else 0, f"it is not TOML: {reason}")

    def check_version(self, table: Mapping[str, Any]) -> None:
        """Refuse another version of the format than ours."""
        version = table.get("version", None if table else LOCK_VERSION)
        line = self._line_of("version", 0, len(self._all()))
        if type(version) is not int or version < 1:
            self._fail(line, "version is missing, or not a number from 1 on")
        if version > LOCK_VERSION:
            self._fail(
                line,
                f"it has version {version}, and this skill reads version {LOCK_VERSION}",
                "a newer skill wrote it: update skill itself",
            )

    def skills(self, entries: Any) -> tuple[Locked, ...]:
        """Every skill, by name."""
        if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
            self._fail(0, "skill is not a list of tables, [[skill]]")
        if len(entries) > MAX_SKILLS:
            self._fail(0, f"it has more than {MAX_SKILLS} skills")
        spans = self._spans(len(entries))
        found: dict[str, Locked] = {}
        for span, entry in zip(spans, entries, strict=True):
            skill = self._skill(entry, span)
            if skill.name in found:
                self._fail(self._line_of("name", *span), f"{skill.name} stands twice in it")
            found[skill.name] = skill
        return tuple(found[name] for name in sorted(found))

    def check_unknown(self, values: Mapping[str, Any], line: int) -> None:
        """Refuse what could not be written back."""
        for key, value in values.items():
            try:
                toml.pair(key, value)
            except ValueError as error:
                self._fail(line, f"{show(key)}: {error}")

    def _skill(self, entry: dict[str, Any], span: tuple[int, int]) -> Locked:
        called = f"the skill {show(str(entry.get('name', '')))}"
        missing = [key for key in READERS if key not in entry and key not in OPTIONAL]
        if missing:
            self._fail(span[0], f"{called} has no {missing[0]}")
        values: dict[str, Any] = {}
        for key in READERS.keys() & entry.keys():
            try:
                values[key] = READERS[key](entry[key])
            except (SkillError, ValueError) as error:
                reason = error.message if isinstance(error, SkillError) else str(error)
                self._fail(self._line_of(key, *span), f"{called}: {key}: {reason}")
        unknown = {k: v for k, v in entry.items() if k not in {*READERS, _DERIVED}}
        self.check_unknown(unknown, span[0])
        skill = Locked(**values, unknown=unknown)
        wrong = fault(skill)
        if wrong:
            self._fail(span[0], f"{called}: {wrong}")
        return skill

    def _all(self) -> list[str]:
        return self.text.split("\n")

    def _spans(self, count: int) -> list[tuple[int, int]]:
        """The first line and the end of each entry; zeros when they cannot be told."""
        lines = self._all()
        starts = [n for n, line in enumerate(lines, 1) if _ENTRY.match(line)]
        if not starts or len(starts) != count:
            return [(0, 0)] * count
        return list(zip(starts, [*(n - 1 for n in starts[1:]), len(lines)], strict=True))

    def _line_of(self, key: str, start: int, end: int) -> int:
        """The line on which a key of an entry stands, else that of the entry."""
        spelling = re.compile(rf"[ \t]*[\"']?{key}[\"']?[ \t]*[=.]")
        lines = self._all()[max(start - 1, 0) : end]
        found = (n for n, line in enumerate(lines, max(start, 1)) if spelling.match(line))
        return next(found, start)

    def _fail(self, line: int, reason: str, hint: str = _RESTORE) -> NoReturn:
        where = f", line {line}" if line else ""
        raise StateError(f"{self.path}{where}: {reason}", hint=hint)
