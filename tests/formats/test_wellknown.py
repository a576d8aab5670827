"""Indexes of sites: versions, types, digests, and addresses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillpm.errors import UnreachableError
from skillpm.formats.wellknown import SCHEMA, SiteIndex, read_site_index

URL = "https://site.example/.well-known/agent-skills/index.json"
ENTRY = {"name": "x", "type": "archive", "url": "../x.zip", "digest": "sha256:" + "ab" * 32}


def read(*entries: Any, schema: Any = SCHEMA) -> SiteIndex:
    value = {"skills": list(entries)} | ({"$schema": schema} if schema else {})
    return read_site_index(json.dumps(value).encode(), URL)


def test_an_entry_is_read_and_its_address_is_made_whole() -> None:
    (entry,) = read(ENTRY).entries
    assert entry.urls == ("https://site.example/.well-known/x.zip",)
    assert (entry.kind, entry.sha256) == ("archive", "ab" * 32)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../x"}, {"name": None}, {"type": "plugin"}, {"type": None}, {"digest": "ab"},
        {"digest": "sha256:" + "AB" * 32}, {"digest": None}, {"url": ""},
        {"url": "http://site.example/x"}, {"url": "file:///etc/passwd"}, {"url": "javascript:x"},
    ],
)  # fmt: skip
def test_a_bad_entry_is_skipped_and_named(change: dict[str, Any]) -> None:
    found = read(ENTRY | change, ENTRY)
    assert [entry.name for entry in found.entries] == ["x"]
    assert len(found.problems) == 1


@pytest.mark.parametrize("schema", ["https://x/9", 7, "", SCHEMA + "x"])
def test_an_unknown_version_is_refused(schema: Any) -> None:
    if schema == "":
        schema = " "
    with pytest.raises(UnreachableError, match="unknown version"):
        read(ENTRY, schema=schema)


@pytest.mark.parametrize("files", [None, [], ["a.md"], ["SKILL.md", "../x"], ["SKILL.md", 7]])
def test_an_older_entry_needs_usable_files(files: Any) -> None:
    found = read({"name": "x", "files": files}, schema=None)
    assert not found.entries
    assert found.problems


def test_the_files_of_an_older_entry_stand_beside_the_index() -> None:
    (entry,) = read({"name": "x", "files": ["SKILL.md", "a b.md"]}, schema=None).entries
    assert entry.urls[1] == "https://site.example/.well-known/agent-skills/x/a%20b.md"


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"skills": {}}', b"<html>"])
def test_what_is_no_index_is_unreachable(data: bytes) -> None:
    with pytest.raises(UnreachableError):
        read_site_index(data, URL)
