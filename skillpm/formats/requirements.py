"""What a header says that its skill needs, in all the spellings that are in use.

| spelling | what it gives |
|---|---|
| `required_environment_variables`, `setup.collect_secrets`, `prerequisites.env_vars` | variables |
| `required_commands`, `prerequisites.commands` | commands |
| `metadata.openclaw.requires` (`clawdbot`, `clawdis`), `requires` as a mapping | `env`, `bins`, … |
| `requires` as a list, `depends-on`, `requires.skills` | other skills |

Each is looked for at the top, below `metadata` and below `metadata.pepe`. What is no name of its
kind is dropped, so that nothing of it can be anything else where it is shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from skillpm.model.name import is_skill_name
from skillpm.model.requirements import Requirements, Variable

MOST: Final = 64
_MAX_HELP: Final = 300

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_COMMAND: Final = re.compile(r"[A-Za-z0-9_][\w./+-]{0,99}", re.ASCII)
_REFERENCE: Final = re.compile(
    r"(?:(?:[a-z0-9][a-z0-9.-]{0,99}:)?@[\w.-]{1,99}/|[a-z0-9][\w.-]{0,99}/)?"
    r"([a-z0-9-]{1,64})(?:@[\w.+-]{1,64})?",
    re.ASCII,
)
_AGENTS: Final = ("openclaw", "clawdbot", "clawdis")
_PATHS: Final = (("metadata", "pepe"), (), ("metadata",))  # who speaks to us is heard first

Header = Mapping[str, Any]


def requirements_of(header: Header) -> Requirements:
    """What a skill with that header needs; the first that speaks of a thing is heard."""
    places = [place for path in _PATHS if (place := _inside(header, *path))]
    agents = [found for key in _AGENTS if (found := _inside(header, "metadata", key))]
    variables: dict[str, Variable] = {}
    for one in _variables(header, places, agents):
        if _VARIABLE.fullmatch(one.name):
            variables.setdefault(one.name, one)
    commands = dict.fromkeys(filter(None, map(_choice, _commands(header, places, agents))))
    skills = dict.fromkeys(filter(is_reference, _skills(places)))
    return Requirements(
        tuple(variables.values())[:MOST], tuple(commands)[:MOST], tuple(skills)[:MOST]
    )


def _variables(
    header: Header, places: Iterable[Header], agents: Iterable[Header]
) -> Iterator[Variable]:
    setup = _inside(header, "setup")
    general = _text(setup.get("help"))
    for key in ("required_environment_variables", "required-environment-variables"):
        yield from _named((item for place in places for item in _items(place.get(key))), general)
    yield from _named(_items(setup.get("collect_secrets")), general)
    yield from _named(_items(_inside(header, "prerequisites").get("env_vars")), general)
    for place in (*_needs(places), *(_inside(agent, "requires") for agent in agents)):
        yield from _named(_items(place.get("env")), "")
    for agent in agents:
        yield from _named(_items(agent.get("envVars")), "")


def _named(items: Iterable[Any], general: str) -> Iterator[Variable]:
    for item in items:
        if isinstance(item, str):
            yield Variable(item.strip(), general)
        elif isinstance(item, dict):
            name = _text(item.get("name") or item.get("env_var") or item.get("key"))
            keys = ("help", "description", "prompt", "provider_url", "url")
            told = next(filter(None, (_text(item.get(key)) for key in keys)), general)
            optional = item.get("optional") is True or item.get("required") is False
            yield Variable(name, told, optional, _text(item.get("required_for")))


def _commands(
    header: Header, places: Iterable[Header], agents: Iterable[Header]
) -> Iterator[list[Any]]:
    for key in ("required_commands", "required-commands"):
        yield from ([item] for place in places for item in _items(place.get(key)))
    yield from ([item] for item in _items(_inside(header, "prerequisites").get("commands")))
    for place in (*_needs(places), *(_inside(agent, "requires") for agent in agents)):
        for key in ("bins", "commands"):
            yield from ([item] for item in _items(place.get(key)))
        if place.get("anyBins"):
            yield _items(place["anyBins"])


def _choice(names: Iterable[Any]) -> tuple[str, ...]:
    told = (name.get("name") if isinstance(name, dict) else name for name in names)
    return tuple(dict.fromkeys(n for n in map(_text, told) if _COMMAND.fullmatch(n)))


def _skills(places: Iterable[Header]) -> Iterator[str]:
    for place in places:
        for key in ("requires", "depends-on", "depends_on", "dependsOn"):
            value = place.get(key)
            if isinstance(value, dict):
                value = value.get("skills")
            for item in _items(value):
                yield _text(item.get("name") if isinstance(item, dict) else item)


def is_reference(text: str) -> bool:
    """Whether a text names a skill: `name`, `tap/name`, `@owner/name`, `hub:@owner/name`."""
    found = _REFERENCE.fullmatch(text)
    return bool(found) and is_skill_name(found[1] if found else "")


def _needs(places: Iterable[Header]) -> list[Header]:
    """Those `requires` that are mappings of `env`, `bins` and more, as hubs have them."""
    return [needs for place in places if (needs := _inside(place, "requires"))]


def _inside(value: Any, *path: str) -> Header:
    """What lies there, when it is a mapping, else an empty one; one may be written as JSON text."""
    for key in path:
        value = _read(value.get(key)) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _read(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value


def _items(value: Any) -> list[Any]:
    """A list; one written `[a, b]` or `a, b` as text; one thing alone."""
    if isinstance(value, str):
        inner = value.strip().removeprefix("[").removesuffix("]")
        return [part.strip().strip("'\"") for part in inner.split(",") if part.strip()]
    if isinstance(value, dict):
        return [value]
    return list(value)[: 4 * MOST] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return " ".join(value.split())[:_MAX_HELP] if isinstance(value, str) else ""
