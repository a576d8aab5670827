"""Which entries skills get in agents' folders: decided from what stands there and what is recorded.

An entry is put where nothing stands, changed where it is as skill put it, and otherwise kept: what
a person or another tool put there gives way only to who names it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes
from skillpm.model.text import safe
from skillpm.model.tree import DIGEST_PREFIX, Tree
from skillpm.operations.agentfolders import (
    AgentFolder,
    agents_of,
    detected,
    folders,
    names_of,
)
from skillpm.operations.entries import shelf_of
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Placing
from skillpm.store.library import Entry, State, uncompiled
from skillpm.store.showing import Showings, pointer, seen
from skillpm.store.steps import INSIDE, LINK, Content, mark_of

USABLE: Final = (State.OK, State.EDITED, State.LOCAL, State.LINKED, State.OLDER, State.RAN)
_RESTORABLE: Final = (LINK, INSIDE, DIGEST_PREFIX)


class Skill(NamedTuple):
    """A skill to be shown.

    Attributes:
        shelf: where it stands, as records name it: "" for the user's library.
        target: its place there; perhaps it does not stand there yet.
        tree: gives its files.
    """

    name: SkillName
    shelf: str
    target: Path
    tree: Callable[[], Tree]


class Conflict(NamedTuple):
    """An entry that stays as it is, though something else was to stand there."""

    name: str
    place: Path
    why: str

    @property
    def told(self) -> str:
        """One line for people."""
        return f"{safe(str(self.place))} stays: {self.why}"


@dataclass(slots=True)
class Plan:
    """What becomes of entries.

    Attributes:
        given: the ids of agents whose folders get entries, or have them.
        where: the folders that get entries, as people call them.
    """

    placings: list[Placing] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    given: dict[str, None] = field(default_factory=dict)
    where: dict[str, None] = field(default_factory=dict)
    hint: str = ""

    def tell(self, notes: Notes, *, fail: bool = False) -> None:
        """Say what was done, and what was not."""
        if self.where:
            notes.note(f"shown to agents in {', '.join(map(safe, self.where))}")
        for conflict in self.conflicts:
            hint = f" (skill agents link --skill {conflict.name} --replace {conflict.name})"
            (notes.fail if fail else notes.warn)(conflict.told + hint)
        if self.hint:
            notes.note(self.hint)

    def as_json(self) -> list[dict[str, Any]]:
        """Every entry that was thought about."""
        done = [
            {"name": one.name, "place": str(one.place), "action": _action(one)}
            for one in self.placings
        ]
        kept = [
            {"name": one.name, "place": str(one.place), "action": "kept", "why": one.why}
            for one in self.conflicts
        ]
        return done + kept


def skill_of(workspace: Workspace, entry: Entry) -> Skill:
    """A skill that stands on the shelf in use."""
    library = workspace.shelf.library
    return Skill(entry.name, shelf_of(workspace), entry.place, lambda: library.read(entry.place))


def plan_skill(
    showings: Showings,
    skill: Skill,
    places: Iterable[AgentFolder],
    replace: Container[str],
    plan: Plan,
) -> None:
    """Add to a plan what it takes for a skill to be seen in those folders.

    Args:
        showings: what is recorded.
        skill: the skill.
        places: the folders; those that are not open are passed over.
        replace: names whose entries give way, whoever put them there.
        plan: grows.
    """
    recorded = {row.place: row for row in showings.of(skill.name, skill.shelf)}
    for folder in places:
        if not folder.is_open:
            continue
        place = folder.path / skill.name
        content = content_for(skill, folder)
        at, new, mine = seen(place), mark_of(content), recorded.get(place)
        plan.given.update(dict.fromkeys(folder.ids))
        ours = mine is not None and mine.holds(at)
        if mine and ours and new == mine.mark:
            continue
        free = ours or at in ("", new)
        if free or (skill.name in replace and at.startswith(_RESTORABLE)):
            one = Placing(place, skill.name, skill.shelf, at, content, over=not free)
            plan.placings.append(one)
            plan.where[folder.shown] = None
        else:
            plan.conflicts.append(Conflict(skill.name, place, _why(at, known=mine is not None)))


def content_for(skill: Skill, folder: AgentFolder) -> Content:
    """What shows a skill in a folder."""
    return (
        uncompiled(skill.tree())
        if folder.copies
        else pointer(folder.path / skill.name, skill.target)
    )


def additions(
    workspace: Workspace, name: SkillName, target: Path, tree: Tree, entry: Entry | None
) -> Plan:
    """The entries that come with a skill that was not installed before.

    Those of one that was follow it without being asked about: what somebody took away stays away.

    Raises:
        StateError: `config.toml` says something of agents that cannot be.
    """
    plan = Plan()
    if entry and entry.record and entry.state is not State.MISSING:
        return plan
    agents = agents_of(workspace)
    ids = chosen(workspace, agents.chosen)
    if agents.chosen is None and not ids:
        here = detected(workspace, agents)
        if here:
            plan.hint = (
                f"not shown to {names_of(agents, here)}: skill agents link shows them your skills"
            )
        return plan
    skill = Skill(name, shelf_of(workspace), target, lambda: tree)
    usual = allowed(workspace, folders(workspace, agents, ids))
    plan_skill(workspace.store.shown, skill, usual, (), plan)
    return plan


def chosen(workspace: Workspace, choice: Sequence[str] | None) -> tuple[str, ...]:
    """The agents that are shown what is installed: those chosen, in a project those of its lock."""
    given = workspace.project.lock().skills if workspace.in_project else ()
    return tuple(
        dict.fromkeys((*(choice or ()), *(one for skill in given for one in skill.agents)))
    )


def allowed(workspace: Workspace, places: Iterable[AgentFolder]) -> list[AgentFolder]:
    """Folders without those in which people write skills, but where somebody named one before."""
    known = {row.place.parent for row in workspace.store.shown.on(shelf_of(workspace))}
    return [one for one in places if not one.is_authors or one.path in known]


def _why(at: str, *, known: bool) -> str:
    if known:
        return "it is not as skill put it there"
    if at.startswith(LINK):
        return f"a link of somebody else's, to {safe(at.removeprefix(LINK))}"
    return "skill did not put it there"


def _action(one: Placing) -> str:
    if one.left:
        return "left"
    return "taken" if one.content is None else "put"
