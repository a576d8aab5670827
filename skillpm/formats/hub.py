"""What a hub answers: packages, versions and search pages, checked field by field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from skillpm.errors import IntegrityError, UnreachableError, UsageError
from skillpm.formats import json
from skillpm.model.name import handle_name, is_skill_name, show, version_text

BLOCKING_SCANS: Final = frozenset({"malicious"})

_FULL_NAME: Final = re.compile(r"@([^/@]+)/([^/@]+)")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Package:
    """A hub's answer about one package.

    Attributes:
        handle: the handle in the package's own name, lower case.
        owner: the owner the hub names; the same as the handle unless the hub says otherwise.
        latest: the version behind the `latest` tag; "" when none is published.
        moderation: visible, held, hidden or blocked.
    """

    handle: str
    name: str
    kind: str
    owner: str
    summary: str
    official: bool
    latest: str
    moderation: str


@dataclass(frozen=True, slots=True)
class Version:
    """One published, immutable version."""

    version: str
    sha256: str
    size: int
    scan: str
    risk: str


def read_json(data: bytes, what: str) -> Any:
    """The JSON of an answer.

    Raises:
        UnreachableError: the hub answered something else.
    """
    try:
        return json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"{what} answered something that is not JSON: {error}") from None


def read_package(data: bytes, what: str) -> Package:
    """Read `GET /api/v1/packages/@h/n`.

    Raises:
        UnreachableError: the answer has another shape.
    """
    value = read_json(data, what)
    if not isinstance(value, dict):
        raise UnreachableError(f"{what} answered something that is no package")
    return _package(value, what)


def read_versions(data: bytes, what: str) -> tuple[Version, ...]:
    """Read `GET …/versions`, newest first; entries without a version or digest are left out.

    Raises:
        UnreachableError: the answer has another shape.
    """
    return tuple(
        Version(
            version=_version(item, "version"),
            sha256=json.field(item, "sha256").lower(),
            size=item["sizeBytes"] if isinstance(item.get("sizeBytes"), int) else 0,
            scan=json.field(_dict(item.get("scan")), "status"),
            risk=json.field(_dict(item.get("scan")), "riskLevel"),
        )
        for item in _items(read_json(data, what), what)
        if _SHA256.fullmatch(json.field(item, "sha256").lower()) and _version(item, "version")
    )


def read_search(data: bytes, what: str) -> tuple[Package, ...]:
    """Read `GET /api/v1/search`: only skills with a usable name.

    Raises:
        UnreachableError: the answer has another shape.
    """
    found = []
    for item in _items(read_json(data, what), what):
        try:
            package = _package(item, what)
        except UnreachableError:
            continue  # one bad row never hides the others
        if package.kind == "skill" and package.moderation in ("visible", ""):
            found.append(package)
    return tuple(found)


def checked_sha256(header: str, promised: str, actual: str, what: str) -> None:
    """Compare what the header and the listing promise with the bytes' digest.

    Raises:
        IntegrityError: one of them differs, or there is nothing to compare with.
    """
    for source, value in (("its header", header.strip().lower()), ("its listing", promised)):
        if value and value != actual:
            raise IntegrityError(
                f"{what}: the bytes have SHA-256 {actual[:16]}…, {source} promises {value[:16]}…"
            )
    if not header and not promised:
        raise IntegrityError(f"{what}: the hub gives no SHA-256 to check the bytes with")


def _package(value: dict[str, Any], what: str) -> Package:
    handle, name = _full_name(json.field(value, "name"), what)
    return Package(
        handle=handle,
        name=name,
        kind=json.field(value, "kind"),
        owner=_owner(value.get("owner")) or handle,
        summary=json.field(value, "summary"),
        official=value.get("official") is True,
        latest=_version(value, "latestVersion"),
        moderation=json.field(value, "moderationState"),
    )


def _full_name(text: str, what: str) -> tuple[str, str]:
    match = _FULL_NAME.fullmatch(text)
    try:
        if match and is_skill_name(match[2]):
            return handle_name(match[1]), match[2]
    except UsageError:
        pass
    raise UnreachableError(f"{what} names a package that cannot be installed: {show(text)}")


def _version(value: dict[str, Any], key: str) -> str:
    """A version that can stand in a URL and a record; "" when it is none."""
    try:
        return version_text(json.field(value, key))
    except UsageError:
        return ""


def _owner(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("handle") or value.get("id")
    return value.lower().removeprefix("@")[:128] if isinstance(value, str) else ""


def _items(value: Any, what: str) -> list[dict[str, Any]]:
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise UnreachableError(f"{what} answered something that is no list")
    return [item for item in items if isinstance(item, dict)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
