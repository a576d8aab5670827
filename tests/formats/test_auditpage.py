"""The page of an audit: one file, nothing from elsewhere, and whatever it tells is text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from skillpm.formats.auditpage import page
from skillpm.model.audited import Audited, Copy, Standing
from skillpm.model.finding import Finding, ScanReport, Severity, Verdict
from skillpm.model.judgement import Judgement

AT = "2031-05-06T07:08:09Z"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</style><script src=https://example.com/x.js></script>",
    "</title><base href=https://example.com/>",
    "&lt;script&gt;",
    "<!--", "]]>", "javascript:alert(1)",
    "\x1b[31mred\x07", "a\u202eb", "\ud800", "line\nline",
]  # fmt: skip


class Seen(HTMLParser):
    """The elements and attributes of a page, and what it says."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.said += data


def audited(text: str = "tidy-up", *remarks: str) -> Audited:
    """A skill of which every text is this one."""
    finding = Finding(text, "x", Severity.DANGER, text, 1, 1, text, text)
    report = ScanReport.of([finding], scanned_files=1, rules_version="1")
    judgement = Judgement(report, Verdict.DANGER, complete=True)
    return Audited(
        text, text, text, text, text, text, text, text + "2", text, text, (40, 3), judgement,
        Standing(text, text, text), (Copy(text, text, text),), (text, *remarks),
    )  # fmt: skip


PLAIN = Seen(page([audited()], AT, network=True))


@pytest.mark.parametrize("text", HOSTILE)
def test_whatever_a_text_holds_it_adds_no_element_and_no_attribute(text: str) -> None:
    written = page([audited(text)], AT, network=True)
    seen = Seen(written)
    assert seen.tags == PLAIN.tags
    assert seen.attributes == PLAIN.attributes
    written.encode()
    assert "\x1b" not in written
    assert "\u202e" not in written


def test_a_text_is_told_as_it_is() -> None:
    assert HOSTILE[0] in Seen(page([audited(HOSTILE[0])], AT, network=True)).said


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    written = page([audited()], AT, network=True)
    assert not PLAIN.tags & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    assert not PLAIN.attributes & {"href", "src", "style", "onclick"}
    assert "default-src 'none'" in written
    assert "url(" not in written
    assert "@import" not in written
    assert written.index("Content-Security-Policy") < written.index("<style>")


def test_the_page_is_for_phones_too() -> None:
    assert 'content="width=device-width, initial-scale=1"' in page([], AT, network=True)


def test_what_needs_attention_comes_first_and_open() -> None:
    calm = Audited(
        "calm", "official", "ok", "tap:team", "jane/skills", "commit 1", "d", "d", AT, AT,
        (1, 1), None, Standing("current"),
    )  # fmt: skip
    written = page([calm, audited("loud")], AT, network=True)
    assert written.index(">loud<") < written.index(">calm<")
    assert written.count("<details open>") == 1


@pytest.mark.parametrize(("network", "told"), [(True, 0), (False, 1)])
def test_it_says_when_no_source_was_asked(network: bool, told: int) -> None:
    assert page([], AT, network=network).count("No source was asked") == told


def test_nothing_installed_is_said() -> None:
    assert "Nothing is installed" in page([], AT, network=True)


def test_the_same_audit_gives_the_same_page() -> None:
    assert page([audited()], AT, network=True) == page([audited()], AT, network=True)


@pytest.mark.parametrize(
    ("days", "told"),
    [((None, None), "-"), ((0, 0), "0 d"), ((40, 40), "40 d"), ((40, 3), "40 d, updated 3 d")],
)
def test_the_age_in_words(days: tuple[int | None, int | None], told: str) -> None:
    one = audited()
    aged = Audited(
        one.name, one.origin, one.files, one.registry, one.source, one.revision, one.recorded,
        one.actual, AT, AT, days, None, one.upstream,
    )  # fmt: skip
    assert aged.age == told
