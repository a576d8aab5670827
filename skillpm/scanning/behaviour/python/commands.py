"""What command lines say: which program they run, what it prints, and what it sends."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE
from skillpm.scanning.behaviour.python.folding import leaf
from skillpm.scanning.behaviour.python.values import (
    CAPTURED,
    ENVIRONMENT,
    FACTS,
    NOTHING,
    SECRET_FILE,
    Value,
    constant,
    spliced,
    text,
    texts,
)

_LANGUAGES: Final = {
    **dict.fromkeys(("python", "python2", "python3", "pythonw", "py", "pypy", "pypy3"), "python"),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "ash"), "shell"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun"), "javascript"),
    **dict.fromkeys(("powershell", "pwsh"), "powershell"),
    "perl": "perl",
    "ruby": "ruby",
    "php": "php",
    "osascript": "applescript",
    "lua": "lua",
}
_CODE_FLAGS: Final = {
    "python": regex(r"-[a-zA-Z]{0,4}c$"),
    "shell": regex(r"-[a-z]{0,4}c$"),
    "javascript": regex(r"-e$|-p$|-pe$|--eval$|--print$|eval$"),
    "powershell": regex(r"(?i)[-/](?:c|command)$"),
    "perl": regex(r"-[a-z]{0,3}[eE]$"),
    "ruby": regex(r"-e$"),
    "php": regex(r"-r$"),
    "applescript": regex(r"-e$"),
    "lua": regex(r"-e$"),
}
_BEFORE: Final = frozenset({"sudo", "env", "nohup", "nice", "time", "exec", "command", "doas"})
_PLAIN: Final = regex(rf"[\w@%+=:,./~{HOLE}-]+\Z")
RUNS_FILE: Final = regex(
    r"(?:sudo |nohup |exec )*(?:[\w./]*/)?(?:python[\d.]*|bash|sh|zsh|node|perl|ruby|php|source|\.)"
    r" +(?:-\w+ +)*\"?'?([^\s;&|\"']+)"
)
"""A command that runs a script: which."""

SENDS: Final = regex(
    r"\b(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|telnet|rclone|https?|ssh"
    r"|aws|gsutil|(?:send)?mail)\b"
)
"""Programs that send what they are told."""

LOOKS_UP: Final = regex(r"^(?:\S*/)?(?:dig|nslookup|host|ping)\b")
"""Programs that look a name up."""

HOST: Final = regex(
    r"[a-z]{2,10}://[^\s'\"]+"
    r"|\b[\w.-]{0,60}\w@[\w.-]+:?"
    rf"|(?:[\w{HOLE}-]{{1,63}}\.){{1,8}}[a-z]{{2,12}}\b[^\s'\"]*"
    r"|\b\d+\.\d+\.\d+\.\d+\b"
)
"""What looks like the other end of a connection."""

_PRINTED: Final = (
    (
        ENVIRONMENT,
        "all environment variables",
        (
            r"^\s*(?:\S*/)?(?:env|printenv|set|export -p|declare -x)\s*(?:$|[|;>])"
            r"|\benv:\s*(?:$|\|)|/proc/(?:self|\d+)/environ"
        ),
    ),
    (
        SECRET_FILE,
        "credentials from a store",
        (
            r"\bsecurity (?:find|dump|export)-?\w*|--export-secret-keys?|\bgh auth token"
            r"|\baws configure (?:get|export)|\bgcloud auth (?:\S+ )?print-\w+-token|\bpass show"
            r"|\bkubectl get secrets?|\bop (?:read|item get)|\bsecret-tool lookup"
            r"|\bgit credential fill"
        ),
    ),
    (
        CAPTURED,
        "the clipboard",
        r"^\s*(?:pbpaste|xclip\b.*-o|xsel|wl-paste|powershell.*get-clipboard)",
    ),
    (
        FACTS,
        "facts about the machine",
        (
            r"^\s*(?:\S*/)?(?:whoami|hostname|id|uname|ifconfig|ipconfig|ip|ps|netstat|ss|find"
            r"|systeminfo|tasklist|ls|dir|arp|w|who|last|lscpu|lsblk|sw_vers|system_profiler|wmic"
            r"|net|route|df|mount|dscl|getent|dmidecode|ioreg)\b"
        ),
    ),
)
PRINTED: Final = tuple((labels, words, regex(form)) for labels, words, form in _PRINTED)
"""What commands print: labels, words for the trail, and their form."""

PRINTS_FILE: Final = regex(
    r"^\s*(?:sudo )?(?:\S*/)?(?:cat|head|tail|less|more|type|base64|xxd|strings|gpg|tar|zip|grep"
    r"|jq)\s+(.*)"
)
"""A command that prints a file: its arguments."""


def quoted(word: str) -> str:
    """A word as a shell would have it; holes and `~` stay as they are."""
    return word if _PLAIN.match(word) else shlex.quote(word)


def as_command(words: Sequence[Value]) -> tuple[str, ...]:
    """The texts of a command out of its words."""
    parts: list[Value] = []
    for word in words[:200]:
        options = tuple(quoted(option) for option in texts(word))
        parts.extend((text(*options), constant(" ")))
    return spliced(parts[:-1]) or (HOLE,)


def words_of(command: Value) -> tuple[Value, ...] | None:
    """The words of a command that is a list; None when it is not one."""
    if command.items is not None:
        return command.items
    if isinstance(command.const, tuple):
        return tuple(constant(word) for word in command.const)
    return None


def program_of(words: Sequence[Value]) -> tuple[Sequence[Value], str]:
    """The words from the program on, and the language that the program reads."""
    for number, word in enumerate(words[:6]):
        program = leaf(texts(word)[0]).lower().removesuffix(".exe")
        if program in _BEFORE or (number and program.startswith("-")) or "=" in program:
            continue
        return words[number:], _LANGUAGES.get(re.sub(r"[\d.]+$", "", program) or program, "")
    return words, ""


def code_of(words: Sequence[Value], language: str) -> Value | None:
    """The code that is handed to an interpreter on its command line."""
    flag = _CODE_FLAGS.get(language)
    for number, word in enumerate(words[1:8], 1):
        option = texts(word)[0]
        if flag and flag.match(option):
            return words[number + 1] if number + 1 < len(words) else NOTHING
        if not option.startswith("-") and language != "powershell":
            return None
    return None


def split(command: Value) -> tuple[Value, ...]:
    """A command that is one text: its words, when they are known."""
    options = texts(command)
    if len(options) > 1:
        return (Value("", options=options, flow=command.flow),)
    try:
        words = shlex.split(options[0])
    except ValueError:
        words = options[0].split()
    return tuple(Value("", options=(word,), flow=command.flow) for word in words) or (command,)


def has_script(words: Sequence[Value]) -> bool:
    """Whether a program is given anything but flags."""
    return any(not option.startswith("-") for word in words[1:] for option in texts(word))
