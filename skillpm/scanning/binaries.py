"""The analyser for what is not text, and for files that are not what they look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skillpm.model.finding import Severity
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.identify import Kind, expected_language
from skillpm.scanning.rules import Rule, RuleSet

_RULES: Final = {
    Kind.IMAGE: "files/image",
    Kind.DOCUMENT: "files/document",
    Kind.FONT: "files/font",
    Kind.MEDIA: "files/media",
    Kind.OFFICE: "files/office-document",
    Kind.MACRO: "files/office-macros",
    Kind.ARCHIVE: "unscanned/archive",
    Kind.ENCRYPTED: "unscanned/encrypted-archive",
    Kind.EXECUTABLE: "files/native-executable",
    Kind.BYTECODE: "files/bytecode",
    Kind.SERIALIZED: "files/serialized-objects",
    Kind.DATABASE: "files/database",
    Kind.UNKNOWN: "unscanned/binary",
}
_REPLACED_BY: Final = {
    Kind.ARCHIVE: ("files/archive", "unscanned/"),
    Kind.OFFICE: ("files/document-read", "unscanned/"),
    Kind.DOCUMENT: ("files/document-read",),
    Kind.DATABASE: ("files/serialized-objects",),
    Kind.UNKNOWN: ("files/serialized-objects", "files/self-extracting"),
}
_INERT_SUFFIXES: Final = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "webp",
        "ico",
        "bmp",
        "tiff",
        "pdf",
        "mp3",
        "mp4",
        "wav",
        "ogg",
        "woff",
        "woff2",
        "ttf",
        "otf",
    ]
)


class Binaries:
    """Says what each file that is not text is, and when a file poses as another kind."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """One sighting for each such file, one for each note, and one more for each disguise."""
        for facts in skill.files:
            yield from _kind(facts, rules)
            for note in facts.notes:
                yield Sighting(rules[note.rule], facts, detail=note.detail)
            if _disguised(facts):
                yield Sighting(rules["files/disguised"], facts, detail=facts.identity.detail)
            if facts.cut:
                yield Sighting(rules["unscanned/too-large"], facts)


def _kind(facts: FileFacts, rules: RuleSet) -> Iterator[Sighting]:
    """What a file is, unless a note says it better or it lies harmlessly in another file."""
    rule = rules[_RULES[facts.identity.kind]] if facts.identity.kind in _RULES else None
    if rule is None or _noted(facts) or (facts.inside and _is_plain(facts, rule)):
        return
    yield Sighting(rule, facts, detail=facts.identity.detail)


def _is_plain(facts: FileFacts, rule: Rule) -> bool:
    """Whether nothing need be said of such a file in a container: that has its own finding."""
    return rule.severity is Severity.INFO or facts.file.path.endswith(".class")


def _noted(facts: FileFacts) -> bool:
    replaced = _REPLACED_BY.get(facts.identity.kind, ())
    return any(note.rule.startswith(replaced) for note in facts.notes) if replaced else False


def _disguised(facts: FileFacts) -> bool:
    kind, path = facts.identity.kind, facts.file.path
    suffix = path.rpartition(".")[2].lower()
    if kind in (Kind.EXECUTABLE, Kind.BYTECODE):
        return suffix in _INERT_SUFFIXES or expected_language(path) != "text" or suffix == "txt"
    return kind is Kind.TEXT and suffix in _INERT_SUFFIXES and facts.identity.text.startswith("#!")
