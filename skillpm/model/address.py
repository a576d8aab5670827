"""Addresses: every way in which a person or a registry says where a skill lives.

An address is a value. `address.parse` reads one, `str()` prints the one canonical spelling,
and parsing that gives the same value back. Nothing here asks the network: a branch that
holds a slash stays in `Git.tail` until the repository's own refs say where it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote

from skillpm.errors import UsageError
from skillpm.model.name import SkillName, show


@dataclass(frozen=True, slots=True)
class Named:
    """A bare name, to be looked up in the bundled registry and the taps."""

    name: SkillName

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Tapped:
    """`tap/name`: a name in one tap; also how `owner/repo` reads until the taps are known."""

    tap: str
    name: str

    def __str__(self) -> str:
        return f"{self.tap}/{self.name}"


@dataclass(frozen=True, slots=True)
class Hub:
    """`@handle/name[@version]` on a hub.

    Attributes:
        host: the hub's host, when a page URL was given; the name of a configured hub, when it was
            written in front (`clawhub:@handle/name`); "" for the default hub.
    """

    handle: str
    name: SkillName
    version: str = ""
    host: str = ""

    def __str__(self) -> str:
        reference = f"@{self.handle}/{self.name}"
        if "." in self.host or ":" in self.host:
            reference = f"https://{self.host}/skills/{reference}"
        elif self.host:
            reference = f"{self.host}:{reference}"
        return f"{reference}@{self.version}" if self.version else reference


@dataclass(frozen=True, slots=True)
class Git:
    """A git repository and what is wanted of it.

    Attributes:
        url: what git is given: `https://`, `http://`, `ssh://`, `file://` or `user@host:path`.
        ref: branch, tag or 40-hex commit; "" is the default branch.
        path: folder or file inside the repository; "" is its root.
        tail: `ref/path` run together, as tree and blob URLs write it; exclusive with both.
        pick: the `x` of `owner/repo@x`: a skill of that name, else a ref of that name.
    """

    url: str
    ref: str = ""
    path: str = ""
    tail: str = ""
    pick: str = ""

    def __str__(self) -> str:
        prefix = "" if _speaks_git(self.url) else "git+"
        marker = "".join(
            f"{mark}{quote(part, safe='/@+')}"
            for mark, part in (
                ("#", self.ref),
                (":", self.path),
                ("#~", self.tail),
                ("#@", self.pick),
            )
            if part
        )
        return f"{prefix}{self.url}{'#' if marker.startswith(':') else ''}{marker}"

    def at(self, ref: str, path: str) -> Git:
        """The same repository at another place."""
        return replace(self, ref=ref, path=path, tail="", pick="")


@dataclass(frozen=True, slots=True)
class Web:
    """One file behind a URL: a Markdown document or an archive."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def is_document(self) -> bool:
        """Whether the URL's path ends as a Markdown document does."""
        return _url_path(self.url).lower().endswith(DOCUMENT_ENDINGS)


@dataclass(frozen=True, slots=True)
class Site:
    """One skill of a site's well-known index; `url` is the index's own."""

    url: str
    name: SkillName

    def __str__(self) -> str:
        return f"{self.url}#{self.name}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A URL that does not say what it is: to be asked, in a fixed order, before it is fetched."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class Local:
    """A folder, a `.md` file or an archive on this machine, as typed or absolute."""

    path: str

    def __str__(self) -> str:
        looks_local = self.path.startswith(("/", "./", "../", "~/")) or self.path in (".", "..")
        return self.path if looks_local else f"./{self.path}"


@dataclass(frozen=True, slots=True)
class Bundled:
    """A skill of the registry that ships with this program."""

    name: SkillName

    def __str__(self) -> str:
        return f"bundled:{self.name}"


Source = Git | Web | Site | Unknown | Local | Hub | Bundled
"""Addresses from which bytes can be fetched."""

Address = Named | Tapped | Source

DOCUMENT_ENDINGS: Final = (".md", ".markdown", ".mdx")
ARCHIVE_ENDINGS: Final = (".zip", ".tar.gz", ".tgz", ".tar")


def is_archive(path: str) -> bool:
    """Whether a file name or URL path ends as an archive does."""
    return path.lower().endswith(ARCHIVE_ENDINGS)


def is_document(path: str) -> bool:
    """Whether a file name or URL path ends as a Markdown document does."""
    return path.lower().endswith(DOCUMENT_ENDINGS)


def checked_ref(text: str) -> str:
    """A git ref as typed, when git could have made it.

    The rules are those of git-check-ref-format(1).

    Raises:
        UsageError: the ref begins with a dash or holds what no ref may hold.
    """
    bad = set(" ~^:?*[\\") | {chr(c) for c in (*range(32), 127)}
    if (
        text in ("", "@")
        or text.startswith(("-", "/", "."))
        or text.endswith(("/", ".", ".lock"))
        or ".." in text
        or any(part in text for part in ("//", "/.", ".lock/", "@{"))
        or any(c in bad or not c.isprintable() for c in text)
    ):
        raise UsageError(f"{show(text)} is not a git branch, tag or commit")
    return text


def _speaks_git(url: str) -> bool:
    """Whether the URL alone already reads as a git address, without a `git+` in front."""
    if "://" not in url:
        return True
    scheme, _, rest = url.partition("://")
    if scheme in ("ssh", "git"):
        return True
    host, _, path = rest.partition("/")
    if path.endswith(".git"):
        return True
    parts = path.split("/")
    github = scheme == "https" and host == "github.com"  # the others' addresses get a `.git`
    return github and len(parts) == 2 and not path.lower().endswith(_FILES)


_FILES: Final = (*DOCUMENT_ENDINGS, *ARCHIVE_ENDINGS, ".json")


def _url_path(url: str) -> str:
    return unquote(url.partition("://")[2].partition("/")[2].partition("?")[0].partition("#")[0])
