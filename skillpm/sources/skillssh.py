"""The kind `skills.sh`: anonymous search; an install goes where a row says."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from skillpm.edges.http import Limits
from skillpm.errors import UnreachableError, UsageError
from skillpm.formats import skillssh as answers
from skillpm.formats.address import parse_request
from skillpm.formats.skillssh import SharedSkill
from skillpm.formats.wellknown import PLACES
from skillpm.model.address import Git, Site
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName
from skillpm.model.provenance import Origin, Registry
from skillpm.sources.hubs import METADATA, SECONDS, TYPED, Based

SHORTEST: Final = 2


class SkillsSh(Based):
    """skills.sh, or something that answers like it."""

    kind = "skills.sh"

    def check(self) -> None:
        """Ask for a search.

        Raises:
            SkillError: the address does not answer as such a hub.
        """
        self.search("skill", SECONDS)

    def search(self, query: str, seconds: float) -> tuple[Listing, ...]:
        """What it finds; each reference is `owner/repo@skill`, which `skill install` takes.

        Raises:
            UnreachableError: it did not answer in time, or not with results, or the query is
                shorter than it takes.
        """
        if len(query) < SHORTEST:
            raise UnreachableError(f"it wants at least {SHORTEST} characters")
        url = f"{self.base}/api/search?{urlencode({'q': query, 'limit': '50'})}"
        body = self.ports.http.get(url, TYPED, Limits(METADATA, seconds)).body
        rows = answers.read_search(body, self.host)
        return tuple(found for row in rows if (found := self._listing(row)))

    def _listing(self, row: SharedSkill) -> Listing | None:
        """None when the row's repository is none that an address could name."""
        index = f"https://{row.domain}{PLACES[0]}#{row.name}"
        label = index if row.domain else f"{row.repo}@{row.name}"
        try:
            source = parse_request(label)
        except UsageError:
            return None
        if not isinstance(source, Git | Site):
            return None
        return Listing(
            name=SkillName(row.name),
            source=source,
            registry=Registry("hub", self.where),
            origin=Origin.COMMUNITY,
            description=f"{row.installs} installs, says {self.host}",
            owner=row.domain or row.repo.partition("/")[0].lower(),
            label=label,
        )
