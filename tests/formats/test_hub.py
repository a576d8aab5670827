"""What a hub answers: every field is checked, and one bad row never hides the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillpm.errors import IntegrityError, SkillError, UnreachableError
from skillpm.formats.hub import (
    Package,
    checked_sha256,
    read_json,
    read_package,
    read_search,
    read_versions,
)

SHA = "ab" * 32
PACKAGE = {
    "name": "@Me/read-pdf", "kind": "skill", "category": "tool", "owner": "me",
    "summary": "Reads\n PDFs.",
    "official": True, "latestVersion": "1.2.0", "createdAt": "x", "updatedAt": "x",
    "moderationState": "visible", "starsCount": 1, "installsCount": 2,
}  # fmt: skip
VERSION = {
    "version": "1.2.0", "sha256": SHA.upper(), "sizeBytes": 10, "createdAt": "x", "changelog": "",
    "requires": None, "scan": {"status": "clean", "riskLevel": "low"},
}  # fmt: skip


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def package(**changes: Any) -> Package:
    return read_package(encoded(PACKAGE | changes), "hub")


def test_a_package_is_read() -> None:
    assert package() == Package(
        "me", "read-pdf", "skill", "me", "Reads PDFs.", True, "1.2.0", "visible"
    )


@pytest.mark.parametrize("official", ["true", 1, "yes", None, {}, [True], False])
def test_official_is_nothing_but_true(official: Any) -> None:
    assert package(official=official).official is False


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("Someone", "someone"), ("@x", "x"), ({"handle": "H"}, "h"), ({"id": "7"}, "7"), (None,
        "me"),
        (7, "me"), ({}, "me"), ("o" * 500, "o" * 128),
    ],
)  # fmt: skip
def test_the_owner_is_the_one_the_hub_names_or_the_handle(owner: Any, expected: str) -> None:
    assert package(owner=owner).owner == expected


@pytest.mark.parametrize(
    "latest", [None, 7, "", "../../x", "1/2", "1 2", "a\x1b[2J", "1" * 65, {}, ["1"]]
)
def test_a_latest_version_that_is_none_is_not_taken(latest: Any) -> None:
    assert package(latestVersion=latest).latest == ""


@pytest.mark.parametrize(
    "name",
    [
        None, 7, "", "read-pdf", "@me", "@me/", "@/x", "@me/../x", "@me/Read-PDF", "@me/CON",
        "@a..b/x",
        "@\u212ae/x", "@me/p\u0434f", "@me/x/y", "me/x", "@me/x@1", "@.me/x", {}, ["@me/x"],
    ],
)  # fmt: skip
def test_a_package_under_a_name_that_is_none_is_an_unusable_answer(name: Any) -> None:
    with pytest.raises(UnreachableError, match="cannot be installed") as caught:
        package(name=name)
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>login</html>",
        b"[]",
        b'"x"',
        b"null",
        b"7",
        b"{}",
        b'{"name": 1}',
        b"{" * 99_999,
    ],
    ids=lambda data: ascii(data[:8]),
)
def test_an_answer_of_another_shape_is_unreachable(data: bytes) -> None:
    for reader in (read_package, read_versions, read_search):
        with pytest.raises(UnreachableError, match="hub"):
            reader(data, "hub")


def test_versions_are_read_in_the_order_of_the_hub() -> None:
    older = VERSION | {"version": "1.1.0", "scan": None, "sizeBytes": "many"}
    first, second = read_versions(encoded({"items": [VERSION, older]}), "hub")
    assert (first.version, first.sha256, first.size, first.scan, first.risk) == (
        "1.2.0", SHA, 10, "clean", "low",
    )  # fmt: skip
    assert (second.version, second.size, second.scan, second.risk) == ("1.1.0", 0, "", "")


@pytest.mark.parametrize(
    "bad",
    [
        7, "x", None, [], {}, VERSION | {"sha256": None}, VERSION | {"sha256": "xyz"},
        VERSION | {"sha256": SHA[:-1]}, VERSION | {"version": ""},
        VERSION | {"version": "../../etc"},
        VERSION | {"version": 7}, VERSION | {"version": "1/../2"},
    ],
)  # fmt: skip
def test_a_version_that_cannot_be_checked_or_named_is_left_out(bad: Any) -> None:
    found = read_versions(encoded({"items": [bad, VERSION, bad]}), "hub")
    assert [version.version for version in found] == ["1.2.0"]


@pytest.mark.parametrize(
    "bad",
    [
        7, "x", None, [], {}, PACKAGE | {"name": "@a..b/x"}, PACKAGE | {"name": "@\u212a/x"},
        PACKAGE | {"name": "@me/../x"}, PACKAGE | {"kind": "plugin"}, PACKAGE | {"kind": None},
        PACKAGE | {"moderationState": "blocked"}, PACKAGE | {"moderationState": "held"},
    ],
)  # fmt: skip
def test_a_search_shows_the_usable_skills_and_no_others(bad: Any) -> None:
    found = read_search(encoded({"items": [bad, PACKAGE, bad], "nextCursor": None}), "hub")
    assert [item.name for item in found] == ["read-pdf"]


@pytest.mark.parametrize(("header", "promised"), [(SHA, SHA), (f" {SHA.upper()} ", ""), ("", SHA)])
def test_bytes_with_the_promised_digest_pass(header: str, promised: str) -> None:
    checked_sha256(header, promised, SHA, "x")


@pytest.mark.parametrize(
    ("header", "promised", "reason"),
    [
        ("", "", "no SHA-256"), ("cd" * 32, SHA, "its header"), (SHA, "cd" * 32, "its listing"),
        (SHA[:32], SHA, "its header"), ("nonsense", "", "its header"),
    ],
)  # fmt: skip
def test_bytes_with_another_digest_or_none_are_refused(
    header: str, promised: str, reason: str
) -> None:
    with pytest.raises(IntegrityError, match=reason):
        checked_sha256(header, promised, SHA, "x")


def test_an_answer_that_is_not_json_names_who_gave_it() -> None:
    with pytest.raises(SkillError, match="the hub answered"):
        read_json(b"<html>", "the hub")
