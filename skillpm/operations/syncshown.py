"""What a project's lock says of agents, made so: a lock came with somebody's repository.

So an entry is only ever put into the project's own folders, and never, by a lock's word alone, into
one in which people write skills.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from skillpm.errors import IntegrityError, PartialError
from skillpm.formats.agents import Agents
from skillpm.model.lock import LOCK_NAME, Locked
from skillpm.model.outcome import Message, Notes, Outcome
from skillpm.model.text import safe
from skillpm.operations.agentfolders import AgentFolder, agents_of, folders
from skillpm.operations.entries import shelf_of
from skillpm.operations.showing import Plan, Skill, allowed, plan_skill
from skillpm.operations.syncing import Step
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Placing
from skillpm.store.library import State
from skillpm.store.showing import seen
from skillpm.store.steps import mark_of

_GONE: Final = (State.MISSING, State.UNREADABLE)


def shown_by(workspace: Workspace, steps: Sequence[Step]) -> Plan:
    """The entries that the lock's agents need, and those of agents that it has no more.

    What becomes of the entries of skills that go is not the plan's: they follow.

    Raises:
        StateError: `config.toml` says something of agents that cannot be.
    """
    plan = Plan()
    agents = agents_of(workspace)
    known: dict[tuple[str, ...], list[AgentFolder]] = {}
    for step in steps:
        wanted = step.wanted
        if wanted is None or not (step.candidate or (step.there and step.there.state not in _GONE)):
            continue
        if wanted.agents not in known:
            places = folders(workspace, agents, wanted.agents)
            known[wanted.agents] = allowed(workspace, places)
            passed = [one for one in places if one.problem or one not in known[wanted.agents]]
            _remark(wanted, agents, passed, plan)
        plan_skill(workspace.store.shown, _skill(workspace, step), known[wanted.agents], (), plan)
        plan.placings += _dropped(workspace, wanted, known[wanted.agents])
    return plan


def check_shown(plan: Plan) -> None:
    """Refuse when entries are not what the lock says.

    Raises:
        IntegrityError: naming each of them.
    """
    places = [one.place for one in plan.placings if one.expected != mark_of(one.content)]
    places += [one.place for one in plan.conflicts]
    if places:
        told = "".join(f"\n  {safe(str(place))}" for place in places)
        raise IntegrityError(
            f"what agents are shown is not what {LOCK_NAME} says:{told}",
            hint="to make it so: skill sync",
        )


def with_shown(outcome: Outcome, plan: Plan, *, dry_run: bool) -> Outcome:
    """What was done, or would be, with the entries; the status is 9 when one was kept."""
    notes = Notes()
    if plan.where and dry_run:
        notes.note(f"would be shown to agents in {', '.join(map(safe, plan.where))}")
        plan.where.clear()
    plan.tell(notes, fail=True)
    messages: tuple[Message, ...] = (*outcome.messages, *notes.messages)
    status = PartialError.status if plan.conflicts else outcome.status
    data = {**outcome.data, "agents": plan.as_json()}
    return outcome._replace(data=data, messages=messages, status=status)


def _skill(workspace: Workspace, step: Step) -> Skill:
    library, candidate = workspace.project.library, step.candidate
    place = library.place(step.name, package=True)
    tree = (lambda: candidate.tree) if candidate else (lambda: library.read(place))
    return Skill(step.name, shelf_of(workspace), place, tree)


def _dropped(workspace: Workspace, wanted: Locked, places: Sequence[AgentFolder]) -> list[Placing]:
    """Entries of ours for agents that the lock does not name any more."""
    stay = {one.path for one in places}
    found = []
    for row in workspace.store.shown.of(wanted.name, shelf_of(workspace)):
        at = seen(row.place)
        if row.place.parent not in stay:
            left = bool(at) and not row.holds(at)
            found.append(Placing(row.place, row.name, row.shelf, at, None, left=left))
    return found


def _remark(wanted: Locked, agents: Agents, places: Sequence[AgentFolder], plan: Plan) -> None:
    """Say what of the lock's words is not followed."""
    told = [one.problem for one in places if one.problem]
    strange = [safe(one) for one in wanted.agents if one not in agents.known]
    if strange:
        told.append(f"{LOCK_NAME} names {', '.join(strange)}, which is no agent known here")
    for one in places:
        if one.is_authors and not one.problem:
            way = f"skill agents link {one.ids[0]} --project"
            told.append(f"people write skills in {one.shown}, so nothing is put there: {way}")
    plan.hint = "; ".join(filter(None, (plan.hint, *told)))
