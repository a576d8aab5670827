"""Descriptions of tools that give the agent orders: in JSON definitions and in servers' code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from skillpm.model.regex import regex
from skillpm.scanning.grants.remarks import Grant, Scene
from skillpm.scanning.lenient import load_json, place, walk
from skillpm.scanning.words import words

_MAX_FOUND: Final = 300
_MAX_TEXT: Final = 8_000
_SCHEMAS: Final = ("inputSchema", "input_schema", "parameters", "outputSchema")
_TOLD: Final = words("description title instructions default examples enum const name $comment")
_TAG: Final = regex(
    r"<\s{0,2}/?(?:important|system|secret|instructions?|critical|hidden"
    r"|admin|sys|must_follow)\s{0,2}>",
    re.IGNORECASE,
)
_ORDER: Final = regex(
    r"\b(?:must|always|never|first|before|required to|make sure to|be sure to|you should|do not"
    r"|don't)\b",
    re.IGNORECASE,
)
_CONCEAL: Final = regex(
    r"\b(?:do not|don't|never|without|avoid)\b[^.\n]{0,40}\b(?:tell|telling|mention|mentioning"
    r"|inform|informing|notify|notifying|show|showing"
    r"|reveal|revealing|alert|let)\b[^.\n]{0,30}\b(?:user|human|anyone|them|this|it|him|her)\b"
    r"|\b(?:silently|secretly|covertly)\b[^.\n]{0,60}"
    r"\b(?:send|read|include|pass|call|run|copy|forward|add|append|upload)\b",
    re.IGNORECASE,
)
_SECRETS: Final = regex(
    r"~?/?\.ssh\b|id_(?:rsa|ed25519)|\.aws/|\.env\b|mcp\.json|\.cursor/|claude_desktop_config"
    r"|\.netrc|/etc/passwd|keychain"
    r"|\b(?:api[ _-]?keys?|credentials|private keys?|environment variables|system prompt"
    r"|conversation history|chat history)\b",
    re.IGNORECASE,
)
_TAKES: Final = regex(
    r"\b(?:read|open|cat|load|fetch|collect|include|pass|send|provide|supply|append|attach|copy"
    r"|put)\b[^.\n]{0,120}",
    re.IGNORECASE,
)
_OTHERS: Final = regex(
    r"\b(?:before|prior to|after|when(?:ever)?|every time|each time)\b[^.\n]{0,30}\b(?:using"
    r"|calling|running|invoking|you (?:use|call|run)|any)\b"
    r"[^.\n]{0,20}\b(?:any|every|all|each|other|another)\b[^.\n]{0,20}\b(?:tools?|functions?"
    r"|commands?|requests?)\b"
    r"|\bwhen(?:ever)?\b[^.\n]{0,40}\b(?:tool|function)\b[^.\n]{0,60}\b(?:is|are"
    r"|being)\b[^.\n]{0,40}\b(?:used|called|present|available|invoked)\b"
    r"[^.\n]{0,80}\b(?:must|always|instead|change|replace|also|send|redirect|set)\b"
    r"|\b(?:other|existing|previous|built-?in|original) tools?\b[^.\n]{0,40}\b(?:deprecated"
    r"|obsolete|disabled|unsafe|insecure|broken|compromised|must not)\b"
    r"|\binstead of (?:the )?(?:other|built-?in|official|original|\w{1,30}) tool\b",
    re.IGNORECASE,
)
_OVERRIDE: Final = regex(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|earlier|above|all"
    r"|other|system|user)\b[^.\n]{0,30}"
    r"\b(?:instructions?|prompts?|rules?|guidelines?|messages?|requests?)\b",
    re.IGNORECASE,
)
_DECORATED: Final = regex(
    r"@(?:\w{1,30}\.){0,3}(?:tool|mcp_tool|resource|prompt|function_tool|call_tool"
    r"|list_tools)\b[^\n]{0,400}\n(?:[^\n]{0,400}\n){0,12}?[^\n]{0,200}"
    r"(?:\"\"\"|''')([\s\S]{1,6000}?)(?:\"\"\"|''')"
)
_DESCRIBED: Final = regex(
    r"\b(?:description|instructions)[\"']?\s{0,4}[:=]\s{0,4}\(?\s{0,40}(?:\"((?:[^\"\\\n]"
    r"|\\.){20,4000})\"|'((?:[^'\\\n]|\\.){20,4000})'|`([^`]{20,6000})`"
    r"|\"\"\"([\s\S]{20,6000}?)\"\"\")"
)
_REGISTERED: Final = regex(
    r"\.(?:tool|registerTool|addTool|setRequestHandler)\("
    r"|@(?:\w{1,30}\.){0,3}tool\b|list_tools|FastMCP|McpServer|types\.Tool\(|\bTool\("
)


def read_definitions(scene: Scene) -> Iterator[Grant]:
    """Orders in the definitions of tools of a JSON text."""
    if not any(f'"{key}"' in scene.text for key in _SCHEMAS):
        return
    for _, one in walk(load_json(scene.text)):
        if isinstance(one, dict) and any(key in one for key in _SCHEMAS):
            told = "\n".join(_texts(one))
            reason = orders(told)
            if reason:
                name = one.get("name")
                anchor = name if isinstance(name, str) and name else "description"
                yield Grant("grants/tool-orders", *place(scene.text, anchor), reason)


def read_code(scene: Scene) -> Iterator[Grant]:
    """Orders in the descriptions that a server's code gives its tools."""
    if not _REGISTERED.search(scene.text):
        return
    for pattern in (_DECORATED, _DESCRIBED):
        for _, found in zip(range(_MAX_FOUND), pattern.finditer(scene.text), strict=False):
            group = next(number for number, one in enumerate(found.groups(), 1) if one)
            reason = orders(found[group])
            if reason:
                yield Grant("grants/tool-orders", *found.span(group), reason)


def orders(told: str) -> str:
    """Why a description is more than one, in words; "" for an honest one."""
    text = " ".join(told[:_MAX_TEXT].split())
    takes_secrets = any(_SECRETS.search(found[0]) for found in _TAKES.finditer(text))
    if _OVERRIDE.search(text):
        return "it overrides instructions"
    if _CONCEAL.search(text):
        return "it keeps something from the user"
    if _TAG.search(text) and _ORDER.search(text):
        return "it is written to the agent, not about the tool"
    if _OTHERS.search(text) and (_ORDER.search(text) or takes_secrets):
        return "it speaks of other tools"
    if takes_secrets and re.search(
        r"\b(?:must|always|first|before|otherwise"
        r"|will not work)\b",
        text,
        re.IGNORECASE,
    ):
        return "it asks for secrets"
    return ""


def _texts(tool: dict[str, Any]) -> Iterator[str]:
    for path, one in walk(tool):
        told = any(key in _TOLD for key in path[-2:])
        if isinstance(one, str) and told:
            yield one
