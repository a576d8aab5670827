"""The analyser for pages and drawings that act: SVG and HTML with scripts that reach out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.rules import RuleSet

_MAX_TEXT: Final = 1_000_000
_MAX_SCRIPTS: Final = 200
_MAX_SCRIPT: Final = 60_000
_SCRIPT: Final = regex(r"<script\b([^<>]{0,2000})>", re.IGNORECASE)
_REMOTE_SOURCE: Final = regex(
    r"\b(?:src|href)\s{0,4}=\s{0,4}[\"']?\s{0,4}(?:https?:)?//", re.IGNORECASE
)
_HANDLER: Final = regex(
    r"\son[a-z]{3,24}\s{0,4}=\s{0,4}(?:\"([^\"]{1,4000})\"|'([^']{1,4000})')"
    r"|\b(?:href|src|action|from|to|values)\s{0,4}=\s{0,4}[\"']\s{0,4}javascript:([^\"']{1,4000})",
    re.IGNORECASE,
)
_REACHES: Final = regex(
    r"\bfetch\s{0,4}\(|xmlhttprequest|sendbeacon|websocket|eventsource|importscripts|\beval\s{0,4}\("
    r"|new\s{1,4}function\b|document\.cookie|\blocalstorage|\bsessionstorage|\batob\s{0,4}\(|\bimport\s{0,4}\("
    r"|new\s{1,4}image\b|document\.write|window\.open|\blocation(?:\.href)?\s{0,4}="
    r"|\blocation\.(?:replace|assign)|\.src\s{0,4}=|createelement\s{0,4}\(\s{0,4}[\"']script"
    r"|(?:top|parent)\.(?:document|postmessage)|clipboard",
    re.IGNORECASE,
)
_ACTS: Final = regex(
    r"\bfetch\s{0,4}\(|xmlhttprequest|sendbeacon|\beval\s{0,4}\(|\batob\s{0,4}\(|document\.cookie"
    r"|new\s{1,4}function\b|importscripts",
    re.IGNORECASE,
)
_STORAGE: Final = regex(
    r"document\.cookie|localstorage|sessionstorage|clipboard\.read", re.IGNORECASE
)
_SENDS: Final = regex(
    r"(?:fetch\s{0,4}\(|sendbeacon\s{0,4}\(|\.open\s{0,4}\(|\.src\s{0,4}=|location(?:\.href)?\s{0,4}=|window\.open\s{0,4}\()"
    r"[^\n]{0,60}[\"'`](?:https?:)?//",
    re.IGNORECASE,
)
_REFRESH: Final = regex(
    r"<meta\b[^<>]{0,200}http-equiv\s{0,4}=\s{0,4}[\"']?refresh[^<>]{0,200}url\s{0,4}=\s{0,4}[\"']?"
    r"(?:https?:|javascript:|data:)",
    re.IGNORECASE,
)
_FRAME: Final = regex(r"<(?:iframe|object|embed)\b([^<>]{0,2000})>", re.IGNORECASE)
_REMOTE: Final = regex(r"[\"'=]\s{0,4}(?:https?:)?//", re.IGNORECASE)
_TINY: Final = regex(
    r"\b(?:width|height)\s{0,4}[=:]\s{0,4}[\"']?[01](?:px)?\b|display\s{0,4}:\s{0,4}none"
    r"|visibility\s{0,4}:\s{0,4}hidden|opacity\s{0,4}:\s{0,4}0(?:\.0)?[\s;\"']|\shidden\b",
    re.IGNORECASE,
)
_ENTITY: Final = regex(
    r"<!ENTITY\s{1,20}(?:%\s{1,20})?[\w.-]{1,80}\s{1,20}(?:SYSTEM|PUBLIC\s{1,20}[\"'][^\"']{0,300}[\"'])"
    r"\s{1,20}[\"'](?:file|https?|ftp|expect|php|gopher|jar|netdoc|/)",
    re.IGNORECASE,
)
_FORM: Final = regex(r"<form\b([^<>]{0,1000})>", re.IGNORECASE)
_ACTION: Final = regex(r"\baction\s{0,4}=\s{0,4}[\"']?https?://", re.IGNORECASE)
_PASSWORD: Final = regex(r"\btype\s{0,4}=\s{0,4}[\"']?password", re.IGNORECASE)


class Markup:
    """Finds what runs or reaches out when a drawing or a page is shown."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most one sighting a file for each thing."""
        for facts in skill.files:
            if facts.identity.language == "html" and facts.layers:
                text = facts.layers[0].text[:_MAX_TEXT]
                drawing = facts.file.path.lower().endswith(".svg") or "<svg" in text[:600].lower()
                found = _drawing(text) if drawing else _page(text)
                yield from _sightings(facts, rules, (*found, *_either(text)))


def _sightings(
    facts: FileFacts, rules: RuleSet, found: tuple[tuple[str, re.Match[str]], ...]
) -> Iterator[Sighting]:
    seen: set[str] = set()
    for rule, match in found:
        if rule not in seen:
            seen.add(rule)
            yield Sighting(rules[rule], facts, facts.layers[0], *match.span())


def _drawing(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for match, body in _scripts(text):
        reaches = _REACHES.search(body) or _REMOTE_SOURCE.search(match[1])
        yield "files/drawing-reaches-out" if reaches else "files/drawing-with-script", match
    for match in _handlers(text):
        reaches = _REACHES.search("".join(filter(None, match.groups())))
        yield "files/drawing-reaches-out" if reaches else "files/drawing-with-script", match
    for match in _frames(text):
        yield "files/drawing-reaches-out", match


def _page(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for match, body in _scripts(text):
        if _STORAGE.search(body) and _SENDS.search(body):
            yield "files/page-sends-storage", match
    for match in _handlers(text):
        if _ACTS.search("".join(filter(None, match.groups()))):
            yield "files/page-acts", match
    for match in _frames(text):
        if _TINY.search(match[1]):
            yield "files/page-acts", match
    refresh = _REFRESH.search(text)
    if refresh:
        yield "files/page-leads-away", refresh
    login = next((form for form in _FORM.finditer(text) if _ACTION.search(form[1])), None)
    if login and _PASSWORD.search(text):
        yield "files/page-asks-password", login


def _either(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    entity = _ENTITY.search(text) if "<!ENTITY" in text else None
    if entity:
        yield "files/document-entities", entity


def _frames(text: str) -> Iterator[re.Match[str]]:
    return (frame for frame in _FRAME.finditer(text) if _REMOTE.search(frame[1]))


def _scripts(text: str) -> Iterator[tuple[re.Match[str], str]]:
    for count, match in enumerate(_SCRIPT.finditer(text)):
        if count >= _MAX_SCRIPTS:
            return
        end = text.find("</", match.end(), match.end() + _MAX_SCRIPT)
        yield match, text[match.end() : end if end >= 0 else match.end() + _MAX_SCRIPT]


def _handlers(text: str) -> Iterator[re.Match[str]]:
    for count, match in enumerate(_HANDLER.finditer(text)):
        if count >= _MAX_SCRIPTS:
            return
        yield match
