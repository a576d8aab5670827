"""The kind `pepehub`: owners, packages and immutable versions.

Routes, all GET below the base URL: `/api/v1/search?q=`, `/api/v1/packages/@h/n`,
`…/versions`, `…/versions/V/download` (with `X-PepeHub-Sha256`). Downloads say
`X-PepeHub-No-Telemetry`, so that nobody is counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, urlencode

from skillpm.edges.archive import MAX_ARCHIVE
from skillpm.edges.http import Limits
from skillpm.errors import NotFoundError, RefusedError
from skillpm.formats import hub as answers
from skillpm.formats.hub import Package, Version
from skillpm.model.address import Hub
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Registry, Revision
from skillpm.model.text import safe
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.files import from_archive
from skillpm.sources.hubs import DEFAULT, METADATA, SECONDS, TYPED, Based

_QUIET: Final = {"X-PepeHub-No-Telemetry": "1"}


@dataclass(frozen=True, slots=True)
class Published:
    """A package of a hub with the version that was chosen."""

    package: Package
    version: Version


class PepeHub(Based):
    """One hub that speaks PepeHub's protocol."""

    kind = "pepehub"

    def check(self) -> None:
        """Ask for an empty search.

        Raises:
            SkillError: the address does not answer as such a hub.
        """
        self.search("", SECONDS)

    def search(self, query: str, seconds: float) -> tuple[Listing, ...]:
        """The skills that the hub finds for a query.

        Raises:
            UnreachableError: it did not answer in time, or not as a hub.
        """
        url = f"{self.base}/api/v1/search?{urlencode({'q': query, 'kind': 'skill'})}"
        body = self.ports.http.get(url, TYPED, Limits(METADATA, seconds)).body
        return tuple(self._listing(p, "") for p in answers.read_search(body, self.host))

    def published(self, source: Hub) -> Published:
        """What a reference names now, and one version of it.

        Raises:
            NotFoundError: no such package or version.
            RefusedError: it is a plugin, moderated away, found malicious, or answers under
                another name than the one that was asked.
            UnreachableError: the hub is down or answers something else.
        """
        package = self._package(source)
        wanted = source.version or package.latest
        if not wanted:
            raise NotFoundError(f"{_name(package)} has no published version")
        body = self._get(f"{self._page(source)}/versions", f"the versions of {_name(package)}")
        for version in answers.read_versions(body, self.host):
            if version.version == wanted:
                _check_scan(package, version)
                return Published(package, version)
        raise NotFoundError(f"{_name(package)} has no version {safe(wanted)}")

    def listing(self, source: Hub) -> Listing:
        """The reference as a listing, at its current or asked version.

        Raises:
            SkillError: as `published`.
        """
        found = self.published(source)
        return self._listing(found.package, found.version.version, found.version)

    def newest(self, source: Hub) -> Revision:
        """The version that a reference stands at.

        Raises:
            SkillError: as `published`.
        """
        return Revision("version", self.published(source).version.version)

    def fetch(self, source: Hub, want: Want) -> Fetched:
        """Download one version and take the skill out of it.

        Raises:
            IntegrityError: the bytes have another SHA-256 than the hub promises.
            SkillError: as `published` and `from_archive`.
        """
        found = self.published(replace(source, version=want.ref) if want.ref else source)
        version = found.version.version
        url = f"{self._page(source)}/versions/{quote(version, safe='')}/download"
        what = f"{_name(found.package)} {version}"
        response = self.ports.http.get(url, TYPED, Limits(MAX_ARCHIVE), _QUIET)
        actual = hashlib.sha256(response.body).hexdigest()
        header = response.headers.get("x-pepehub-sha256", "")
        answers.checked_sha256(header, found.version.sha256, actual, what)
        return from_archive(response.body, want, Revision("version", version))

    def _package(self, source: Hub) -> Package:
        reference = f"@{source.handle}/{source.name}"
        body = self._get(self._page(source), reference)
        package = answers.read_package(body, self.host)
        if (package.handle, package.name) != (source.handle, source.name):
            fate = (
                "now belongs to someone else" if package.handle != source.handle else "was renamed"
            )
            new = self._source(package)
            raise RefusedError(
                f"{reference} {fate}: {self.host} answers {_name(package)}",
                hint=f"if that is the one you want: skill install {new}",
            )
        if package.kind != "skill":
            raise RefusedError(
                f"{reference} is a {safe(package.kind) or 'thing'}, not a skill",
                hint="install it with the plugin command of the program it is made for",
            )
        if package.moderation not in ("visible", ""):
            raise RefusedError(f"{reference} is {safe(package.moderation)} by {self.host}")
        return package

    def _get(self, url: str, what: str) -> bytes:
        try:
            return self.ports.http.get(url, TYPED, Limits(METADATA, SECONDS)).body
        except NotFoundError:
            raise NotFoundError(f"{self.host} has no {what}") from None

    def _page(self, source: Hub) -> str:
        return f"{self.base}/api/v1/packages/@{quote(source.handle)}/{quote(source.name)}"

    def _source(self, package: Package) -> Hub:
        return Hub(package.handle, SkillName(package.name), host=self.label)

    def _listing(self, package: Package, version: str, found: Version | None = None) -> Listing:
        source = self._source(package)
        risky = found and found.scan not in ("clean", "pending", "")
        official = package.official and self.name == DEFAULT
        return Listing(
            name=source.name,
            source=source,
            registry=Registry("hub", self.where),
            origin=Origin.OFFICIAL if official else Origin.COMMUNITY,
            description=package.summary,
            version=version or package.latest,
            owner=package.owner,
            note=f"the hub's scan says {found.scan}" if found and risky else "",
            label=str(source),
        )


def _name(package: Package) -> str:
    return f"@{package.handle}/{package.name}"


def _check_scan(package: Package, version: Version) -> None:
    if version.scan in answers.BLOCKING_SCANS:
        raise RefusedError(
            f"{_name(package)} {version.version}: the hub's own scan says {safe(version.scan)}"
        )
