"""What it takes for a folder to match a lock, decided without looking at any disk."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from skillpm.model.lock import Lock, Locked, locked
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.operations.syncing import compare, drift
from skillpm.store.library import Entry, State

NAMES = st.sampled_from([SkillName(name) for name in ("a", "b", "c", "d")])
DIGESTS = st.sampled_from(["one", "two", "three"])


def record(name: SkillName, digest: str) -> Record:
    """A record of a skill with those files."""
    return Record(
        name, name, Registry(), "https://example.com/x.git", "", Revision("commit", "0" * 40),
        digest, "", Origin.COMMUNITY, True, "", "", "", "", 0, (), "", "",
    )  # fmt: skip


def entry(
    name: SkillName, digest: str, wanted: str | None, special: State | None, ours: bool
) -> Entry:
    """What stands in the folder, as the library would call it."""
    known = record(name, wanted) if wanted else None
    other = State.OLDER if ours else State.EDITED
    usual = State.LOCAL if known is None else State.OK if digest == wanted else other
    return Entry(name, Path(name), special or usual, known, digest)


WANTED = st.dictionaries(NAMES, DIGESTS)
SPECIAL = st.sampled_from([None, None, State.LINKED, State.UNREADABLE])
THERE = st.dictionaries(NAMES, st.tuples(DIGESTS, SPECIAL))
WROTE = st.sets(st.tuples(NAMES, DIGESTS))


def lock_of(wanted: dict[SkillName, str]) -> Lock:
    """A lock of those digests."""
    entries: list[Locked] = [locked(record(name, digest)) for name, digest in wanted.items()]
    return Lock().with_skills(entries)


@given(wanted=WANTED, there=THERE, wrote=WROTE, replace=st.booleans())
def test_nothing_gives_way_that_skill_did_not_write_or_nobody_named(
    wanted: dict[SkillName, str],
    there: dict[SkillName, tuple[str, State | None]],
    wrote: set[tuple[SkillName, str]],
    replace: bool,
) -> None:
    entries = [
        entry(name, digest, wanted.get(name), special, (name, digest) in wrote)
        for name, (digest, special) in there.items()
    ]
    steps = compare(lock_of(wanted), entries, lambda *one: one in wrote, replace=replace)
    assert [step.name for step in steps] == sorted(wanted.keys() | there.keys())
    for step in steps:
        digest, special = there.get(step.name, ("", None))
        if step.action in ("update", "remove"):
            assert (step.name, digest) in wrote
            assert special is None
        if step.action == "replace":
            assert replace
        if step.action == "remove":
            assert step.name not in wanted
        if special is State.UNREADABLE:
            assert step.action in ("conflict", "leave")
        assert (step.action == "keep") == (wanted.get(step.name) == digest and special is None)


@given(wanted=WANTED, wrote=WROTE)
def test_a_folder_that_matches_needs_nothing(
    wanted: dict[SkillName, str], wrote: set[tuple[SkillName, str]]
) -> None:
    entries = [entry(name, digest, digest, None, True) for name, digest in wanted.items()]
    steps = compare(lock_of(wanted), entries, lambda *one: one in wrote, replace=True)
    assert not any(step.changes or step.drifts for step in steps)
    assert drift(steps) == ""


@given(wanted=WANTED)
def test_an_empty_folder_gets_everything(wanted: dict[SkillName, str]) -> None:
    steps = compare(lock_of(wanted), [], lambda *_: False, replace=False)
    assert [(step.name, step.action) for step in steps] == [(n, "install") for n in sorted(wanted)]
