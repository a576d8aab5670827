"""Adding, listing and removing hubs; only the project's own default is on from the start."""

from __future__ import annotations

import re
from typing import Any

from skillpm.errors import ConflictError, NotFoundError, RefusedError, UsageError
from skillpm.formats.url import split_url
from skillpm.model.name import is_skill_name, show, skill_name
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.operations.workspace import Workspace
from skillpm.sources.hub_kinds import KINDS, KNOWN, settle
from skillpm.sources.hubs import DEFAULT, Hub, Ports
from skillpm.sources.sites import index_places
from skillpm.store.records import HubState


def add(workspace: Workspace, words: str, kind: str, name: str) -> Outcome:
    """Ask an address whether it answers as a hub, and remember it.

    The words are a URL, or the short form of a hub that many know; the kind is one of `KINDS`,
    "" for one that can be told by asking; the name is "" for one made from the address.

    Raises:
        UsageError: the words are no hub's address.
        ConflictError: the name, or the address, is taken by another hub or a tap.
        SkillError: it does not answer as its kind; nothing was added.
    """
    known_name, known_kind, url = KNOWN.get(words.lower(), ("", "", words))
    if kind and known_kind and kind != known_kind:
        raise UsageError(f"{words} is a hub of the kind {known_kind}, not {kind}")
    url, kind = _checked_url(url), kind or known_kind or _kind_of(url)
    short = name or known_name or _short_name(url)
    _check_free(workspace, short, url)
    notes = Notes()
    if url.startswith("http://"):
        notes.warn(f"{url} is not encrypted: anyone on the way can read and change it")
    ports = Ports(workspace.http, lambda: workspace.git)
    hub = settle(ports, short, kind, url)
    workspace.store.records.put_hub(HubState(hub.name, hub.kind, hub.base, workspace.host.now()))
    notes.note(f"added the hub {hub.name}, of the kind {hub.kind}: {hub.base}")
    return Outcome(_data(hub), tuple(notes.messages))


def remove(workspace: Workspace, words: str) -> Outcome:
    """Forget a hub, by name, short form or address; what was installed from it stays.

    Raises:
        RefusedError: it is the default hub, which is a setting.
        NotFoundError: there is no such hub.
    """
    name, _, url = KNOWN.get(words.lower(), (words, "", words.rstrip("/")))
    places = {url, *(index_places(url) if "://" in url else ())}
    for hub in workspace.hubs:
        if hub.name != name and hub.base not in places:
            continue
        if hub.name == DEFAULT:
            raise RefusedError(
                f"{hub.base} is the default hub, which is a setting",
                hint='set SKILL_HUB=off, or hub.url = "off" in config.toml',
            )
        workspace.store.records.forget_hub(hub.name)
        notes = Notes()
        notes.note(f"removed the hub {hub.name}; skills installed from it stay")
        return Outcome(_data(hub), tuple(notes.messages))
    raise NotFoundError(f"there is no hub {show(words)}", hint="skill hub list shows them")


def listed(workspace: Workspace) -> Outcome:
    """The hubs in the order in which they are asked; asks nobody.

    Raises:
        StateError: our own state is damaged.
    """
    data = [_data(hub) for hub in workspace.hubs]
    rows = tuple((d["name"], d["kind"], d["url"], "default" if d["default"] else "-") for d in data)
    empty = "no hubs: skill hub add clawhub"
    table = Table(("name", "kind", "url", "default"), rows, empty)
    return Outcome({"hubs": data}, (), (table,))


def _checked_url(text: str) -> str:
    if "://" not in text:
        known = ", ".join(KNOWN)
        raise UsageError(f"{show(text)} is not a hub's address", hint=f"give a URL, or: {known}")
    url = split_url(text)
    if url.scheme not in ("https", "http") or url.query or url.fragment:
        raise UsageError(f"{show(text)} is not a hub's address: http or https, without ? and #")
    return url.plain.rstrip("/")


def _kind_of(url: str) -> str:
    """The kind of a hub that many know, by its address; "" for any other."""
    return next((kind for _, kind, base in KNOWN.values() if base == url), "")


def _short_name(url: str) -> str:
    """The host's name with hyphens, without what every host has."""
    host = split_url(url).host.removeprefix("www.").removesuffix(".")
    name = re.sub(r"[^a-z0-9]+", "-", host).strip("-")[:64].strip("-")
    if not is_skill_name(name):
        raise UsageError(f"{show(host)} makes no short name", hint="choose one: --name NAME")
    return skill_name(name)


def _check_free(workspace: Workspace, name: str, url: str) -> None:
    if name == DEFAULT:
        raise ConflictError(f"the name {name} is that of the default hub", hint="--name NAME")
    taps = {tap.name for tap in workspace.store.taps.all()}
    if name in taps:
        raise ConflictError(f"{name} is already a tap", hint="choose another name: --name NAME")
    for hub in workspace.hubs:
        same = hub.base == url or hub.base in index_places(url)
        if same and hub.name != name:
            raise ConflictError(
                f"{url} is already the hub {hub.name}",
                hint=f"first: skill hub remove {hub.name}" if hub.name != DEFAULT else "",
            )
        if hub.name == name and not same:
            raise ConflictError(
                f"the hub {name} is already {hub.base}", hint="choose another name: --name NAME"
            )


def _data(hub: Hub) -> dict[str, Any]:
    return {
        "name": hub.name,
        "kind": hub.kind,
        "url": hub.base,
        "default": hub.name == DEFAULT,
    }


def kinds() -> tuple[str, ...]:
    """The kinds of hubs there are."""
    return tuple(KINDS)
