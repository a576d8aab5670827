"""The report of a scan as text, and back: what is kept so that the same bytes need no new scan."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from skillpm.model.capability import Capabilities
from skillpm.model.finding import Finding, ScanReport, Severity, Verdict

_KINDS: Final = tuple(kind.name for kind in fields(Capabilities))
_TEXTS: Final = ("rule", "category", "path", "excerpt", "message", "origin")
_NUMBERS: Final = ("line", "column", "end_line", "end_column")
_FACTS: Final = (*_TEXTS, *_NUMBERS)
_facts = attrgetter(*_FACTS)


def report_text(report: ScanReport) -> str:
    """A report as JSON text."""
    found = [[int(one.severity), *_facts(one)] for one in report.findings]
    reaches = [list(getattr(report.capabilities, kind)) for kind in _KINDS]
    return json.dumps(
        [report.verdict.value, report.scanned_files, report.rules_version, reaches, found]
    )


@lru_cache(1_024)  # most skills have nothing found
def report_from(text: str) -> ScanReport:
    """The report that `report_text` wrote.

    Raises:
        ValueError: the text is something else.
    """
    try:
        verdict, files, version, reaches, found = json.loads(text)
        return ScanReport(
            Verdict(verdict),
            tuple(_finding(*one) for one in found),
            _number(files),
            _text(version),
            Capabilities(*(tuple(map(_text, _list(one))) for one in reaches)),
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"it is no report: {error}") from None


def _finding(severity: Any, *facts: Any) -> Finding:
    texts = map(_text, facts[: len(_TEXTS)])
    numbers = map(_number, facts[len(_TEXTS) :])
    named: dict[str, Any] = dict(zip(_FACTS, (*texts, *numbers), strict=True))
    return Finding(severity=Severity(_number(severity)), **named)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!a} is not text")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!a} is not a number")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!a} is not a list")
    return value
