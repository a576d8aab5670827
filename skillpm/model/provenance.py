"""Where a skill came from: origin, registry, revision, and the record of an install."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from skillpm.model.acceptance import Acceptance
from skillpm.model.name import SkillName
from skillpm.model.requirements import NOTHING, Requirements


class Origin(StrEnum):
    """How far the place is trusted that a skill resolved from; never what it says of itself."""

    BUILTIN = "builtin"
    OFFICIAL = "official"
    COMMUNITY = "community"
    LOCAL = "local"

    @property
    def is_trusted(self) -> bool:
        """Whether text of this origin may reach an agent without a fence."""
        return self in (Origin.BUILTIN, Origin.OFFICIAL)


RegistryKind = Literal["bundled", "tap", "hub", "none"]


@dataclass(frozen=True, slots=True)
class Registry:
    """The registry in which a name was found; `none` when a source was given outright.

    Attributes:
        kind: bundled, tap, hub or none.
        name: the tap's short name or the hub's host; "" otherwise.
    """

    kind: RegistryKind = "none"
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


@dataclass(frozen=True, slots=True)
class Revision:
    """An immutable point of a source.

    Attributes:
        kind: `commit`, `version` (of a hub or a registry) or `content` (SHA-256 of the bytes).
        value: the commit, version or hex digest.
        ref: the branch or tag that was followed to get there; "" when there was none.
    """

    kind: Literal["commit", "version", "content"]
    value: str
    ref: str = ""

    @property
    def is_mutable(self) -> bool:
        """Whether the source keeps no old revisions: these bytes may be gone from it tomorrow."""
        return self.kind == "content"

    def __str__(self) -> str:
        short = self.value[:12] if self.kind != "version" else self.value
        return f"{self.kind} {short}" + (f" ({self.ref})" if self.ref else "")


@dataclass(frozen=True, slots=True)
class Record:
    """What was written down about one installed skill.

    Attributes:
        requested: the words the user typed.
        source: the canonical address the bytes came from and updates go to.
        path: the folder or file inside the source that was taken; "" is the root.
        digest: the tree digest over every file, path and executable bit.
        git_tree: git's SHA-1 tree id of the same files, only to ask whether upstream moved.
        files: path to (sha256, size, mode).
        forced: rule ids that `--force` let through; () when nothing was forced.
        accepted: findings that somebody accepted for these files, with reason and name.
        requirements: what it says that it needs.
        installed_for: the skill that brought it as a dependency; "" when it was asked for itself.
        installed_at: ISO 8601 UTC; `updated_at` likewise.
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
    summary: str
    owner: str
    verdict: str
    findings: int
    forced: tuple[str, ...]
    installed_at: str
    updated_at: str
    pinned: bool = False
    files: dict[str, tuple[str, int, str]] = field(default_factory=dict, hash=False)
    accepted: tuple[Acceptance, ...] = ()
    requirements: Requirements = NOTHING
    installed_for: str = ""
