"""What people accepted: for which rule, in which file, for which bytes, why, and who."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Acceptance:
    """One person's word that a finding is all right, for exactly these bytes.

    Attributes:
        path: the file, as in the skill.
        rule: the rule's id.
        digest: `sha256:<64 hex>` of the file; other bytes are not accepted.
        reason: why; never empty.
        by: who said so.
        date: when, `YYYY-MM-DD`.
        until: the last day on which it holds; "" for always.
    """

    path: str
    rule: str
    digest: str
    reason: str
    by: str
    date: str
    until: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is about."""
        return (self.rule, self.path, self.digest)

    def as_json(self) -> dict[str, str]:
        """A plain dictionary; `until` only when there is one."""
        told = {key: getattr(self, key) for key in ("rule", "path", "digest", "reason", "by")}
        return {**told, "date": self.date, **({"until": self.until} if self.until else {})}

    def told(self) -> str:
        """Reason and person in one line."""
        until = f", until {self.until}" if self.until else ""
        return f"{self.reason} ({self.by}, {self.date}{until})"


@dataclass(frozen=True, slots=True)
class Stale:
    """An acceptance that accepts nothing any more, and why."""

    acceptance: Acceptance
    why: str

    def as_json(self) -> dict[str, str]:
        """A plain dictionary."""
        return {**self.acceptance.as_json(), "why": self.why}
