"""Refs of repositories, the order of search results, and the short names of taps."""

from __future__ import annotations

import pytest

from skillpm.edges.git import Refs
from skillpm.errors import NotFoundError
from skillpm.model.address import Git
from skillpm.sources.repo import locate
from skillpm.sources.taps import default_name

URL = "https://github.com/jane/skills"
A, B, C, D, E = (letter * 40 for letter in "abcde")
REFS = Refs(
    {
        "HEAD": A,
        "refs/heads/main": A,
        "refs/heads/feature/x": B,
        "refs/heads/feature/x/deep": C,
        "refs/tags/v1": D,
        "refs/heads/both": B,
        "refs/tags/both": D,
        "refs/pull/7/head": E,
    },
    A,
    "refs/heads/main",
)


@pytest.mark.parametrize(
    ("source", "commit", "ref", "path"),
    [
        (Git(URL), A, "refs/heads/main", ""),
        (Git(URL, path="skills/x"), A, "refs/heads/main", "skills/x"),
        (Git(URL, "main"), A, "refs/heads/main", ""),
        (Git(URL, "v1"), D, "refs/tags/v1", ""),
        (Git(URL, "both"), B, "refs/heads/both", ""),
        (Git(URL, "refs/tags/both"), D, "refs/tags/both", ""),
        (Git(URL, "refs/pull/7/head"), E, "refs/pull/7/head", ""),
        (Git(URL, E, "a"), E, E, "a"),
        (Git(URL, tail="main"), A, "refs/heads/main", ""),
        (Git(URL, tail="main/skills/x"), A, "refs/heads/main", "skills/x"),
        (Git(URL, tail="feature/x/skills"), B, "refs/heads/feature/x", "skills"),
        (Git(URL, tail="feature/x/deep/skills"), C, "refs/heads/feature/x/deep", "skills"),
        (Git(URL, tail="refs/heads/main/a.md"), A, "refs/heads/main", "a.md"),
        (Git(URL, tail="v1/a.md"), D, "refs/tags/v1", "a.md"),
    ],
    ids=str,
)
def test_a_ref_is_found_and_the_rest_is_the_path(
    source: Git, commit: str, ref: str, path: str
) -> None:
    revision, found = locate(source, REFS)
    assert (revision.value, revision.ref, found) == (commit, ref, path)


@pytest.mark.parametrize(
    "source", [Git(URL, "mian"), Git(URL, tail="feature/y/a"), Git(URL, "a" * 39)], ids=str
)
def test_a_ref_that_is_not_there_is_not_found(source: Git) -> None:
    with pytest.raises(NotFoundError, match="no branch or tag"):
        locate(source, REFS)


def test_a_misspelled_branch_is_suggested_and_an_empty_repository_is_said() -> None:
    with pytest.raises(NotFoundError) as raised:
        locate(Git(URL, "mian"), REFS)
    assert "main" in raised.value.hint
    with pytest.raises(NotFoundError, match="empty"):
        locate(Git(URL), Refs({}, ""))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/your-team/skills", "your-team"),
        ("https://github.com/Your_Team/skills.git", "your-team"),
        ("git@github.com:your-team/skills.git", "your-team"),
        ("ssh://git@host.example/your-team/skills", "your-team"),
        ("https://gitlab.com/group/sub/skills", "sub"),
        ("https://skills.example/index.json", "skills-example"),
        ("https://skills.example:8443/a/b/index.json", "skills-example"),
        ("file:///srv/git/skills.git", "git"),
    ],
)
def test_a_tap_gets_a_short_name_from_its_address(url: str, name: str) -> None:
    assert default_name(url) == name
