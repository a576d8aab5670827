"""What is held of a tap from one look to the next, so that it can only ever move forward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MAX_VERSION: Final = 2**53
LARGEST_STEP: Final = 10_000
"""How far a tap's version may go ahead at once: one that jumps to the end could not go on."""


@dataclass(frozen=True, slots=True)
class Known:
    """The source that a tap gave for a name when the name was first seen, or last accepted."""

    source: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that may sign a tap's commits.

    Attributes:
        name: whose key it is, in the words of whoever pinned it.
        kind: the key's type, `ssh-ed25519` for one.
        key: the public key, Base64.
        after: the first moment at which it counts, `YYYYMMDD[HHMM[SS]]` in UTC; "" for always.
        before: the first moment at which it counts no more; "" for never.
    """

    name: str
    kind: str
    key: str
    after: str = ""
    before: str = ""

    def holds_at(self, moment: str) -> bool:
        """Whether it counts at a moment, `YYYY-MM-DDTHH:MM:SSZ`."""
        digits = "".join(c for c in moment if c.isdigit())
        after, before = (text.ljust(14, "0") for text in (self.after, self.before))
        return (not self.after or after <= digits) and (not self.before or digits < before)


@dataclass(frozen=True, slots=True)
class Pins:
    """What is held of a tap.

    Attributes:
        roots: the first commits of its history.
        first: the commit at which it was added.
        signers: the keys of which one must have signed each commit that is read; () for none.
        held: those of which one signed the commit that was read last; it may name others.
        signed_by: who signed that commit; "" when nobody had to.
        version: the highest version of its index; None when it never had one.
        expires: until when its index says that it holds, RFC 3339; "" for ever.
        known: name to source, also of names that are gone.
        retired: name to the reason for which the tap took it out.
    """

    roots: tuple[str, ...] = ()
    first: str = ""
    signers: tuple[Signer, ...] = ()
    held: tuple[Signer, ...] = ()
    signed_by: str = ""
    version: int | None = None
    expires: str = ""
    known: Mapping[str, Known] = field(default_factory=dict, hash=False)
    retired: Mapping[str, str] = field(default_factory=dict, hash=False)
