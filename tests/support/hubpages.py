"""What a hub keeps, and the JSON it shows of it."""

from __future__ import annotations

import difflib
import hashlib
import html
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypedDict

Moderation = Literal["visible", "held", "hidden", "blocked"]

CATEGORIES: Final = ("channel", "tool", "integration", "model", "automation", "other")
KINDS: Final = ("plugin", "skill")
PAGE: Final = 20
LONGEST_TEXT: Final = 512 * 1024
_CREATED: Final = "2026-01-01T00:00:00.000Z"


class Scan(TypedDict, total=False):
    """The hub's own scan of a version."""

    status: Literal["pending", "clean", "review", "warning", "malicious", "error"]
    riskLevel: Literal["low", "medium", "high"] | None


class Publication(TypedDict, total=False):
    """What can be said when a version is published."""

    kind: Literal["plugin", "skill"]
    category: str
    summary: str
    official: Any
    owner: str
    moderation: Moderation
    scan: Scan | None
    changelog: str
    requires: dict[str, Any] | None
    content_type: str


@dataclass(slots=True)
class Release:
    """One version of a package."""

    version: str
    data: bytes
    changelog: str = ""
    requires: dict[str, Any] | None = None
    scan: Scan | None = None
    content_type: str = "application/zip"

    @classmethod
    def of(cls, version: str, data: bytes, facts: Publication) -> Release:
        """A version with what was said of it; it is scanned clean when nothing was."""
        return cls(
            version,
            data,
            facts.get("changelog", ""),
            facts.get("requires"),
            facts.get("scan", Scan(status="clean", riskLevel="low")),
            facts.get("content_type", "application/zip"),
        )


@dataclass(slots=True)
class Package:
    """One package; a test may change any of it."""

    id: int
    name: str
    kind: str = "skill"
    category: str = "other"
    summary: str = ""
    official: Any = False
    owner: str = ""
    moderation: Moderation = "visible"
    latest: str | None = None
    stars: int = 0
    installs: int = 0
    releases: list[Release] = field(default_factory=list)

    def change(self, facts: Publication) -> None:
        """Take over what was said of the package; the kind stays what it was at first."""
        if not self.releases:
            self.kind = facts.get("kind", "skill")
        self.category = facts.get("category", self.category)
        self.summary = facts.get("summary", self.summary)
        self.official = facts.get("official", self.official)
        self.owner = facts.get("owner", self.owner or self.name[1:].partition("/")[0])
        self.moderation = facts.get("moderation", self.moderation)

    def release(self, version: str) -> Release | None:
        """The release of a version, or None."""
        return next((r for r in self.releases if r.version == version), None)


def item_of(package: Package) -> dict[str, Any]:
    """A package as a line of a search."""
    return {
        "name": package.name,
        "kind": package.kind,
        "category": package.category,
        "summary": package.summary,
        "official": package.official,
        "owner": package.owner,
        "moderationState": package.moderation,
        "starsCount": package.stars,
        "installsCount": package.installs,
    }


def metadata_of(package: Package) -> dict[str, Any]:
    """A package on its own page."""
    dates = {"createdAt": _CREATED, "updatedAt": _CREATED}
    return item_of(package) | {"latestVersion": package.latest} | dates


def release_of(release: Release) -> dict[str, Any]:
    """A version as a line of the list of versions."""
    return {
        "version": release.version,
        "sha256": hashlib.sha256(release.data).hexdigest(),
        "sizeBytes": len(release.data),
        "createdAt": _CREATED,
        "changelog": release.changelog,
        "requires": release.requires,
        "scan": release.scan,
    }


def search(packages: Iterable[Package], query: Mapping[str, str]) -> dict[str, Any] | str:
    """A page of a search, newest package first; or the code of what is wrong with the query.

    The cursor is the id of the last package of the page before.
    """
    category, kind, cursor = (query.get(key, "") for key in ("category", "kind", "cursor"))
    if category and category not in CATEGORIES:
        return "invalid_category"
    if kind and kind not in KINDS:
        return "invalid_kind"
    if cursor and not cursor.isdecimal():
        return "invalid_cursor"
    found = [
        package
        for package in sorted(packages, key=lambda p: -p.id)
        if package.moderation != "hidden"
        and (not category or package.category == category)
        and (not kind or package.kind == kind)
        and (not cursor or package.id < int(cursor))
        and _says(package, query.get("q", ""))
    ]
    more = found[PAGE - 1].id if len(found) > PAGE else None
    return {"items": [item_of(package) for package in found[:PAGE]], "nextCursor": more}


def files_of(release: Release) -> dict[str, Any]:
    """The list of a version's files."""
    contents = _contents(release)
    return {"items": [{"path": p, "sizeBytes": len(data)} for p, data in contents.items()]}


def file_of(release: Release, path: str) -> dict[str, Any] | None:
    """One file of a version, or None when there is no such file."""
    data = _contents(release).get(path)
    if data is None:
        return None
    text = _text(data)
    truncated = text is not None and len(data) > LONGEST_TEXT
    return {
        "path": path,
        "sizeBytes": len(data),
        "isBinary": text is None,
        "truncated": truncated,
        "content": None if truncated else text,
    }


def readme_of(release: Release) -> dict[str, Any]:
    """The document of a version that a page would show."""
    for path, data in _contents(release).items():
        if path.casefold().endswith(".md"):
            text = html.escape(data.decode(errors="replace"))
            return {"found": True, "html": f"<pre>{text}</pre>", "sourcePath": path}
    return {"found": False, "html": None, "sourcePath": None}


def changes_of(package: Package, query: Mapping[str, str]) -> dict[str, Any] | None:
    """The difference of two versions; None when the query does not name two of them."""
    old, new = (package.release(query.get(key, "")) for key in ("from", "to"))
    if old is None or new is None:
        return None
    before, after = _contents(old), _contents(new)
    files = [
        _changed(path, before.get(path), after.get(path))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]
    return {"from": old.version, "to": new.version, "files": files}


def _changed(path: str, old: bytes | None, new: bytes | None) -> dict[str, Any]:
    texts = [_text(data or b"") for data in (old, new)]
    before, after = texts
    if before is None or after is None:
        return {"path": path, "status": "binary"}
    status = "added" if old is None else "removed" if new is None else "modified"
    hunks = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm=""))
    return {"path": path, "status": status, "hunks": hunks[2:]}


def _says(package: Package, words: str) -> bool:
    fields = (package.name, package.summary, package.owner)
    return any(words.casefold() in text.casefold() for text in fields)


def _contents(release: Release) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(release.data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return {}


def _text(data: bytes) -> str | None:
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
