"""The table of agents that ships with the package, and what `config.toml` says of agents.

[agents]
link = ["claude-code", "cursor"]     # who is shown what is installed; [] for nobody

[agents.known.my-agent]              # one more agent, or a row of the table, changed
global = "~/.my-agent/skills"
project = ".my-agent/skills"
copies = true
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from skillpm.errors import StateError, UsageError
from skillpm.formats import yaml
from skillpm.formats.config import read_toml
from skillpm.model.agent import Agent, is_agent_id, is_inside, parts_of
from skillpm.model.text import safe

_NOBODY: Final = ("", "none", "off")


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents that are known here, and the choice among them.

    Attributes:
        known: by id; the user's own rows among them.
        chosen: the ids of those that are shown what is installed; None while nobody chose.
    """

    known: Mapping[str, Agent]
    chosen: tuple[str, ...] | None = None

    @property
    def unknown(self) -> tuple[str, ...]:
        """Ids that were chosen and that no row has."""
        return tuple(one for one in self.chosen or () if one not in self.known)


@cache
def shipped() -> tuple[Agent, ...]:
    """Every row of `data/agents.yaml`."""
    place = importlib.resources.files("skillpm") / "data" / "agents.yaml"
    return tuple(map(_row, yaml.load_rows(place.read_text("utf-8"))))


def read_agents(data: bytes, env: Mapping[str, str], path: str) -> Agents:
    """The agents, with what a `config.toml` says of them.

    Args:
        data: the file; empty when there is none.
        env: `SKILL_AGENTS` stands before the file: ids with commas between them, or `none`.
        path: of the file, for messages.

    Raises:
        StateError: it is not TOML, or says something of agents that cannot be; with the key.
        UsageError: the variable names no agents.
    """
    table = _settings(data, path)
    known = {agent.id: agent for agent in shipped()}
    rows = table.get("known", {})
    if not isinstance(rows, dict):
        raise StateError(f"{safe(path)}: [agents.known] is not a table")
    for name, row in rows.items():
        known[name] = _override(name, row, known.get(name), f"{safe(path)}: agents.known")
    chosen = _chosen(table, path)
    if "SKILL_AGENTS" in env:
        chosen = _spoken(env["SKILL_AGENTS"], known)
    return Agents(known, chosen)


def _row(row: Mapping[str, Any]) -> Agent:
    values: dict[str, Any] = {
        ("user" if key == "global" else key): tuple(value) if isinstance(value, list) else value
        for key, value in row.items()
    }
    return Agent(**values)


def _settings(data: bytes, path: str) -> Mapping[str, Any]:
    try:
        table = read_toml(data).get("agents", {})
    except ValueError as error:
        raise StateError(f"{safe(path)} is not TOML: {error}", hint="correct it") from None
    if not isinstance(table, dict):
        raise StateError(f"{safe(path)}: [agents] is not a table")
    for key in table:
        if key not in ("link", "known"):
            raise StateError(f"{safe(path)}: agents.{safe(key, 60)} is no setting: link, known")
    return table


def _chosen(table: Mapping[str, Any], path: str) -> tuple[str, ...] | None:
    if "link" not in table:
        return None
    ids = table["link"]
    if not isinstance(ids, list) or not all(isinstance(i, str) and is_agent_id(i) for i in ids):
        raise StateError(
            f"{safe(path)}: agents.link is not a list of agents",
            hint='link = ["claude-code"]; skill agents list --all shows them',
        )
    return tuple(dict.fromkeys(ids))


def _spoken(text: str, known: Mapping[str, Agent]) -> tuple[str, ...]:
    if text.strip().lower() in _NOBODY:
        return ()
    ids = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for one in ids:
        if one not in known:
            raise UsageError(
                f"SKILL_AGENTS names {safe(one, 60)!r}, which is no agent",
                hint="skill agents list --all shows them",
            )
    return ids


def _override(name: str, row: Any, base: Agent | None, where: str) -> Agent:
    """One row of the user's; its folders lie in the home or the project, whatever it says."""
    what = f"{where}.{safe(name, 60)}"
    if not is_agent_id(name):
        raise StateError(f"{what} is no id of an agent", hint="lower-case letters, digits, hyphens")
    if not isinstance(row, dict):
        raise StateError(f"{what} is not a table")
    agent = base or Agent(name, name)
    values: dict[str, Any] = {}
    for key, value in row.items():
        fault = _fault(key, value)
        if fault:
            raise StateError(f"{what}.{safe(key, 60)}: {fault}")
        values["user" if key == "global" else key] = (
            tuple(value) if isinstance(value, list) else value
        )
    agent = replace(agent, **values)
    if not agent.user and not agent.project:
        raise StateError(f"{what} has neither `global` nor `project`: a folder of skills")
    return agent


def _fault(key: str, value: Any) -> str:
    """Why a value of the user's row cannot be; "" when it can."""
    match key, value:
        case "name" | "notes", str():
            return ""
        case "copies", bool():
            return ""
        case "global", str():
            return "" if not value or _in_home(value) else "it is not a folder below ~/"
        case "project", str():
            return "" if not value or is_inside(value) else "it is not a folder below the project"
        case "detect" | "also", list():
            return next(_wrong(value), "")
        case (("name" | "notes" | "copies" | "global" | "project" | "detect" | "also"), _):
            return "it has the wrong type"
    return "it is not known: name, global, project, detect, also, copies, notes"


def _wrong(places: list[Any]) -> Iterator[str]:
    for place in places:
        try:
            parts_of(place if isinstance(place, str) else "")
        except ValueError as error:
            yield str(error)


def _in_home(place: str) -> bool:
    try:
        return parts_of(place)[0] == "~"
    except ValueError:
        return False
