"""The reader for the front matter of skills, agents and commands, and for what runs on loading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.behaviour.hosts import domain_of
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.grants import tools
from skillpm.scanning.grants.remarks import Grant, Scene, hook_rule
from skillpm.scanning.grants.settings import leads_away
from skillpm.scanning.lenient import front_matter
from skillpm.scanning.manifests.addresses import host_of
from skillpm.scanning.words import words

_MAX_COMMANDS: Final = 100
_HEAD: Final = 2_000
_COMMAND: Final = regex(
    r"\b(?:command|bash|run|exec|script)[\"']?[ \t]{0,4}:[ \t]{0,4}"
    r"(?:[|>][-+]?[ \t]{0,4}\n((?:[ \t]{2,40}[^\n]{0,600}\n?){1,60})|([^\n]{1,2000}))"
)
_CONTEXT: Final = regex(r"(?:^|[\s(:|>*-])!`([^`\n]{1,600})`", re.MULTILINE)
_CONTEXT_BLOCK: Final = regex(r"^```!\s{0,4}\n([\s\S]{1,1000}?)^```", re.MULTILINE)
_MODE: Final = regex(
    r"\b(?:bypassPermissions|dangerously\w{0,30}|yolo"
    r"|dontAsk)\b",
    re.IGNORECASE,
)
_MODEL: Final = regex(
    r"\b(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GEMINI|CLAUDE)_(?:BASE_URL|API_BASE|API_URL|API_BASE_URL)[\"']?"
    r"[ \t]{0,4}[=:][ \t]{0,4}[\"']?(https?://[^\s\"'`)]{4,300})"
)
_TOOL_KEYS: Final = ("allowed-tools", "allowed_tools", "allowedTools", "tools")
_RESERVED: Final = words(
    "help clear compact login logout config permissions exit quit resume doctor bash read write"
    " edit multiedit grep glob webfetch websearch task todowrite notebookedit mcp hooks upgrade"
)
_BAIT: Final = regex(
    r"\b(?:always|must(?: always)?) (?:be )?(?:use|used|invoke|invoked|load|loaded|call|called"
    r"|activate|activated|run|triggered?)"
    r"\b[^.\n]{0,60}\b(?:first|before (?:any|every|all|each|doing)|for (?:any|every|all|each)"
    r"|on (?:any|every|all|each))\b"
    r"|\b(?:use|invoke|load|call|activate|run|trigger)s? (?:this|it|the skill|this skill"
    r"|me)?[^.\n]{0,24}"
    r"\b(?:for|on|with|before|in) (?:every|each|all|any)(?: single)? (?:user )?"
    r"(?:requests?|messages?|prompts?|quer(?:y|ies)|questions?|conversations?|responses?"
    r"|repl(?:y|ies)|inputs?|interactions?|turns?)\b"
    r"|\bregardless of (?:the |what the |which |whatever )?(?:user|request|topic|task|question"
    r"|context|prompt)\b"
    r"|\b(?:takes?|has|have) (?:precedence|priority) over (?:all |any |every |the )?(?:other"
    r"|built-?in|existing) "
    r"|\b(?:instead of|replac(?:es|ing)|overrid(?:es|ing)|in place of) (?:all|any|every"
    r"|the) (?:other|built-?in|official|default) "
    r"(?:skills?|tools?|commands?)\b"
    r"|\b(?:never|do not|don't) (?:use|call|load|invoke) (?:any )?other (?:skills?|tools?)\b",
    re.IGNORECASE,
)


def read_document(scene: Scene) -> Iterator[Grant]:
    """What a document of an agent opens, hooks and baits included."""
    header = front_matter(scene.text)
    for key in _TOOL_KEYS:
        value, at = header.get(key, ("", 0))
        start = at + len(key) + 1
        for token in tools.tokens(value):
            rule = tools.rule_in_skill(token[0])
            if rule == "grants/any-command" and "(" in token[0] and _is_of_words_alone(scene):
                rule = "grants/more-than-needed"
            if rule:
                begin = max(scene.text.find(token[0], start), at)
                yield Grant(rule, begin, begin + len(token[0]))
    yield from _modes(header)
    value, at = header.get("hooks", ("", 0))
    yield from _hooks(scene, value, at)
    yield from _description(header)
    yield from _loading(scene)
    yield from read_models(scene)


def _is_of_words_alone(scene: Scene) -> bool:
    """Whether nothing in the skill could need a command: no code, no file but documents."""
    texts = (one.layers[0].text if one.layers else "`" for one in scene.skill.files)
    return not any("`" in text or "\n    " in text for text in texts)


def commands(value: str) -> Iterator[tuple[str, int]]:
    """The commands in a piece of YAML, each with its offset."""
    for _, found in zip(range(_MAX_COMMANDS), _COMMAND.finditer(value), strict=False):
        group = 1 if found[1] else 2
        yield found[group].strip().strip("\"'"), found.start(group)


def _hooks(scene: Scene, value: str, at: int) -> Iterator[Grant]:
    for command, offset in commands(value):
        rule = hook_rule(scene, command)
        start = max(scene.text.find(command.split("\n")[0], at), at + offset)
        yield Grant(rule, start, start + len(command.split("\n")[0]), command[:80])


def _modes(header: dict[str, tuple[str, int]]) -> Iterator[Grant]:
    for key in ("permissionMode", "permission-mode", "permission_mode", "approval", "mode"):
        value, at = header.get(key, ("", 0))
        if _MODE.search(value):
            yield Grant("grants/asks-nobody", at, at + len(key) + len(value) + 1)


def _description(header: dict[str, tuple[str, int]]) -> Iterator[Grant]:
    for key in ("description", "when_to_use", "when-to-use"):
        value, at = header.get(key, ("", 0))
        found = _BAIT.search(" ".join(value.split()))
        if found:
            yield Grant("grants/bait", at, at + len(key) + 1, found[0][:80])
    name, at = header.get("name", ("", 0))
    if name.strip("\"' ").lower() in _RESERVED:
        yield Grant("grants/takes-a-known-name", at, at + len(name) + 6, name.strip())
    value, at = header.get("metadata", ("", 0))
    if re.search(
        r"[\"']?always[\"']?\s{0,4}:\s{0,4}true\b", value + header.get("always", ("", 0))[0]
    ):
        yield Grant("grants/always-on", at, at + 8)


def _loading(scene: Scene) -> Iterator[Grant]:
    """Commands that run when the document is loaded, before anybody reads it."""
    if "!`" not in scene.text and "```!" not in scene.text:
        return
    for pattern in (_CONTEXT, _CONTEXT_BLOCK):
        for _, found in zip(range(_MAX_COMMANDS), pattern.finditer(scene.text), strict=False):
            deeds = deeds_of(found[1])
            bad = scene.severity_of(found[1]) is Severity.DANGER
            if bad or deeds.fetches or deeds.secrets or deeds.decodes:
                yield Grant("grants/acts-on-loading", *found.span(1), deeds.telling)


def _is_named(scene: Scene, address: str) -> bool:
    """Whether the skill says at its head that it is about the owner of an address."""
    owner = domain_of(host_of(address)).partition(".")[0]
    heads = (
        " ".join(value for value, _ in front_matter(one.layers[0].text).values())[:_HEAD].lower()
        for one in scene.skill.files
        if one.layers and one.file.path.rpartition("/")[2] == "SKILL.md"
    )
    return len(owner) > 2 and any(owner in head for head in heads)


def read_models(scene: Scene) -> Iterator[Grant]:
    """Addresses of models that a text sets, or has people set."""
    if not any(mark in scene.text for mark in ("_BASE_URL", "_API_BASE", "_API_URL")):
        return
    for _, found in zip(range(_MAX_COMMANDS), _MODEL.finditer(scene.text), strict=False):
        if leads_away(found[1]) and not _is_named(scene, found[1]):
            yield Grant("grants/model-elsewhere", *found.span(1), found[1][:80])
