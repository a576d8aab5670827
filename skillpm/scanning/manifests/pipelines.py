"""The reader for workflows of GitHub Actions: what strangers can make them run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.hosts import Place, place_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.manifests.remarks import Remark, Setting

_MAX_FOUND: Final = 200
_TARGET: Final = regex(r"\bpull_request_target\b")
_CHECKOUT: Final = regex(
    r"github\.event\.pull_request\.head\.(?:sha|ref|repo)|github\.head_ref|refs/pull/"
)
_STRANGERS: Final = regex(
    r"\$\{\{[^}\n]{0,80}\b(?:github\.event\.(?:issue|pull_request|discussion|review|comment"
    r"|head_commit|pages"
    r"|commits|workflow_run)(?:[\w.\[\]*]{0,60})\.(?:title|body|message|name|email|label"
    r"|page_name|ref|head_branch)"
    r"|github\.head_ref)\b[^}\n]{0,80}\}\}"
)
_RUN: Final = regex(r"^([ \t]{0,40}(?:- )?)run:[ \t]{0,8}(.{0,2000})$")
_SECRETS: Final = regex(r"\btoJSON\(\s{0,4}secrets\s{0,4}\)", re.IGNORECASE)
_SENT: Final = regex(
    r"(?:curl|wget|invoke-webrequest|nc)\b[^\n]{0,300}\$\{\{\s{0,4}secrets\.[^}\n]{1,80}\}\}",
    re.IGNORECASE,
)
_VARIABLE: Final = regex(
    r"\b(\w{1,60})[ \t]{0,4}:[ \t]{0,4}[\"']?\$\{\{ {0,4}secrets\.\w{1,80} {0,4}\}\}"
)
_CODED: Final = regex(
    r"\b(?:echo|printf)\b[^\n|]{0,200}\$\{\{ {0,4}secrets\.[^\n|]{1,200}\|[^\n]{0,60}"
    r"\b(?:base64|xxd|rev|sed|tr|od|hexdump)\b"
)
_UPLOAD: Final = regex(r"\b(?:curl|wget|nc|http)\b[^\n]{4,600}")
_URL: Final = regex(r"https?://[^\s\"']{3,300}")
_HEADERS: Final = regex(r"authorization|bearer|-u[ \t]|--user\b|-H[ \t]|--header\b", re.IGNORECASE)
_NOBODYS: Final = frozenset((Place.NAMED, Place.DROP, Place.ADDRESS, Place.SHORT))
_HEADER: Final = regex(
    r"(?:authorization|x-[\w-]{1,40}|-u|--user|token)[^\n]{0,60}\$\{\{", re.IGNORECASE
)


def read_workflow(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Checkouts of a stranger's code with rights, expressions in commands, secrets sent away."""
    del setting
    text = facts.layers[0].text
    target, checkout = _TARGET.search(text), _CHECKOUT.search(text)
    if target and checkout and "actions/checkout" in text:
        yield Remark("supply-chain/pipeline-of-strangers", *checkout.span(), "pull_request_target")
    for start, command in _commands(text):
        for found in _STRANGERS.finditer(command):
            begin = start + found.start()
            yield Remark("supply-chain/pipeline-injection", begin, begin + len(found[0]), found[0])
        for found in _SENT.finditer(command):
            if not _HEADER.search(found[0]):
                begin = start + found.start()
                yield Remark("supply-chain/pipeline-secrets", begin, begin + len(found[0]))
    yield from _leaving(text)
    dumped = _SECRETS.search(text)
    if dumped:
        yield Remark("supply-chain/pipeline-secrets", *dumped.span(), "all secrets at once")


def _leaving(text: str) -> Iterator[Remark]:
    """Secrets that are coded to be shown, or sent to a host that nobody knows."""
    named = {found[1] for found in _VARIABLE.finditer(text)}
    for start, command in _commands(text):
        shown = _CODED.search(command)
        if shown:
            at = start + shown.start()
            yield Remark("supply-chain/pipeline-secrets", at, at + len(shown[0]), "coded and shown")
        for sent in _UPLOAD.finditer(command):
            used = any(re.search(rf"\$\{{?{name}\b", sent[0]) for name in named)
            address = _URL.search(sent[0])
            if (
                used
                and address
                and place_of(address[0]) in _NOBODYS
                and not _HEADERS.search(sent[0])
            ):
                at = start + sent.start()
                yield Remark("supply-chain/pipeline-secret-leaves", at, at + len(sent[0]))


def _commands(text: str) -> Iterator[tuple[int, str]]:
    """The scripts under `run:` with their offsets; a block goes on while it is indented more."""
    at, depth, count = 0, -1, 0
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" \t"))
        opened = _RUN.match(line)
        if opened:
            depth, count = len(opened[1]), count + 1
            yield at + opened.start(2), opened[2]
        elif depth >= 0 and (indent > depth or not line.strip()):
            yield at, line[:2_000]
        else:
            depth = -1
        if count > _MAX_FOUND:
            return
        at += len(line) + 1
