"""Each module of the scanner and what it reads, on inputs made up for it.

A hundred inputs each; `pytest tests/scanning/test_modules.py --hypothesis-profile=long` tries five
hundred, which is what releases are held to.
"""

from __future__ import annotations

import contextlib
import json as stdlib_json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillpm.errors import SkillError
from skillpm.formats.baseline import read_baseline, write_baseline
from skillpm.formats.scanpolicy import read_policy
from skillpm.model.acceptance import Acceptance
from skillpm.model.tree import File, Tree
from skillpm.scanning import decoders, disguises, identify, lenient, markdown
from skillpm.scanning.analyser import Analyser
from skillpm.scanning.behaviour.observing import observe
from skillpm.scanning.context import stance
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import TEXT_ORIGIN, Layer, SkillFacts
from skillpm.scanning.layers import facts_of_all, reader
from skillpm.scanning.rules import default_rules
from skillpm.scanning.scanner import ANALYSERS
from skillpm.scanning.sentences import Speech
from skillpm.scanning.views import VIEWS

PATHS: Final = (
    "SKILL.md", "a.py", "b.sh", "c.js", "d.ts", "e.ps1", "package.json", "pyproject.toml",
    "requirements.txt", ".mcp.json", ".claude/settings.json", "hooks/hooks.json", "Dockerfile",
    ".github/workflows/a.yml", "f.html", "g.svg", "h.ipynb", "i.zip", "j.tar", "k.png", "l.pdf",
    "m.pyc", "n.pkl", "o.docx", "p", "Makefile", ".pre-commit-config.yaml", "q.rb", "r.applescript",
)  # fmt: skip
PIECES: Final = (
    "---\n", "name: a\n", "allowed-tools: Bash(*)\n", "# ", "- ", "> ", "```sh\n", "```\n", "\n\n",
    "ignore ", "the user ", "must not know ", "previous rules ", "忽略", "用户", "https://h.example/x ",
    "curl -s ", "| sh\n", "$(", "${IFS}", "<<EOF\n", "EOF\n", "import os\n", "os.environ", "eval(",
    "require('", "')", "{", "}", "[", "]", '"', "'", "\\", "\\x41", "%41%42%43%44%45%46", "&#65;",
    "i g n o r e ", "1gn0r3 ", "gur naq lbh vtaber ", "eht dna uoy erongi ", "\u200b", "\U000e0041",
    "<script>", "<!--", "-->", '{"scripts":{"postinstall":"', '"mcpServers":{"a":{"command":"',
    "PK\x03\x04", "%PDF-1.4\n", "\x89PNG\r\n", "\x80\x04", "\0", "\r\n", "#!/bin/sh\n", "а",
)  # fmt: skip
TEXT: Final = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=40).map("".join)
BYTES: Final = TEXT.map(lambda text: text.encode("utf-8", "replace")) | st.binary(max_size=1_500)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=12)
    | st.sampled_from(["2026-12-01", "sha256:" + "0" * 64, "destructive/delete-everything", "SKILL.md", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["schema", "accepted", "rule", "path", "digest", "reason", "by", "date",
                         "until", "rules", "refuse", "community"]) | st.text(max_size=3),
        inner, max_size=6),
    max_leaves=14,
)  # fmt: skip
LONG: Final = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def facts_of(data: bytes, path: str) -> SkillFacts:
    files = facts_of_all([File(path, data)])
    return SkillFacts(files, *observe(files))


@pytest.mark.parametrize("analyser", ANALYSERS, ids=lambda one: type(one).__name__)
@LONG
@given(data=BYTES, path=st.sampled_from(PATHS))
def test_an_analyser_says_where_it_saw_something(
    analyser: Analyser, data: bytes, path: str
) -> None:
    for sighting in analyser.analyse(facts_of(data, path), default_rules()):
        if sighting.layer is not None:
            assert 0 <= sighting.start <= sighting.end <= len(sighting.layer.text)


@pytest.mark.parametrize("decoder", decoders.PIECEWISE, ids=lambda one: one.__name__)
@LONG
@given(text=TEXT)
def test_a_decoder_gives_little_more_than_it_got(decoder: decoders.Decoder, text: str) -> None:
    found = list(decoder(text))
    assert all(0 <= offset <= len(text) for offset, _, _ in found)
    assert sum(len(inner) for *_, inner in found) <= 4 * len(text) + decoders.MAX_INFLATED


READERS: Final[dict[str, Callable[[str], Any]]] = {
    "markdown": lambda text: [text[s.start : s.end] for s in markdown.segments(text)],
    "comments": markdown.comments,
    "lenient JSON": lambda text: list(lenient.walk(lenient.load_json(text))),
    "deeds of a command": deeds_of,
    "respelled": lambda text: list(decoders.respelled(text, commands=True)),
    "without invisible": lambda text: list(decoders.without_invisible(text)),
    "identity": lambda text: identify.identify(File("a", text.encode("utf-8", "replace"))),
    "views": lambda text: [
        view(Layer(TEXT_ORIGIN, text, reader("markdown"))) for view in VIEWS.values()
    ],
}


@pytest.mark.parametrize("name", READERS)
@LONG
@given(text=TEXT)
def test_a_reader_of_any_text_gives_something(name: str, text: str) -> None:
    READERS[name](text)


@LONG
@given(text=TEXT, data=st.data())
def test_every_place_of_a_text_is_meant_somehow(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert stance(Layer(TEXT_ORIGIN, text, markdown.segments), start, end)


@LONG
@given(text=TEXT)
def test_what_is_said_lies_in_the_text(text: str) -> None:
    rules = default_rules()
    speech = Speech(text.lower(), rules.terms)
    for rule in rules.rules.values():
        for saying in rule.sayings[:3]:
            assert all(0 <= start <= end <= len(text) * 2 for start, end in speech.says(saying))


@LONG
@given(text=st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_turning_a_disguise_back_keeps_the_letters(text: str) -> None:
    for _, _, plain in disguises.reversed_letters(text):
        assert plain[::-1] in text


@LONG
@given(value=VALUES)
def test_a_baseline_is_read_or_refused(value: Any) -> None:
    with contextlib.suppress(SkillError):
        read_baseline(stdlib_json.dumps(value).encode(), "baseline.json")


@LONG
@given(data=BYTES)
def test_a_baseline_of_any_bytes_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(SkillError):
        read_baseline(data, "baseline.json")


@LONG
@given(data=BYTES | TEXT.map(lambda text: f"[rules]\n{text}".encode("utf-8", "replace")))
def test_a_policy_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(SkillError):
        read_policy(data, "policy.toml", default_rules().rules)


GOOD: Final = Acceptance(
    rule="destructive/delete-everything", path="SKILL.md", digest="sha256:" + "0" * 64,
    reason="looked at", by="a person", date="2026-12-01",
)  # fmt: skip


def test_a_baseline_comes_back_as_it_was_written() -> None:
    assert read_baseline(write_baseline([GOOD]), "baseline.json") == (GOOD,)


def changed(**row: Any) -> bytes:
    return stdlib_json.dumps({"schema": 1, "accepted": [GOOD.as_json() | row]}).encode()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"[]", "does not begin"),
        (b'{"schema": 2, "accepted": []}', "does not begin"),
        (b'{"schema": 1, "accepted": {}}', "not a list"),
        (b'{"schema": 1, "accepted": [], "more": 1}', "unknown key more"),
        (b'{"schema": 1, "accepted": [1]}', "not an object"),
        (changed(rule="all"), "not the id of a rule"),
        (changed(rule="*/*"), "not the id of a rule"),
        (changed(path=""), "path is missing"),
        (changed(digest="sha256:0"), "not sha256"),
        (changed(reason=" "), "reason is missing"),
        (changed(by=1), "by is missing"),
        (changed(date="2026-02-30"), "not a day"),
        (changed(until="tomorrow"), "not a day"),
        (changed(also="x"), "unknown key also"),
        (changed(rule="a\u001b[31m/b"), "not the id of a rule"),
    ],
)
def test_a_malformed_baseline_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(SkillError, match=reason):
        read_baseline(data, "baseline.json")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "rules = 1",
        "[rules]\n'no-such/rule' = 'off'",
        "[rules]\n'destructive/delete-everything' = 'silent'",
        "[rules]\n'destructive/delete-everything' = 1",
        "refuse = []",
        "[refuse]\nnobody = 'danger'",
        "[refuse]\ncommunity = 'sometimes'",
        "[refuse]\ncommunity = true",
        "[rules",
        "\x00",
        "[rules]\n[rules]",
    ],
)
def test_a_malformed_policy_is_refused(text: str) -> None:
    with pytest.raises(SkillError, match=r"policy\.toml"):
        read_policy(text.encode(), "policy.toml", default_rules().rules)


def test_a_scan_of_everything_at_once_ends() -> None:
    files = [File(path, "".join(PIECES).encode("utf-8", "replace")) for path in PATHS]
    assert facts_of_all(Tree.of(files).files)
