"""Where the agents of this machine, and of a project, look for skills; nothing is written here.

A folder counts as it really is, links followed: two agents whose folders are one are given one
entry, and an entry is relative to where it really lies. What leads out of the home or the project
is refused, as what lies there is not an agent's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from skillpm.edges import disk
from skillpm.errors import NotFoundError
from skillpm.formats.agents import Agents, read_agents
from skillpm.model.agent import SHARED, Agent, parts_of
from skillpm.model.text import safe
from skillpm.operations.workspace import Workspace

_CONFIG_LIMIT: Final = 1024 * 1024
_XDG: Final = {"XDG_CONFIG_HOME": ".config"}


@dataclass(frozen=True, slots=True)
class AgentFolder:
    """A folder in which agents look for skills.

    Attributes:
        ids: the agents that look there, of those that were asked about.
        shown: how people call it.
        path: where it really is.
        copies: one of them does not follow links.
        problem: why nothing is put there; "" when something can be.
        has_all: what stands on the shelf is seen there anyway.
        is_authors: people write skills there themselves.
    """

    ids: tuple[str, ...]
    shown: str
    path: Path
    copies: bool = False
    problem: str = ""
    has_all: bool = False
    is_authors: bool = False

    @property
    def is_open(self) -> bool:
        """Whether entries can be put there, and are needed."""
        return not self.problem and not self.has_all


def config_place(workspace: Workspace) -> Path:
    """The file in which the choice stands."""
    return workspace.host.dirs.config / "config.toml"


def agents_of(workspace: Workspace) -> Agents:
    """The agents that are known, and the choice among them.

    Raises:
        StateError: `config.toml` says something of agents that cannot be.
        UsageError: `SKILL_AGENTS` does.
    """
    place = config_place(workspace)
    data = disk.read_file(place, _CONFIG_LIMIT) or b""
    return read_agents(data, workspace.host.env, str(place))


def agent_of(agents: Agents, name: str) -> Agent:
    """The agent of that id.

    Raises:
        NotFoundError: there is none; the hint names one that is nearly so.
    """
    found = agents.known.get(name)
    if found is None:
        import difflib

        close = difflib.get_close_matches(name, agents.known, n=1)
        meant = f"did you mean {close[0]}? " if close else ""
        raise NotFoundError(
            f"there is no agent {safe(name, 60)}",
            hint=f"{meant}skill agents list --all shows them; [agents.known] adds one",
        )
    return found


def detected(workspace: Workspace, agents: Agents) -> tuple[str, ...]:
    """The ids of the agents that left their traces here."""
    return tuple(
        one.id
        for one in agents.known.values()
        if any(_is_there(workspace, one, p) for p in one.detect)
    )


def folders(workspace: Workspace, agents: Agents, ids: Iterable[str]) -> list[AgentFolder]:
    """The folders of agents: of the user's, with the shared one first, or of the project here.

    The same folder comes once. Ids that no row has are left out.
    """
    rows = [agents.known[one] for one in dict.fromkeys(ids) if one in agents.known]
    found = _in_project(workspace, rows) if workspace.in_project else _of_user(workspace, rows)
    merged: dict[Path, AgentFolder] = {}
    for one in found:
        there = merged.get(one.path)
        merged[one.path] = one if there is None else _together(there, one)
    return list(merged.values())


def looked_into(workspace: Workspace, agents: Agents) -> list[AgentFolder]:
    """Every folder of any agent that is there, those that are only read among them."""
    found = folders(workspace, agents, agents.known)
    taken = {one.path for one in found}
    prefix = "./" if workspace.in_project else ""
    for agent in agents.known.values():
        for place in agent.also:
            if place.startswith("./") != bool(prefix):
                continue
            path = _expanded(workspace, agent, place)
            one = _checked(workspace, agent, place.removeprefix("./"), path) if path else None
            if one and one.path not in taken:
                taken.add(one.path)
                found.append(one)
    return [one for one in found if one.path.is_dir() and not one.has_all]


def names_of(agents: Agents, ids: Iterable[str]) -> str:
    """Agents as people call them."""
    known = (agents.known.get(one) for one in ids)
    return ", ".join(safe(agent.name, 60) for agent in known if agent)


def _together(first: AgentFolder, second: AgentFolder) -> AgentFolder:
    ids = tuple(dict.fromkeys((*first.ids, *second.ids)))
    authors = first.is_authors and second.is_authors
    return replace(first, ids=ids, copies=first.copies or second.copies, is_authors=authors)


def _of_user(workspace: Workspace, rows: list[Agent]) -> Iterator[AgentFolder]:
    if rows:
        shared = Agent("", "", user=f"~/{SHARED}")
        for one in _user_folder(workspace, shared):
            yield replace(one, ids=())
    for agent in rows:
        yield from _user_folder(workspace, agent)


def _user_folder(workspace: Workspace, agent: Agent) -> Iterator[AgentFolder]:
    path = _expanded(workspace, agent, agent.user) if agent.user else None
    if path is None:
        nowhere = workspace.host.home() / f".{agent.id}"
        problem = f"{agent.name} has no folder for a user's skills: --project"
        yield AgentFolder((agent.id,), "-", nowhere, problem=problem)
        return
    yield _checked(workspace, agent, agent.user, path)


def _in_project(workspace: Workspace, rows: list[Agent]) -> Iterator[AgentFolder]:
    for agent in rows:
        path = workspace.project.root / (agent.project or f".{agent.id}")
        if not agent.project:
            problem = f"{agent.name} has no folder in a project"
            yield AgentFolder((agent.id,), "-", path, problem=problem)
            continue
        found = _checked(workspace, agent, agent.project, path)
        yield replace(found, is_authors=agent.is_authors)


def _checked(workspace: Workspace, agent: Agent, shown: str, path: Path) -> AgentFolder:
    """A folder as it really is, and whether anything may be put there."""
    plain = AgentFolder((agent.id,), shown, path, agent.copies)
    try:
        real = path.resolve()
    except (OSError, RuntimeError):
        return replace(plain, problem=f"{shown} goes round in circles")
    found = replace(plain, path=real)
    if real == workspace.shelf.library.root:
        return replace(found, has_all=True)
    within = _limits(workspace, agent)
    if not any(real != limit and real.is_relative_to(limit) for limit in within):
        where = "the project" if workspace.in_project else "your home folder"
        return replace(found, problem=f"{shown} leads out of {where}, to {safe(str(real))}")
    if workspace.in_project and ".git" in real.relative_to(workspace.project.root).parts:
        return replace(found, problem=f"{shown} leads into what git owns")
    ours = (*workspace.host.dirs, workspace.shelf.library.root)
    if any(real.is_relative_to(own) or own == real for own in ours):
        return replace(found, problem=f"{shown} leads into a folder of skill's own")
    kind = _kind(real)
    if kind not in ("", "folder"):
        return replace(found, problem=f"{shown} is no folder")
    return found


def _kind(path: Path) -> str:
    """What stands there, or above it when nothing does."""
    for place in (path, *path.parents):
        kind = disk.entry_kind(place)
        if kind:
            return kind
    return ""


def _limits(workspace: Workspace, agent: Agent) -> list[Path]:
    """The folders in which an agent's folder may lie: what the user's variables name as well."""
    if workspace.in_project:
        return [workspace.project.root]
    found = [workspace.host.home().resolve()]
    for variable in (*_XDG, agent.home_env):
        value = workspace.host.env.get(variable, "") if variable else ""
        if value.startswith("/") and value.strip("/") and workspace.host.owns(Path(value)):
            found.append(Path(value).resolve())
    return found


def _is_there(workspace: Workspace, agent: Agent, place: str) -> bool:
    path = _expanded(workspace, agent, place)
    try:
        return path is not None and path.exists()
    except OSError:
        return False


def _expanded(workspace: Workspace, agent: Agent, place: str) -> Path | None:
    """A place as a path; None for one of a project outside of one, or of a variable not set."""
    host = workspace.host
    start, inside = parts_of(place)
    moved = host.env.get(agent.home_env, "") if agent.home_env else ""
    home = agent.detect[0] if agent.detect else ""
    if moved.startswith("/") and home and (place == home or place.startswith(f"{home}/")):
        return Path(moved) / place.removeprefix(home).lstrip("/")
    match start:
        case "~":
            return host.home() / inside
        case ".":
            return workspace.project.root / inside if workspace.in_project else None
        case "":
            return Path("/") / inside
    variable = start[1:]
    value = host.env.get(variable, "")
    if value.startswith("/"):
        return Path(value) / inside
    return host.home() / _XDG[variable] / inside if variable in _XDG else None
