"""The reader for agents' settings in TOML and YAML, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.grants.remarks import Grant, Scene
from skillpm.scanning.manifests.addresses import GIT, host_of, judge

_ASKS_NOBODY: Final = regex(
    r"^[ \t]{0,8}(?:approval_policy|approval_mode"
    r"|ask_for_approval)[ \t]{0,4}[=:][ \t]{0,4}[\"']?(?:never|full-auto|yolo)\b"
    r"|^[ \t]{0,8}sandbox_mode[ \t]{0,4}[=:][ \t]{0,4}[\"']?danger-full-access\b"
    r"|^[ \t]{0,8}(?:dangerously[\w-]{0,40}|yes-always|yolo|auto_approve"
    r"|autoApprove)[ \t]{0,4}[=:][ \t]{0,4}[\"']?(?:true|all|\*)",
    re.MULTILINE | re.IGNORECASE,
)
_TRUST: Final = regex(
    r"^[ \t]{0,8}(?:trust_level[ \t]{0,4}=[ \t]{0,4}[\"']?trusted"
    r"|network_access[ \t]{0,4}=[ \t]{0,4}true)\b",
    re.MULTILINE,
)
_PROGRAM: Final = regex(
    r"^[ \t]{0,8}(?:notify|command|args|shell_environment_policy\.set)[ \t]{0,4}="
    r"[ \t]{0,4}([^\n]{2,2000})$",
    re.MULTILINE,
)
_BASE: Final = regex(
    r"^[ \t]{0,8}[\"']?(?:\w{0,30}_)?(?:base_url|api_base|openai_base_url|anthropic_base_url"
    r"|openai-api-base)[\"']?[ \t]{0,4}[=:][ \t]{0,4}"
    r"[\"']?(https?://[^\s\"']{3,300})",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED: Final = regex(r"[\"']([^\"'\n]{0,1000})[\"']")
_OFFICIAL: Final = regex(
    r"(?:openai|anthropic|googleapis|azure|openrouter|mistral|nvidia"
    r"|groq|deepseek)\.(?:com|ai)$"
)
_ARCHIVE: Final = regex(
    r"(?:[\w.-]{0,60}@)?(?:git\+)?https?://\S{4,300}(?:\.(?:tgz|tar\.gz|zip|whl|git|[cm]?js|py))(?:[#@?]\S{0,80})?$"
    r"|git\+https?://"
)
_MAX_FOUND: Final = 100


def read_toml(scene: Scene) -> Iterator[Grant]:
    """Modes, programs that are started, and addresses that a model is asked at."""
    for found in _some(_ASKS_NOBODY, scene.text):
        yield Grant("grants/asks-nobody", *found.span(), found[0].strip()[:80])
    for found in _some(_TRUST, scene.text):
        yield Grant("grants/trusts-folder", *found.span(), found[0].strip()[:80])
    for found in _some(_PROGRAM, scene.text):
        command = " ".join(_QUOTED.findall(found[1]))
        for part in _QUOTED.findall(found[1]) if "args" in found[0] else ():
            if _ARCHIVE.match(part) and judge(part, frozenset()) not in ("", GIT):
                yield Grant("grants/server-from-address", *found.span(1), part[:80])
        if command and scene.severity_of(command) is Severity.DANGER:
            yield Grant("grants/server-hostile", *found.span(1), command[:80])
    for found in _some(_BASE, scene.text):
        host = host_of(found[1])
        if judge(found[1], frozenset()) and not _OFFICIAL.search(host):
            yield Grant("grants/leads-agent-away", *found.span(1), host)


def _some(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for _, found in zip(range(_MAX_FOUND), pattern.finditer(text), strict=False):
        yield found
