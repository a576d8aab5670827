"""Which sources a trusted place covers: itself and what lies under it, nothing that looks alike."""

from __future__ import annotations

import pytest

from skillpm.errors import UsageError
from skillpm.formats.address import parse_source
from skillpm.model.trusting import is_trusted, trusted_source


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("github.com/acme", "github.com/acme"),
        ("github.com/acme/skills", "github.com/acme/skills"),
        ("https://github.com/acme/skills.git", "github.com/acme/skills"),
        ("HTTPS://GitHub.com/acme/", "github.com/acme"),
        ("skills.example", "skills.example"),
        ("tap:team", "tap:team"),
        ("@anna", "@anna"),
    ],
)
def test_one_spelling_of_each_place(words: str, place: str) -> None:
    assert trusted_source(words) == place


@pytest.mark.parametrize(
    "words",
    ["", "github", "acme/skills", "*.github.com", "github.com/*", "github.com//acme",
     "github.com/../evil", "https://user@github.com/acme", "https://u:p@github.com", "tap:",
     "tap:a/b", "@", "@a/b", "@a.b", "github.com:8443/acme", "http://github.com/acme",
     "file:///srv", "github.com/acme?x=1", "gith\u00fcb.com/acme", "github.com/a b",
     "git@github.com:acme",
     "github.com/\u200bacme", "-", "."],
)  # fmt: skip
def test_what_is_no_place_is_refused(words: str) -> None:
    with pytest.raises(UsageError):
        trusted_source(words)


TRUSTED = frozenset({"github.com/acme", "git.example/team/skills", "tap:team", "hub.example/@anna"})


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://github.com/acme/skills", "github.com/acme"),
        ("git@github.com:acme/skills.git", "github.com/acme"),
        ("ssh://git@github.com/acme/skills", "github.com/acme"),
        ("git+https://git.example/team/skills", "git.example/team/skills"),
        ("@anna/tidy-up", "hub.example/@anna"),
        ("https://github.com/acme/skills/files/1/x.zip", ""),
        ("git+https://github.com/acme/skills#refs/pull/1/head", ""),
        ("https://skills.example/a.md", ""),
        ("https://github.com/acme-evil/skills", ""),
        ("https://github.com/acmeevil/skills", ""),
        ("https://github.com.evil.example/acme/skills", ""),
        ("https://evil.example/github.com/acme", ""),
        ("git+https://git.example/team/skills-two", ""),
        ("git+https://git.example/team", ""),
        ("git+https://git.example:8443/team/skills", ""),
        ("git+http://git.example/team/skills", ""),
        ("https://github.com/ACME/skills", ""),
        ("@annabel/tidy-up", ""),
        ("./acme", ""),
    ],
)
def test_a_place_covers_itself_and_what_lies_under_it(address: str, place: str) -> None:
    assert is_trusted(parse_source(address), "", "hub.example", TRUSTED) == place


def test_a_handle_belongs_to_its_hub() -> None:
    assert is_trusted(parse_source("@anna/tidy-up"), "", "other.example", TRUSTED) == ""


@pytest.mark.parametrize(("tap", "place"), [("team", "tap:team"), ("teams", ""), ("", "")])
def test_a_tap_is_known_by_its_name(tap: str, place: str) -> None:
    assert is_trusted(parse_source("https://git.example/x/y"), tap, "", TRUSTED) == place
