"""A look at the table of contents of a zip file, without unpacking anything."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zipfile

_OFFICE_MARKS = ("[Content_Types].xml", "mimetype")


def is_encrypted_zip(data: bytes) -> bool:
    """Whether any member needs a password."""
    return any(member.flag_bits & 0x1 for member in _members(data))


def office_kind(data: bytes) -> str:
    """`macros` or `plain` for an Office document, "" for any other zip file."""
    names = {member.filename for member in _members(data)}
    if not names.intersection(_OFFICE_MARKS):
        return ""
    lowered = {name.lower() for name in names}
    risky = any(name.endswith("vbaproject.bin") or "/macrosheets/" in name for name in lowered)
    return "macros" if risky else "plain"


def _members(data: bytes) -> list[zipfile.ZipInfo]:
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.infolist()
    except Exception:  # noqa: BLE001 - zipfile raises many types for damaged input; all mean "no table"
        return []
