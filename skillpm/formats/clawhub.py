"""ClawHub's API v1: search rows, a skill with its moderation, and the hand-off of an install.

Routes: `GET /api/v1/search?q=`, `/api/v1/skills/{slug}?ownerHandle=`,
`/api/v1/skills/{slug}/install?ownerHandle=`, `/api/v1/download`. A slug that several owners
share answers 409 with its matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from skillpm.errors import AmbiguousError, RefusedError, UnreachableError
from skillpm.formats import json
from skillpm.model.name import is_skill_name

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_REPO: Final = re.compile(r"[A-Za-z0-9][\w.-]*/\w[\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ClawRow:
    """One row of a search."""

    owner: str
    slug: str
    summary: str
    version: str


@dataclass(frozen=True, slots=True)
class Moderation:
    """What the hub itself thinks of a skill; `verdict` is its own word, for showing."""

    blocked: bool = False
    suspicious: bool = False
    verdict: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ClawSkill:
    """A skill with its owner, newest version and moderation."""

    owner: str
    slug: str
    summary: str
    version: str
    moderation: Moderation


@dataclass(frozen=True, slots=True)
class HandOff:
    """How the hub says that a skill is to be installed.

    Attributes:
        download: URL of a zip; "" when it points at a repository.
        repo: `owner/name` on GitHub, with `path` and the pinned `commit`; "" for an archive.
    """

    version: str
    download: str = ""
    repo: str = ""
    path: str = ""
    commit: str = ""


def read_search(data: bytes, what: str) -> tuple[ClawRow, ...]:
    """Read a search answer; rows without a usable owner and slug are left out.

    Raises:
        UnreachableError: the answer has another shape.
    """
    value = _object(data, what)
    results = value.get("results")
    if not isinstance(results, list):
        raise UnreachableError(f"{what} answered something that is no search result")
    rows = []
    for item in results:
        row = item if isinstance(item, dict) else {}
        slug, owner = json.field(row, "slug"), _handle(row)
        if is_skill_name(slug) and owner:
            rows.append(ClawRow(owner, slug, json.field(row, "summary"), _version(row)))
    return tuple(rows)


def read_skill(data: bytes, what: str) -> ClawSkill:
    """Read `GET /api/v1/skills/{slug}`.

    Raises:
        UnreachableError: the answer has another shape.
    """
    value = _object(data, what)
    skill, latest = _dict(value.get("skill")), _dict(value.get("latestVersion"))
    slug, owner = json.field(skill, "slug"), _handle(value)
    if not slug or not owner:
        raise UnreachableError(f"{what} answered something that is no skill")
    return ClawSkill(
        owner=owner,
        slug=slug,
        summary=json.field(skill, "summary"),
        version=json.field(latest, "version", 64),
        moderation=_moderation(_dict(value.get("moderation"))),
    )


def read_ambiguity(data: bytes, slug: str, label: str = "") -> AmbiguousError:
    """The error that a 409 amounts to; `label` stands in front of each reference."""
    try:
        value = _object(data, "the hub")
    except UnreachableError:
        value = {}
    matches = value.get("matches")
    rows = [row for row in matches if isinstance(row, dict)] if isinstance(matches, list) else []
    references = [f"{label}@{owner}/{slug}" for row in rows if (owner := _handle(row))]
    return ambiguity(slug, references)


def ambiguity(slug: str, references: Sequence[str]) -> AmbiguousError:
    """A slug that several owners share, with the references that would say which."""
    listed = ", ".join(references[:12]) or "several owners"
    hint = f"say which: skill info {references[0]}" if references else ""
    return AmbiguousError(f"the name {slug} belongs to {listed}", hint=hint)


def read_digests(data: bytes, what: str) -> dict[str, str]:
    """Read `GET …/versions/{v}`: path to SHA-256, {} when the hub gives none.

    Raises:
        UnreachableError: the answer has another shape, or a digest is none.
    """
    value = _object(data, what)
    files = _dict(value.get("version")).get("files", value.get("files"))
    digests: dict[str, str] = {}
    for item in files if isinstance(files, list) else ():
        row = item if isinstance(item, dict) else {}
        path, digest = json.field(row, "path"), json.field(row, "sha256").lower()
        if not path or not _SHA256.fullmatch(digest):
            raise UnreachableError(f"{what} lists a file without a SHA-256")
        digests[path] = digest
    return digests


def read_hand_off(data: bytes, what: str) -> HandOff:
    """Read `GET …/install`, or the JSON that `/download` answers for a skill on GitHub.

    Raises:
        RefusedError: the hub itself says no, with its reason.
        UnreachableError: the answer has another shape.
    """
    value = _object(data, what)
    if value.get("sourceRef") == "public-github":  # how `/download` says it
        return _from_github(value, what)
    if value.get("ok") is False:
        reason = json.field(value, "message") or json.field(value, "reason") or "it gives no reason"
        raise RefusedError(f"{what} refuses the install: {reason}")
    if json.field(value, "installKind") == "github":
        return _from_github(_dict(value.get("github")), what)
    archive = _dict(value.get("archive"))
    download = json.field(archive, "downloadUrl")
    if not download:
        raise UnreachableError(f"{what} does not say where the skill is")
    return HandOff(json.field(archive, "version", 64), download=download)


def _from_github(github: dict[str, Any], what: str) -> HandOff:
    repo, commit = json.field(github, "repo"), json.field(github, "commit").lower()
    if not _REPO.fullmatch(repo) or not _COMMIT.fullmatch(commit):
        raise UnreachableError(f"{what} names no repository and commit")
    path = json.field(github, "path").strip("/")
    return HandOff(commit, repo=repo, path="" if path == "." else path, commit=commit)


def _moderation(value: dict[str, Any]) -> Moderation:
    return Moderation(
        blocked=value.get("isMalwareBlocked") is True,
        suspicious=value.get("isSuspicious") is True,
        verdict=json.field(value, "verdict", 64),
        summary=json.field(value, "summary", 300),
    )


def _handle(value: dict[str, Any]) -> str:
    owner = _dict(value.get("owner"))
    return (json.field(value, "ownerHandle", 64) or json.field(owner, "handle", 64)).lower()


def _version(row: dict[str, Any]) -> str:
    return json.field(row, "version", 64)


def _object(data: bytes, what: str) -> dict[str, Any]:
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"{what} answered something that is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnreachableError(f"{what} answered something that is no object")
    return value


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
