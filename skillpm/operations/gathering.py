"""What a scan looks at: an installed skill, whatever is at an address, or standard input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from skillpm.edges.archive import MAX_ARCHIVE, is_archive
from skillpm.edges.gitrun import Remote
from skillpm.errors import (
    InvalidSkillError,
    NotFoundError,
    SkillError,
    StateError,
    UnreachableError,
)
from skillpm.formats.address import derived_name
from skillpm.formats.document import read_document
from skillpm.model.acceptance import Acceptance
from skillpm.model.address import Git, Local, Source, Web, is_document
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Notes
from skillpm.model.provenance import Origin
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Tree
from skillpm.operations.fetching import policy_for, settle, warn_if_plain
from skillpm.operations.install import obtain
from skillpm.operations.reading import find
from skillpm.operations.resolving import Target, resolve
from skillpm.operations.workspace import Workspace
from skillpm.sources import files, repo, several
from skillpm.sources.collection import Contents
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.several import Part

INPUT: Final = "-"


@dataclass(frozen=True, slots=True)
class Subject:
    """One skill, or set of files, to be scanned.

    Attributes:
        name: what people call it.
        tree: its files; None when there is an error.
        folder: where they lie: relative to the current folder, to the repository or archive.
        document: where its only document lies, when that is not what the skill calls it.
        origin: of the bytes.
        accepted: what is recorded as accepted, for an installed skill.
        unread: paths that could not be looked at.
        root: the folder of this machine that is scanned; None for anything else.
    """

    name: str
    tree: Tree | None
    folder: str = ""
    document: str = ""
    origin: Origin = Origin.LOCAL
    accepted: tuple[Acceptance, ...] = ()
    unread: tuple[str, ...] = ()
    error: SkillError | None = None
    root: Path | None = None

    @property
    def called(self) -> str:
        """Its name and, where that says more, its place; for people."""
        place = self.document or self.folder
        return f"{self.name} ({safe(place)})" if place.count("/") else self.name

    def place(self, path: str) -> str:
        """Where a file of it lies; not safe to print."""
        if self.document:
            return self.document
        return f"{self.folder}/{path}" if self.folder else path


def gather(workspace: Workspace, words: str, source: str, notes: Notes) -> Iterator[Subject]:
    """Everything that the words lead to, one skill after the other.

    Raises:
        SkillError: the words lead nowhere, or nothing there can be held.
    """
    if words == INPUT and not source and not workspace.for_agent:
        yield from _of_bytes(workspace.host.read_input(MAX_ARCHIVE), "input")
        return
    if not source and is_skill_name(words):
        try:
            yield _installed(workspace, SkillName(words))
        except NotFoundError:
            pass  # not here: the registries may know it
        else:
            return
    target = resolve(workspace, words, source, notes)
    yield from _of_target(workspace, target, notes)


def _installed(workspace: Workspace, name: SkillName) -> Subject:
    skill = find(workspace, name)
    record = workspace.store.records.get(name)
    accepted = record.accepted if record else ()
    return Subject(name, skill.tree, origin=skill.origin, accepted=accepted)


def _of_target(workspace: Workspace, target: Target, notes: Notes) -> Iterator[Subject]:
    source = target.listing.source
    if not target.wanted and isinstance(source, Local):
        try:
            yield from _of_local(workspace, source)
        except StateError as error:
            raise UnreachableError(error.message, hint=error.hint) from None
        return
    if not target.wanted:
        want = Want(source, "", policy_for(workspace, target.listing), ref=target.version)
        want = settle(workspace, want, notes)
        found = _several(workspace, want)
        if found is not None:
            warn_if_plain(want.source, notes)
            yield from _subjects(found, "", target.listing.origin, want.source)
            return
    listing, want, fetched = obtain(workspace, target, notes)
    name = _name(fetched.tree, want.name or fetched.path, listing.source)
    folder, document = _place_of(fetched)
    yield Subject(name, fetched.tree, folder, document, listing.origin)


def _place_of(fetched: Fetched) -> tuple[str, str]:
    return (fetched.path, "") if fetched.package else ("", fetched.path)


def _several(workspace: Workspace, want: Want) -> Iterator[Part] | None:
    """The skills of a repository or an archive; None where there is no more than one."""
    if want.name:
        return None
    if isinstance(want.source, Git):
        revision, base = repo.resolve(workspace.git, want.source, want)
        commit = workspace.git.open(Remote(want.source.url, want.policy), revision.value)
        found = several.choices(commit.nodes, base)
        if len(found) < 2:
            return None
        nodes = [node for choice in found for node in choice.nodes if node.kind == "file"]
        workspace.git.bring(commit, nodes)
        return several.parts(commit, found)
    if isinstance(want.source, Web) and not want.source.is_document:
        data = files.download(workspace.http, want.source, want)
        return _unpacked(data) if is_archive(data) else None
    return None


def _of_local(workspace: Workspace, source: Local) -> Iterator[Subject]:
    """A folder, a document, an archive or any other file of this machine."""
    path, kind = files.find(workspace.host, source)
    if kind == "folder":
        prefix = workspace.host.shorten(path)
        for found in _subjects(_parts(files.Folder(path)), prefix, Origin.LOCAL, source):
            inside = found.folder.removeprefix(prefix).lstrip("/")
            yield replace(found, root=path / inside)
        return
    data, executable = files.read(path)
    place = workspace.host.shorten(path) or path.name
    if is_archive(data):
        yield from _subjects(_unpacked(data), "", Origin.LOCAL, source)
    elif is_document(path.name):
        tree = Tree.single(data)
        yield Subject(_name(tree, path.stem, source), tree, document=place, root=path)
    else:
        part = several.lone(path.name, data, executable=executable)
        yield Subject(safe(path.name), part.tree, folder=_parent(place))


def _of_bytes(data: bytes, name: str) -> Iterator[Subject]:
    """An archive, a script that says so in its first line, or a document."""
    if is_archive(data):
        yield from _subjects(_unpacked(data), "", Origin.LOCAL, Local(name))
    elif data.startswith(b"#!") or b"\0" in data[:4_096]:
        yield Subject(name, several.lone(name, data).tree)
    else:
        tree = Tree.single(data)
        yield Subject(_name(tree, "", Local(name)), tree)


def _unpacked(data: bytes) -> Iterator[Part]:
    return _parts(files.Unpacked(data))


def _parts(contents: Contents) -> Iterator[Part]:
    """The packages of a place; where there is none, all its files as they are."""
    found = [choice for choice in several.choices(contents.nodes) if choice.package]
    if found:
        yield from several.parts(contents, found)
    else:
        yield several.whole(contents)


def _subjects(
    parts: Iterator[Part], prefix: str, origin: Origin, source: Source
) -> Iterator[Subject]:
    for part in parts:
        place = "/".join(filter(None, (prefix, part.path)))
        folder, document = (place, "") if part.package else ("", place)
        name = _name(part.tree, part.path, source)
        yield Subject(
            name, part.tree, folder, document, origin, unread=part.unread, error=part.error
        )


def _name(tree: Tree | None, path: str, source: Source) -> str:
    """What a skill calls itself, else what its place is called."""
    own = ""
    if tree is not None and tree.get(ENTRY):
        try:
            own = read_document(tree.entry).name
        except InvalidSkillError:
            own = ""
    last = path.rpartition("/")[2].removesuffix(".md")
    words = (own, last.lower(), derived_name(source))
    return next((text for text in words if is_skill_name(text)), safe(last, 64) or "skill")


def _parent(place: str) -> str:
    return place.rpartition("/")[0]
