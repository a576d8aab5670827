"""`list` reads again only what changed, sees every change, and tells what reading tells."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.files import build

from skillpm.edges import stamps
from skillpm.edges.database import Database
from skillpm.errors import StateError
from skillpm.model.name import SkillName
from skillpm.store.glance import Glance, glances
from skillpm.store.library import Library, State
from skillpm.store.looked import NAME, Looked
from skillpm.store.records import Records
from skillpm.store.schema import MIGRATIONS

TEXT = "---\nname: mine\ndescription: Mine.\n---\n\nDo.\n"


class Shelf:
    """A library with one hand-written skill, looked at as by one command after another."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.place = data / "library" / "mine"
        build(self.place, {"SKILL.md": TEXT, "scripts/run.sh": "true\n"})
        (self.place / "empty").mkdir()
        self.records = Records(Database(data / "state.db", MIGRATIONS))
        self.read: list[str] = []

    def look(self) -> list[Glance]:
        outer = self

        class Watched(Library):
            def look(self, name: SkillName) -> object:  # type: ignore[override]
                outer.read.append(name)
                return super().look(name)

        self.read.clear()
        return glances(
            Watched(self.data / "library", self.records), self.records, Looked(self.data)
        )


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.setattr(stamps, "RACY_NS", -(10**18))  # the files of a test are always young
    return Shelf(tmp_path)


def test_what_did_not_change_is_read_once(shelf: Shelf) -> None:
    first = shelf.look()
    assert shelf.read == ["mine"]
    assert shelf.look() == first
    assert shelf.read == []
    assert (first[0].state, first[0].summary) == (State.LOCAL, "Mine.")


def _same_size_and_time(place: Path) -> None:
    file = place / "SKILL.md"
    before = file.stat()
    file.write_text(TEXT.replace("Do.", "Di."))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _linked(place: Path) -> None:
    """The same again, but by a link."""
    moved = place.parents[2] / "moved"
    place.rename(moved)
    place.symlink_to(moved)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file is written": lambda place: (place / "SKILL.md").write_text("other"),
    "size and time stay": _same_size_and_time,
    "a mode": lambda place: (place / "scripts" / "run.sh").chmod(0o700),
    "a new file": lambda place: (place / "new").write_text(""),
    "a new file deep inside": lambda place: (place / "scripts" / "new").write_text(""),
    "a new file in an empty folder": lambda place: (place / "empty" / "new").write_text(""),
    "a file goes": lambda place: (place / "scripts" / "run.sh").unlink(),
    "a file becomes a link": lambda place: _linked(place / "scripts" / "run.sh"),
    "a twin": lambda place: place.with_name("mine.md").write_text("x"),
    "the folder becomes a link": _linked,
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(shelf: Shelf, change: str) -> None:
    shelf.look()
    CHANGES[change](shelf.place)
    shelf.look()
    assert "mine" in shelf.read


def test_a_skill_that_goes_is_forgotten(shelf: Shelf) -> None:
    shelf.look()
    shelf.place.rename(shelf.data / "elsewhere")
    assert shelf.look() == []
    assert Looked(shelf.data).stamps() == {}


def test_what_changed_a_moment_ago_is_read_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "RACY_NS", 2_000_000_000)
    shelf.look()
    shelf.look()
    assert shelf.read == ["mine"]


@pytest.mark.parametrize("damage", [b"", b"x" * 600, b"SQLite format 3\0" + b"\0" * 5000])
def test_a_damaged_file_of_stamps_costs_a_reading_and_nothing_else(
    shelf: Shelf, damage: bytes
) -> None:
    first = shelf.look()
    for tail in ("-wal", "-shm"):
        (shelf.data / (NAME + tail)).unlink(missing_ok=True)
    (shelf.data / NAME).write_bytes(damage)
    assert shelf.look() == first
    assert shelf.read == ["mine"]


def test_without_a_place_for_stamps_everything_is_read(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StateError("no room")

    monkeypatch.setattr("skillpm.store.looked.Database", refuse)
    assert [one.name for one in shelf.look()] == ["mine"]
    assert [one.name for one in shelf.look()] == ["mine"]
    assert shelf.read == ["mine"]
