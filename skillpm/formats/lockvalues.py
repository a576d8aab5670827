"""What each key of `skills.lock` may hold, and what must fit together in an entry."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from skillpm.formats.address import parse_source
from skillpm.formats.requirements import MOST, is_reference
from skillpm.model.address import Local, checked_ref
from skillpm.model.lock import Locked, LockedFile, is_local
from skillpm.model.name import SkillName, relative_path, show, skill_name
from skillpm.model.provenance import Origin, Registry, Revision
from skillpm.model.text import safe
from skillpm.model.tree import (
    DIGEST_PREFIX,
    ENTRY,
    MAX_BYTES,
    MAX_FILES,
    check_collisions,
    check_path,
)

_HEX: Final = {length: re.compile(rf"[0-9a-f]{{{length}}}") for length in (40, 64)}
_AGENT: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_WORD: Final = re.compile(r"[!-~]{1,512}")
_LONGEST: Final = {"requested": 8_192, "version": 256, "owner": 256}


class LockValueError(ValueError):
    """A value that a lock may not hold; the message says why in one line."""


def fault(skill: Locked) -> str:
    """What does not fit together in an entry; "" when everything does."""
    if not skill.package and [file.path for file in skill.files] != [ENTRY]:
        return f"what is no package has one file, {ENTRY}"
    local_path = is_local(skill.source) and not skill.source.startswith(("file:", "git+file:"))
    if local_path and skill.origin is not Origin.LOCAL:
        return f"it comes from this machine, and is said to be {skill.origin.value}"
    return ""


def _string(value: Any, limit: int = 2_048) -> str:
    if not isinstance(value, str):
        raise LockValueError("it is not text")
    if len(value) > limit:
        raise LockValueError(f"it is longer than {limit} characters")
    return value


def _free(key: str) -> Callable[[Any], str]:
    return lambda value: _string(value, _LONGEST[key])


def _matching(value: Any, pattern: re.Pattern[str], what: str) -> str:
    text = _string(value)
    if not pattern.fullmatch(text):
        raise LockValueError(f"{show(text)} is not {what}")
    return text


def _name(value: Any) -> SkillName:
    return skill_name(_string(value))


def _registry(value: Any) -> Registry:
    kind, colon, name = _matching(value, _WORD, "a registry").partition(":")
    if (kind in ("tap", "hub")) != bool(name) or bool(colon) != bool(name):
        raise LockValueError(f"{show(value)} is not a registry")
    match kind:
        case "bundled" | "tap" | "hub" | "none":
            return Registry(kind, name)
    raise LockValueError(f"{show(value)} is not a registry")


def _source(value: Any) -> str:
    text = _string(value)
    source = parse_source(text)
    if str(source) != text:
        raise LockValueError(f"{show(text)} is not how an address is written: {safe(str(source))}")
    climbs = ".." in text.split("/") and not text.startswith("/")
    if isinstance(source, Local) and (climbs or text.startswith("~")):
        raise LockValueError(f"{show(text)} climbs out of the project")
    return text


def _path(value: Any) -> str:
    text = _string(value)
    if relative_path(text) != text:
        raise LockValueError(f"{show(text)} is not a path inside a source")
    return text


def _revision(value: Any) -> Revision:
    if not isinstance(value, dict) or set(value) != {"kind", "value", "ref"}:
        raise LockValueError("it is not a table of kind, value and ref")
    text, ref = _string(value["value"]), _string(value["ref"])
    match value["kind"]:
        case "commit":
            if not any(pattern.fullmatch(text) for pattern in _HEX.values()):
                raise LockValueError(f"{show(text)} is not a commit")
            return Revision("commit", text, checked_ref(ref) if ref else "")
        case "version":
            return Revision("version", _version(text), ref)
        case "content":
            return Revision("content", _hex(text, 64), ref)
    raise LockValueError(f"{show(str(value['kind']))} is no kind of revision")


def _version(text: str) -> str:
    """A version as hubs write them, which is freer than one that is typed."""
    if not text or not text.isprintable() or len(text) > 128 or ".." in text or "/" in text:
        raise LockValueError(f"{show(text)} is not a version")
    return text


def _digest(value: Any) -> str:
    text = _string(value)
    if not text.startswith(DIGEST_PREFIX):
        raise LockValueError(f"{show(text)} is not a digest, {DIGEST_PREFIX}…")
    return DIGEST_PREFIX + _hex(text.removeprefix(DIGEST_PREFIX), 64)


def _hex(value: Any, length: int) -> str:
    return _matching(value, _HEX[length], f"{length} hex digits")


def _origin(value: Any) -> Origin:
    text = _string(value)
    if text not in list(Origin):
        raise LockValueError(f"{show(text)} is no origin")
    return Origin(text)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise LockValueError("it is neither true nor false")
    return value


def _agents(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 500:
        raise LockValueError("it is not a list of agents")
    return tuple(sorted({_matching(item, _AGENT, "an agent") for item in value}))


def _references(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST:
        raise LockValueError("it is not a list of skills")
    found = tuple(_matching(item, _WORD, "a reference") for item in value)
    for item in found:
        if not is_reference(item):
            raise LockValueError(f"{show(item)} is not a reference to a skill")
    return found


def _files(value: Any) -> tuple[LockedFile, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_FILES:
        raise LockValueError(f"it is not a list of 1 to {MAX_FILES} files")
    found = tuple(sorted((_file(item) for item in value), key=lambda file: file.path))
    check_collisions(file.path for file in found)
    if sum(file.size for file in found) > MAX_BYTES:
        raise LockValueError(f"the files are larger than {MAX_BYTES // 1024 // 1024} MiB")
    return found


def _file(value: Any) -> LockedFile:
    if not isinstance(value, dict) or set(value) != set(LockedFile._fields):
        raise LockValueError("a file is not a table of path, sha256, mode and size")
    mode, size = value["mode"], value["size"]
    if mode not in ("100644", "100755"):
        raise LockValueError(f"{show(str(mode))} is not the mode of a file")
    if type(size) is not int or not 0 <= size <= MAX_BYTES:
        raise LockValueError("the size of a file is not a number of bytes")
    path = check_path(_string(value["path"]))
    return LockedFile(path, _hex(value["sha256"], 64), mode, size)


READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "name": _name,
    "requested": _free("requested"),
    "registry": _registry,
    "source": _source,
    "path": _path,
    "revision": _revision,
    "digest": _digest,
    "git_tree": lambda value: _hex(value, 40),
    "origin": _origin,
    "package": _flag,
    "version": _free("version"),
    "owner": _free("owner"),
    "agents": _agents,
    "files": _files,
    "installed_for": _name,
    "pinned": _flag,
    "requires": _references,
}
"""Key to what reads its value, and raises `LockValueError` or a SkillError when it is wrong."""

OPTIONAL: Final = frozenset({"installed_for", "pinned", "requires"})
"""The keys that stand only where they say something."""
