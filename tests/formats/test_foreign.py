"""Other tools' records: each reader through the same promises, and what each one understands."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import time
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st
from support.cli import ROOT

from skillpm.formats.foreign import apm, npx, openskills
from skillpm.formats.foreign.entry import MAX_ENTRIES, Algorithm, Foreign, Reading
from skillpm.formats.foreign.hashes import agrees
from skillpm.formats.foreign.readers import NOT_OF_THE_SKILL, ROWS, Row
from skillpm.model.tree import File, Tree

FIXTURES: Final = ROOT / "fixtures/foreign"
FOLDERS: Final = sorted(path for path in FIXTURES.iterdir() if path.is_dir())


def record_in(folder: Path) -> tuple[Row, bytes]:
    """The one record of a kept folder, and the row that reads it."""
    (row,) = [row for row in ROWS if (folder / row.pattern).is_file()]
    return row, (folder / row.pattern).read_bytes()


def as_json(reading: Reading) -> Any:
    found = [{k: v for k, v in dataclasses.asdict(one).items() if v} for one in reading.found]
    return {"found": found, "problems": list(reading.problems)}


def assert_sound(reading: Reading) -> None:
    """What every reading promises, whatever it was given."""
    for one in reading.found:
        assert ".." not in one.folder.split("/")
        assert not one.folder.startswith("/")
        assert ".." not in one.path.split("/")
        assert one.tool
        assert bool(one.algorithm) <= bool(one.hash)
    for problem in reading.problems:
        assert problem.isprintable()
        assert len(problem) < 500


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_kept_record_has_the_answer_beside_it(folder: Path) -> None:
    row, data = record_in(folder)
    assert as_json(row.read(data)) == json.loads((folder / "answer.json").read_bytes())


def test_every_row_has_a_kept_record() -> None:
    """But for the older name of ClawHub's folder, whose files are the same."""
    kept = {record_in(folder)[0].read for folder in FOLDERS}
    assert kept == {row.read for row in ROWS}
    assert {".clawhub", ".clawdhub", ".openskills.json"} == NOT_OF_THE_SKILL


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.pattern)
@pytest.mark.parametrize("data", [
    b"", b"\0", b"\xff\xfe", b"[]", b"{}", b"null", b"7", b'"x"', b"[" * 99_999, b'{"a":' * 9_999,
    b'{"version": 1}', b'{"version": 3, "skills": []}', b'{"version": 1, "skills": {"x": []}}',
    b"dependencies: {}", b"dependencies: [1]", b"dependencies: &a [*a]", b"---\n- x\n---\n",
    b'{"version": 99, "skills": {}}', b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n",
    b'{"version": 1, "version": 1}', b"x" * 6_000_000,
])  # fmt: skip
def test_a_malformed_record_is_a_problem_and_never_an_error(row: Row, data: bytes) -> None:
    start = time.process_time()
    reading = row.read(data)
    assert_sound(reading)
    assert not reading.found
    assert time.process_time() - start < 3


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_record_that_was_cut_off_anywhere_is_still_no_error(folder: Path) -> None:
    row, data = record_in(folder)
    for end in range(0, len(data), max(1, len(data) // 40)):
        assert_sound(row.read(data[:end]))


def test_five_hundred_malformed_records_are_read_at_once() -> None:
    chance = random.Random(4)  # noqa: S311 - the same inputs each time
    kept = [record_in(folder) for folder in FOLDERS]
    pieces = [
        b'"',
        b"{",
        b"[]",
        b"null",
        b"../",
        b"\x1b[31m",
        b"\xff",
        b"-",
        b": ",
        b"\n",
        b"7",
        b"https://203.0.113.5/",
        b"@",
        b"&a ",
        b"{" * 500,
        b"\\ud800",
        b"\r",
        b"#",
    ]
    for _ in range(500):
        row, good = chance.choice(kept)
        data = bytearray(good)
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randint(0, 12)] = chance.choice(pieces)
        start = time.process_time()
        assert_sound(row.read(bytes(data)))
        assert time.process_time() - start < 2


KEYS: Final = st.sampled_from(
    ["source", "sourceType", "sourceUrl", "ref", "skillPath", "computedHash", "skillFolderHash",
     "version", "ownerHandle", "sourceKind", "sourceRepository", "sourcePath", "identifier",
     "install_path", "metadata", "repo_url", "host", "port", "virtual_path", "deployed_files",
     "deployed_file_hashes", "resolved_commit", "local_path", "repoUrl", "subpath", "slug",
     "registry", "installedVersion", "fingerprint"]
)  # fmt: skip
WORDS: Final = st.sampled_from(
    ["github", "git", "local", "url", "clawhub", "well-known", "skills-sh", "a/b", "../..", "/x",
     "a" * 40, "b" * 64, "https://example.com/x.git", ".claude/skills/x", "@a/b", "x\x1by", ""]
) | st.text(max_size=6)  # fmt: skip
FIELDS: Final = st.dictionaries(
    KEYS, WORDS | st.integers() | st.none() | st.lists(WORDS, max_size=3)
    | st.dictionaries(WORDS, WORDS, max_size=3), max_size=8,
)  # fmt: skip


@settings(max_examples=200, deadline=2_000)
@given(entries=st.dictionaries(WORDS, FIELDS, max_size=4), version=st.sampled_from([1, 3]))
def test_whatever_the_fields_hold_stays_inside(
    entries: dict[str, dict[str, Any]], version: int
) -> None:
    whole: dict[str, Any] = {"version": version, "skills": entries, "installed": entries}
    whole |= {"dependencies": list(entries.values()), **next(iter(entries.values()), {})}
    for row in ROWS:
        assert_sound(row.read(json.dumps(whole).encode()))


def test_one_bad_entry_hides_no_other() -> None:
    skills = {"a": {"source": "o/r", "sourceType": "github"}, "b": 7, "../c": {}, "d": {}}
    skills["e"] = skills["a"]
    reading = npx.read_project(json.dumps({"version": 1, "skills": skills}).encode())
    assert [one.name for one in reading.found] == ["a", "e"]
    assert len(reading.problems) == 3


def test_entries_without_end_are_read_up_to_a_number() -> None:
    skills = {f"s{n}": {"source": "o/r", "sourceType": "github"} for n in range(MAX_ENTRIES + 5)}
    reading = npx.read_project(json.dumps({"version": 1, "skills": skills}).encode())
    assert len(reading.found) == MAX_ENTRIES
    assert reading.problems == (f"only the first {MAX_ENTRIES} entries were read",)


def test_of_a_long_lock_of_apm_only_what_matters_is_read() -> None:
    kept = (FIXTURES / "apm/apm.lock.yaml").read_bytes()
    long = kept + b"deployments:\n" + b"- kind: project-relative\n  owners:\n  - x\n" * 20_000
    assert apm.read_lock(long) == apm.read_lock(kept)
    assert apm.read_lock(kept.replace(b"\n", b"\r\n")) == apm.read_lock(kept)
    for marker in (b"<<<<<<< HEAD", b"=======", b">>>>>>> theirs"):
        (problem,) = apm.read_lock(kept + marker + b"\n" + kept).problems
        assert "merge" in problem


def test_a_local_path_is_never_read_as_a_repository() -> None:
    data = {"sourceType": "local", "localPath": "acme/skills"}
    (one,) = openskills.read_metadata(json.dumps(data).encode()).found
    assert one.source == "./acme/skills"


TREE: Final = Tree.of([
    File("SKILL.md", b"# Hi\n"), File("a_b.md", b"1"), File("a-b.md", b"2"), File("a1.md", b"3"),
    File("B.md", b"4"), File("c/d.md", b"5\r\n"), File(".hidden", b"6"),
])  # fmt: skip
ORDER: Final = [".hidden", "a_b.md", "a-b.md", "a1.md", "B.md", "c/d.md", "SKILL.md"]


def _folder_hash(tree: Tree, order: list[str]) -> str:
    files = {file.path: file for file in tree.files}
    return hashlib.sha256(b"".join(p.encode() + files[p].data for p in order)).hexdigest()


def _fingerprint(tree: Tree, order: list[str]) -> str:
    files = {file.path: file for file in tree.files}
    lines = "\n".join(f"{p}:{files[p].sha256}" for p in order if not p.startswith("."))
    return hashlib.sha256(lines.encode()).hexdigest()


def _line(path: str, data: bytes) -> str:
    return f"{path}:{hashlib.sha256(data).hexdigest()}"


HASHES: Final[list[tuple[Algorithm, str, bool]]] = [
    ("npx-folder", _folder_hash(TREE, ORDER), True),
    ("npx-folder", _folder_hash(TREE, sorted(ORDER)), False),
    ("clawhub-fingerprint", _fingerprint(TREE, ORDER), True),
    ("clawhub-fingerprint", "0" * 64, False),
    ("git-tree", TREE.git_sha1, True),
    ("git-tree", "0" * 40, False),
    ("file-lines", "\n".join([_line("SKILL.md", b"# Hi\n"), _line("c/d.md", b"5\n")]), True),
    ("file-lines", _line("SKILL.md", b"# Other\n"), False),
    ("file-lines", _line("gone.md", b""), False),
]


@pytest.mark.parametrize(("algorithm", "recorded", "same"), HASHES)
def test_a_hash_that_we_can_make_is_compared(
    algorithm: Algorithm, recorded: str, same: bool
) -> None:
    assert agrees(Foreign("x", "y", hash=recorded, algorithm=algorithm), TREE) is same


@pytest.mark.parametrize(("algorithm", "path"), [
    ("", "x.md"), ("npx-folder", "ü.md"), ("clawhub-fingerprint", ".clawhubignore"),
])  # fmt: skip
def test_a_hash_that_we_cannot_make_is_not_claimed_to_differ(
    algorithm: Algorithm, path: str
) -> None:
    tree = Tree.of([File("SKILL.md", b"# Hi\n"), File(path, b"")])
    assert agrees(Foreign("x", "y", hash="0" * 64, algorithm=algorithm), tree) is None
    assert agrees(Foreign("x", "y", algorithm=algorithm), tree) is None
