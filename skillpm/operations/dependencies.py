"""Skills that other skills need: installed with them, each for itself, and pruned after them.

A bare name is looked for where the skill that needs it came from; another place must be named in
full, and be one that the user has added. Nothing of what the user allowed for one skill (`--force`,
`--replace`) holds for those that it needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from skillpm.errors import NotFoundError, PartialError, RefusedError, SkillError
from skillpm.model.address import Git
from skillpm.model.name import SkillName
from skillpm.model.outcome import Message, Notes, Outcome
from skillpm.model.provenance import Record
from skillpm.model.requirements import local_name
from skillpm.model.text import safe
from skillpm.operations.candidate import Candidate, Request
from skillpm.operations.deciding import Permissions
from skillpm.operations.install import Consent, examine, place, prepare
from skillpm.operations.requiring import needs_of, usable_names
from skillpm.operations.workspace import Workspace
from skillpm.sources import bundled

MOST: Final = 50
"""How many skills one install may bring."""


@dataclass(slots=True)
class Found:
    """What a skill needs that is not here.

    Attributes:
        candidates: fetched and looked at, in the order in which they are needed.
        failures: what could not be had: the reference, who needs it, and why.
        unknown: bare names that a skill needs that came from no registry, with who needs them.
    """

    candidates: list[tuple[Candidate, str]] = field(default_factory=list)
    failures: list[tuple[str, str, SkillError]] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.candidates or self.failures or self.unknown)

    def plan(self, name: str) -> list[str]:
        """Lines that say what would come as well."""
        lines = [f"{name} needs other skills:"]
        for candidate, needer in self.candidates:
            listing = candidate.listing
            facts = f"{listing.origin.value}, scan: {candidate.judgement.verdict.value}"
            lines.append(f"  {candidate.name}  for {needer}, from {listing.source} ({facts})")
        lines += [f"  {ref}  for {needer}: {e.message}" for ref, needer, e in self.failures]
        lines += [f"  {name}  for {needer}: from nowhere known" for name, needer in self.unknown]
        return lines


def install_needed(
    workspace: Workspace, request: Request, permissions: Permissions, consent: Consent
) -> Outcome:
    """Install one skill, then those that it needs and that are not here; each asks for itself.

    The status is 9 when the skill was installed and one that it needs was not.

    Raises:
        SkillError: nothing was changed; the class says why.
    """
    notes = Notes()
    candidate = prepare(workspace, request, permissions, notes)
    found = needed(workspace, candidate, permissions, notes) if request.dependencies else Found()
    if found:
        for line in found.plan(candidate.name):
            workspace.say(line)
    outcome = place(workspace, candidate, permissions, consent, notes)
    return _with(workspace, outcome, found, permissions, consent) if found else outcome


def needed(workspace: Workspace, root: Candidate, permissions: Permissions, notes: Notes) -> Found:
    """Everything that a skill needs and that is not here, and what that needs in turn."""
    found = Found()
    seen = {root.name, *usable_names(workspace)}
    waiting = deque((one, root) for one in needs_of(root.tree).skills)
    while waiting:
        reference, needer = waiting.popleft()
        name = local_name(reference)
        if name in seen:
            continue
        seen.add(name)
        try:
            if len(found.candidates) >= MOST:
                raise RefusedError(f"{root.name} needs more than {MOST} skills")
            asked = _request(workspace, reference, needer)
            if asked is None:
                found.unknown.append((name, needer.name))
                continue
            candidate = examine(workspace, asked, notes, permissions.terms)
        except SkillError as error:
            found.failures.append((reference, needer.name, error))
            continue
        found.candidates.append((replace(candidate, installed_for=root.name), needer.name))
        waiting.extend((one, candidate) for one in needs_of(candidate.tree).skills)
    return found


def _request(workspace: Workspace, reference: str, needer: Candidate) -> Request | None:
    """What to look for, and where: the words of a stranger lead nowhere that is not known here.

    None for a bare name that is needed by a skill from no registry and no collection.
    """
    listing, name = needer.listing, SkillName(local_name(reference))
    if "/" in reference:
        return Request(_qualified(workspace, reference, needer), name=name)
    match listing.registry.kind:
        case "bundled":
            if bundled.get(name) is None:
                raise NotFoundError(f"the bundled registry has no {name}")
            return Request(name, name=name)
        case "tap" | "hub":
            before, _, _ = listing.qualified.rpartition("/")
            return Request(f"{before}/{name}", name=name)
    if isinstance(listing.source, Git):
        return Request(name, str(listing.source.at(listing.source.ref, "")), name)
    return None


def _qualified(workspace: Workspace, reference: str, needer: Candidate) -> str:
    place = reference.partition("/")[0]
    if "@" in place:
        return reference
    known = {tap.name for tap in workspace.store.taps.all()}
    known |= {hub.name for hub in workspace.hubs}
    if place not in known:
        raise RefusedError(
            f"{needer.name} names {safe(reference)}, and {safe(place)} is no tap or hub of yours",
            hint="if you trust it: skill tap add ADDRESS, then install again",
        )
    return reference


def _with(
    workspace: Workspace,
    outcome: Outcome,
    found: Found,
    permissions: Permissions,
    consent: Consent,
) -> Outcome:
    """The outcome of an install, with those of what it brought."""
    plain = replace(permissions, force=False, replace=False, keep_edits=False)
    messages = list(outcome.messages)
    data: list[dict[str, Any]] = []
    failures = list(found.failures)
    for candidate, needer in found.candidates:
        try:
            done = place(workspace, candidate, plain, consent, Notes())
        except SkillError as error:
            failures.append((candidate.name, needer, error))
            continue
        messages += done.messages
        data.append({"name": candidate.name, "needed_by": needer, "error": None, **done.data})
    for reference, needer, why in failures:
        hint = f" ({why.hint})" if why.hint else ""
        text = f"{safe(reference)}, which {needer} needs, is not installed: {why.message}{hint}"
        messages.append(Message(text, "error"))
        fault = {"code": why.code, "message": why.message, "hint": why.hint}
        data.append({"name": reference, "needed_by": needer, "error": fault, "action": "failed"})
    for name, needer in found.unknown:
        text = f"{needer} needs {name} and came from no registry: skill install {name}"
        messages.append(Message(text, "warning"))
    status = PartialError.status if failures else outcome.status
    return outcome._replace(
        data={**outcome.data, "dependencies": data}, messages=tuple(messages), status=status
    )


def orphans(records: Iterable[Record], others: Mapping[str, Sequence[str]]) -> list[SkillName]:
    """What was installed for another skill and is needed by none that somebody asked for.

    Args:
        records: of everything installed.
        others: hand-written skills by name, with the references to what they need.
    """
    needs: dict[str, Sequence[str]] = {one.name: one.requirements.skills for one in records}
    needs.update(others)
    brought = [one.name for one in records if one.installed_for and one.name not in others]
    reached = set(needs) - set(brought)
    waiting = list(reached)
    while waiting:
        for name in map(local_name, needs.get(waiting.pop(), ())):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return [name for name in brought if name not in reached]


def needers(name: str, records: Iterable[Record]) -> list[str]:
    """The installed skills that say that they need this one."""
    return [one.name for one in records if name in map(local_name, one.requirements.skills)]
