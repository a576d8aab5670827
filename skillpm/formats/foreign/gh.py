"""`gh skill`: what it adds to the header of an installed `SKILL.md`, under `metadata`.

It writes the whole header anew, so the files of such a skill are never those of its source, and
the tree id that it records can't be made from them.
"""

from __future__ import annotations

from typing import Any, Final

from skillpm.errors import SkillError
from skillpm.formats.document import read_document
from skillpm.formats.foreign.entry import (
    Foreign,
    Reading,
    UnusableError,
    commit,
    guarded,
    local,
    skill_folder,
)
from skillpm.formats.json import field

TOOL: Final = "gh skill"


@guarded
def read_header(data: bytes) -> Reading:
    """The header of a `SKILL.md`; nothing when `gh` did not write into it."""
    try:
        document = read_document(data)
        metadata = document.header.values.get("metadata")
        if not isinstance(metadata, dict) or not _is_ours(metadata):
            return Reading()
        return Reading((_foreign(document.name, metadata),))
    except SkillError as error:
        raise UnusableError(error.message) from None


def _is_ours(metadata: dict[str, Any]) -> bool:
    return bool(field(metadata, "github-repo") or field(metadata, "local-path"))


def _foreign(name: str, metadata: dict[str, Any]) -> Foreign:
    repository = field(metadata, "github-repo")
    if not repository:
        return Foreign(TOOL, name, local(field(metadata, "local-path")))
    ref = field(metadata, "github-ref") or field(metadata, "github-pinned")
    tree = field(metadata, "github-tree-sha")
    path = skill_folder(field(metadata, "github-path"))
    pinned = bool(field(metadata, "github-pinned"))
    return Foreign(TOOL, name, repository, path, ref, commit(ref), tree, pinned=pinned)
