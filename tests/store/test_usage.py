"""Use is counted when it costs nothing: never slowly, and never so that a read fails."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from skillpm.edges.database import Database
from skillpm.store.schema import MIGRATIONS
from skillpm.store.usage import Usage, Used

AT = "2030-01-02T03:04:05Z"


def test_views_uses_and_failures_are_counted_with_their_last_times(tmp_path: Path) -> None:
    clock = iter([f"2030-01-0{day}T00:00:00Z" for day in range(1, 6)])
    usage = Usage(Database(tmp_path / "state.db", MIGRATIONS), lambda: next(clock))
    usage.viewed("a")
    usage.viewed("a")
    usage.used("a")
    usage.failed("a")
    usage.used("b")
    first, second, third, fourth, fifth = (f"2030-01-0{day}T00:00:00Z" for day in range(1, 6))
    assert usage.all() == {
        "a": Used("a", 2, 1, 1, first, second, third, fourth),
        "b": Used("b", 0, 1, 0, fifth, "", fifth, ""),
    }


def test_a_count_waits_for_nobody_and_is_lost_then(tmp_path: Path) -> None:
    usage = Usage(Database(tmp_path / "state.db", MIGRATIONS), lambda: AT)
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        usage.viewed("a")
        assert time.monotonic() - began < 5
        assert usage.all() == {}
    usage.viewed("a")
    assert usage.all()["a"].views == 1


def test_after_a_count_everything_is_as_durable_as_before(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db", MIGRATIONS)
    Usage(database, lambda: AT).viewed("a")
    assert database.rows("PRAGMA synchronous")[0][0] == 2
    assert database.rows("PRAGMA busy_timeout")[0][0] == 60_000


def test_where_nothing_can_be_written_nothing_is_counted(tmp_path: Path) -> None:
    Database(tmp_path / "state.db", MIGRATIONS).close()
    database = Database(tmp_path / "state.db", MIGRATIONS)
    database.rows("PRAGMA query_only=ON")
    usage = Usage(database, lambda: AT)
    usage.viewed("a")
    assert usage.all() == {}
