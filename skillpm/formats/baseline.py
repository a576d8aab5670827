"""The baseline file: what people accepted, with reason and name, sorted, the same bytes each time.

It is read only where a person names it; a file of that form inside a skill means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from skillpm.errors import UsageError
from skillpm.formats import json
from skillpm.model.acceptance import Acceptance
from skillpm.model.text import safe

SCHEMA: Final = 1
MAX_TEXT: Final = 2_000

_RULE: Final = re.compile(r"[a-z0-9-]{1,64}/[a-z0-9-]{1,64}")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIELDS: Final = ("rule", "path", "digest", "reason", "by", "date")
_ENTRY_DEPTH: Final = 3
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]\n]', re.DOTALL)


def read_baseline(data: bytes, place: str) -> tuple[Acceptance, ...]:
    """The acceptances of a baseline file.

    Raises:
        UsageError: it is malformed; the message names the line.
    """
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UsageError(f"the baseline {safe(place)} is not JSON: {error}") from None
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise _fault(place, 1, f'it does not begin with {{"schema": {SCHEMA}')
    rows = value.get("accepted")
    unknown = set(value) - {"schema", "accepted"}
    if not isinstance(rows, list) or unknown:
        told = f"unknown key {safe(min(unknown), 60)}" if unknown else "accepted is not a list"
        raise _fault(place, 1, told)
    found: dict[tuple[str, str, str], Acceptance] = {}
    for number, row in enumerate(rows):
        reason = _row_fault(row)
        if not reason and (row["rule"], row["path"], row["digest"]) in found:
            reason = "the same rule, path and digest stand there twice"
        if reason:
            raise _fault(place, _line_of(data.decode("utf-8-sig"), number), reason)
        acceptance = Acceptance(**row)
        found[acceptance.key] = acceptance
    return tuple(sorted(found.values()))


def write_baseline(acceptances: Iterable[Acceptance]) -> bytes:
    """The bytes of a baseline file: sorted by path, rule and digest."""
    rows = [acceptance.as_json() for acceptance in sorted(acceptances)]
    return json.dump({"schema": SCHEMA, "accepted": rows}).encode()


def is_date(text: str) -> bool:
    """Whether the text is a day of the calendar, `YYYY-MM-DD`."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _row_fault(row: Any) -> str:
    """Why an entry can not be used; "" when it can."""
    if not isinstance(row, Mapping):
        return "an entry is not an object"
    unknown = set(row) - {*_FIELDS, "until"}
    if unknown:
        return f"unknown key {safe(min(unknown), 60)}"
    for key in _FIELDS:
        if not isinstance(row.get(key), str) or not row[key].strip() or len(row[key]) > MAX_TEXT:
            return f"{key} is missing or not a text"
    if not _RULE.fullmatch(row["rule"]):
        return f"{safe(row['rule'], 60)} is not the id of a rule"
    if not _DIGEST.fullmatch(row["digest"]):
        return "digest is not sha256: and 64 hex digits"
    for key in ("date", "until"):
        value = row.get(key, "")
        if (key in row or key == "date") and not (isinstance(value, str) and is_date(value)):
            return f"{key} is not a day, YYYY-MM-DD"
    return ""


def _fault(place: str, line: int, reason: str) -> UsageError:
    return UsageError(f"the baseline {safe(place)} is malformed, line {line}: {reason}")


def _line_of(text: str, number: int) -> int:
    """The line in which the entry of that number begins."""
    depth, line, count = 0, 1, -1
    for mark in _MARK.finditer(text):
        sign = mark[0]
        line += sign == "\n"
        if sign in ("{", "["):
            depth += 1
            count += depth == _ENTRY_DEPTH
            if count == number:
                return line
        depth -= sign in ("}", "]")
    return 1
