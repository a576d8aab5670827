"""Whatever is installed, from wherever, can stand in a project's lock and comes back out of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from journeys.world import SITE, World, document, packages
from support.archives import zip_of

from skillpm.edges.database import Database
from skillpm.formats.lockfile import read_lock, write_lock
from skillpm.model.lock import LOCK_NAME, Lock, locked, unlocked
from skillpm.model.provenance import Record
from skillpm.store.records import Records
from skillpm.store.schema import MIGRATIONS


def recorded(home: Path) -> tuple[Record, ...]:
    """What is recorded of every installed skill, file lists included."""
    records = Records(Database(home / "state.db", MIGRATIONS))
    return tuple(found for one in records.all() if (found := records.get(one.name)))


@pytest.fixture
def installs(world: World) -> tuple[Record, ...]:
    """One skill of every kind of source."""
    repo = world.git.repo("acme/skills")
    repo.commit(packages("in-git", "at-a-tag"))
    repo.tag("v1")
    world.tap({"from-tap": f"{SITE}/from-tap.zip"})
    world.web.serve("/from-tap.zip", zip_of({"SKILL.md": document("from-tap")}))
    world.web.serve("/single.md", document("single"))
    world.hub.publish("@acme/on-hub", "1.0.0", zip_of({"SKILL.md": document("on-hub")}))
    own = world.person.writes("../project/own/mine/SKILL.md", document("mine")).parent
    for words in (
        ("cut-a-release",), ("in-git", "--source", "acme/skills"), ("from-tap",),
        ("https://github.com/acme/skills/tree/v1/skills/at-a-tag",), (f"{SITE}/single.md",),
        ("@acme/on-hub",), (str(own),),
    ):  # fmt: skip
        world.person.skill("install", *words, "--yes")
    return recorded(world.person.home)


def test_every_record_comes_back_out_of_a_lock(installs: tuple[Record, ...]) -> None:
    assert len(installs) == 7
    data = write_lock(Lock(tuple(locked(record, ["codex"]) for record in installs)))
    lock = read_lock(data, LOCK_NAME)
    assert write_lock(lock) == data
    for before, entry in zip(installs, lock.skills, strict=True):
        after = unlocked(entry, before.installed_at)
        same = replace(
            before, summary="", verdict="", findings=0, forced=(), accepted=(), pinned=False,
            updated_at=before.installed_at,
        )  # fmt: skip
        assert after == same
        assert after.files == before.files


def test_a_lock_names_no_place_of_this_machine_but_what_lies_outside_the_project(
    installs: tuple[Record, ...], world: World
) -> None:
    project = str(world.person.home / "project")
    lock = Lock(tuple(locked(record, root=project) for record in installs))
    assert str(world.person.home) not in write_lock(lock).decode()
    assert [skill.name for skill in lock.skills if not skill.reproducible] == ["mine"]
