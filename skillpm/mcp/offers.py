"""Skills as prompts, and their files as resources; what is offered is what can be read.

A prompt is a person's turn. Words of a stranger never stand in it: of a skill that nobody reviewed
the prompt only says which tool reads it, and that tool fences it.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from skillpm.errors import NotFoundError, RefusedError, SkillError, UsageError
from skillpm.mcp.answers import cut
from skillpm.model.name import SkillName, skill_name
from skillpm.model.outcome import Notes
from skillpm.model.text import safe, safe_block
from skillpm.model.tree import ENTRY
from skillpm.operations.offering import offered
from skillpm.operations.reading import Readable, file_of, find, is_trusted, read
from skillpm.operations.workspace import Workspace

SCHEME: Final = "skill://"
PAGE: Final = 40
"""Skills whose files are listed at once: each of their files is read for it."""

_UNREVIEWED: Final = "A skill that nobody here has reviewed yet."


class Prompt(NamedTuple):
    """A skill as a prompt; its description is ours unless the skill is trusted."""

    name: str
    description: str


class Resource(NamedTuple):
    """One file of a skill."""

    uri: str
    name: str
    kind: str
    size: int


class Content(NamedTuple):
    """What a file holds: text, or bytes of a trusted skill."""

    uri: str
    kind: str
    text: str = ""
    data: bytes | None = None


class Turn(NamedTuple):
    """What a prompt says: the person's words, and the document of a trusted skill."""

    text: str
    document: Content | None


def prompts(workspace: Workspace) -> list[Prompt]:
    """Every skill that can be read."""
    return [
        Prompt(one.listed.name, one.summary if one.trusted else _UNREVIEWED)
        for one in offered(workspace, Notes())
    ]


def turn(workspace: Workspace, name: str, given: str) -> Turn:
    """The turn that asks for a skill to be carried out.

    Raises:
        SkillError: there is no such skill, or it cannot be read.
    """
    known = skill_name(name)
    skill = find(workspace, known)
    asked = f" Input: {given}" if given.strip() else ""
    text = f"Carry out the skill {known}: read it with the tool `read` and follow it.{asked}"
    if not is_trusted(workspace, skill):
        return Turn(text, None)
    return Turn(text, content(workspace, address(known, ENTRY)))


def resources(workspace: Workspace, after: str = "") -> tuple[list[Resource], str]:
    """The files of some skills, and the name after which the next page begins; "" for the last."""
    names = [one.listed.name for one in offered(workspace, Notes())]
    rest = [name for name in names if name > after]
    found = [one for name in rest[:PAGE] for one in _files(workspace, SkillName(name))]
    return found, rest[PAGE - 1] if len(rest) > PAGE else ""


def content(workspace: Workspace, uri: str) -> Content:
    """One file, fenced as `read` fences it.

    Raises:
        SkillError: no such skill or file, or bytes that nobody reviewed.
    """
    name, path = _parts(uri)
    skill = find(workspace, name)
    file = file_of(skill, path)
    kind = _kind(file.path)
    try:
        found = read(workspace, name, file.path)
    except UsageError:
        if is_trusted(workspace, skill):
            return Content(uri, kind, data=file.data)
        raise RefusedError(
            f"{safe(file.path)} of {name} is no text, and nobody here has reviewed it",
            hint=f"skill review {name}",
        ) from None
    return Content(uri, kind, cut(safe_block(found.text)))


def address(name: str, path: str) -> str:
    """`skill://NAME/path`."""
    return f"{SCHEME}{name}/{quote(path)}"


def _files(workspace: Workspace, name: SkillName) -> Sequence[Resource]:
    try:
        skill: Readable = find(workspace, name)
    except SkillError:
        return ()  # it changed since it was listed
    found = [(address(name, f.path), f) for f in skill.tree.files]
    trusted = is_trusted(workspace, skill)  # else the names of files are a stranger's words
    return [
        Resource(uri, f"{name}/{f.path}" if trusted else uri, _kind(f.path), len(f.data))
        for uri, f in found
    ]


def _kind(path: str) -> str:
    if path.endswith(".md"):
        return "text/markdown"
    return mimetypes.guess_type(path, strict=True)[0] or "application/octet-stream"


def _parts(uri: str) -> tuple[SkillName, str]:
    if not uri.startswith(SCHEME):
        raise NotFoundError("only addresses that begin with skill:// can be read here")
    name, _, path = uri.removeprefix(SCHEME).partition("/")
    return skill_name(name), unquote(path) or ENTRY
