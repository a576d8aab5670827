"""How a script says what runs it: its first line, else the end of its name."""

from __future__ import annotations

import re
import shlex
from typing import Final, NamedTuple

_PROGRAMS: Final = re.compile(r"python(?:3(?:\.\d{1,2})?)?|node|nodejs|ruby|bash|sh")
_ENDINGS: Final = {
    ".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".rb": "ruby",
    ".sh": "bash", ".bash": "bash",
}  # fmt: skip
_FIRST: Final = 256


class Runner(NamedTuple):
    """What runs a script.

    Attributes:
        program: its name, to be looked for on PATH; "" when the script is none that is run.
        options: what stands between the program and the script.
        problem: why it is none.
    """

    program: str
    options: tuple[str, ...] = ()
    problem: str = ""


def runner_of(path: str, data: bytes) -> Runner:
    """What runs that file: Python, Node, Ruby, Bash or sh, and nothing else."""
    if data.startswith(b"#!"):
        return _of_first_line(data[2:_FIRST].split(b"\n", 1)[0])
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    if ending in _ENDINGS:
        return Runner(_ENDINGS[ending])
    return Runner("", (), "it is no script: no first line says what runs it, nor does its name")


def _of_first_line(line: bytes) -> Runner:
    try:
        words = shlex.split(line.decode("ascii"))
    except (UnicodeDecodeError, ValueError):
        return Runner("", (), "its first line cannot be understood")
    if words and words[0].rpartition("/")[2] == "env":
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    if not words:
        return Runner("", (), "its first line names nothing that runs it")
    program = words[0].rpartition("/")[2]
    if not _PROGRAMS.fullmatch(program):
        return Runner("", (), f"its first line asks for {ascii(program)[:40]}")
    return Runner("node" if program == "nodejs" else program, tuple(words[1:]))
