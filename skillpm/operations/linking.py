"""`skill agents list|link|unlink`: who is shown what is installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skillpm.edges import disk
from skillpm.errors import NotFoundError, PartialError, RefusedError, UsageError
from skillpm.formats.agents import Agents
from skillpm.formats.settings import with_value
from skillpm.model.lock import Locked
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.text import safe
from skillpm.operations.agentfolders import (
    AgentFolder,
    agent_of,
    agents_of,
    config_place,
    detected,
    folders,
)
from skillpm.operations.entries import shelf_of
from skillpm.operations.showing import (
    USABLE,
    Conflict,
    Plan,
    allowed,
    chosen,
    plan_skill,
    skill_of,
)
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Placing, Writing
from skillpm.store.library import Entry
from skillpm.store.showing import Shown, pointer, seen
from skillpm.store.steps import mark_of

_CONFIG_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asked for.

    Attributes:
        agents: ids; () for those that are here, or for all that are chosen.
        skills: names; () for everything installed, and then the choice is remembered.
        replace: names of skills whose entries give way, whoever put them there.
    """

    agents: tuple[str, ...] = ()
    skills: tuple[SkillName, ...] = ()
    replace: frozenset[SkillName] = frozenset()


def list_agents(workspace: Workspace, *, everything: bool) -> Outcome:
    """The agents that are here, chosen or shown anything; with `everything`, all that are known.

    Raises:
        StateError: our own state is damaged.
    """
    agents = agents_of(workspace)
    here, wanted = set(detected(workspace, agents)), set(chosen(workspace, agents.chosen))
    rows = workspace.store.shown.on(shelf_of(workspace))
    full = Counter(str(row.place.parent) for row in rows)
    data = []
    for name in agents.known:
        one = _listed(workspace, agents, name)
        skills, is_here, is_chosen = full[one["place"]], name in here, name in wanted
        if everything or skills or is_here or is_chosen:
            state = "chosen" if is_chosen else "here" if is_here else "-"
            more = {"state": state, "detected": is_here, "chosen": is_chosen, "skills": skills}
            data.append({**one, **more})
    notes = Notes()
    for unknown in agents.unknown:
        notes.warn(f"{safe(unknown)} was chosen, and there is no such agent")
    if agents.chosen is None and here:
        notes.note("nobody was chosen yet: skill agents link, or for nobody skill agents unlink")
    columns = ("id", "name", "folder", "state", "skills")
    table = Table(
        columns,
        tuple(tuple(str(one[column]) for column in columns) for one in data),
        "no agent found here: skill agents list --all shows those that are known",
    )
    chosen_ids = None if agents.chosen is None else list(agents.chosen)
    return Outcome({"agents": data, "chosen": chosen_ids}, tuple(notes.messages), (table,))


def link(workspace: Workspace, wish: Wish) -> Outcome:
    """Show installed skills to agents, and remember that choice unless skills were named.

    The status is 9 when something that somebody else put there was kept.

    Raises:
        NotFoundError: no such agent or skill, or none is here.
        RefusedError: none of their folders can be used.
        StateError: the disk refuses; nothing was changed.
    """
    agents = agents_of(workspace)
    ids = _asked(workspace, agents, wish)
    notes, plan = Notes(), Plan()
    found = folders(workspace, agents, ids)
    found = found if wish.agents else allowed(workspace, found)
    _check(found, notes)
    for entry in _entries(workspace, wish.skills):
        plan_skill(workspace.store.shown, skill_of(workspace, entry), found, wish.replace, plan)
    words = " ".join(["agents link", *ids, *(f"--skill {name}" for name in wish.skills)])
    if workspace.in_project:
        workspace.project.give(words, lambda one: _given(one, wish, plan), plan.placings)
    else:
        more = tuple(dict.fromkeys((*(agents.chosen or ()), *ids)))
        _apply(workspace, words, plan, agents.chosen if wish.skills else more, agents)
    if not plan.placings and not plan.conflicts:
        notes.note("there is nothing to do")
    plan.tell(notes, fail=True)
    return _outcome(ids, plan, notes)


def unlink(workspace: Workspace, wish: Wish) -> Outcome:
    """Take what we put there out of agents' folders, and forget the choice unless skills are named.

    Raises:
        NotFoundError: no such agent.
        StateError: the disk refuses; nothing was changed.
    """
    agents = agents_of(workspace)
    for one in wish.agents:
        agent_of(agents, one)
    before = chosen(workspace, agents.chosen)
    ids = wish.agents or before
    rest = tuple(one for one in before if one not in ids)
    plan, notes = Plan(), Notes()
    for row in _leaving(workspace, agents, wish, rest):
        at = seen(row.place)
        left = bool(at) and not row.holds(at)
        plan.placings.append(Placing(row.place, row.name, row.shelf, at, None, left=left))
        if left:
            plan.conflicts.append(Conflict(row.name, row.place, "it is not as skill put it there"))
    words = " ".join(["agents unlink", *ids, *(f"--skill {name}" for name in wish.skills)])
    if workspace.in_project:
        workspace.project.give(words, lambda one: _kept(one, wish), plan.placings)
    else:
        _apply(workspace, words, plan, agents.chosen if wish.skills else rest, agents)
    notes.note(f"{sum(not one.left for one in plan.placings)} entries taken out of agents' folders")
    for conflict in plan.conflicts:
        notes.warn(conflict.told)
    return _outcome(ids, plan, notes, status=0)


def undecided(workspace: Workspace) -> list[str]:
    """The agents that are here while nobody chose, a line for each; none when somebody did.

    In a project, those that read its folder anyway need no choice.

    Raises:
        StateError: `config.toml` says something of agents that cannot be.
    """
    if workspace.in_project:
        return []
    agents = agents_of(workspace)
    here = detected(workspace, agents) if agents.chosen is None else ()
    found = folders(workspace, agents, here)
    names = {one: safe(agents.known[one].name, 60) for one in here}
    return [
        f"{', '.join(names[one] for one in folder.ids)} looks for skills in {safe(folder.shown)}"
        for folder in found
        if folder.is_open and folder.ids
    ]


def _asked(workspace: Workspace, agents: Agents, wish: Wish) -> tuple[str, ...]:
    for one in wish.agents:
        agent_of(agents, one)
    ids = wish.agents or chosen(workspace, agents.chosen) or detected(workspace, agents)
    if not ids:
        raise NotFoundError(
            "no agent was found here",
            hint="name one: skill agents link claude-code; skill agents list --all shows them",
        )
    return tuple(dict.fromkeys(ids))


def _check(found: Sequence[AgentFolder], notes: Notes) -> None:
    problems = [one.problem for one in found if one.problem]
    if problems and not any(one.is_open or one.has_all for one in found if one.ids):
        raise RefusedError("; ".join(problems), hint="nothing was put anywhere")
    for problem in problems:
        notes.warn(problem)
    idle = [one for one in found if one.has_all and one.ids]
    if idle:
        told = ", ".join(dict.fromkeys(one.shown for one in idle))
        notes.note(f"{told} is where the skills stand: nothing is needed there")


def _entries(workspace: Workspace, names: Sequence[SkillName]) -> list[Entry]:
    library = workspace.shelf.library
    if not names:
        return [entry for entry in library.entries() if entry.state in USABLE]
    found = []
    for name in names:
        entry = library.entry(name)
        if entry is None or entry.state not in USABLE:
            raise NotFoundError(f"{name} is not installed", hint="skill list shows what is")
        found.append(entry)
    return found


def _given(one: Locked, wish: Wish, plan: Plan) -> tuple[str, ...]:
    """The agents of a project's skill when more are given it."""
    return one.agents if wish.skills and one.name not in wish.skills else (*one.agents, *plan.given)


def _kept(one: Locked, wish: Wish) -> tuple[str, ...]:
    """The agents of a project's skill when it is taken from some."""
    if wish.skills and one.name not in wish.skills:
        return one.agents
    return tuple(agent for agent in one.agents if wish.agents and agent not in wish.agents)


def _leaving(workspace: Workspace, agents: Agents, wish: Wish, rest: Sequence[str]) -> list[Shown]:
    """The entries of agents that are shown nothing any more; folders of others stay."""
    shelf = shelf_of(workspace)
    stay = {one.path for one in folders(workspace, agents, rest)} if not wish.skills else set()
    asked = folders(workspace, agents, wish.agents)
    rows = {row.place: row for row in workspace.store.shown.on(shelf)}
    if workspace.in_project:  # on another machine nothing is recorded of what came with the clone
        for row in _standing(workspace, asked or folders(workspace, agents, chosen(workspace, ()))):
            rows.setdefault(row.place, row)
    only = {one.path for one in asked}
    if wish.agents and (rest or wish.skills):
        only -= {one.path for one in asked if not one.ids}  # the shared folder is everybody's
    names = set(wish.skills)
    return [
        row
        for place, row in sorted(rows.items())
        if (not wish.agents or place.parent in only)
        and place.parent not in stay
        and (not names or row.name in names)
    ]


def _standing(workspace: Workspace, places: Iterable[AgentFolder]) -> list[Shown]:
    """Entries of a project that are to the byte what we would put there."""
    found, root = [], workspace.project.library.root
    for folder in places:
        for skill in workspace.project.lock().skills if folder.is_open else ():
            place = folder.path / skill.name
            mark = mark_of(pointer(place, root / skill.name))
            if seen(place) == mark:
                found.append(Shown(place, skill.name, str(root), mark))
    return found


def _apply(
    workspace: Workspace,
    words: str,
    plan: Plan,
    choice: tuple[str, ...] | None,
    agents: Agents,
) -> None:
    """Make the plan so, together with the choice."""
    writings = [] if choice in (None, agents.chosen) else [_remembering(workspace, choice or ())]
    if plan.placings or writings:
        workspace.store.apply(words, [], writings, placings=plan.placings)


def _remembering(workspace: Workspace, choice: tuple[str, ...]) -> Writing:
    if "SKILL_AGENTS" in workspace.host.env:
        raise UsageError(
            "SKILL_AGENTS says who is shown what is installed, so no other choice can be kept",
            hint="unset it, or name skills: skill agents link --skill NAME",
        )
    place = config_place(workspace)
    before = disk.read_file(place, _CONFIG_LIMIT)
    new = with_value(before or b"", ("agents", "link"), list(choice), str(place))
    return Writing(place, new, before)


def _outcome(ids: Sequence[str], plan: Plan, notes: Notes, status: int | None = None) -> Outcome:
    failed = PartialError.status if plan.conflicts else 0
    data = {"agents": list(ids), "entries": plan.as_json()}
    return Outcome(data, tuple(notes.messages), status=failed if status is None else status)


def _listed(workspace: Workspace, agents: Agents, name: str) -> dict[str, Any]:
    agent = agents.known[name]
    folder = next(one for one in folders(workspace, agents, [name]) if name in one.ids)
    return {
        "id": name,
        "name": safe(agent.name, 60),
        "folder": safe(folder.shown),
        "place": str(folder.path),
        "copies": agent.copies,
        "sees_all": folder.has_all,
        "problem": folder.problem,
        "notes": safe(agent.notes),
    }
