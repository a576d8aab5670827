"""Taking over skills that another tool, or a person, put where agents read them.

Everything up to the plan only looks. A skill's bytes are read, checked and scanned like those of
any install, and what the other tool wrote down becomes the provenance: where updates come from,
never how far it is trusted. Its folders and its records are left exactly as they are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from skillpm.errors import (
    ConflictError,
    IntegrityError,
    InvalidSkillError,
    NotFoundError,
    RefusedError,
    SkillError,
    StateError,
    UnreachableError,
    UsageError,
)
from skillpm.formats.address import parse_registry_source, parse_source
from skillpm.formats.document import read_document
from skillpm.formats.foreign.entry import Foreign
from skillpm.formats.foreign.hashes import agrees
from skillpm.model.address import Git, Hub, Local, Source
from skillpm.model.listing import Listing
from skillpm.model.lock import is_local
from skillpm.model.name import SkillName, is_skill_name, version_text
from skillpm.model.outcome import Agree, Message, Notes, Outcome
from skillpm.model.provenance import Origin, Registry, Revision
from skillpm.model.text import safe
from skillpm.model.tree import Tree
from skillpm.operations import deciding
from skillpm.operations.adoption import Plan, outcome, screen
from skillpm.operations.candidate import Candidate
from skillpm.operations.deciding import Permissions, Situation
from skillpm.operations.install import inspect, place
from skillpm.operations.removing import pin
from skillpm.operations.workspace import Workspace
from skillpm.sources import adoptable, files
from skillpm.sources.adoptable import Adoptable
from skillpm.sources.fetched import Fetched
from skillpm.store.library import State

_MOST_BYTES: Final = 512 * 1024 * 1024  # what is scanned is held until it is placed


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for.

    Attributes:
        path: where to look; "" for the current folder.
        user: look below the home folder instead.
        name: the name for the only skill that is found; "" for its own.
        dry_run: show the plan and change nothing.
    """

    path: str = ""
    user: bool = False
    name: SkillName | None = None
    dry_run: bool = False


def adopt(workspace: Workspace, wish: Wish, permissions: Permissions, agree: Agree) -> Outcome:
    """Take over the skills that are found; one that fails does not stop the others.

    The outcome's status is 9 when some failed.

    Raises:
        NotFoundError: nothing is there.
        UsageError: one name was given for several skills, or two places.
        RefusedError: the person said no, or there is nobody to ask.
        StateError: our own state is damaged.
    """
    root, found = _look(workspace, wish)
    if wish.name and len(found.skills) != 1:
        raise UsageError(f"--as names one skill, and {len(found.skills)} were found")
    plans = _plans(workspace, found.skills, wish, permissions)
    messages = [Message(text, "warning") for text in found.problems]
    due = [plan for plan in plans if plan.changes]
    if due and not wish.dry_run:
        if not agree(list(screen(plans))):
            raise RefusedError(
                f"nothing was adopted from {safe(str(root))}: it needs somebody's yes",
                hint="look at the plan with --dry-run; --yes agrees to it",
            )
        plans = [_done(workspace, plan, permissions, messages) for plan in plans]
    return outcome(root, plans, messages, dry_run=wish.dry_run)


def _look(workspace: Workspace, wish: Wish) -> tuple[Path, adoptable.Found]:
    host = workspace.host
    if wish.user and wish.path:
        raise UsageError("--user looks below your home folder; leave PATH away")
    root, kind = files.find(host, Local("~/" if wish.user else wish.path or "."))
    if kind != "folder":
        raise UsageError(f"{safe(str(root))} is no folder")
    root = Path(os.path.normpath(root))
    state = host.env.get("XDG_STATE_HOME", "") if wish.user else ""
    more = [Path(state) / "skills/.skill-lock.json"] if state.startswith("/") else []
    try:
        found = adoptable.look(root, host.dirs.library, more)
    except StateError as error:
        raise UnreachableError(error.message) from None
    if not found.skills:
        told = "".join(f"\n  {problem}" for problem in found.problems[:6])
        raise NotFoundError(
            f"there are no skills in {safe(str(root))}, nor in agents' folders in it{told}",
            hint="name the folder that holds them: skill adopt PATH",
        )
    return root, found


def _plans(
    workspace: Workspace, found: Sequence[Adoptable], wish: Wish, permissions: Permissions
) -> list[Plan]:
    taken: dict[str, Plan] = {}
    plans: list[Plan] = []
    size = 0
    for number, one in enumerate(found, 1):
        workspace.progress(f"{number} of {len(found)}: {one.shown}", 0, 0)
        if size > _MOST_BYTES:
            plans.append(Plan(one, one.folder.name, "failed", error=_too_much()))
            continue
        plan = _once(_plan(workspace, one, wish, permissions), taken)
        if not plan.error:
            taken.setdefault(plan.name, plan)
        size += plan.candidate.tree.size if plan.candidate else 0
        plans.append(plan)
    return plans


def _too_much() -> RefusedError:
    return RefusedError(
        f"more than {_MOST_BYTES // 1024 // 1024} MiB of skills are adopted in several goes",
        hint="adopt this one by its own folder",
    )


def _once(plan: Plan, taken: dict[str, Plan]) -> Plan:
    """The plan for a skill that lies in several agents' folders: the first copy counts."""
    first = taken.get(plan.name)
    if not (first and first.candidate and plan.candidate):
        return plan
    if first.candidate.tree.digest == plan.candidate.tree.digest:
        return replace(plan, action="same", place=first.found.shown)
    error = ConflictError(
        f"{plan.name} lies in {first.found.shown} as well, with other files",
        hint=f"adopt this one by its own folder: skill adopt {plan.found.folder} --as NAME",
    )
    return replace(plan, action="failed", error=error)


def _plan(workspace: Workspace, one: Adoptable, wish: Wish, permissions: Permissions) -> Plan:
    """What to do with one folder; what is wrong with it is part of the plan."""
    name: str = wish.name or one.folder.name
    candidate = None
    try:
        tree = _files(one)
        name = wish.name or _name(one, tree)
        candidate = _candidate(SkillName(name), one, tree, permissions)
        action = _decide(workspace, candidate, one, permissions)
    except SkillError as error:
        return Plan(one, name, "failed", candidate, error)
    return Plan(one, name, action, candidate)


def _files(one: Adoptable) -> Tree:
    try:
        return adoptable.read(one.folder)
    except StateError as error:
        raise UnreachableError(error.message) from None


def _name(one: Adoptable, tree: Tree) -> SkillName:
    """The name of its folder, which is what agents call it; else the skill's own."""
    for text in (one.folder.name, read_document(tree.entry).name):
        if is_skill_name(text):
            return SkillName(text)
    raise InvalidSkillError(
        f"{one.shown} has no usable name", hint="adopt it by its own folder, with --as NAME"
    )


def _candidate(name: SkillName, one: Adoptable, tree: Tree, permissions: Permissions) -> Candidate:
    foreign = one.foreign
    if one.unread:
        raise RefusedError(
            f"where {name} came from is not known: {one.unread} cannot be read",
            hint="mend that file; without it the skill would be a local one",
        )
    if foreign and agrees(foreign, tree) is False and not permissions.replace:
        raise IntegrityError(
            f"the files of {name} are not those that {foreign.tool} recorded: they were edited,"
            " or it left some out",
            hint="--replace takes them as they are",
        )
    source = _source(one)
    origin = Origin.LOCAL if isinstance(source, Local) else Origin.COMMUNITY
    revision = _revision(foreign, source, tree)
    version = revision.value if revision.kind == "version" else ""
    listing = Listing(name, source, Registry(), origin, version=version)
    path = foreign.path if foreign and isinstance(source, Git) else ""
    requested = f"adopt {one.shown}" + (f" ({foreign.tool})" if foreign else "")
    fetched = Fetched(tree, revision, path)
    return inspect(name, requested, listing, fetched, permissions.terms)


def _source(one: Adoptable) -> Source:
    """Where updates will come from: what the record says, else the folder itself.

    A record may have come with somebody's repository: like a registry, it may name nothing
    that travels in the clear.

    Raises:
        UsageError: the record names no address that we take.
    """
    foreign = one.foreign
    if foreign is None or not foreign.source:
        return _local(one.folder)
    if is_local(foreign.source) and not foreign.source.startswith(("file:", "git+file:", "~")):
        return _local(one.base / foreign.source)
    try:
        source = parse_registry_source(foreign.source)
        return source.at(foreign.ref or source.ref, "") if isinstance(source, Git) else source
    except UsageError as error:
        raise UsageError(
            f"{foreign.tool} recorded a source that is not taken over: {error.message}",
            hint="install it from its source: skill install NAME --source ADDRESS",
        ) from None


def _local(place: Path) -> Source:
    """A place on this machine, when its path can be written down.

    Raises:
        UsageError: it has characters that no address has.
    """
    try:
        return parse_source(os.path.normpath(place))
    except UsageError as error:
        raise UsageError(error.message, hint="rename the folder, or move it elsewhere") from None


def _revision(foreign: Foreign | None, source: Source, tree: Tree) -> Revision:
    """The commit or version that was recorded, else the digest of the files."""
    content = tree.digest.rpartition(":")[2]
    if foreign is None:
        return Revision("content", content)
    full = foreign.ref.startswith("refs/") or foreign.ref == foreign.revision
    ref = foreign.ref if full else ""
    if isinstance(source, Git):
        value = foreign.revision if foreign.is_commit else ""
        return Revision("commit", value, ref) if value else Revision("content", content, ref)
    if isinstance(source, Hub) and foreign.revision:
        return Revision("version", version_text(foreign.revision))
    return Revision("content", content)


def _decide(
    workspace: Workspace, candidate: Candidate, one: Adoptable, permissions: Permissions
) -> str:
    entry = workspace.store.library.entry(candidate.name)
    ours = entry is not None and entry.state is State.OK and one.foreign is None
    if ours and entry and entry.digest == candidate.tree.digest:
        return "keep"  # a copy that we made for an agent, or one of what we have
    situation = Situation(
        candidate.name, candidate.listing, candidate.fetched, candidate.judgement, entry
    )
    try:
        return deciding.decide(situation, permissions)
    except IntegrityError:
        raise IntegrityError(
            f"{candidate.name} is installed from {candidate.listing.source} at the same"
            f" {candidate.fetched.revision}, and the files in {one.shown} are others",
            hint="they were edited here; --force takes them all the same (the old ones are kept)",
        ) from None


def _done(
    workspace: Workspace, plan: Plan, permissions: Permissions, messages: list[Message]
) -> Plan:
    """The plan carried out, for one skill."""
    if not (plan.changes and plan.candidate):
        return plan
    try:
        placed = place(workspace, plan.candidate, permissions, lambda _: True, Notes())
    except SkillError as error:
        return replace(plan, action="failed", error=error)
    messages += [message for message in placed.messages if message.level != "note"]
    if plan.found.foreign and plan.found.foreign.pinned:
        pin(workspace, plan.candidate.name, pinned=True)
        messages.append(
            Message(f"{plan.name} stays as it is, as {plan.found.foreign.tool} was told")
        )
    return replace(plan, place=str(placed.data["place"]))
