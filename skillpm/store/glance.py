"""A glance at the library, for `list`: what the system says of files that were read before.

A place is not read again while everything about it (size, times, mode, inode, of the place and of
all below it) is as it was when its bytes were read. Whoever asks whether something may be trusted
does not glance: `Library` reads the bytes.
"""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from skillpm.edges.stamps import everything, is_settled, stamp
from skillpm.errors import SkillError
from skillpm.model.name import SkillName
from skillpm.model.tree import Tree
from skillpm.store.library import SUFFIX, Entry, Library, State
from skillpm.store.looked import Looked, Stamp
from skillpm.store.records import Brief, Records

_STAMPED: Final = (State.OK, State.EDITED, State.LOCAL)


class Glance(NamedTuple):
    """One skill of the library as `list` tells it.

    Attributes:
        place: its name in the library, with its suffix.
        brief: what is recorded of it; None for what a person put there.
        digest: of the files when they were last read; "" when they are missing or unreadable.
        summary: what its document says of itself; "" for what is recorded.
        requirements: what it needs, as `Requirements.as_text` writes it.
    """

    name: str
    place: str
    state: State
    brief: Brief | None
    digest: str
    summary: str = ""
    problem: str = ""
    requirements: str = ""

    @property
    def is_disturbed(self) -> bool:
        """Whether what was installed is not what stands there, or nobody can tell."""
        if self.state is State.LINKED:
            return self.brief is not None
        return self.state in (State.EDITED, State.RAN, State.MISSING, State.UNREADABLE)


def glances(library: Library, records: Records, looked: Looked) -> list[Glance]:
    """Every skill of the library, by name.

    Raises:
        StateError: our own state is damaged.
    """
    briefs = {brief.name: brief for brief in records.briefs()}
    there, stamps, root = library.there(), looked.stamps(), str(library.root)
    found: dict[str, Glance] = {}
    for name, known in stamps.items():
        place = known.paths.partition("\n")[0]
        twin = name + SUFFIX if place == name else name
        if twin not in there and known.stamp == stamp(root, known.paths):
            found[name] = _seen(name, place, briefs.get(name), known)
    new: dict[str, Stamp] = {}
    for name in {*briefs, *library.found(found)} - found.keys():
        found[name] = _read(library, SkillName(name), briefs.get(name), new)
    looked.keep_stamps(new, stamps.keys() - found.keys())
    return [found[name] for name in sorted(found)]


def _seen(name: str, place: str, brief: Brief | None, known: Stamp) -> Glance:
    if brief is None:
        told = known.requirements
        return Glance(name, place, State.LOCAL, None, known.digest, known.summary, "", told)
    state = State.OK if known.digest == brief.digest else State.EDITED
    told = brief.requirements
    return Glance(name, place, state, brief, known.digest, known.summary, "", told)


def _read(library: Library, name: SkillName, brief: Brief | None, new: dict[str, Stamp]) -> Glance:
    """Read the bytes; the stamp counts when nothing moved meanwhile, or might have unseen."""
    at, place, root = time.time_ns(), library.occupied(name), str(library.root)
    paths = everything(root, place.name) if place else ""
    before = stamp(root, paths) if paths else ""
    entry, tree = library.look(name) or (_gone(library, name), None)
    if entry.record is None:
        summary, told = _said(tree, entry.problem)
    else:
        summary, told = "", entry.record.requirements.as_text()
    settled = bool(before) and is_settled(before, at) and before == stamp(root, paths)
    if tree and settled and entry.state in _STAMPED and place == entry.place:
        new[name] = Stamp(entry.digest, paths, before, summary, told)
    return Glance(
        name, entry.place.name, entry.state, brief, entry.digest, summary, entry.problem, told
    )


def _gone(library: Library, name: SkillName) -> Entry:
    return Entry(name, library.place(name, package=True), State.MISSING, None)


def _said(tree: Tree | None, problem: str) -> tuple[str, str]:
    """What a document says of itself: its summary, and what it needs."""
    from skillpm.formats.document import read_document  # what is listed is known mostly
    from skillpm.formats.requirements import requirements_of

    try:
        if tree is None:
            return f"({problem})", ""
        document = read_document(tree.entry)
    except SkillError as error:
        return f"({error.message})", ""
    return document.summary, requirements_of(document.header.values).as_text()
