"""Well-known discovery: a site's own index of skills, versions 0.2.0 and 0.1.0.

0.2.0: `/.well-known/agent-skills/index.json` with `$schema`, and per skill `name`, `type`
(`skill-md` or `archive`), `description`, `url`, `digest` (`sha256:<hex>` of the artifact).
0.1.0: `/.well-known/skills/index.json` without `$schema`, and per skill `name`, `description`,
`files`, each file at `<name>/<path>` beside the index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote, urljoin

from skillpm.errors import InvalidSkillError, UnreachableError
from skillpm.formats import json
from skillpm.model.name import is_skill_name, show
from skillpm.model.tree import ENTRY, check_path

SCHEMA: Final = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
PLACES: Final = ("/.well-known/agent-skills/index.json", "/.well-known/skills/index.json")
MAX_ENTRIES: Final = 20_000
MAX_FILES: Final = 500

_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")

Kind = Literal["skill-md", "archive", "files"]


@dataclass(frozen=True, slots=True)
class SiteEntry:
    """One skill of a site.

    Attributes:
        kind: one document, one archive, or a list of files (0.1.0).
        urls: absolute: the artifact's, or one for each file.
        paths: for `files`, the path of each inside the skill.
        sha256: what the index promises of the artifact; "" in 0.1.0.
    """

    name: str
    description: str
    kind: Kind
    urls: tuple[str, ...]
    paths: tuple[str, ...] = ()
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class SiteIndex:
    """The usable entries of a site and, in words, what was wrong with the others."""

    entries: tuple[SiteEntry, ...] = ()
    problems: tuple[str, ...] = ()


def read_site_index(data: bytes, url: str) -> SiteIndex:
    """Read an index that was fetched from `url`.

    Raises:
        UnreachableError: it is not JSON, no index, or of a version that is not known.
    """
    try:
        value = json.load(data)
    except json.JsonError as error:
        raise UnreachableError(f"{url} is not JSON: {error}") from None
    skills = value.get("skills") if isinstance(value, dict) else None
    if not isinstance(skills, list) or len(skills) > MAX_ENTRIES:
        raise UnreachableError(f"{url} is no index of skills")
    schema = value.get("$schema")
    if schema not in (None, SCHEMA):
        raise UnreachableError(f"{url} is an index of an unknown version: {show(str(schema))}")
    read = _artifact if schema else _files
    entries: list[SiteEntry] = []
    problems: list[str] = []
    for item in skills:
        try:
            entries.append(read(item if isinstance(item, dict) else {}, url))
        except InvalidSkillError as error:
            problems.append(f"{url}: an entry is skipped: {error.message}")
    return SiteIndex(tuple(entries), tuple(problems))


def _name(item: dict[str, Any]) -> str:
    name = json.field(item, "name")
    if not is_skill_name(name):
        raise InvalidSkillError(f"its name is unusable: {show(name)}")
    return name


def _artifact(item: dict[str, Any], url: str) -> SiteEntry:
    name, kind = _name(item), json.field(item, "type")
    if kind not in ("skill-md", "archive"):
        raise InvalidSkillError(f"{name} has the unknown type {show(kind)}")
    digest = _DIGEST.fullmatch(json.field(item, "digest"))
    if not digest:
        raise InvalidSkillError(f"{name} has no SHA-256 digest")
    target = _absolute(url, json.field(item, "url"), name)
    description = json.field(item, "description", 1_024)
    made: Kind = "archive" if kind == "archive" else "skill-md"
    return SiteEntry(name, description, made, (target,), sha256=digest[1])


def _files(item: dict[str, Any], url: str) -> SiteEntry:
    name, files = _name(item), item.get("files")
    if not isinstance(files, list) or ENTRY not in files or len(files) > MAX_FILES:
        raise InvalidSkillError(f"{name} lists no files with a {ENTRY}")
    paths = tuple(check_path(path) if isinstance(path, str) else check_path("") for path in files)
    urls = tuple(_absolute(url, f"{name}/{quote(path)}", name) for path in paths)
    return SiteEntry(name, json.field(item, "description", 1_024), "files", urls, paths)


def _absolute(base: str, reference: str, name: str) -> str:
    try:
        target = urljoin(base, reference)
    except ValueError:
        target = ""
    scheme = target.partition("://")[0]
    same = scheme == base.partition("://")[0]
    if not reference or not target.isprintable() or not (scheme == "https" or same):
        raise InvalidSkillError(f"{name} has no usable address: {show(reference)}")
    return target
