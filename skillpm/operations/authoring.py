"""Writing skills: a new one to begin with, and one that is done as an archive for others."""

from __future__ import annotations

import hashlib
import shlex
from typing import Final, NamedTuple

from skillpm.edges import disk
from skillpm.errors import ConflictError, InvalidSkillError, UsageError
from skillpm.formats import json
from skillpm.formats.document import read_document
from skillpm.formats.packing import FORMATS
from skillpm.formats.skeletons import Kind, skeleton
from skillpm.model.name import SkillName, skill_name
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.text import safe
from skillpm.model.tree import Tree
from skillpm.operations import judging
from skillpm.operations.checking import Asked, check
from skillpm.operations.deciding import Permissions, check_danger
from skillpm.operations.judging import Terms
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Change, Writing

_DRAFT: Final = "0.0.0"
_SHOWN: Final = 5


class Wish(NamedTuple):
    """What a new skill shall be.

    Attributes:
        into: the folder in which it is made.
        description: what it is for; "" when nothing was said.
    """

    name: SkillName
    kind: Kind
    into: str = "."
    description: str = ""


class Packing(NamedTuple):
    """What shall be packed, and for where.

    Attributes:
        words: a path, or the name of an installed skill.
        output: the archive; "" for one that is called after name and version.
        url: where people will fetch it; "" when that is not known yet.
    """

    words: str
    output: str = ""
    url: str = ""


def new(workspace: Workspace, wish: Wish) -> Outcome:
    """Write a new skill, which validates and scans clean as it stands; `undo` takes it away.

    Raises:
        ConflictError: something of that name is there.
        StateError: the disk refuses.
    """
    tree = skeleton(wish.name, wish.kind, wish.description)
    folder = workspace.host.expand(wish.into)
    document = folder / f"{wish.name}.md"
    for taken in (folder / wish.name, document):
        if disk.entry_kind(taken):
            raise ConflictError(
                f"{safe(str(taken))} is already there",
                hint=f"to write it elsewhere: skill new {wish.name} --into FOLDER",
            )
    if wish.kind == "package":
        place, files = folder / wish.name, [file.path for file in tree.files]
        change = Change(wish.name, None, tree, "", "new", folder)
        workspace.store.apply(f"new {wish.name}", [change])
    else:
        place, files = document, [document.name]
        workspace.store.apply(f"new {wish.name}", [], [Writing(place, tree.entry, None)])
    notes, shown = Notes(), shlex.quote(safe(str(place)))
    notes.note(f"wrote {safe(str(place))}")
    notes.note(f"when it is written: skill validate {shown}, then skill install {shown}")
    data = {"name": wish.name, "kind": wish.kind, "place": str(place), "files": files}
    return Outcome(data, tuple(notes.messages))


def pack(workspace: Workspace, asked: Packing, terms: Terms) -> Outcome:
    """Write an archive of a skill, and say what a registry would list it as.

    Raises:
        InvalidSkillError: it does not meet the specification, or there are several.
        DangerError: the scan says that it would be refused.
        UsageError: the archive has a name that says no format.
        StateError: it cannot be written.
    """
    notes = Notes()
    name, tree = _valid(workspace, asked.words, notes)
    judgement = judging.judge(tree, terms)
    judging.tell([judgement], terms, notes)
    check_danger(name, judgement, Permissions(terms=terms))
    document = read_document(tree.entry)
    if not document.version:
        notes.warn(f"{name} has no version: metadata.version in its header says one")
    output = asked.output or f"{name}-{document.version or _DRAFT}.zip"
    data = _archive(output, tree, name)
    place = workspace.host.expand(output)
    disk.export(place, data)
    notes.note(f"wrote {safe(str(place))}: {len(tree.files)} files, {len(data)} bytes")
    if not asked.url:
        notes.note("the entry needs the address at which people will fetch it: --url")
    entry = {
        "source": asked.url or f"https://example.com/{place.name}",
        "description": document.summary,
        "version": document.version,
        "digest": tree.digest,
    }
    facts = {
        "name": name,
        "archive": str(place),
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "digest": tree.digest,
        "entry": entry,
        "scan": judgement.as_json(),
    }
    text = json.dump({name: entry})
    return Outcome(facts, tuple(notes.messages), text=text)


def _valid(workspace: Workspace, words: str, notes: Notes) -> tuple[SkillName, Tree]:
    """The one skill that the words lead to."""
    found = check(workspace, Asked(words), notes)
    if len(found) != 1:
        raise InvalidSkillError(
            f"{safe(words)} has {len(found)} skills, and one goes into an archive",
            hint="name the folder or document of one",
        )
    (one,) = found
    if not one.valid or one.subject.tree is None:
        told = "; ".join(problem.message for problem in one.problems[:_SHOWN])
        raise InvalidSkillError(
            f"{safe(words)} does not meet the specification: {told}",
            hint=f"skill validate {shlex.quote(safe(words))}",
        )
    header = read_document(one.subject.tree.entry).name
    return skill_name(one.expected or header), one.subject.tree


def _archive(output: str, tree: Tree, name: str) -> bytes:
    make = next((make for end, make in FORMATS.items() if output.endswith(end)), None)
    if make is None:
        ends = ", ".join(FORMATS)
        raise UsageError(f"{safe(output)} does not say its format", hint=f"end it in {ends}")
    return make(tree, name)
