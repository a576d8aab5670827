"""The index of a tap: one bad entry is skipped and named, and never hides the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillpm.errors import UnreachableError
from skillpm.formats.index import MAX_ENTRIES, Index, TapPlace, read_tap_index
from skillpm.formats.shipped import read_shipped
from skillpm.model.address import Git, Hub, Source, Web
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin

TAP = TapPlace("team")
GH = "https://github.com/o/r"
OWN = TapPlace("team", Git("https://github.com/team/tap", "c0ffee"), ("https://github.com:443",))
GOOD = {"source": "https://host.example/good.tar.gz", "description": "Use when\n it is good."}


def read(value: Any, tap: TapPlace = TAP) -> Index:
    return read_tap_index(json.dumps(value).encode(), tap)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"<!doctype html><title>404</title>", b"{", b"not json", b"\xff\xfe", b"[]", b'["a"]',
        b'"x"',
        b"7", b"null", b"true", b'{"a": {}, "a": {}}', b"[" * 50_000, b'{"a": NaN}',
        b" " * 6_000_000,
    ],
    ids=lambda data: ascii(data[:12]),
)  # fmt: skip
def test_what_is_no_index_is_an_answer_of_its_own_that_names_the_tap(data: bytes) -> None:
    with pytest.raises(UnreachableError, match="the tap team") as caught:
        read_tap_index(data, TAP)
    assert "\n" not in caught.value.message


BAD_ENTRIES: dict[str, Any] = {
    "text": "https://host.example/x.md",
    "a number": 7,
    "null": None,
    "a list": ["https://host.example/x.md"],
    "true": True,
    "empty": {},
    "no source": {"description": "x"},
    "an empty source": {"source": "  "},
    "a number as source": {"source": 7},
    "a list as source": {"source": ["o/r"]},
    "an object as source": {"source": {"url": "o/r"}},
    "a local path": {"source": "/etc/passwd"},
    "a relative path": {"source": "../../x"},
    "a path in the home": {"source": "~/.ssh"},
    "a Windows path": {"source": "C:\\x"},
    "a file URL": {"source": "file:///etc/passwd"},
    "git over a file URL": {"source": "git+file:///srv/r"},
    "a bundled name": {"source": "bundled:read-pdf"},
    "plain http": {"source": "http://host.example/x.md"},
    "git over plain http": {"source": "git+http://host.example/r"},
    "the git protocol": {"source": "git://host.example/r"},
    "a helper": {"source": "ext::sh -c id"},
    "an option": {"source": "--upload-pack=id"},
    "a password": {"source": "https://me:pw@host.example/r.git"},
    "control characters": {"source": "https://host.example/\x1b[2J.md"},
    "a path that climbs": {"source": "o/r", "path": "../x"},
    "an overlong source": {"source": "https://host.example/" + "x" * 3_000},
    "its own folder, in an index at a URL": {"source": "./skills/x"},
}


@pytest.mark.parametrize("case", BAD_ENTRIES)
def test_a_bad_entry_is_skipped_and_named_and_the_others_work(case: str) -> None:
    found = read({"first": GOOD, "broken": BAD_ENTRIES[case], "last": {"source": "o/r"}})
    assert [listing.name for listing in found.listings] == ["first", "last"]
    assert len(found.problems) == 1
    assert found.problems[0].startswith("team: the entry 'broken' is skipped: ")
    assert found.problems[0].isprintable()


@pytest.mark.parametrize(
    "name", ["", "..", "../../evil", "a/b", "CON", "con", "A", "x" * 65, "\u0430", "a\x1b[2J",
    "-rf", "a b"]
)  # fmt: skip
def test_an_entry_under_a_name_that_is_none_is_skipped(name: str) -> None:
    found = read({name: GOOD, "good": GOOD})
    assert [listing.name for listing in found.listings] == ["good"]
    assert "its name is unusable" in found.problems[0]
    assert found.problems[0].isascii()


@pytest.mark.parametrize(
    ("entry", "source"),
    [
        ({"source": "https://host.example/a.tar.gz"}, Web("https://host.example/a.tar.gz")),
        ({"source": "https://host.example/a.md", "extra": [1]}, Web("https://host.example/a.md")),
        ({"source": " o/r "}, Git(GH)),
        ({"source": "https://github.com/o/r/tree/main"}, Git(GH, tail="main")),
        ({"source": GH, "path": "skills/a"}, Git(GH, "", "skills/a")),
        ({"source": f"{GH}#v1", "path": "/skills/a/"}, Git(GH, "v1", "skills/a")),
        ({"source": f"{GH}/tree/main", "path": "skills/a"}, Git(GH, tail="main/skills/a")),
        ({"source": GH, "path": 7}, Git(GH)),
        ({"source": "@me/a"}, Hub("me", SkillName("a"))),
        ({"source": "https://raw.githubusercontent.com/o/r/main/a.md"}, Git(GH, tail="main/a.md")),
    ],
)
def test_every_shape_of_entry_is_read(entry: dict[str, Any], source: Source) -> None:
    found = read({"a": entry})
    assert found.problems == ()
    assert found.listings[0].source == source


@pytest.mark.parametrize(
    ("source", "path"), [(".", ""), ("./", ""), ("./skills/a", "skills/a"), ("./a/", "a")]
)
def test_a_tap_that_is_a_repository_may_name_its_own_folders(source: str, path: str) -> None:
    found = read({"a": {"source": source}}, OWN)
    assert found.listings[0].source == Git("https://github.com/team/tap", "c0ffee", path)
    assert found.listings[0].near == OWN.near


def test_a_tap_may_not_leave_its_own_repository_by_a_path() -> None:
    assert read({"a": {"source": "./../x"}}, OWN).listings == ()


def test_the_wrapper_of_tap_json_is_taken_off() -> None:
    plain = {"a": GOOD, "b": {"source": "o/r"}}
    assert read({"name": "t", "schema": 1, "skills": plain}) == read(plain)


def test_a_skill_that_is_called_skills_is_not_a_wrapper() -> None:
    found = read({"skills": GOOD, "other": GOOD})
    assert [listing.name for listing in found.listings] == ["skills", "other"]


def test_what_an_entry_says_of_itself_raises_no_trust() -> None:
    entry = GOOD | {"official": True, "builtin": True, "reviewed": True, "origin": "builtin"}
    listing = read({"a": entry}).listings[0]
    assert listing.origin is Origin.COMMUNITY
    assert listing.qualified == "team/a"


def test_fields_are_cut_to_one_line_and_a_length() -> None:
    digest = "git-tree-sha256:" + "0" * 64
    entry = GOOD | {"version": "9" * 200, "digest": digest, "description": "x " * 5_000}
    listing = read({"a": entry, "b": GOOD | {"digest": "md5:1", "version": 1, "description": 2}})
    assert (len(listing.listings[0].version), listing.listings[0].digest) == (64, digest)
    assert len(listing.listings[0].description) <= 2_048
    assert listing.listings[1].digest == listing.listings[1].version == ""
    assert read({"a": GOOD}).listings[0].description == "Use when it is good."


def test_an_empty_registry_has_no_entries_and_no_problems() -> None:
    assert read_tap_index(b"{}\n", TAP) == Index()


def test_too_many_entries_are_refused_as_a_whole() -> None:
    with pytest.raises(UnreachableError, match="entries"):
        read({f"a{n}": 1 for n in range(MAX_ENTRIES + 1)})


def test_the_shipped_registry_is_read_and_any_damage_is_an_error() -> None:
    entry = {"version": "1", "description": "d", "digest": "git-tree-sha256:0", "builtin": True}
    good = json.dumps({"skills": {"a": entry, "b": entry | {"builtin": "yes"}}}).encode()
    first, second = read_shipped(good)
    assert (first.name, first.builtin, second.builtin) == ("a", True, False)
    for data in (b"", b"{}", b"[]", b'{"skills": []}', b'{"skills": {"a": 1}}', good[:-9],
                 good.replace(b'"a"', b'"../a"'), good.replace(b'"digest"',
                 b'"other"')):  # fmt: skip
        with pytest.raises(UnreachableError, match="damaged"):
            read_shipped(data)
