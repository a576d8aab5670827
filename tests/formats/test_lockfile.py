"""`skills.lock`: what is written reads back, is written the same again; nothing else is read."""

from __future__ import annotations

import random
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st
from support.cli import ROOT

from skillpm.errors import StateError
from skillpm.formats import toml
from skillpm.formats.lockfile import MAX_LOCK, read_lock, write_lock
from skillpm.model.lock import LOCK_NAME, MAX_SKILLS, Lock, Locked, locked, unlocked
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.tree import File, Tree, manifest

COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
TREE: Final = Tree.of([File("SKILL.md", b"# Hi\n"), File("scripts/run.sh", b"#!/bin/sh\n", True)])


def record(name: str = "pdf", **changes: Any) -> Record:
    """A record as an install writes it."""
    usual = Record(
        name=SkillName(name),
        requested=f"team/{name}",
        registry=Registry("tap", "team"),
        source="https://github.com/acme/skills",
        path=f"skills/{name}",
        revision=Revision("commit", COMMIT, "refs/heads/main"),
        digest=TREE.digest,
        git_tree=TREE.git_sha1,
        origin=Origin.COMMUNITY,
        package=True,
        version="1.2",
        summary="",
        owner="",
        verdict="",
        findings=0,
        forced=(),
        installed_at="2026-01-02T03:04:05Z",
        updated_at="2026-01-02T03:04:05Z",
        files=dict(manifest(TREE)),
    )
    return replace(usual, **changes)


def local(source: str) -> Record:
    """A record of a skill that comes from this machine."""
    revision = Revision("content", TREE.digest[-64:])
    return record(
        "mine", source=source, requested=source, registry=Registry(), path="", revision=revision,
        origin=Origin.LOCAL,
    )  # fmt: skip


LOCK: Final = Lock((locked(record(), ["codex", "claude-code"]), locked(record("tidy-up"))))
KEPT: Final = sorted((ROOT / "fixtures/locks").glob("version-*.lock"))
GOOD: Final = write_lock(LOCK).decode()


def test_a_lock_reads_back_as_it_was_written() -> None:
    assert read_lock(GOOD.encode(), LOCK_NAME) == LOCK


def test_a_lock_is_sorted_has_a_line_for_each_file_and_no_time() -> None:
    backwards = Lock(tuple(reversed(LOCK.skills)))
    assert write_lock(backwards).decode() == GOOD
    assert GOOD.index('name = "pdf"') < GOOD.index('name = "tidy-up"')
    (line,) = [line for line in GOOD.splitlines()[:30] if "scripts/run.sh" in line]
    assert 'mode = "100755", size = 10 }' in line
    assert "2026" not in GOOD
    assert GOOD.endswith("]\n")


@pytest.mark.parametrize("place", KEPT, ids=lambda place: place.stem)
def test_a_lock_of_every_version_there_was_is_read_and_written_the_same(place: Path) -> None:
    data = place.read_bytes()
    lock = read_lock(data, place.name)
    assert len(lock.skills) == 5
    assert lock.unknown
    assert write_lock(lock) == data


def test_a_change_of_one_file_changes_its_line_and_the_digests() -> None:
    other = Tree.of([TREE.files[0], File("scripts/run.sh", b"#!/bin/bash\n", True)])
    newer = record(digest=other.digest, git_tree=other.git_sha1, files=dict(manifest(other)))
    lines = write_lock(Lock((locked(newer, ["codex", "claude-code"]), LOCK.skills[1]))).decode()
    pairs = zip(GOOD.splitlines(), lines.splitlines(), strict=True)
    assert sum(old != new for old, new in pairs) == 3


def test_no_skills_make_a_lock_too() -> None:
    assert read_lock(write_lock(Lock()), LOCK_NAME) == Lock()
    assert read_lock(b"", LOCK_NAME) == Lock()


def test_what_a_later_version_added_survives() -> None:
    text = GOOD.replace("version = 1\n", 'version = 1\nnewer = { a = [1, 2.5], "b c" = "d" }\n')
    text = text.replace("path =", "since = 2026-01-02\npath =", 1)
    lock = read_lock(text.encode(), LOCK_NAME)
    again = write_lock(lock)
    assert read_lock(again, LOCK_NAME) == lock
    assert lock.unknown == {"newer": {"a": [1, 2.5], "b c": "d"}}
    assert lock.skills[0].unknown
    anew = lock.with_skills([locked(record("pdf", version="2")), locked(record("new"))])
    assert [skill.name for skill in anew.skills] == ["new", "pdf"]
    assert anew.skills[1].unknown == lock.skills[0].unknown
    assert anew.unknown == lock.unknown


@pytest.mark.parametrize("change", [
    lambda text: text.replace("\n", "\r\n"),
    lambda text: "\ufeff" + text,
    lambda text: text.replace("# Written", "# Changed by hand\n\n# Written"),
    lambda text: text.replace(" = ", "="),
])  # fmt: skip
def test_an_editors_habits_are_read_and_not_kept(change: Callable[[str], str]) -> None:
    lock = read_lock(change(GOOD).encode(), LOCK_NAME)
    assert write_lock(lock).decode() == GOOD


def test_a_source_below_the_project_is_relative_and_marked() -> None:
    entry = locked(local("/home/me/project/own/mine"), root="/home/me/project")
    assert (entry.source, entry.requested, entry.reproducible) == ("./own/mine",) * 2 + (False,)
    text = write_lock(Lock((entry,))).decode()
    assert "reproducible = false\n" in text
    assert "/home/me" not in text
    (read,) = read_lock(text.encode(), LOCK_NAME).skills
    record = unlocked(read, "now", "/srv/project")
    assert record.source == "/srv/project/own/mine"
    assert locked(record, root="/srv/project") == read


def test_a_source_elsewhere_on_this_machine_stays_absolute_and_is_marked() -> None:
    entry = locked(local("/home/me/elsewhere"), root="/home/me/project")
    assert entry.source == "/home/me/elsewhere"
    assert not read_lock(write_lock(Lock((entry,))), LOCK_NAME).skills[0].reproducible
    assert locked(local("/home/me/project"), root="/home/me/project").source == "."
    assert LOCK.skills[0].reproducible


def test_a_record_becomes_an_entry_and_a_record_again() -> None:
    before = record()
    after = unlocked(locked(before, ["codex"]), "2030-01-01T00:00:00Z")
    again = replace(after, installed_at=before.installed_at, updated_at=before.updated_at)
    assert again == before
    assert after.installed_at == after.updated_at == "2030-01-01T00:00:00Z"
    assert after.files == before.files


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


FAULTS: Final[dict[str, tuple[Callable[[str], str], str]]] = {
    "the future": (swap("version = 1", "version = 7"), "line 2: it has version 7"),
    "no version": (swap("version = 1\n", ""), "version is missing"),
    "a version of zero": (swap("version = 1", "version = 0"), "version is missing"),
    "a version that is true": (swap("version = 1", "version = true"), "version is missing"),
    "a merge begun": (lambda t: "<<<<<<< HEAD\n" + t, "line 1: a merge was not finished: <<<<<<<"),
    "a merge's middle": (swap("version = 1\n", "version = 1\n=======\n"), "line 3: a merge"),
    "a merge's end": (lambda t: t + ">>>>>>> theirs\n", "a merge was not finished: >>>>>>>"),
    "no TOML": (swap('name = "pdf"', "name = pdf"), "line 5: it is not TOML"),
    "cut off": (lambda t: t[: len(t) // 2], "it is not TOML"),
    "twice the same": (swap('"tidy-up"', '"pdf"'), "line 24: pdf stands twice"),
    "a missing key": (swap("package = true\n", ""), "line 4: the skill 'pdf' has no package"),
    "a missing list": (lambda t: t[: t.rindex("files")], "the skill 'tidy-up' has no files"),
    "text for a flag": (swap("package = true", 'package = "yes"'), "line 14: .*package"),
    "a number for text": (swap('owner = ""', "owner = 1"), "owner: it is not text"),
    "a table for a list": (swap("[[skill]]", "[skill]"), "TOML|not a list of tables"),
    "skill as text": (lambda _: 'version = 1\nskill = "x"\n', "skill is not a list of tables"),
    "an unsafe name": (swap('"pdf"', '"../../etc"'), "line 5: .*is not a skill name"),
    "a name of Windows": (swap('"pdf"', '"con"'), "is not a skill name"),
    "a path up": (swap('"skills/pdf"', '"../pdf"'), "line 9: .*not a path inside a source"),
    "a path from the root": (swap('"skills/pdf"', '"/etc"'), "not a path inside a source"),
    "a file up": (swap("scripts/run.sh", "../run.sh"), "unsafe path"),
    "a file from the root": (swap("scripts/run.sh", "/etc/passwd"), "unsafe path"),
    "a file in .git": (swap("scripts/run.sh", ".git/hooks/x"), "nested git repository"),
    "two files on some disks": (swap("scripts/run.sh", "skill.md"), "are the same on some disks"),
    "a short digest": (swap(TREE.digest, TREE.digest[:-1]), "line 11: .*is not 64 hex digits"),
    "another digest": (swap("git-tree-sha256:", "sha256:"), "is not a digest"),
    "a bad commit": (swap(COMMIT, "main"), "is not a commit"),
    "a bad ref": (swap("refs/heads/main", "--upload-pack=x"), "is not a git branch"),
    "a bad kind": (swap('kind = "commit"', 'kind = "hope"'), "no kind of revision"),
    "a bad tree": (swap(TREE.git_sha1, "x"), "is not 40 hex digits"),
    "a bad hash": (swap(TREE.files[0].sha256, "0"), "is not 64 hex digits"),
    "a bad mode": (swap("100755", "104755"), "is not the mode of a file"),
    "a negative size": (swap("size = 10", "size = -1"), "not a number of bytes"),
    "a new key of a file": (swap("size = 10", "size = 10, url = 1"), "not a table of path"),
    "no files": (lambda t: t[: t.rindex("files")] + "files = []\n", "not a list of 1 to"),
    "an origin of its own": (swap('"community"', '"trusted"'), "is no origin"),
    "a bad registry": (swap("tap:team", "tap:"), "is not a registry"),
    "a registry of its own": (swap("tap:team", "mine:x"), "is not a registry"),
    "an agent that steers": (swap('"codex"', '"../codex"'), "is not an agent"),
    "a source up": (swap("https://github.com/acme/skills", "./../../etc"), "climbs out"),
    "a home": (swap("https://github.com/acme/skills", "~/x"), "climbs out"),
    "a path said to be community": (
        swap("https://github.com/acme/skills", "/etc"), "from this machine, and is said to be"
    ),
    "no address": (swap("https://github.com/acme/skills", "javascript:x"), "source: "),
    "another spelling": (
        swap("https://github.com/acme/skills", "https://github.com/acme/skills/tree/main/a"),
        "is not how an address is written",
    ),
    "two files of a document": (swap("package = true", "package = false"), "no package has one"),
    "keys without end": (lambda t: "a." * 4_000 + "b = 1\n" + t, "line 1: .*too many parts"),
    "tables without end": (lambda t: t + "[" + "a." * 50 + "b]\n", "too many parts"),
    "lists without end": (lambda t: "x = " + "[" * 9_000 + t, "nested too deeply"),
    "values too deep": (lambda t: "x = " + "[" * 20 + "]" * 20 + "\n" + t, "nested too deeply"),
    "too large": (lambda t: t + "#" * MAX_LOCK, "is larger than 5 MiB"),
    "too many": (lambda _: "version=1\n" + "[[skill]]\n" * (MAX_SKILLS + 1), "more than 10000"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_wrong_is_refused_with_line_and_reason(fault: str) -> None:
    change, told = FAULTS[fault]
    text = change(GOOD)
    assert text != GOOD
    with pytest.raises(StateError, match=told) as caught:
        read_lock(text.encode(), LOCK_NAME)
    assert caught.value.message.startswith(LOCK_NAME)
    assert "\n" not in caught.value.message
    assert caught.value.hint


def test_what_is_not_utf8_is_refused_with_its_line() -> None:
    with pytest.raises(StateError, match="line 2: it is not UTF-8"):
        read_lock(b"version = 1\n\xff", LOCK_NAME)


def test_half_a_character_cannot_be_written() -> None:
    with pytest.raises(StateError, match="half a surrogate pair"):
        write_lock(Lock((locked(record(version="\ud800")),)))


TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: Final = st.recursive(
    TEXTS | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.datetimes()
    | st.dates() | st.times(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(key=TEXTS, value=VALUES)
def test_any_value_reads_back_as_it_was_written(key: str, value: Any) -> None:
    line = toml.pair(key, value)
    assert tomllib.loads(line) == {key: value}
    assert line.count("\n") == 1
    assert line[:-1].isprintable() or not line.isascii()


@given(text=st.text("\"'\\\n\r\t\0\x1b\x7f\x85\u2028\u202e\ufeff\U0001f600 =#[]{},."))
def test_a_text_cannot_leave_its_quotes(text: str) -> None:
    line = toml.pair("key", text)
    assert tomllib.loads(line) == {"key": text}
    assert not set(line[:-1]) & set("\n\r\0\x1b\x7f\u2028\u202e\ufeff")


NAMES: Final = st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,6}){0,2}", fullmatch=True).filter(
    is_skill_name
)
ENTRIES: Final = st.builds(
    lambda name, requested, version, owner, agents, unknown: replace(
        locked(record(name, requested=requested, version=version, owner=owner), agents),
        unknown={f"x-{key}": value for key, value in unknown.items()},
    ),
    NAMES, TEXTS, TEXTS, TEXTS, st.lists(NAMES, max_size=3),
    st.dictionaries(TEXTS, VALUES, max_size=2),
)  # fmt: skip


@settings(deadline=2_000)
@given(entries=st.lists(ENTRIES, max_size=4, unique_by=lambda entry: entry.name))
def test_any_lock_reads_back_and_is_written_the_same(entries: list[Locked]) -> None:
    data = write_lock(Lock(tuple(entries)))
    lock = read_lock(data, LOCK_NAME)
    assert lock.skills == tuple(sorted(entries, key=lambda entry: entry.name))
    assert write_lock(lock) == data
    assert read_lock(data.replace(b"\n", b"\r\n"), LOCK_NAME) == lock


def bent(seed: int) -> bytes:
    """A good lock with some bytes changed, cut out, repeated or moved."""
    chance = random.Random(seed)  # noqa: S311 - the same inputs each time
    data = bytearray(GOOD.encode())
    pieces = [b'"', b"[", b"]", b"\n", b"\\u", b"\xff", b"=", b"[[skill]]\n", b"=======\n", b".",
              b"'''", b'"""', b"{", b"}", b"\0", b"-1", b"1e999", b"inf", b"true"]  # fmt: skip
    for _ in range(chance.randint(1, 6)):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        match chance.randrange(4):
            case 0:
                data[at : at + chance.randint(0, 9)] = chance.choice(pieces)
            case 1:
                del data[at : min(end, at + 200)]
            case 2:
                data[at:at] = data[at:end]
            case _:
                data[at:at] = chance.choice(pieces) * chance.choice([1, 2, 3_000])
    return bytes(data)


def test_five_hundred_malformed_locks_are_read_or_refused_at_once() -> None:
    refused = 0
    for seed in range(500):
        start = time.process_time()
        try:
            lock = read_lock(bent(seed), LOCK_NAME)
        except StateError as error:
            refused += 1
            assert "\n" not in error.message  # noqa: PT017 - some are good still
        else:
            assert read_lock(write_lock(lock), LOCK_NAME) == lock
        assert time.process_time() - start < 2
    assert refused > 300


@settings(max_examples=300, deadline=2_000)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_lock(data, "x\x1b.lock")
    except StateError as error:
        assert error.message.isprintable()  # noqa: PT017 - nothing at all is a lock too
