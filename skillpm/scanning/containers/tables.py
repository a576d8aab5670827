"""A look at the table of contents of a zip file, without unpacking anything."""

from __future__ import annotations

from skillpm.scanning.containers import zips

_OFFICE_MARKS = ("[Content_Types].xml", "mimetype")


def is_encrypted_zip(data: bytes) -> bool:
    """Whether any member needs a password."""
    return any(member.flag_bits & 0x1 for member in zips.table(data) or ())


def office_kind(data: bytes) -> str:
    """`macros` or `plain` for an Office document, "" for any other zip file."""
    names = {member.filename for member in zips.table(data) or ()}
    if not names.intersection(_OFFICE_MARKS):
        return ""
    lowered = {name.lower() for name in names}
    risky = any(name.endswith("vbaproject.bin") or "/macrosheets/" in name for name in lowered)
    return "macros" if risky else "plain"
