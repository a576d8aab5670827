"""Looking at the settings and changing one: `skill config`."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from skillpm.edges import disk
from skillpm.errors import NotFoundError, RefusedError
from skillpm.formats.config import read_config, read_toml
from skillpm.formats.demands import read_demands
from skillpm.formats.settings import (
    SETTINGS,
    Path,
    Setting,
    parsed,
    setting_of,
    value_at,
    with_value,
)
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.model.text import safe
from skillpm.operations.workspace import Workspace
from skillpm.store.change import Writing

_LIMIT: Final = 1024 * 1024


class Held(NamedTuple):
    """A setting and what holds.

    Attributes:
        origin: `default`, `file`, or the variable that says it.
    """

    key: str
    value: Any
    origin: str
    help: str


def settings(workspace: Workspace) -> Outcome:
    """Every setting, what holds, and who says so.

    Raises:
        StateError: `config.toml` is damaged.
    """
    workspace.config  # noqa: B018 - a file that nobody can read is told before anything of it
    place, data = _file(workspace)
    table = read_toml(data)
    held = [one for setting in SETTINGS for one in _held(workspace, setting, table)]
    rows = tuple((one.key, _shown(one.value), one.origin, one.help) for one in held)
    facts = {"path": str(place), "settings": [one._asdict() for one in held]}
    return Outcome(facts, (), (Table(("setting", "value", "from", "summary"), rows),))


def get(workspace: Workspace, key: str) -> Outcome:
    """What holds for one setting.

    Raises:
        UsageError: there is no such setting.
        NotFoundError: nothing is said of it.
        StateError: `config.toml` is damaged.
    """
    setting, path = setting_of(key)
    workspace.config  # noqa: B018 - as above
    _, data = _file(workspace)
    (one,) = _held(workspace, setting, read_toml(data), path)
    if one.value is None:
        raise NotFoundError(f"nothing is set for {safe(key, 80)}", hint="skill config list")
    return Outcome(one._asdict(), text=_shown(one.value))


def put(workspace: Workspace, key: str, word: str | None) -> Outcome:
    """Set one setting in `config.toml`, or take it out; the rest of the file stays as it is.

    Args:
        workspace: the ports and the state.
        key: the setting.
        word: its value as typed; None to take it out.

    Raises:
        UsageError: there is no such setting, or it cannot have that value.
        RefusedError: it decides what may come in, and there is no person at a terminal.
        StateError: the file is damaged, or cannot be written.
    """
    setting, path = setting_of(key)
    if setting.guards and not workspace.host.present:
        raise RefusedError(
            f"{safe(key, 80)} decides what may come in, so a person changes it, on a terminal",
            hint=f"run it there, or edit {workspace.host.dirs.config / 'config.toml'}",
        )
    value = None if word is None else parsed(setting, word)
    place, before = _file(workspace)
    after = with_value(before, path, value, str(place))
    _check(after, str(place))
    verb = "unset" if value is None else "set"
    if after != before:
        there = before if disk.entry_kind(place) else None
        workspace.store.apply(f"config {verb} {key}", [], [Writing(place, after, there)])
    told = f"{verb} {safe(key, 80)}" + ("" if value is None else f" to {safe(_shown(value))}")
    messages = [Message(f"{told} in {safe(str(place))}")]
    if setting.env and workspace.host.env.get(setting.env):
        messages.append(Message(f"{setting.env} is set, and stands before it", "warning"))
    return Outcome({"key": key, "value": value, "path": str(place)}, tuple(messages))


def where(workspace: Workspace) -> Outcome:
    """Where `config.toml` is, or would be."""
    place = str(workspace.host.dirs.config / "config.toml")
    return Outcome({"path": place}, text=place)


def _file(workspace: Workspace) -> tuple[Any, bytes]:
    place = workspace.host.dirs.config / "config.toml"
    return place, disk.read_file(place, _LIMIT) or b""


def _held(
    workspace: Workspace, setting: Setting, table: dict[str, Any], path: Path = ()
) -> list[Held]:
    """What holds for a setting; each name of an open one, unless it is asked for one."""
    found = value_at(table, path or setting.table)
    if setting.is_open and not path:
        each = found if isinstance(found, dict) else {}
        tables = ".".join(setting.table)
        rows = [Held(f"{tables}.{name}", one, "file", setting.help) for name, one in each.items()]
        return rows or [Held(setting.key, None, "default", setting.help)]
    key = ".".join(path or setting.table)
    said = workspace.host.env.get(setting.env, "") if setting.env else ""
    if said:
        return [Held(key, said, setting.env, setting.help)]
    if found is not None:
        return [Held(key, found, "file", setting.help)]
    return [Held(key, setting.default, "default", setting.help)]


def _check(data: bytes, place: str) -> None:
    """Refuse what the readers of the file would not take."""
    read_config(data, {}, place)
    read_demands(data, place)
    if b"scan" in data:
        from skillpm.formats.scanpolicy import read_policy
        from skillpm.scanning.rules import default_rules

        read_policy(data, place, default_rules().rules, section="scan")


def _shown(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case list():
            return ", ".join(map(str, value)) or "(none)"
    return str(value)
