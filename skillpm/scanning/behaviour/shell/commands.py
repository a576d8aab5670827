"""Finds what a command does by its name."""

from __future__ import annotations

import fnmatch
import re
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.shell import (
    changes,
    filters,
    looks,
    network,
    programs,
    transfers,
)
from skillpm.scanning.behaviour.shell.calls import Call, Handler
from skillpm.scanning.behaviour.shell.tables import PROSE
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, join

COMMANDS: Final[dict[str, Handler]] = {
    **looks.HANDLERS, **programs.HANDLERS, **changes.HANDLERS, **filters.HANDLERS,
    **transfers.HANDLERS, **network.HANDLERS,
}  # fmt: skip

_BINARIES: Final = regex(
    r"(?:/[\w.-]+)*/s?bin/[^/]+\Z|(?:\.{0,2}/?[\w.-]+/)*bin/(?:python|pip|node|npm)[^/]*\Z"
)
_PROGRAM: Final = regex(r"[\w./~$\[" + HOLE + r"@:+-]")
_NAME: Final = regex(r"[a-z0-9_][\w.+@-]*\Z", re.ASCII)
_PUNCTUATED: Final = regex(r"-|[-:+].|.+[:,.]\Z(?<!\.\.)", re.DOTALL)
_SENTENCE: Final = regex(r"[A-Za-z][A-Za-z'\u2019-]*[.,:;!?]?\Z")
_VERSIONED: Final = regex(
    r"(?:python|pip|pypy|node|perl|ruby|php|lua)[\d.]+\Z|mkfs\.\w+\Z|\w+\.exe\Z"
)


def dispatch(call: Call) -> Value:
    """Runs a command that is none of the shell's own functions; its standard output."""
    name = call.words[0]
    if not name.text:
        return EMPTY
    if (
        name.carries is not Carries.NOTHING
        and name.carries & programs.STRANGE
        and (HOLE in name.text or not _NAME.match(call.name))
    ):
        return programs.interpret(call, join(call.words, " "), "shell", stdin=call.stdin)
    if _is_prose(call):
        return EMPTY
    stored = call.host.stored(name) if "/" in name.text else None
    if stored is not None and not name.text.startswith(("/bin/", "/usr/bin/")):
        return _file(call, stored)
    handler = _handler(call)
    if handler is not None:
        out = handler(call)
        return looks.token(call, out)
    if "/" in name.text:
        return _file(call, None)
    return looks.token(call, programs.run(call))


def _handler(call: Call) -> Handler | None:
    """What is known of a command; notes a name that was spelled so as not to be read."""
    path, name = call.words[0].text, call.name
    if "/" in path:
        path = _matched(call, path)
        if not _BINARIES.match(path):
            return None
        name = path.rpartition("/")[2]
    handler = COMMANDS.get(name)
    if handler is None and _VERSIONED.match(name):
        base = name.removesuffix(".exe").rstrip("0123456789.")
        base = "mkfs" if name.startswith("mkfs.") else base
        handler = COMMANDS.get(base)
    hidden = call.words[0].joined or Carries.BUILT in call.words[0].carries
    if hidden and (handler is not None or programs.language_of(name)):
        hop = call.hop(f"put together: {name}")
        value = Value(carries=Carries.BUILT, trail=(hop,))
        call.act(Deed.RUN, call.line, value, language="shell")
        call.words[0] = call.words[0].saying(call.words[0].text)
    return handler


def _matched(call: Call, path: str) -> str:
    """The path of a command that is spelled as a pattern, such as `/b?n/c?t`."""
    if not re.search(r"[?*\[]", path) or len(path) > 60:
        return path
    folder, _, leaf = path.rpartition("/")
    if not any(
        fnmatch.fnmatchcase(known, folder) for known in ("/bin", "/usr/bin", "/sbin", "/usr/sbin")
    ):
        return path
    for name in sorted(COMMANDS):
        if fnmatch.fnmatchcase(name, leaf):
            value = call.words[0]
            call.words[0] = Value("/bin/" + name, value.carries | Carries.BUILT, trail=value.trail)
            return "/bin/" + name
    return path


def _file(call: Call, stored: Value | None) -> Value:
    """Runs a program by its path: one the script made, one of the skill, or another."""
    out = programs.run(call, carried=stored or EMPTY)
    if stored is not None and stored.known and stored.text.strip():
        first = stored.text.partition("\n")[0]
        if not first.startswith("#!") or re.search(r"\b(?:ba|z|da|k)?sh\b", first):
            call.host.play(stored, call, stdin=call.stdin)
    played = call.host.perform(call.words[0], call.words, call)
    return out if played is None else played


def _is_prose(call: Call) -> bool:
    """Whether the line is a sentence and no command."""
    words = call.words
    first = words[0].text
    if not _PROGRAM.match(first[0]) or _PUNCTUATED.match(first):
        return True
    known = call.name in COMMANDS
    if not known and "=" in first and "/" not in first:
        return True
    if not known and (first[0].isupper() or first[0].isdigit()) and _SENTENCE.match(first):
        return True
    if len(words) < (3 if known else 2):
        return False
    if not all(_SENTENCE.match(word.text) for word in words[1:]):
        return (
            not known and sum(word.text.lower() in PROSE for word in words) > 1 and "/" not in first
        )
    count = sum(word.text.lower().strip(".,:;!?") in PROSE for word in words[1:])
    return count > 0 and not (known and call.name in ("echo", "printf", "say", "yes", "eval"))
