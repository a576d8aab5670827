"""Scanning what is installed again, and only what changed since: reports are kept by digest."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from skillpm import __version__
from skillpm.model.finding import ScanReport
from skillpm.model.tree import Tree
from skillpm.operations.workspace import Workspace
from skillpm.scanning.rules import default_rules
from skillpm.scanning.workers import scan_each
from skillpm.store.library import Entry
from skillpm.store.looked import Looked, report_of

Made = TypeVar("Made")


def rescan(
    workspace: Workspace,
    reads: Iterable[tuple[Entry, Tree | None]],
    make: Callable[[Entry, Tree, ScanReport], Made],
) -> list[tuple[Entry, Made | None]]:
    """What is made of each report, in the same order; None for what cannot be read.

    The digest of an entry was computed from the bytes that come with it; only a report that was
    kept for that digest and these rules spares a scan. Files are let go of as soon as something
    was made of them.

    Raises:
        StateError: a process died.
    """
    rules = engine()
    looked = Looked(workspace.host.dirs.data)
    rows = looked.reports(rules)
    made: list[tuple[Entry, Made | None]] = []
    fresh: dict[str, ScanReport] = {}

    def unknown() -> Iterator[tuple[int, Entry, Tree]]:
        for number, (entry, tree) in enumerate(reads):
            known = report_of(entry.digest, rules, rows.get(entry.digest)) if tree else None
            made.append((entry, make(entry, tree, known) if tree and known else None))
            if tree and not known:
                yield number, entry, tree

    for (number, entry, tree), report in scan_each(unknown(), lambda one: one[2]):
        if report:
            fresh[entry.digest] = report
            made[number] = (entry, make(entry, tree, report))
    looked.keep_reports(rules, fresh)
    return made


def engine() -> str:
    """What a report depends on beside the bytes: rules, our code, the language it runs in."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{default_rules().version} {__version__} {python} {unicodedata.unidata_version}"
