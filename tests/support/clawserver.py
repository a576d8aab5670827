"""A hub with ClawHub's API v1: owners and slugs, moderation, versions, and install hand-offs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final

from .archives import zip_of
from .exchange import Reply, Request
from .webserver import WebServer

API: Final = "/api/v1"


@dataclass(slots=True)
class ClawSkill:
    """One skill; a test may change any of it.

    Attributes:
        github: repo, path and commit, for a skill that is handed off to GitHub.
        refusal: status and text with which the install is refused.
    """

    owner: str
    slug: str
    files: dict[str, str] = field(default_factory=dict)
    version: str = "1.0.0"
    summary: str = "A skill."
    moderation: dict[str, Any] = field(default_factory=dict)
    github: dict[str, str] | None = None
    refusal: tuple[int, str] | None = None
    old: dict[str, dict[str, str]] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """A line of a search."""
        return {
            "slug": self.slug,
            "displayName": self.slug.title(),
            "summary": self.summary,
            "version": self.version,
            "ownerHandle": self.owner,
            "score": 1.0,
        }


class ClawServer(WebServer):
    """The routes that a client reads; errors are `text/plain`, except the 409.

    Attributes:
        skills: every skill.
        zips: version to the bytes of a download, in place of the true ones.
        digests: whether `/versions/{v}` lists files.
    """

    def __init__(self) -> None:
        self.skills: list[ClawSkill] = []
        self.zips: dict[str, bytes] = {}
        self.digests = True
        self.ambiguous = False
        super().__init__()

    def publish(self, owner: str, slug: str, files: dict[str, str]) -> ClawSkill:
        """Publish a skill, or its next version when it is there."""
        for skill in self.skills:
            if (skill.owner, skill.slug) == (owner, slug):
                skill.old[skill.version] = skill.files
                first, _, rest = skill.version.partition(".")
                skill.version, skill.files = f"{int(first) + 1}.{rest}", files
                return skill
        self.skills.append(ClawSkill(owner, slug, files))
        return self.skills[-1]

    def answer(self, request: Request) -> Reply:
        """The test's replacement, or the hub's own answer."""
        return self._replacement(request) or self._api(request)

    def _api(self, request: Request) -> Reply:
        path = request.path.removeprefix(API).strip("/").split("/")
        if path == ["search"]:
            asked = request.query.get("q", "")
            exact = request.query.get("mode") == "exact"
            found = [
                s.row() for s in self.skills if (s.slug == asked if exact else asked in s.slug)
            ]
            return Reply.json({"results": found})
        slug = request.query.get("slug", "") if path == ["download"] else path[1]
        owner = request.query.get("ownerHandle", "")
        named = [s for s in self.skills if s.slug == slug]
        if self.ambiguous and len(named) > 1:
            matches = [{"ownerHandle": s.owner, "slug": s.slug} for s in named]
            return Reply.json(
                {"code": "AMBIGUOUS_SKILL_SLUG", "slug": slug, "matches": matches}, 409
            )
        skill = next((s for s in named if s.owner == owner), None)
        if skill is None:
            return Reply.text("Skill not found", 404)
        if path == ["download"]:
            return self._download(skill, request.query.get("version", ""))
        return self._skill(skill, path[2:])

    def _skill(self, skill: ClawSkill, tail: list[str]) -> Reply:
        if not tail:
            latest = {"version": skill.version}
            about = {"slug": skill.slug, "displayName": skill.slug, "summary": skill.summary}
            owner = {"handle": skill.owner}
            told = {"skill": about, "latestVersion": latest, "owner": owner}
            return Reply.json(told | {"moderation": skill.moderation})
        if tail == ["install"]:
            return self._install(skill)
        if tail[0] == "versions" and self.digests:
            files = skill.files if tail[1] == skill.version else skill.old.get(tail[1], {})
            listed = [
                {"path": p, "size": len(t), "sha256": hashlib.sha256(t.encode()).hexdigest()}
                for p, t in files.items()
            ]
            return Reply.json({"version": {"version": tail[1], "files": listed}})
        return Reply.text("Version not found", 404)

    def _install(self, skill: ClawSkill) -> Reply:
        if skill.refusal:
            return Reply.text(skill.refusal[1], skill.refusal[0])
        if skill.github:
            return Reply.json(
                {"ok": True, "slug": skill.slug, "installKind": "github", "github": skill.github}
            )
        where = f"{API}/download?slug={skill.slug}&ownerHandle={skill.owner}"
        archive = {"version": skill.version, "downloadUrl": f"{self.url}{where}"}
        return Reply.json({"ok": True, "installKind": "archive", "archive": archive})

    def _download(self, skill: ClawSkill, version: str) -> Reply:
        version = version or skill.version
        if skill.github:
            return Reply.json({"sourceRef": "public-github", **skill.github})
        files = skill.files if version == skill.version else skill.old.get(version)
        if files is None:
            return Reply.text("Version not found", 404)
        data = self.zips.get(version) or zip_of({**files, "_meta.json": "{}"})
        return Reply(200, data, {"Content-Type": "application/zip"})
