"""The database: durable, migrated, and never read as empty when it is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli import ROOT

from skillpm.edges.database import Database
from skillpm.errors import LockedError, StateError

FIRST = "CREATE TABLE skill (name TEXT PRIMARY KEY, note TEXT NOT NULL)"
SECOND = (
    "CREATE TABLE file (skill TEXT NOT NULL REFERENCES skill(name), path TEXT);"
    " CREATE INDEX by_path ON file(path)"
)
ROWS = [(f"skill-{number}", "note " * 40) for number in range(200)]


def filled(path: Path) -> Path:
    """A database with rows over many pages, closed."""
    database = Database(path, [FIRST, SECOND])
    with database.transaction() as connection:
        connection.executemany("INSERT INTO skill VALUES (?, ?)", ROWS)
    database.close()
    return path


def contents(path: Path) -> list[tuple[str, str]]:
    database = Database(path, [FIRST, SECOND])
    try:
        rows = [(row["name"], row["note"]) for row in database.rows("SELECT * FROM skill")]
        database.rows("SELECT * FROM file ORDER BY path")
        with database.transaction() as connection:
            connection.execute("INSERT INTO skill VALUES ('new', '')")
            connection.execute("DELETE FROM skill WHERE name = 'new'")
        return rows
    finally:
        database.close()


def change(database: Database, *statements: str, fails: bool = False) -> None:
    """Run statements in one transaction, which may fail at its end."""
    with database.transaction() as connection:
        for statement in statements:
            connection.execute(statement)
        if fails:
            raise KeyError


def test_what_was_written_is_there_and_private(tmp_path: Path) -> None:
    path = filled(tmp_path / "home/state.db")
    assert contents(path) == ROWS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_error_inside_a_transaction_takes_everything_back(tmp_path: Path) -> None:
    database = Database(filled(tmp_path / "state.db"), [FIRST, SECOND])
    with pytest.raises(KeyError):
        change(database, "DELETE FROM skill", fails=True)
    assert len(database.rows("SELECT * FROM skill")) == len(ROWS)
    with pytest.raises(StateError):
        change(database, "INSERT INTO file VALUES ('no such skill', 'x')")
    assert database.rows("SELECT * FROM file") == []
    database.close()


def test_a_failed_statement_is_told_as_itself(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db", [FIRST])
    with pytest.raises(StateError, match="no such table"):
        database.rows("SELECT * FROM missing")
    with pytest.raises(StateError, match="no such table"):
        # SQLite rolls back by itself on a full disk.
        change(database, "ROLLBACK", "SELECT * FROM missing")
    database.close()


def test_an_older_file_is_brought_forward_and_keeps_its_rows(tmp_path: Path) -> None:
    old = Database(tmp_path / "state.db", [FIRST])
    with old.transaction() as connection:
        connection.execute("INSERT INTO skill VALUES ('a', 'b')")
    old.close()
    new = Database(tmp_path / "state.db", [FIRST, SECOND])
    assert [tuple(row) for row in new.rows("SELECT * FROM skill")] == [("a", "b")]
    assert new.rows("SELECT * FROM file") == []
    new.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = filled(tmp_path / "state.db")
    with pytest.raises(StateError):
        Database(path, [FIRST, SECOND, "CREATE TABLE ok (x); CREATE TABLE skill (x)"])
    assert contents(path) == ROWS


def test_a_file_of_a_newer_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = filled(tmp_path / "state.db")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StateError, match="newer skillpm") as caught:
        Database(path, [FIRST, SECOND])
    assert "update skillpm" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"", b"x", b"not a database at all" * 500, b"SQLite format 3\0", b"\0" * 8_192]
)
def test_a_file_that_is_no_database_is_damage_and_never_empty(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    with pytest.raises(StateError, match="damaged") as caught:
        contents(path)
    assert "skill list" in caught.value.hint
    assert path.read_bytes() == content


def test_a_file_cut_anywhere_is_damage_or_whole(tmp_path: Path) -> None:
    whole = filled(tmp_path / "state.db").read_bytes()
    for end in range(0, len(whole), 512):
        path = tmp_path / f"cut-{end}" / "state.db"
        path.parent.mkdir()
        path.write_bytes(whole[:end])
        try:
            found = contents(path)
        except StateError:
            continue
        assert found == ROWS, f"rows were lost without a word when it was cut at {end}"


def test_a_page_of_noise_is_damage_or_harmless(tmp_path: Path) -> None:
    whole = filled(tmp_path / "state.db").read_bytes()
    for start in range(4_096, len(whole), 4_096):
        path = tmp_path / f"noise-{start}" / "state.db"
        path.parent.mkdir()
        path.write_bytes(whole[:start] + b"\xa5" * 4_096 + whole[start + 4_096 :])
        try:
            found = contents(path)
        except StateError:
            continue
        assert found == ROWS


@pytest.mark.parametrize("kind", ["folder", "link", "broken link"])
def test_something_else_in_its_place_is_refused(tmp_path: Path, kind: str) -> None:
    path, victim = tmp_path / "state.db", tmp_path / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o644)
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(victim if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(StateError):
        Database(path, [FIRST])
    assert victim.read_bytes() == b"precious"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o644
    assert not (tmp_path / "nowhere").exists()


def test_a_writer_that_stays_too_long_is_told_apart_from_damage(tmp_path: Path) -> None:
    path = filled(tmp_path / "state.db")
    first, second = (Database(path, [FIRST, SECOND]) for _ in range(2))
    second._connection.execute("PRAGMA busy_timeout = 100")
    with first.transaction() as connection:
        connection.execute("DELETE FROM skill")
        with pytest.raises(LockedError, match="another process writes"), second.transaction():
            pytest.fail("two write at once")
        assert len(second.rows("SELECT * FROM skill")) == len(ROWS)
    assert second.rows("SELECT * FROM skill") == []
    first.close()
    second.close()


ADDER = """
import sys
from pathlib import Path
from skillpm.edges.database import Database
for number in range(10):
    database = Database(Path(sys.argv[1]), ["CREATE TABLE t (x)"])
    with database.transaction() as connection:
        count = connection.execute("SELECT count(*) FROM t").fetchone()[0]
        connection.execute("INSERT INTO t VALUES (?)", (count,))
    database.close()
"""


def test_processes_that_start_at_once_make_one_database_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    argv = [sys.executable, "-c", ADDER, str(path)]
    running = [subprocess.Popen(argv, cwd=ROOT) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    database = Database(path, ["CREATE TABLE t (x)"])
    assert [row["x"] for row in database.rows("SELECT x FROM t ORDER BY x")] == list(range(40))
    database.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["staging", "state.db"]
    assert list((tmp_path / "staging").iterdir()) == []
