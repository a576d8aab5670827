"""Handing a skill's text to whoever reads it, with community text inside a fence."""

from __future__ import annotations

from dataclasses import dataclass

from skillpm.errors import NotFoundError, UsageError
from skillpm.model.name import SkillName, relative_path
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.provenance import Origin
from skillpm.model.requirements import Missing, Requirements, may_require
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, File, Tree
from skillpm.operations.fencing import fence
from skillpm.operations.workspace import Workspace
from skillpm.sources import shipped
from skillpm.store.library import State

_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_PLACES = ("SKILL_DIR", "PEPE_SKILL_DIR", "CLAUDE_SKILL_DIR")


@dataclass(frozen=True, slots=True)
class Readable:
    """A skill that can be read.

    Attributes:
        origin: of the bytes as they are now: other bytes than those installed are a stranger's.
        ran: whether nothing but what Python compiled is other than what was installed.
        needs: what was recorded of these very files; None when nothing was.
    """

    name: SkillName
    tree: Tree
    place: str
    origin: Origin
    edited: bool
    ran: bool = False
    needs: Requirements | None = None


def read(workspace: Workspace, name: SkillName, path: str) -> Outcome:
    """One file of a skill, its entry document by default.

    Text that is neither builtin nor official, hand-written and edited skills included, comes
    between two lines with a random nonce that the text cannot know. What the skill needs and is
    not here stands before its document, and `${SKILL_DIR}` in it is where it lies; nothing in it
    is ever run.

    Raises:
        NotFoundError: no such skill or file.
        UsageError: the file is not text, or the path climbs out.
    """
    skill = find(workspace, name)
    file = file_of(skill, path or ENTRY)
    text = text_of(skill, file)
    notes = Notes()
    if skill.edited:
        notes.warn(f"{name} was edited after it was installed")
    reviewed = is_reviewed(workspace, skill)
    fenced = not (skill.origin.is_trusted or reviewed)
    lacking = None
    if file.path == ENTRY:
        lacking = _missing(workspace, skill, text)
        text = _placed(text, skill.place)
        workspace.kept.usage.viewed(name)
    else:
        workspace.kept.usage.used(name)
    shown = fence(text, called(skill)) if fenced else text
    if lacking:
        shown = f"{_need(skill.name, lacking, helped=not fenced)}\n{shown}"
    data = {
        "name": name,
        "file": file.path,
        "origin": skill.origin.value,
        "fenced": fenced,
        "reviewed": reviewed,
        "digest": skill.tree.digest,
        "missing": lacking.as_json() if lacking else None,
        "text": shown,
    }
    return Outcome(data, tuple(notes.messages), text=shown)


def path_of(workspace: Workspace, name: SkillName, path: str) -> Outcome:
    """Where a skill, or one file of it, lies on this machine.

    Raises:
        NotFoundError: no such skill or file.
    """
    skill = find(workspace, name)
    inside = relative_path(path)
    single = skill.place.endswith(".md")
    if inside and not single:
        exact = skill.tree.get(inside) is not None
        if not exact and not any(f.path.startswith(inside + "/") for f in skill.tree.files):
            raise NotFoundError(f"{name} has no file {inside}")
    elif inside and inside != ENTRY:
        raise NotFoundError(f"{name} is a single document, it has no file {inside}")
    if inside:
        workspace.kept.usage.used(name)
    place = skill.place if single or not inside else f"{skill.place}/{inside}"
    return Outcome({"name": name, "path": place}, text=place)


def find(workspace: Workspace, name: SkillName) -> Readable:
    """A skill of the library, or of the project here, else the builtin one of that name.

    Raises:
        NotFoundError: neither has it.
        InvalidSkillError: what stands there cannot be read as a skill.
    """
    library = workspace.shelf.library if workspace.in_project else workspace.kept.library
    entry = library.entry(name)
    if entry and entry.state is not State.MISSING:
        tree = library.read(entry.place)
        origin, needs = Origin.LOCAL, None
        if entry.record and entry.state is not State.LINKED:
            unchanged = entry.record.digest == tree.digest
            origin = entry.record.origin if unchanged else Origin.COMMUNITY
            needs = entry.record.requirements if unchanged else None
        edited, ran = entry.state is State.EDITED, entry.state is State.RAN
        return Readable(name, tree, str(entry.place), origin, edited, ran, needs)
    skill = shipped.get(name)
    if skill is None or not skill.builtin:
        hint = f"skill install {name}" if skill else f"skill search {name}"
        raise NotFoundError(f"{name} is not installed", hint=hint)
    place = str(shipped.folder(name))
    return Readable(name, shipped.tree(name), place, Origin.BUILTIN, edited=False)


def is_reviewed(workspace: Workspace, skill: Readable) -> bool:
    """Whether a person looked at exactly these files."""
    return workspace.kept.is_reviewed(skill.tree.digest)


def is_trusted(workspace: Workspace, skill: Readable) -> bool:
    """Whether its words need no fence: it ships with us, is official, or a person reviewed it."""
    return skill.origin.is_trusted or is_reviewed(workspace, skill)


def called(skill: Readable) -> str:
    """What a fence says of a skill."""
    return f"skill {skill.name}, {skill.origin.value}, not reviewed"


def file_of(skill: Readable, path: str) -> File:
    """One file of a skill.

    Raises:
        NotFoundError: it has none of that name.
        UsageError: the path climbs out.
    """
    inside = relative_path(path)
    found = skill.tree.get(inside)
    if found is None:
        names = ", ".join(f.path for f in skill.tree.files[:20])
        raise NotFoundError(f"{skill.name} has no file {inside}; it has {names}")
    return found


def text_of(skill: Readable, file: File) -> str:
    """A file as text.

    Raises:
        UsageError: it is none.
    """
    try:
        if file.data.startswith(_WIDE):
            from skillpm.formats.encoding import marked

            return file.data.decode(marked(file.data).codec)
        return file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(
            f"{file.path} of {skill.name} is not text", hint=f"skill path {skill.name} {file.path}"
        ) from None


def _placed(text: str, place: str) -> str:
    """The document with the place of the skill where it asks for it; every other `$` is its own."""
    for name in _PLACES:
        text = text.replace(f"${{{name}}}", place)
    return text


def _missing(workspace: Workspace, skill: Readable, text: str) -> Missing | None:
    """What the skill says that it needs and is not here; None for nothing."""
    if not may_require(text):
        return None
    from skillpm.operations.requiring import missing, needs_of, usable_names

    wanted = skill.needs or needs_of(skill.tree)  # an old record has none
    if not wanted:
        return None
    usable = usable_names(workspace) if wanted.skills else ()
    return missing(workspace.host, wanted, usable) or None


def _need(name: str, lacking: Missing, *, helped: bool) -> str:
    """Our own words ahead of a skill's text: names alone, unless the skill is trusted."""
    lines = [f"[{name} needs what is not here: {lacking}. Ask the person; never make up a value.]"]
    if helped:
        lines += [f"[{one.name}: {safe(one.help)}]" for one in lacking.variables if one.help]
    return "\n".join(lines)
