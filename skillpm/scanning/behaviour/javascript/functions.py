"""Finds what a function of the language or a library does by its full name."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.javascript import filesystem, looks, programs, texts, web
from skillpm.scanning.behaviour.javascript.calls import Handler
from skillpm.scanning.behaviour.javascript.things import Instance, Thing

HANDLERS: Final[dict[str, Handler]] = {
    **web.HANDLERS,
    **filesystem.HANDLERS,
    **texts.HANDLERS,
    **programs.HANDLERS,
    **looks.HANDLERS,
}

_LEAVES: Final[dict[str, Handler]] = {
    "_compile": programs.compiled,
    "sendMail": web.mail,
    "putObject": web.uploaded,
}
"""Methods whose name alone tells enough."""


def by_pattern(name: str, this: Thing | None) -> Handler | None:
    """What a method does that has no entry of its own."""
    leaf = name.rpartition(".")[2]
    if isinstance(this, Instance) and leaf == "pipe":
        return programs.piped
    return _LEAVES.get(leaf)
