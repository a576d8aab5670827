"""Many skills scanned at once, in as many processes as there are cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import Final, TypeVar

from skillpm.errors import StateError
from skillpm.model.finding import ScanReport
from skillpm.model.tree import Tree
from skillpm.scanning.rules import default_rules
from skillpm.scanning.scanner import scan

FEW: Final = 60
_MOST_WORKERS: Final = 8
_TOGETHER: Final = 8
_AHEAD: Final = 3

Thing = TypeVar("Thing")
_Reports = list[ScanReport | None]


def scan_each(
    things: Iterable[Thing], tree_of: Callable[[Thing], Tree | None]
) -> Iterator[tuple[Thing, ScanReport | None]]:
    """Scan what comes and give it back in the same order, each with its report.

    The reports are those of `scan`. Up to `FEW` things are scanned in this process, because
    others take longer to start; beyond, no more than a few dozen trees are held at a time.

    Args:
        things: what has a tree, or cannot be scanned.
        tree_of: the files of such a thing; None when there are none.

    Raises:
        StateError: a process died.
    """
    stream = iter(things)
    first = list(islice(stream, FEW + 1))
    cores = min(_cores(), _MOST_WORKERS)
    if len(first) <= FEW or cores < 2:
        for thing in chain(first, stream):
            yield thing, _report(tree_of(thing))
        return
    try:
        yield from _spread(chain(first, stream), tree_of, cores)
    except BrokenProcessPool:
        raise StateError(
            "a process that was scanning died", hint="scan the skills one by one to see which"
        ) from None


def _spread(
    things: Iterator[Thing], tree_of: Callable[[Thing], Tree | None], cores: int
) -> Iterator[tuple[Thing, ScanReport | None]]:
    with ProcessPoolExecutor(cores, _processes(), _start) as pool:
        waiting: deque[tuple[list[Thing], Future[_Reports]]] = deque()
        try:
            while some := list(islice(things, _TOGETHER)):
                waiting.append((some, pool.submit(_reports, [tree_of(one) for one in some])))
                if len(waiting) > cores * _AHEAD:
                    yield from _done(*waiting.popleft())
            while waiting:
                yield from _done(*waiting.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _done(
    things: list[Thing], reports: Future[_Reports]
) -> Iterator[tuple[Thing, ScanReport | None]]:
    return zip(things, reports.result(), strict=True)


def _processes() -> multiprocessing.context.BaseContext:
    """Processes that start afresh: they have none of our threads, and need no socket."""
    return multiprocessing.get_context("spawn")


def _start() -> None:
    """An interrupt is for the process that asked; it ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    default_rules()


def _reports(trees: list[Tree | None]) -> _Reports:
    return [_report(tree) for tree in trees]


def _report(tree: Tree | None) -> ScanReport | None:
    return None if tree is None else scan(tree)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
