"""Sources whose skills come in without a question, and whether an address is one of them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from skillpm.errors import UsageError
from skillpm.model.address import Git, Hub, Source

TAP: Final = "tap:"
_HOST: Final = re.compile(r"[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)+")
_BAD: Final = frozenset("*?[]{}\\ \t\r\n@#")


def trusted_source(words: str) -> str:
    """The one spelling of a source that may be trusted.

    `host/owner/repo`, `host/owner`, `host`, `tap:name` or `@handle`; a URL is cut to the first.
    What is trusted are the repositories that lie there, at branches and tags, never a name that
    begins alike, nor a file or an attachment behind a URL. A handle means nothing without its hub:
    `at_hub` says which.

    Raises:
        UsageError: it names no such place.
    """
    if words.startswith(("@", TAP)):
        name = words.removeprefix(TAP).removeprefix("@")
        if (
            not name
            or any(char in _BAD or char in "/:." for char in name)
            or not name.isprintable()
        ):
            raise _unusable(words)
        return words.lower()
    text = words if "://" in words else f"https://{words}"
    parts = urlsplit(text)
    if parts.scheme not in ("https", "ssh") or parts.username or parts.password or parts.query:
        raise _unusable(words)
    host = (parts.hostname or "").lower()
    path = parts.path.removeprefix("/").removesuffix("/").removesuffix(".git")
    folders = path.split("/") if path else []
    if not _HOST.fullmatch(host) or parts.port or not words.isprintable() or not words.isascii():
        raise _unusable(words)
    if len(folders) > 8 or any(f in ("", ".", "..") or set(f) & _BAD for f in folders):
        raise _unusable(words)
    return "/".join((host, *folders))


def at_hub(handle: str, host: str) -> str:
    """The place of `@handle` on the hub of a host."""
    return f"{host.lower()}/{handle.lower()}"


def is_trusted(source: Source, tap: str, host: str, trusted: frozenset[str]) -> str:
    """The trusted place that a source lies in; "" when it lies in none.

    Args:
        source: where the skill comes from.
        tap: the short name of the tap that listed it; "" for none.
        host: that the source lies on, a hub's own for what a hub has.
        trusted: places as `trusted_source` and `at_hub` spell them.
    """
    if tap and f"{TAP}{tap.lower()}" in trusted:
        return f"{TAP}{tap.lower()}"
    if isinstance(source, Hub):
        place = at_hub(f"@{source.handle}", host)
        return place if place in trusted else ""
    if not isinstance(source, Git) or source.ref.startswith("refs/") or "refs/" in source.tail:
        return ""  # an attachment or a pull request lies under a repository, and is anybody's
    try:
        place = trusted_source(_https(source.url))
    except UsageError:
        return ""
    folders = place.split("/")
    return next(
        (found for n in range(len(folders), 0, -1) if (found := "/".join(folders[:n])) in trusted),
        "",
    )


def _https(url: str) -> str:
    """`git@host:owner/repo` as a URL; others as they are."""
    if "://" not in url and ":" in url:
        host, _, path = url.rpartition("@")[2].partition(":")
        return f"https://{host}/{path}"
    if url.startswith("ssh://"):
        return "ssh://" + url.removeprefix("ssh://").rpartition("@")[2]
    return url


def _unusable(words: str) -> UsageError:
    return UsageError(
        f"{words!a} names no source that can be trusted",
        hint="write host/owner/repo, host/owner, host, tap:name or @handle",
    )
