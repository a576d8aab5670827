"""One grammar of names, checked at every door: skills, taps, hub handles, paths inside a source."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final, NewType

from skillpm.errors import UsageError

SkillName = NewType("SkillName", str)
"""A name that `skill_name` has checked; the only text that ever becomes a path of ours."""

MAX_NAME: Final = 64

_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_HANDLE: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,62}[a-z0-9_])?")
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}")
_RESERVED: Final = frozenset(
    ["con", "prn", "aux", "nul", *(f"{p}{n}" for p in ("com", "lpt") for n in range(10))]
)


def skill_name(text: str) -> SkillName:
    """The text as a skill's name.

    A name is lower-case ASCII letters and digits in groups joined by single hyphens, 1 to 64
    characters (<https://agentskills.io/specification>), and none that Windows reserves.

    Raises:
        UsageError: naming the text and the rule it breaks.
    """
    reason = name_fault(text)
    if reason:
        raise UsageError(f"{show(text)} is not a skill name: {reason}", hint=_suggest(text))
    return SkillName(text)


def is_skill_name(text: str) -> bool:
    """Whether `skill_name` would take the text."""
    return not name_fault(text)


def name_fault(text: str) -> str:
    """Why the text is not a skill name, or "" when it is one."""
    if not text:
        return "it is empty"
    if len(text) > MAX_NAME:
        return f"it has {len(text)} characters, {MAX_NAME} are allowed"
    if not text.isascii():
        points = " ".join(f"U+{ord(c):04X}" for c in text if not c.isascii())
        return f"it has characters outside a-z, 0-9 and '-': {points[:60]}"
    if not _NAME.fullmatch(text):
        return "use lower-case letters, digits and single hyphens between them"
    if text in _RESERVED:
        return "Windows reserves that name"
    return ""


def handle_name(text: str) -> str:
    """A hub handle in lower case.

    Raises:
        UsageError: the text is not letters, digits, dot, hyphen and underscore.
    """
    lowered = text.lower()
    if not text.isascii() or not _HANDLE.fullmatch(lowered) or ".." in lowered:
        raise UsageError(f"{show(text)} is not a hub handle")
    return lowered


def version_text(text: str) -> str:
    """A version as a hub writes it.

    Raises:
        UsageError: the text has characters that no version has.
    """
    if not _VERSION.fullmatch(text) or ".." in text:
        raise UsageError(f"{show(text)} is not a version")
    return text


def relative_path(text: str) -> str:
    """A path inside a source, normalised; "" is the source's root.

    Raises:
        UsageError: the path climbs out, is absolute, or holds characters no path should.
    """
    path = text.strip("/")
    if not path:
        return ""
    pure = PurePosixPath(path)
    if ".." in pure.parts or "\\" in path or not path.isprintable():
        raise UsageError(f"{show(text)} is not a path inside a source")
    return str(pure) if str(pure) != "." else ""


def show(text: str) -> str:
    """The text in quotes, everything that is not plain ASCII escaped, capped at 80 characters."""
    shown = ascii(text)
    return shown if len(shown) <= 80 else shown[:76] + "...'"


def _suggest(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:MAX_NAME].rstrip("-")
    if words == text or not is_skill_name(words):
        return ""
    return f"did you mean '{words}'?"
