"""What an audit says of one skill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skillpm.model.judgement import Judgement


@dataclass(frozen=True, slots=True)
class Copy:
    """A skill in the folder of an agent.

    Attributes:
        place: where it stands there.
        state: `linked` to the library, `same`, `differs`, `linked elsewhere`, `missing` or
            `unreadable`.
        digest: of the files there; "" for a link, and for what cannot be read.
    """

    place: str
    state: str
    digest: str = ""

    @property
    def has_drifted(self) -> bool:
        """Whether the agent reads something else than the library holds."""
        return self.state not in ("linked", "same")

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {"place": self.place, "state": self.state, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class Standing:
    """A skill against its source: what `outdated` says.

    Attributes:
        state: as `outdated`; `not asked` when nobody did, `-` for what has no source.
        newest: the revision at which the source stands; "" when that is not known.
        why: the reason when it could not be told or needs a decision.
    """

    state: str
    newest: str = ""
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {"state": self.state, "newest": self.newest, "why": self.why}


@dataclass(frozen=True, slots=True)
class Audited:
    """One skill of the library, for people and for pages; every text may be hostile.

    Attributes:
        files: whether they are those that were installed: a state of the library.
        recorded: the digest at install; "" for what a person put there.
        actual: the digest of the bytes as they are.
        days: since it was installed, and since it was updated; None when that is not known.
        judgement: the scan; None when the files cannot be read.
        remarks: what needs attention, in words.
        review: who reviewed exactly these files, and when; "" when nobody did.
    """

    name: str
    origin: str
    files: str
    registry: str
    source: str
    revision: str
    recorded: str
    actual: str
    installed_at: str
    updated_at: str
    days: tuple[int | None, int | None]
    judgement: Judgement | None
    upstream: Standing
    copies: tuple[Copy, ...] = ()
    remarks: tuple[str, ...] = ()
    review: str = ""

    @property
    def verdict(self) -> str:
        """The scan in a word."""
        return self.judgement.verdict.value if self.judgement else "not scanned"

    @property
    def age(self) -> str:
        """Days since it was installed; and since it was updated, when that was later."""
        installed, updated = self.days
        if installed is None:
            return "-"
        told = f"{installed} d"
        return told if updated in (None, installed) else f"{told}, updated {updated} d"
