"""What ClawHub answers: shapes, moderation, digests and hand-offs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillpm.errors import RefusedError, UnreachableError
from skillpm.formats import clawhub, skillssh
from skillpm.formats.clawhub import HandOff

COMMIT = "ab" * 20
SHA = "cd" * 32


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("data", [b"", b"<html>", b"[]", b"{}", b"7", b'{"results": 7}'])
def test_an_answer_of_another_shape_is_unreachable(data: bytes) -> None:
    for read in (clawhub.read_search, clawhub.read_skill, clawhub.read_hand_off):
        with pytest.raises(UnreachableError, match="hub"):
            read(data, "hub")
    with pytest.raises(UnreachableError, match="hub"):
        skillssh.read_search(data, "hub")


@pytest.mark.parametrize("bad", [7, {}, {"slug": "../x", "ownerHandle": "a"}, {"slug": "x"}])
def test_one_bad_row_never_hides_the_others(bad: Any) -> None:
    good = {"slug": "x", "owner": {"handle": "Mia"}, "summary": "S"}
    rows = clawhub.read_search(encoded({"results": [bad, good]}), "hub")
    assert [(row.owner, row.slug) for row in rows] == [("mia", "x")]


@pytest.mark.parametrize("value", ["true", 1, None, False, [True]])
def test_moderation_is_nothing_but_true(value: Any) -> None:
    told = {"skill": {"slug": "x"}, "owner": {"handle": "a"}, "latestVersion": None}
    moderation = {"isMalwareBlocked": value, "isSuspicious": value}
    found = clawhub.read_skill(encoded(told | {"moderation": moderation}), "hub").moderation
    assert not found.blocked
    assert not found.suspicious


def test_a_hand_off_names_an_archive_or_a_commit() -> None:
    archive = {"version": "1.0.0", "downloadUrl": "/x.zip"}
    assert clawhub.read_hand_off(encoded({"ok": True, "archive": archive}), "hub") == HandOff(
        "1.0.0", "/x.zip"
    )
    github = {"repo": "a/b", "path": "./", "commit": COMMIT.upper()}
    handed = encoded({"ok": True, "installKind": "github", "github": github})
    assert clawhub.read_hand_off(handed, "hub").path == ""
    again = encoded({"sourceRef": "public-github"} | github)
    assert clawhub.read_hand_off(again, "hub").commit == COMMIT
    with pytest.raises(RefusedError, match="no way"):
        clawhub.read_hand_off(encoded({"ok": False, "message": "no way"}), "hub")


@pytest.mark.parametrize("change", [{"repo": "a"}, {"repo": "a/../b"}, {"commit": "main"}])
def test_a_hand_off_to_nowhere_is_unreachable(change: dict[str, str]) -> None:
    github = {"sourceRef": "public-github", "repo": "a/b", "commit": COMMIT} | change
    with pytest.raises(UnreachableError):
        clawhub.read_hand_off(encoded(github), "hub")


def test_digests_are_read_and_none_is_skipped() -> None:
    file = {"path": "SKILL.md", "size": 1, "sha256": SHA.upper()}
    assert clawhub.read_digests(encoded({"version": {"files": [file]}}), "hub") == {"SKILL.md": SHA}
    assert clawhub.read_digests(encoded({"version": {"version": "1"}}), "hub") == {}
    with pytest.raises(UnreachableError):
        clawhub.read_digests(encoded({"files": [file | {"sha256": "x"}]}), "hub")


def test_an_ambiguity_lists_references_that_can_be_typed() -> None:
    body = encoded({"matches": [{"ownerHandle": "a"}, {"owner": {"handle": "b"}}, 7]})
    error = clawhub.read_ambiguity(body, "x", "clawhub:")
    assert "clawhub:@a/x, clawhub:@b/x" in error.message
    assert "several owners" in clawhub.read_ambiguity(b"<html>", "x").message
