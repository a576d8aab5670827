"""The table of other tools' records: where each lies, and what reads it."""

from __future__ import annotations

from typing import Final, NamedTuple

from skillpm.formats.foreign import apm, clawhub, gh, hermes, npx, openskills
from skillpm.formats.foreign.entry import Reader
from skillpm.model.tree import ENTRY

MAX_RECORD: Final = 5 * 1024 * 1024


class Row(NamedTuple):
    """One kind of record.

    Attributes:
        pattern: its path, from the place that the folders in it are relative to.
        inside: whether that place is the skill itself rather than a folder of skills' folders.
    """

    pattern: str
    read: Reader
    inside: bool = False


ROWS: Final = (
    Row("skills-lock.json", npx.read_project),
    Row(".skill-lock.json", npx.read_user),
    Row(".clawhub/lock.json", clawhub.read_lock),
    Row(".clawdhub/lock.json", clawhub.read_lock),
    Row(".hub/lock.json", hermes.read_lock),
    Row("apm.lock.yaml", apm.read_lock),
    Row(".clawhub/origin.json", clawhub.read_origin, inside=True),
    Row(".clawdhub/origin.json", clawhub.read_origin, inside=True),
    Row(".openskills.json", openskills.read_metadata, inside=True),
    Row(ENTRY, gh.read_header, inside=True),
)

NOT_OF_THE_SKILL: Final = frozenset(
    row.pattern.partition("/")[0] for row in ROWS if row.inside and row.pattern != ENTRY
)
"""What other tools put into a skill's folder and is none of the skill's files."""
