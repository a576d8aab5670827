"""The project's lock: which skills a project uses, from where, and every one of their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any, Final, NamedTuple

from skillpm.model.address import Local
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Record, Registry, Revision
from skillpm.model.requirements import Requirements

LOCK_NAME: Final = "skills.lock"
LOCK_VERSION: Final = 1

MAX_SKILLS: Final = 10_000


class LockedFile(NamedTuple):
    """One file of a locked skill; `mode` is git's, `100644` or `100755`."""

    path: str
    sha256: str
    mode: str
    size: int


@dataclass(frozen=True, slots=True)
class Locked:
    """One skill of a lock.

    Attributes:
        requested: the words with which it was asked for.
        source: the canonical address; of a folder below the project relative to it (`./…`).
        path: the folder or file inside the source; "" is the root.
        digest: the tree digest over every file, path and executable bit.
        git_tree: git's SHA-1 tree id of the same files.
        origin: the trust at install.
        agents: the agents that are given the skill, sorted.
        files: every file, sorted by path.
        installed_for: the skill that brought it; "" when it was asked for itself.
        pinned: whether updates leave it where it is.
        requires: references to the skills that it needs.
        unknown: keys that this version does not know, as they were read.
    """

    name: SkillName
    requested: str
    registry: Registry
    source: str
    path: str
    revision: Revision
    digest: str
    git_tree: str
    origin: Origin
    package: bool
    version: str
    owner: str
    agents: tuple[str, ...] = ()
    files: tuple[LockedFile, ...] = ()
    installed_for: str = ""
    pinned: bool = False
    requires: tuple[str, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def reproducible(self) -> bool:
        """Whether another machine can get the same bytes: not from a place on this one."""
        return not is_local(self.source)


@dataclass(frozen=True, slots=True)
class Lock:
    """A whole lock, its skills sorted by name.

    Attributes:
        unknown: top-level keys that this version does not know, as they were read.
    """

    skills: tuple[Locked, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def get(self, name: str) -> Locked | None:
        """The entry of that name, or None."""
        return next((skill for skill in self.skills if skill.name == name), None)

    def with_skills(self, skills: Iterable[Locked]) -> Lock:
        """The lock with exactly these skills; what it does not know of them stays with them."""
        known = {skill.name: skill.unknown for skill in self.skills}
        kept = (
            replace(skill, unknown={**known.get(skill.name, {}), **skill.unknown})
            for skill in skills
        )
        return replace(self, skills=tuple(sorted(kept, key=lambda skill: skill.name)))


def is_local(source: str) -> bool:
    """Whether an address, as written, is a place on one machine."""
    bare = source.removeprefix("git+")
    return bare.startswith(("/", "./", "../", "~/", "file:")) or bare in (".", "..")


def locked(record: Record, agents: Iterable[str] = (), root: str = "") -> Locked:
    """What a lock says of an installed skill.

    Args:
        record: with its file list.
        agents: those that are given the skill.
        root: the project's absolute folder; a local source below it is written relative to it,
            and so are the words.
    """
    source = _relative(record.source, root)
    return Locked(
        name=record.name,
        requested=record.requested if source == record.source else source,
        registry=record.registry,
        source=source,
        path=record.path,
        revision=record.revision,
        digest=record.digest,
        git_tree=record.git_tree,
        origin=record.origin,
        package=record.package,
        version=record.version,
        owner=record.owner,
        agents=tuple(sorted(set(agents))),
        files=tuple(
            LockedFile(path, sha256, mode, size)
            for path, (sha256, size, mode) in sorted(record.files.items())
        ),
        installed_for=record.installed_for,
        pinned=record.pinned,
        requires=record.requirements.skills,
    )


def unlocked(entry: Locked, at: str, root: str = "") -> Record:
    """The record of a skill that is installed as a lock says, at a time given as ISO 8601.

    What a lock does not hold (summary, verdict, findings, what was accepted) is left
    empty, for the caller who has read and scanned the files to fill in.
    """
    source = _absolute(entry.source, root)
    return Record(
        name=entry.name,
        requested=entry.requested,
        registry=entry.registry,
        source=source,
        path=entry.path,
        revision=entry.revision,
        digest=entry.digest,
        git_tree=entry.git_tree,
        origin=entry.origin,
        package=entry.package,
        version=entry.version,
        summary="",
        owner=entry.owner,
        verdict="",
        findings=0,
        forced=(),
        installed_at=at,
        updated_at=at,
        files={file.path: (file.sha256, file.size, file.mode) for file in entry.files},
        requirements=Requirements(skills=entry.requires),
        installed_for=entry.installed_for,
        pinned=entry.pinned,
    )


def _relative(source: str, root: str) -> str:
    """A local path below the project as seen from it; any other address as it is."""
    path = PurePosixPath(normpath(source))  # by its text alone: `..` behind a link is taken back
    if not root or not source.startswith("/") or not path.is_relative_to(root):
        return source
    inside = path.relative_to(root).as_posix()
    return "." if inside == "." else str(Local(f"./{inside}"))


def _absolute(source: str, root: str) -> str:
    """The opposite of `_relative`."""
    if not root or not (source == "." or source.startswith("./")):
        return source
    return str(PurePosixPath(root) / source)
