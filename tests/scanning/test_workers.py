"""Many skills at once: the same reports in the same order, whatever happens to a process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count

import pytest

from skillpm.errors import StateError
from skillpm.model.tree import File, Tree
from skillpm.scanning import workers
from skillpm.scanning.scanner import scan
from skillpm.scanning.workers import FEW, scan_each


def skill(number: int) -> Tree | None:
    text = "rm -rf ~" if number % 5 == 0 else "Be kind."
    return None if number % 11 == 3 else Tree.of([File("SKILL.md", f"{text}\n{number}".encode())])


@pytest.fixture(params=[1, 2])
def cores(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(workers, "_cores", lambda: request.param)
    return int(request.param)


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("many", [0, 1, FEW, FEW + 1, FEW + 30])
def test_each_has_the_report_of_a_scan_of_its_own(many: int) -> None:
    found = list(scan_each(range(many), skill))
    assert [number for number, _ in found] == list(range(many))
    for number, report in found:
        tree = skill(number)
        assert report == (scan(tree) if tree else None)


def test_a_stream_is_not_read_to_its_end_before_the_first_report(cores: int) -> None:
    read = 0

    def endless() -> int:
        nonlocal read
        read += 1
        return read

    stream = scan_each((endless() for _ in count()), skill)
    assert next(stream)[0] == 1
    del stream
    assert read <= FEW + cores * 50


@pytest.mark.parametrize("cores", [2], indirect=True)
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_dies_is_an_error_of_ours(
    end: signal.Signals, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_processes", _forked)
    monkeypatch.setattr(workers, "scan", _dying(os.getpid(), end))
    with pytest.raises(StateError, match="died"):
        list(scan_each(range(FEW + cores), skill))


def _forked() -> object:
    import multiprocessing

    return multiprocessing.get_context("fork")


def _dying(parent: int, end: signal.Signals) -> Callable[[Tree], object]:
    def scanning(tree: Tree) -> object:
        if os.getpid() == parent:
            return scan(tree)
        os.kill(os.getpid(), end)
        return None

    return scanning
