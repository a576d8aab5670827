"""Everything that can go wrong, as one tree.

SkillError
├── UsageError             2   the words of the command are wrong
├── NotFoundError          3   no such skill, source, revision or file
│   └── AmbiguousError     3   several things answer to the name
├── InvalidSkillError      4   what was fetched is not a skill we can hold
├── RefusedError           5   policy, conflict or a source that was re-pointed
│   ├── DangerError        5   the scan says danger
│   └── ConflictError      5   something of the user's stands in the way
├── IntegrityError         6   digest, rewritten history, something that is not what was promised
├── UnreachableError       7   a source is down, broken or answers nonsense
├── StateError             8   our own state is damaged or cannot be written
│   └── LockedError        8   another process holds it
└── PartialError           9   some of many failed

Each class carries a stable `code` (for programs), an exit `status` (for scripts) and each
instance an optional `hint`: the next step, in one sentence. Nothing here prints or exits.
"""

from __future__ import annotations


class SkillError(Exception):
    """Something the user can understand and act on; never a bug of ours.

    Args:
        message: what is wrong, naming the thing and the reason.
        hint: the next step, or "" when there is none.
    """

    code = "error"
    status = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(SkillError):
    """The words of the command are wrong; nothing was touched."""

    code = "usage"
    status = 2


class NotFoundError(SkillError):
    """No such skill, source, revision or file."""

    code = "not-found"
    status = 3


class AmbiguousError(NotFoundError):
    """Several things answer to the name; the message lists them."""

    code = "ambiguous"


class InvalidSkillError(SkillError):
    """What was fetched is not a skill that can be held safely."""

    code = "invalid-skill"
    status = 4


class RefusedError(SkillError):
    """Policy says no, or a recorded source was re-pointed."""

    code = "refused"
    status = 5


class DangerError(RefusedError):
    """The scan's verdict is danger and nobody allowed it."""

    code = "danger"


class ConflictError(RefusedError):
    """Something that we did not write, or that was edited, stands in the way."""

    code = "conflict"


class IntegrityError(SkillError):
    """Bytes or history are not what was promised or recorded."""

    code = "integrity"
    status = 6


class UnreachableError(SkillError):
    """A source is down, broken, or answers something we cannot use."""

    code = "unreachable"
    status = 7


class StateError(SkillError):
    """Our own state is damaged, from the future, or cannot be written."""

    code = "state"
    status = 8


class LockedError(StateError):
    """Another process holds the state for longer than we wait."""

    code = "locked"


class PartialError(SkillError):
    """Some of many failed; the outcome lists which."""

    code = "partial"
    status = 9
