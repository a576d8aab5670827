"""What a project's lock says of its skills, against what is so: origin, registry, host.

A lock comes with somebody's repository. It pins bytes; it raises no trust, and names no address
that the user would have to have typed: nothing private, nothing in the clear, no hub but theirs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from urllib.parse import urlsplit

from skillpm.edges.addresses import is_literal_private
from skillpm.errors import IntegrityError, RefusedError, SkillError
from skillpm.formats.address import is_plain, parse_source
from skillpm.model.address import Bundled, Git, Hub, Site, Source, Unknown, Web
from skillpm.model.lock import Locked
from skillpm.model.policy import Policy
from skillpm.model.provenance import Origin
from skillpm.operations.fetching import lent, ssh_host
from skillpm.operations.project import Project, trust
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled
from skillpm.sources.hubs import client_for


def check(workspace: Workspace, project: Project) -> None:
    """Refuse a lock that claims more than is so.

    Raises:
        RefusedError: an entry claims trust that it has not, or names a host that the user's
            configuration does not explain; with its line.
        IntegrityError: what ships with us is another version than the lock wants.
    """
    check_addresses(workspace, project)
    for entry in project.lock().skills:
        with at_line(project, entry):
            _check_origin(entry)


def check_addresses(workspace: Workspace, project: Project) -> None:
    """Refuse a lock that names a host which the user's configuration does not explain.

    Raises:
        RefusedError: with the line.
    """
    for entry in project.lock().skills:
        with at_line(project, entry):
            source = parse_source(entry.source)
            _check_address(source, lent(workspace, Policy(typed=False), source))
            if entry.registry.kind == "hub" or isinstance(source, Hub):
                _check_hub(workspace, source, entry)


@contextlib.contextmanager
def at_line(project: Project, entry: Locked) -> Iterator[None]:
    """Say of every error where in the lock its reason stands."""
    try:
        yield
    except SkillError as error:
        where = project.where(entry.name)
        raise type(error)(f"{where}: {entry.name}: {error.message}", hint=error.hint) from None


def _check_origin(entry: Locked) -> None:
    source = parse_source(entry.source)
    if (entry.registry.kind == "bundled") != isinstance(source, Bundled):
        raise RefusedError(
            f"it is said to come from the registry {entry.registry}, and comes from {entry.source}"
        )
    if isinstance(source, Bundled):
        _check_shipped(source, entry)
    claimed, found = entry.origin, trust(entry)
    asked = isinstance(source, Hub) and claimed is Origin.OFFICIAL  # its hub is asked later
    if claimed not in (found, Origin.COMMUNITY) and not asked:
        raise RefusedError(
            f"it is said to be {claimed.value}, and what comes from {entry.source} is {found.value}"
        )


def _check_shipped(source: Bundled, entry: Locked) -> None:
    shipped = bundled.get(source.name)
    if shipped is None or shipped.digest != entry.digest:
        now = f"version {shipped.version}" if shipped else "no such skill"
        raise IntegrityError(
            f"the lock wants {entry.revision} of what comes with skill, and this skill has {now}",
            hint=f"use the same version of skill, or: skill update {entry.name} --project",
        )


def _check_address(source: Source, policy: Policy) -> None:
    url = source.url if isinstance(source, Git | Web | Site | Unknown) else ""
    if not url or policy.allows_private(url):
        return
    if is_plain(source):
        raise RefusedError(f"{source} is not encrypted, and it was not you who typed it")
    host, reason = ssh_host(source), "is reached by ssh"
    if not host and is_literal_private(urlsplit(url).hostname or ""):
        host, reason = urlsplit(url).hostname or "", "is on your own network"
    if host:
        raise RefusedError(
            f"{source} {reason}, and nothing in your configuration names {host}",
            hint="if you trust it, name it in [tokens] or [mirrors] of config.toml, or install it"
            " yourself with --source",
        )


def _check_hub(workspace: Workspace, source: Source, entry: Locked) -> None:
    where = entry.registry.name
    if isinstance(source, Hub):
        found = client_for(workspace.hubs, source).where
        if entry.registry.kind != "hub" or found != where:
            raise RefusedError(
                f"it is said to come from {entry.registry}, and {source} names the hub {found}"
            )
    elif all(hub.where != where for hub in workspace.hubs):
        raise RefusedError(
            f"it is said to come from the hub {where}, which is none of yours",
            hint=f"if you trust it: skill hub add https://{where}",
        )
