"""`skill agents doctor`: what stands in agents' folders and is not as it should be."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from skillpm.edges import disk
from skillpm.errors import StateError
from skillpm.model.name import SkillName, is_skill_name
from skillpm.model.outcome import Agree, Notes, Outcome, Table
from skillpm.model.text import safe
from skillpm.operations.agentfolders import AgentFolder, agents_of, folders, looked_into
from skillpm.operations.entries import shelf_of
from skillpm.operations.showing import (
    USABLE,
    Plan,
    Skill,
    allowed,
    chosen,
    content_for,
    plan_skill,
    skill_of,
)
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Placing
from skillpm.store.showing import Shown, seen
from skillpm.store.steps import LINK, mark_of

_TEXT_LIMIT: Final = 4096


class Ailment(NamedTuple):
    """One thing that is not as it should be.

    Attributes:
        kind: `missing`, `broken`, `stale`, `drifted`, `changed`, `unrecorded`, `foreign`, `text`,
            `folder`.
        remedy: what is done about it with `--fix`; "" when that is a person's business.
        placing: how.
    """

    place: Path
    kind: str
    told: str
    remedy: str = ""
    placing: Placing | None = None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {"place": str(self.place), "kind": self.kind, "why": self.told, "fix": self.remedy}


@dataclass(frozen=True, slots=True)
class _Ward:
    """What is looked at.

    Attributes:
        skills: those that can be shown, by name.
        places: the folders of the agents that are chosen.
        around: every folder of any agent that is there.
        rows: what is recorded, by place.
    """

    shelf: str
    root: Path
    skills: Mapping[str, Skill]
    places: Sequence[AgentFolder]
    around: Sequence[AgentFolder]
    rows: Mapping[Path, Shown]


def doctor(workspace: Workspace, agree: Agree, *, fix: bool) -> Outcome:
    """Tell what is wrong in agents' folders, and put right what is ours once somebody agrees.

    The status is 1 while anything is wrong.

    Raises:
        StateError: our own state is damaged, or the disk refuses.
    """
    ward = _ward(workspace)
    plan = _wanted(workspace, ward)
    found = _look(ward, plan)
    fixable = [one for one in found if one.placing]
    notes, fixed = Notes(), False
    if fix and fixable and agree([f"{one.remedy}: {safe(str(one.place))}" for one in fixable]):
        placings = [one.placing for one in fixable if one.placing]
        workspace.store.apply("agents doctor --fix", [], placings=placings)
        fixed = True
        notes.note(f"{len(placings)} put right")
    elif fixable:
        notes.note(f"{len(fixable)} can be put right: skill agents doctor --fix")
    unseen = [one for one in plan.placings if not one.expected and one.place not in ward.rows]
    for folder in dict.fromkeys(one.place.parent for one in unseen):
        names = ", ".join(one.name for one in unseen if one.place.parent == folder)
        notes.note(f"not shown in {safe(str(folder))}: {names} (skill agents link)")
    rows = [
        (safe(str(one.place)), one.kind, one.told, "done" if fixed and one.placing else one.remedy)
        for one in found
    ]
    left = [one for one in found if not (fixed and one.placing)]
    table = Table(("place", "what", "why", "fix"), tuple(rows), "all is as it should be")
    data = {
        "found": [one.as_json() for one in found],
        "unseen": [{"name": one.name, "place": str(one.place)} for one in unseen],
        "fixed": fixed,
        "left": len(left),
    }
    return Outcome(data, tuple(notes.messages), (table,), status=int(bool(left)))


def _ward(workspace: Workspace) -> _Ward:
    agents, shelf = agents_of(workspace), shelf_of(workspace)
    entries = workspace.shelf.library.entries()
    skills = {str(one.name): skill_of(workspace, one) for one in entries if one.state in USABLE}
    places = folders(workspace, agents, chosen(workspace, agents.chosen))
    rows = {row.place: row for row in workspace.store.shown.on(shelf)}
    return _Ward(
        shelf, workspace.shelf.library.root, skills, allowed(workspace, places),
        looked_into(workspace, agents), rows,
    )  # fmt: skip


def _look(ward: _Ward, plan: Plan) -> list[Ailment]:
    found = [Ailment(one.path, "folder", one.problem) for one in ward.places if one.problem]
    for row in ward.rows.values():
        found += _of_row(ward, row)
    found += _in_the_way(ward, plan)
    known = {*ward.rows, *(one.place for one in found)}
    for folder in ward.around:
        for place in _inside(folder.path):
            if place not in known:
                found += _of_stranger(ward, place)
    return found


def _of_row(ward: _Ward, row: Shown) -> Iterator[Ailment]:
    """What is wrong with an entry that is recorded."""
    at, skill = seen(row.place), ward.skills.get(row.name)

    def placing(content: Any, *, left: bool = False) -> Placing:
        return Placing(row.place, row.name, row.shelf, at, content, left=left)

    if skill is None:
        if row.holds(at):
            told = f"{row.name} is not installed any more"
            yield Ailment(row.place, "broken", told, "take it out", placing(None))
        else:
            told = f"{row.name} is gone, and so is what skill put there"
            forget = placing(None, left=bool(at))
            yield Ailment(row.place, "changed", told, "forget it", forget)
        return
    folder = AgentFolder((), "", row.place.parent, copies=row.is_copy)
    content = content_for(skill, folder)
    if not at:
        told = "skill put an entry there, and it is gone"
        yield Ailment(row.place, "missing", told, "put it there again", placing(content))
    elif not row.holds(at):
        told = "it is not as skill put it there, and stays"
        yield Ailment(row.place, "changed", told, "forget it", placing(None, left=True))
    elif mark_of(content) != row.mark:
        kind = "drifted" if row.is_copy else "stale"
        told = "the copy is not what is installed" if row.is_copy else "it leads elsewhere"
        yield Ailment(row.place, kind, told, "make it so", placing(content))


def _wanted(workspace: Workspace, ward: _Ward) -> Plan:
    """What it takes for the chosen agents to see everything."""
    lock = {one.name: one.agents for one in workspace.project.lock().skills} if ward.shelf else {}
    plan = Plan()
    for skill in ward.skills.values():
        given = set(lock.get(skill.name, ()))
        places = [one for one in ward.places if not ward.shelf or given & set(one.ids)]
        plan_skill(workspace.store.shown, skill, places, (), plan)
    return plan


def _in_the_way(ward: _Ward, plan: Plan) -> Iterator[Ailment]:
    for one in plan.placings:
        if one.expected and one.place not in ward.rows:
            told = f"it shows {one.name}, and nothing is recorded of it"
            yield Ailment(one.place, "unrecorded", told, "record it", one)
    for conflict in plan.conflicts:
        if conflict.place not in ward.rows:
            way = f"skill agents link --skill {conflict.name} --replace {conflict.name}"
            yield Ailment(conflict.place, "foreign", f"{conflict.why} ({way})")


def _of_stranger(ward: _Ward, place: Path) -> Iterator[Ailment]:
    """What is wrong with an entry that is not recorded: only what leads to us, or nowhere."""
    name = place.name
    kind = disk.entry_kind(place)
    if kind == "link" and not place.exists():
        at = seen(place)
        target = Path(os.path.normpath(place.parent / at.removeprefix(LINK)))
        ours = target.is_relative_to(ward.root) and is_skill_name(name)
        if ours:
            taking = Placing(place, SkillName(name), ward.shelf, at, None)
            told = f"it leads to {safe(target.name)}, which is not installed any more"
            yield Ailment(place, "broken", told, "take it out", taking)
        else:
            yield Ailment(place, "broken", f"it leads nowhere: {safe(at.removeprefix(LINK))}")
    elif kind == "file" and _is_link_as_text(place):
        told = "a link that came as text: git was told not to make links (core.symlinks)"
        yield Ailment(place, "text", told)


def _is_link_as_text(place: Path) -> bool:
    try:
        data = disk.read_file(place, _TEXT_LIMIT) or b""
    except StateError:
        return False
    return data.startswith(b"../") and b"\n" not in data.rstrip(b"\n")


def _inside(folder: Path) -> Iterable[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return ()  # it is not ours to look into
