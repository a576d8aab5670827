"""What of this machine an agent may name: the folder it works in, and nothing beside it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from skillpm.edges.host import Host
from skillpm.errors import RefusedError
from skillpm.model.address import Git, Local, Source
from skillpm.model.text import safe


def check_reach(host: Host, source: Source) -> None:
    """Refuse an address on this machine that leads out of the folder we were started in.

    Else whoever can only call us could read any file through what a scan shows of it. A folder
    that holds the whole home is none to work in.

    Raises:
        RefusedError: naming the path.
    """
    path = _path(source)
    if not path:
        return
    here, place = host.here(), host.expand(path).resolve()
    if place.is_relative_to(here) and not _is_above_home(host, here):
        return
    raise RefusedError(
        f"{safe(path)} is outside the folder that an agent may name here",
        hint=f"skill info {safe(path)}",
    )


def _path(source: Source) -> str:
    if isinstance(source, Local):
        return source.path
    if isinstance(source, Git) and source.url.removeprefix("git+").startswith("file:"):
        return unquote(urlsplit(source.url.removeprefix("git+")).path) or "/"
    return ""


def _is_above_home(host: Host, here: Path) -> bool:
    home = host.env.get("HOME", "")
    return here == Path("/") or (home.startswith("/") and Path(home).resolve().is_relative_to(here))
