"""A tap's history: it grows from the same first commits, signed by those who held its keys before.

Where keys are pinned, each commit that is read is signed by one of them. The tap may change them
with the file `registry-signers`: each commit that gives that file other bytes must be signed by a
key that held before it, from the commit that was read last to the one that is read now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from skillpm.edges.git import Commit, Git as GitPort
from skillpm.edges.gitrun import Remote
from skillpm.edges.repository import Repository
from skillpm.edges.signing import signer_of
from skillpm.errors import IntegrityError, UsageError
from skillpm.formats.signers import MAX_BYTES, read_signers, signers_text
from skillpm.model.pins import Pins, Signer

SIGNERS: Final = "registry-signers"
"""The file at a tap's root that names the keys of its keepers, as an allowed-signers file."""

_ROTATIONS: Final = 100
_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Lineage:
    """The history of a tap up to the commit that was read last.

    Attributes:
        name: the tap's short name.
        commit: that commit; "" when none was read yet.
        pins: what is held of the tap.
        now: the time, by which keys hold: a signature says nothing of when it was made.
    """

    git: GitPort
    remote: Remote
    name: str
    commit: str
    pins: Pins
    now: str

    def extended(self, new: str) -> Pins:
        """What is held of the tap when its history is followed to a new commit.

        Raises:
            IntegrityError: it goes back, was rewritten, begins elsewhere, or is not signed.
            SkillError: as the git port.
        """
        pins = replace(self.pins, roots=self._roots(new), first=self.pins.first or new)
        return self._signed(pins, new) if pins.signers else pins

    def signed_by(self, commit: str, signers: tuple[Signer, ...]) -> str:
        """Who of the signers, of those whose keys hold now, signed a commit.

        Raises:
            IntegrityError: nobody did, or it cannot be told.
        """
        allowed = signers_text(signer for signer in signers if signer.holds_at(self.now))
        found = self.git.history(
            self.remote, commit, lambda there: signer_of(there, commit, allowed)
        )
        if not found:
            raise IntegrityError(
                f"its commit {commit[:12]} is not signed by a key that is pinned and holds now",
                hint=f"ask its keeper; skill tap list --json shows the keys of {self.name}",
            )
        return found

    def _roots(self, new: str) -> tuple[str, ...]:
        """The first commits of a history that goes on from where it was read."""

        def look(repository: Repository) -> tuple[bool, tuple[str, ...]]:
            goes_back = bool(self.commit) and repository.reaches(new, (self.commit,))
            return goes_back, repository.roots(new)

        goes_back, roots = self.git.history(self.remote, new, look)
        fault = ""
        if self.commit not in ("", new) and goes_back:
            fault = (
                f"its history was rewritten: it goes back from {self.commit[:12]} to the older"
                f" {new[:12]}"
            )
        elif self.commit and not self.git.is_ancestor(self.remote, self.commit, new):
            fault = (
                f"its history was rewritten: the commit {self.commit[:12]} that was read before is"
                f" not part of {new[:12]}"
            )
        elif self.pins.roots and roots != self.pins.roots:
            fault = (
                f"another history was joined to it: it begins with {_short(roots)}, and began with"
                f" {_short(self.pins.roots)}"
            )
        if fault:
            raise IntegrityError(fault, hint=f"if you trust it: skill tap reset {self.name}")
        return roots

    def _signed(self, pins: Pins, new: str) -> Pins:
        """The keys that hold after a new commit, and who signed it."""
        signed_by, held, signers = "", pins.signers, pins.signers
        for commit in (*self._rotations(new), new):
            held, signed_by = signers, self.signed_by(commit, signers)
            signers = self._listed(commit) or signers
        return replace(pins, signers=signers, held=held, signed_by=signed_by)

    def _rotations(self, new: str) -> tuple[str, ...]:
        """The commits on the way to a new one that change the list of keys."""
        if not self.commit:
            return ()
        found = self.git.history(
            self.remote, new, lambda there: there.changes(SIGNERS, self.commit, new), trees=True
        )
        if len(found) > _ROTATIONS:
            raise IntegrityError(f"its keys changed {len(found)} times since it was read")
        return tuple(commit for commit in found if commit != new)

    def _listed(self, sha: str) -> tuple[Signer, ...]:
        """The keys that the tap's own list names at a commit; () when it has no such list."""
        text = text_of(self.git.open(self.remote, sha, seconds=_SECONDS), SIGNERS)
        if text is None:
            return ()
        try:
            return read_signers(text[: MAX_BYTES + 1].decode("ascii"))
        except (UsageError, UnicodeError) as error:
            why = error.message if isinstance(error, UsageError) else "it is not ASCII"
            raise IntegrityError(f"its list of keys, {SIGNERS}, is unusable: {why}") from None


def text_of(commit: Commit, path: str) -> bytes | None:
    """The bytes of a file of a commit; None when there is no such file.

    Raises:
        SkillError: they could not be fetched.
    """
    for node in commit.nodes:
        if node.path == path and node.kind == "file":
            return commit.read([node])[node.path]
    return None


def _short(commits: tuple[str, ...]) -> str:
    return ", ".join(commit[:12] for commit in commits)
