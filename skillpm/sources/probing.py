"""Finding out what an unknown URL is: git, a site with an index, an archive, a document.

The order is fixed, each answer is kept, and when nothing fits all of them are told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from skillpm.edges.archive import MAX_ARCHIVE, is_archive
from skillpm.edges.http import Http, Limits
from skillpm.errors import (
    AmbiguousError,
    InvalidSkillError,
    NotFoundError,
    RefusedError,
    SkillError,
    UnreachableError,
)
from skillpm.formats.document import decode, looks_like_html
from skillpm.formats.forges import guessed
from skillpm.formats.url import Url, split_url
from skillpm.formats.wellknown import PLACES
from skillpm.model.address import Git, Site, Source, Unknown, Web
from skillpm.model.name import skill_name
from skillpm.model.policy import Policy
from skillpm.model.text import safe
from skillpm.sources import sites

_ADVERTISEMENT: Final = "application/x-git-upload-pack-advertisement"
_SERVICE: Final = "/info/refs?service=git-upload-pack"
_MAX_REFS: Final = 32 * 1024 * 1024
_SECONDS: Final = 15.0


@dataclass(slots=True)
class _Probe:
    """One URL being asked, with what each question brought."""

    http: Http
    url: Url
    policy: Policy
    answers: list[str] = field(default_factory=list)
    errors: list[SkillError] = field(default_factory=list)

    def failed(self, what: str, error: SkillError) -> None:
        """Keep an answer that was no."""
        self.answers.append(f"{what}: {error.message}")
        self.errors.append(error)


def identify(http: Http, source: Unknown, wanted: str, policy: Policy) -> Source:
    """What a URL turns out to be; `wanted` is the skill that is wanted there, "" for the only one.

    Raises:
        AmbiguousError: it is a site with several skills, and none was named.
        NotFoundError, UnreachableError, RefusedError: nothing fits; every probe is told.
    """
    probe = _Probe(http, split_url(source.url), policy)
    found = _as_git(probe) or _as_site(probe, wanted) or _as_file(probe)
    if found is None:
        raise _nothing(source, probe)
    return found


def _as_git(probe: _Probe) -> Git | None:
    """A repository: at the address itself, or where a forge's page would have one."""
    page = guessed(probe.url)
    for candidate in (page, Git(probe.url.clone())):
        if candidate is None or not probe.url.parts:
            continue
        url = _speaks_git(probe, candidate.url)
        if url:
            return Git(url, candidate.ref, candidate.path, candidate.tail)
    return None


def _speaks_git(probe: _Probe, url: str) -> str:
    """Where a repository answers for a URL; "" when none does."""
    what = f"git at {safe(url)}"
    try:
        response = probe.http.get(url + _SERVICE, probe.policy, Limits(_MAX_REFS, _SECONDS))
    except SkillError as error:
        probe.failed(what, error)
        return ""
    if not response.headers.get("content-type", "").startswith(_ADVERTISEMENT):
        probe.failed(what, NotFoundError("it answers, and not as a git server"))
        return ""
    return response.url.removesuffix(_SERVICE)


def _as_site(probe: _Probe, wanted: str) -> Site | None:
    for place in sites.index_places(probe.url.plain.partition("?")[0]):
        try:
            found = sites.read_index(probe.http, place, probe.policy, _SECONDS)
        except SkillError as error:
            probe.failed(f"an index at {safe(place)}", error)
            continue
        names = [entry.name for entry in found.index.entries]
        if not wanted and not _is_asked(probe.url, place):
            told = f"it is of the whole host, and has {', '.join(names[:12]) or 'no usable skill'}"
            hint = "name the one you want: skill install NAME --source ADDRESS"
            probe.failed(f"an index at {safe(place)}", NotFoundError(told, hint=hint))
            continue
        return Site(place, skill_name(_choose(found, wanted)))
    return None


def _is_asked(url: Url, place: str) -> bool:
    """Whether an index is the address's own, not that of the host it is on."""
    below = url.plain.partition("?")[0].rstrip("/")
    return below == place or place.removeprefix(below) in PLACES


def _choose(found: sites.Found, wanted: str) -> str:
    names = [entry.name for entry in found.index.entries]
    if wanted in names or (len(names) == 1 and not wanted):
        return wanted or names[0]
    listed = ", ".join(names[:12]) or "no usable skill"
    listed += "".join(f"\n  {problem}" for problem in found.index.problems[:6])
    if wanted:
        raise NotFoundError(f"{safe(found.url)} has no skill {wanted}; it has {listed}")
    raise AmbiguousError(
        f"{safe(found.url)} has {len(names)} skills: {listed}",
        hint="name the one you want: skill install NAME --source ADDRESS",
    )


def _as_file(probe: _Probe) -> Web | None:
    what = "a document or an archive there"
    try:
        response = probe.http.get(probe.url.plain, probe.policy, Limits(MAX_ARCHIVE))
        if is_archive(response.body):
            return Web(probe.url.plain)
        if response.is_html or looks_like_html(response.body):
            probe.failed(what, InvalidSkillError("it is a web page, not a skill"))
            return None
        decode(response.body)
    except SkillError as error:
        probe.failed(what, error)
        return None
    return Web(probe.url.plain)


def _nothing(source: Unknown, probe: _Probe) -> SkillError:
    """The error over all probes; its class is that of the answer that says most."""
    told = "\n  ".join(dict.fromkeys(probe.answers))
    text = f"{safe(source.url)} is nothing we can install from:\n  {told}"
    hint = "git+https:// in front says that it is a repository, a raw file's address is best"
    for kind in (RefusedError, InvalidSkillError, UnreachableError, NotFoundError):
        if any(isinstance(error, kind) for error in probe.errors):
            return kind(text, hint=hint)
    return NotFoundError(text, hint=hint)
