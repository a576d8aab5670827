"""The kind `clawhub`: ClawHub's API v1, owners and slugs, moderation, and a hand-off for installs.

The hub says where a skill is: a zip of its own, whose files are compared with the digests that it
lists for the version, or a repository on GitHub with a commit. Malware is refused; what the hub
calls suspicious carries its verdict to where the person is asked.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Final
from urllib.parse import quote, urlencode, urljoin

from skillpm.edges.archive import MAX_ARCHIVE
from skillpm.edges.http import Limits
from skillpm.errors import (
    AmbiguousError,
    IntegrityError,
    NotFoundError,
    RefusedError,
    SkillError,
    UnreachableError,
)
from skillpm.formats import clawhub as answers
from skillpm.formats.clawhub import ClawSkill, HandOff
from skillpm.model.address import Git, Hub
from skillpm.model.listing import Listing
from skillpm.model.name import SkillName, handle_name, is_skill_name, relative_path
from skillpm.model.policy import Policy
from skillpm.model.provenance import Origin, Registry, Revision
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY
from skillpm.sources import repo
from skillpm.sources.fetched import Fetched, Want
from skillpm.sources.files import from_archive
from skillpm.sources.hubs import METADATA, SECONDS, TYPED, Based

_OWN_FILES: Final = frozenset({"_meta.json"})  # the hub puts it into each zip and lists it nowhere
_FATES: Final = {
    403: "is blocked there",
    410: "was deleted there",
    423: "is locked there while it is looked at",
}


class ClawHub(Based):
    """One hub that speaks ClawHub's API v1."""

    kind = "clawhub"

    def check(self) -> None:
        """Ask for a search.

        Raises:
            SkillError: the address does not answer as such a hub.
        """
        self.search("skill", SECONDS)

    def search(self, query: str, seconds: float) -> tuple[Listing, ...]:
        """The skills that the hub finds for a query, without what it calls suspicious.

        Raises:
            UnreachableError: it did not answer in time, or not as a hub.
        """
        asked = {"q": query, "limit": "50", "nonSuspiciousOnly": "true"}
        url = f"{self.base}/api/v1/search?{urlencode(asked)}"
        body = self.ports.http.get(url, TYPED, Limits(METADATA, seconds)).body
        found = []
        for row in answers.read_search(body, self.host):
            try:
                owner = handle_name(row.owner)
            except SkillError:
                continue  # one bad row never hides the others
            skill = ClawSkill(owner, row.slug, row.summary, row.version, answers.Moderation())
            found.append(self._listing(skill))
        return tuple(found)

    def listing(self, source: Hub) -> Listing:
        """What a reference names now, with the hub's own verdict as its note.

        Raises:
            NotFoundError: no such skill, or it was deleted.
            AmbiguousError: several owners answer to it.
            RefusedError: it is malware, locked, or answers under another name.
            UnreachableError: the hub is down or answers something else.
        """
        return self._listing(self._skill(source))

    def newest(self, source: Hub) -> Revision:
        """The version, or the commit of a skill on GitHub, that a reference stands at.

        Raises:
            SkillError: as `listing`.
        """
        self._skill(source)
        return _revision(self._hand_off(source))

    def fetch(self, source: Hub, want: Want) -> Fetched:
        """The files of a reference, from where the hub says that they are.

        Raises:
            IntegrityError: a file is not what the hub lists for the version.
            SkillError: as `listing`, and as the place that the hub names.
        """
        self._skill(source)
        version = want.ref or source.version
        if version:
            return self._download(source, HandOff(version, self._url(version, source)), want)
        hand_off = self._hand_off(source)
        if hand_off.repo:
            return self._from_github(hand_off, want)
        return self._download(source, hand_off, want)

    def _skill(self, source: Hub) -> ClawSkill:
        page = f"skills/{source.name}?{_owner(source)}"
        skill = answers.read_skill(self._get(page, source), self.host)
        if (skill.owner, skill.slug) != (source.handle, source.name):
            usable = is_skill_name(skill.slug)
            new = Hub(skill.owner, SkillName(skill.slug), host=self.label)
            raise RefusedError(
                f"{source} is now @{safe(skill.owner)}/{safe(skill.slug)} on {self.host}",
                hint=f"if that is the one you want: skill install {new}" if usable else "",
            )
        if skill.moderation.blocked:
            raise RefusedError(f"{source} is malware, says {self.host}: {_verdict(skill)}")
        return skill

    def _hand_off(self, source: Hub) -> HandOff:
        body = self._get(f"skills/{source.name}/install?{_owner(source)}", source)
        return answers.read_hand_off(body, self.host)

    def _url(self, version: str, source: Hub) -> str:
        asked = {"slug": source.name, "ownerHandle": source.handle, "version": version}
        return f"{self.base}/api/v1/download?{urlencode(asked)}"

    def _download(self, source: Hub, hand_off: HandOff, want: Want) -> Fetched:
        url = urljoin(f"{self.base}/", hand_off.download)
        status, body, kind = self._asked(url, self.place.policy, Limits(MAX_ARCHIVE))
        if status != 200:
            raise self._refusal(status, body, source)
        if kind.startswith("application/json"):
            return self._from_github(answers.read_hand_off(body, self.host), want)
        fetched = from_archive(body, want, _revision(hand_off))
        _check_digests(fetched, self._digests(source, hand_off.version), f"{source}")
        return fetched

    def _digests(self, source: Hub, version: str) -> dict[str, str]:
        """What the hub lists for a version; {} when it lists nothing."""
        page = f"skills/{source.name}/versions/{quote(version, safe='')}?{_owner(source)}"
        try:
            return answers.read_digests(self._get(page, source), self.host)
        except AmbiguousError:
            raise
        except NotFoundError:
            return {}

    def _from_github(self, hand_off: HandOff, want: Want) -> Fetched:
        if not hand_off.repo:
            raise UnreachableError(f"{self.host} does not say where the skill is")
        path = relative_path(hand_off.path)
        source = Git(f"https://github.com/{hand_off.repo}", hand_off.commit, path)
        found = Want(source, want.name, self.place.policy)
        return repo.fetch(self.ports.git(), source, found)

    def _get(self, page: str, source: Hub) -> bytes:
        url = f"{self.base}/api/v1/{page}"
        status, body, _ = self._asked(url, TYPED, Limits(METADATA, SECONDS))
        if status != 200:
            raise self._refusal(status, body, source)
        return body

    def _asked(self, url: str, policy: Policy, limits: Limits) -> tuple[int, bytes, str]:
        """Status, body and content type of an answer; refusals carry their reasons in the body."""
        accepted = replace(limits, accept=(404, 409, *_FATES))
        response = self.ports.http.get(url, policy, accepted)
        kind = response.headers.get("content-type", "").lower()
        return response.status, response.body, kind

    def _refusal(self, status: int, body: bytes, source: Hub) -> SkillError:
        if status == 404:
            return NotFoundError(f"{self.host} has no @{source.handle}/{source.name}")
        if status == 409:
            return self._ambiguous(body, source)
        said = safe(" ".join(body.decode(errors="replace").split()), 300)
        text = f"@{source.handle}/{source.name} {_FATES[status]}, says {self.host}"
        text += f": {said}" if said else f" (HTTP {status})"
        return NotFoundError(text) if status == 410 else RefusedError(text)

    def _ambiguous(self, body: bytes, source: Hub) -> AmbiguousError:
        label = f"{self.label}:" if self.label else ""
        if body:
            return answers.read_ambiguity(body, source.name, label)
        asked = urlencode({"q": source.name, "mode": "exact", "limit": "50"})
        try:
            found = self.ports.http.get(
                f"{self.base}/api/v1/search?{asked}", TYPED, Limits(METADATA, SECONDS)
            )
            rows = answers.read_search(found.body, self.host)
        except SkillError:
            rows = ()
        owners = [f"{label}@{safe(r.owner)}/{r.slug}" for r in rows if r.slug == source.name]
        return answers.ambiguity(source.name, owners)

    def _listing(self, skill: ClawSkill) -> Listing:
        source = Hub(skill.owner, SkillName(skill.slug), host=self.label)
        suspicious = skill.moderation.suspicious
        return Listing(
            name=source.name,
            source=source,
            registry=Registry("hub", self.where),
            origin=Origin.COMMUNITY,
            description=skill.summary,
            version=skill.version,
            owner=skill.owner,
            note=f"{self.host} calls it suspicious: {_verdict(skill)}" if suspicious else "",
            label=str(source),
        )


def _owner(source: Hub) -> str:
    return urlencode({"ownerHandle": source.handle})


def _verdict(skill: ClawSkill) -> str:
    told = (skill.moderation.verdict, skill.moderation.summary)
    return safe(": ".join(part for part in told if part)) or "it gives no reason"


def _revision(hand_off: HandOff) -> Revision:
    if hand_off.commit:
        return Revision("commit", hand_off.commit)
    return Revision("version", hand_off.version)


def _check_digests(fetched: Fetched, promised: dict[str, str], what: str) -> None:
    """Every listed file is there with its digest, and nothing else but what the hub adds itself."""
    if not promised:
        return
    left = dict(promised)
    for file in fetched.tree.files:
        path = fetched.path if not fetched.package and file.path == ENTRY else file.path
        digest = left.pop(path, "")
        if not digest and path not in _OWN_FILES:
            raise IntegrityError(f"{what}: its archive holds {safe(path)}, which the hub lists not")
        if digest and hashlib.sha256(file.data).hexdigest() != digest:
            raise IntegrityError(f"{what}: {safe(path)} is not the file that the hub lists")
    if left:
        missing = ", ".join(safe(path) for path in list(left)[:6])
        raise IntegrityError(f"{what}: its archive lacks {missing}, which the hub lists")
