"""Paths inside a source, and git refs: what may stand in an address."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings, strategies as st

from skillpm.errors import UsageError
from skillpm.model.address import Web, checked_ref, is_archive
from skillpm.model.name import relative_path


@pytest.mark.parametrize(
    ("text", "path"),
    [("", ""), ("/", ""), (".", ""), ("a/b", "a/b"), ("/a/", "a"), ("./a", "a"), ("a//b", "a/b")],
)
def test_a_path_inside_a_source_is_normalised(text: str, path: str) -> None:
    assert relative_path(text) == path


@pytest.mark.parametrize(
    "text", ["..", "../a", "a/../b", "a/..", "a\\b", "a\nb", "a\x1b", "a\u202e"]
)
def test_a_path_that_climbs_or_hides_something_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        relative_path(text)


@pytest.mark.parametrize(
    "ref", ["main", "v1.2", "feature/x", "refs/tags/v1", "a@b", "é", "0" * 40, "x.y-z_1"]
)
def test_what_git_could_have_made_is_a_ref(ref: str) -> None:
    assert checked_ref(ref) == ref


@pytest.mark.parametrize(
    "ref",
    [
        "", "-x", "--upload-pack=x", "/a", "a/", ".a", "a.", "a..b", "a//b", "a.lock", "@", "a/.b",
        "a.lock/b", "a b", "a~1",
        "a^", "a:b", "a?", "a*", "a[", "a\\b", "a@{1}", "a\x7f", "a\nb", "a\0b", "a\u2028b",
        "a\u202eb",
    ],
)  # fmt: skip
def test_what_git_could_not_have_made_is_none(ref: str) -> None:
    with pytest.raises(UsageError):
        checked_ref(ref)


@settings(max_examples=40, deadline=None)
@given(st.text(st.sampled_from("ab/.-~^:@{}[*? \\\n1"), min_size=1, max_size=6))
def test_no_ref_passes_that_git_itself_refuses(ref: str) -> None:
    try:
        checked_ref(ref)
    except UsageError:
        return
    done = subprocess.run(["git", "check-ref-format", "--allow-onelevel", ref], check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("url", "document"),
    [
        ("https://x/a.md", True), ("https://x/a.MD?raw=1", True), ("https://x/a.markdown", True),
        ("https://x/a.zip", False), ("https://x/?f=a.md", False), ("https://x/a#b.md", False),
    ],
)  # fmt: skip
def test_a_document_is_told_by_the_path_of_its_url(url: str, document: bool) -> None:
    assert Web(url).is_document is document


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "A.TGZ", "x/y.tar"])
def test_archives_are_told_by_their_ending(name: str) -> None:
    assert is_archive(name)
    assert not is_archive(name + ".md")
