"""The versions of a skill that its history knows, oldest first, and choosing one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skillpm.errors import AmbiguousError, NotFoundError
from skillpm.model.name import SkillName
from skillpm.model.provenance import Record
from skillpm.model.tree import DIGEST_PREFIX, Tree
from skillpm.operations.workspace import Workspace
from skillpm.store.change import FILE, FOLDER
from skillpm.store.history import Done

_SHORTEST = 6


@dataclass(frozen=True, slots=True)
class Version:
    """One state in which a skill stood in the library, or in the project.

    Attributes:
        number: counted from 1, the oldest; it stays as the history grows.
        digest: of its files.
        record: what was recorded of it; None for what a person put there.
        at: when it came.
        how: what brought it: `install`, `update`, `rollback`, …; `edits` when a person did.
        shape: `folder`, `file`, or `link:` and what the link says.
    """

    number: int
    digest: str
    record: Record | None
    at: str
    how: str
    shape: str

    @property
    def is_edited(self) -> bool:
        """Whether its files are not those that its record tells of."""
        return self.record is not None and self.record.digest != self.digest

    @property
    def label(self) -> str:
        """What it is called: the version or revision of its source."""
        if self.record is None:
            return "written by hand"
        named = self.record.version or str(self.record.revision)
        return f"{named}, edited" if self.is_edited else named


def versions(workspace: Workspace, name: SkillName) -> tuple[Version, ...]:
    """Every version of a skill, also of one that was removed.

    Raises:
        NotFoundError: nothing is known of it.
    """
    found: list[Version] = []
    place = str(workspace.shelf.library.root) if workspace.in_project else ""
    for done in workspace.store.history.of(name, place):
        _add_before(found, done)
        effect = done.effect
        if effect.after:
            record = effect.becomes
            shape = FILE if record and not record.package else FOLDER
            found.append(
                Version(len(found) + 1, effect.after, record, done.at, effect.reason, shape)
            )
    if not found:
        raise NotFoundError(f"nothing is known of {name}", hint="skill list shows what is here")
    return tuple(found)


def _add_before(found: list[Version], done: Done) -> None:
    """What stood there before and nothing of ours had brought: a person's work."""
    effect = done.effect
    if effect.before and (not found or found[-1].digest != effect.before):
        found.append(
            Version(len(found) + 1, effect.before, effect.was, done.at, "edits", effect.shape)
        )


def choose(found: Sequence[Version], words: str) -> Version:
    """The version of a number, or of a digest or the beginning of one.

    Raises:
        NotFoundError: there is none.
        AmbiguousError: the digest begins several.
    """
    if words.isdigit() and len(words) < _SHORTEST:
        chosen = [version for version in found if version.number == int(words)]
    else:
        start = words.removeprefix(DIGEST_PREFIX)
        named = {
            v.digest: v for v in found if v.digest.removeprefix(DIGEST_PREFIX).startswith(start)
        }
        chosen = list(named.values()) if len(start) >= _SHORTEST else []
        if len(chosen) > 1:
            raise AmbiguousError(f"{words!a} begins the digests of {len(chosen)} versions")
    if not chosen:
        raise NotFoundError(
            f"there is no version {words!a}", hint="skill history NAME shows numbers and digests"
        )
    return chosen[0]


def standing(workspace: Workspace, name: SkillName) -> Tree | None:
    """The files of a skill as they are in the library; None when it is not there.

    Raises:
        InvalidSkillError, StateError: they cannot be read.
    """
    place = workspace.shelf.library.occupied(name)
    return workspace.shelf.library.read(place) if place else None
