"""`skill doctor`: whether everything here is as it should be, and what to do where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple

from skillpm import __version__
from skillpm.edges import disk, folders
from skillpm.edges.gitversion import may_lack_fixes, version_of
from skillpm.errors import SkillError
from skillpm.formats.agents import read_agents
from skillpm.model.outcome import Notes, Outcome, Table
from skillpm.model.text import safe
from skillpm.operations import agentdoctor
from skillpm.operations.caching import info, readable
from skillpm.operations.demanding import demands
from skillpm.operations.judging import terms
from skillpm.operations.offering import offered
from skillpm.operations.workspace import Workspace
from skillpm.store.history import broken
from skillpm.store.library import State

_LITTLE: Final = 200 * 1024 * 1024
_CONFIG_LIMIT: Final = 1024 * 1024
_HEAD: Final = 4_096


class Sign(NamedTuple):
    """What was found about one thing.

    Attributes:
        what: the thing.
        state: `wrong` is to be mended, a `note` is worth knowing.
        remedy: what to do; "" for nothing.
    """

    what: str
    state: Literal["ok", "note", "wrong"]
    told: str
    remedy: str = ""


Look = Callable[[Workspace], Iterator[Sign]]


def doctor(workspace: Workspace) -> Outcome:
    """Look at the program, git, folders, state, settings, caches, library, needs and agents.

    Nothing is changed, beyond that what was interrupted is healed as by any command. The status is
    1 when something is wrong.
    """
    signs = [sign for what, look in _LOOKS.items() for sign in _looked(workspace, what, look)]
    wrong = sum(sign.state == "wrong" for sign in signs)
    notes = Notes()
    notes.note(f"{wrong} things are wrong" if wrong else "everything is as it should be")
    rows = tuple((s.what, s.state, safe(s.told), safe(s.remedy)) for s in signs)
    data = {"wrong": wrong, "signs": [sign._asdict() for sign in signs]}
    tables = (Table(("what", "state", "found", "remedy"), rows),)
    return Outcome(data, tuple(notes.messages), tables, status=int(bool(wrong)))


def _looked(workspace: Workspace, what: str, look: Look) -> Iterator[Sign]:
    """What a look finds; one that fails is a finding, and the others go on."""
    try:
        yield from look(workspace)
    except SkillError as error:
        yield Sign(what, "wrong", error.message, error.hint)


def _program(workspace: Workspace) -> Iterator[Sign]:
    python = ".".join(map(str, sys.version_info[:3]))
    yield Sign("program", "ok", f"skill {__version__}, Python {python}")
    found = workspace.host.program("skill")
    if not found:
        told = "no program `skill` is on PATH"
        yield Sign("program", "note", told, "python -m skillpm runs it all the same")
    elif not _is_ours(found):
        told = f"`skill` on PATH is another program: {found}"
        yield Sign("program", "wrong", told, "put our folder before it on PATH, or call skillpm")
    else:
        yield Sign("program", "ok", f"`skill` on PATH is {found}")


def _is_ours(path: str) -> bool:
    """Whether a program starts this package: its script says so at its beginning."""
    with disk.translated(f"read {path}"), open(path, "rb") as file:  # noqa: PTH123 - a plain path
        return b"skillpm" in file.read(_HEAD)


def _git(workspace: Workspace) -> Iterator[Sign]:
    found = workspace.host.program("git")
    if not found:
        told = "there is no git: repositories, forges and taps in git are out of reach"
        yield Sign("git", "wrong", told, "install git")
        return
    version = version_of(found)
    told = f"{safe(version, 60) or 'no version'}, {found}"
    if may_lack_fixes(version):
        told += ": it may lack the security fixes of 2025"
        yield Sign("git", "note", told, "git 2.50.1 has them; your distribution's may as well")
    else:
        yield Sign("git", "ok", told)


def _folders(workspace: Workspace) -> Iterator[Sign]:
    dirs = workspace.host.dirs
    for path, what in {dirs.config: "settings", dirs.data: "state", dirs.cache: "cache"}.items():
        if disk.entry_kind(path) != "folder":
            yield Sign("folders", "ok", f"{what}: {path} (made when it is needed)")
            continue
        facts = folders.facts(path)
        if not facts.private:
            told = f"{what}: others may look into {path}"
            yield Sign("folders", "wrong", told, f"chmod 700 {path}")
        if not facts.writable:
            told = f"{what}: {path} cannot be written"
            yield Sign("folders", "wrong", told, "check who owns it, and whether its disk is full")
        elif facts.free < _LITTLE:
            told = f"{what}: {readable(facts.free)} are left on the disk of {path}"
            yield Sign("folders", "wrong", told, "free some space")
        elif facts.private:
            yield Sign("folders", "ok", f"{what}: {path}, {readable(facts.free)} free")


def _state(workspace: Workspace) -> Iterator[Sign]:
    store = workspace.store
    for fault in store.faults():
        remedy = "take state.db from a backup; the files of the library are not touched by this"
        yield Sign("state", "wrong", f"state.db: {fault}", remedy)
    history = store.history
    fault = broken(history.events(), history.issued())
    if fault:
        yield Sign("state", "wrong", f"the log is not what was written: {fault}", "skill log")
    gone = [one.name for one in store.records.all() if not store.trees.has(one.digest)]
    for name in gone:
        told = f"the store has no copy of {name}: rollback and audit miss it"
        yield Sign("state", "wrong", told, f"skill update {name} --replace")
    if not (fault or gone):
        yield Sign("state", "ok", "records, log and store fit together")


def _settings(workspace: Workspace) -> Iterator[Sign]:
    config, env = workspace.config, workspace.host.env
    demands(workspace)
    terms(workspace)
    place = workspace.host.dirs.config / "config.toml"
    agents = read_agents(disk.read_file(place, _CONFIG_LIMIT) or b"", env, str(place))
    unset = [name for name in config.tokens.values() if not env.get(name)]
    for name in unset:
        told = f"[tokens] names {name}, and that variable is not set"
        yield Sign("settings", "note", told, f"set {name}")
    for one in agents.unknown:
        told = f"agents.link names {one}, which is no agent"
        yield Sign("settings", "wrong", told, "skill agents list --all")
    if not (unset or agents.unknown):
        there = "can be read" if disk.entry_kind(place) else "is not there: the defaults hold"
        yield Sign("settings", "ok", f"{place} {there}")


def _taps(workspace: Workspace) -> Iterator[Sign]:
    now = workspace.host.now()
    taps = workspace.store.taps.all()
    stale = [tap for tap in taps if tap.pins.expires and tap.pins.expires <= now]
    for tap in stale:
        told = f"the index of {tap.name} held until {tap.pins.expires}"
        yield Sign("taps", "wrong", told, "skill tap update; else ask its keeper")
    if not stale:
        yield Sign("taps", "ok", f"{len(taps)} taps, {len(workspace.hubs)} hubs")


def _caches(workspace: Workspace) -> Iterator[Sign]:
    kinds = info(workspace).data["kinds"]
    size = readable(sum(kinds[kind]["bytes"] for kind in ("git", "http", "other")))
    unused = readable(kinds["unused"]["bytes"])
    yield Sign("cache", "ok", f"{size}; {unused} of the store are named by nothing")


def _library(workspace: Workspace) -> Iterator[Sign]:
    entries = workspace.store.library.entries()
    disturbed = [entry for entry in entries if entry.is_disturbed]
    for entry in disturbed:
        why = f": {entry.problem}" if entry.problem else ""
        remedy = f"skill diff {entry.name}" if entry.state is State.EDITED else "skill list"
        yield Sign("library", "wrong", f"{entry.name} is {entry.state.value}{why}", remedy)
    for place in workspace.store.library.strangers({entry.name for entry in entries}):
        yield Sign("library", "note", f"{place.name} is no skill", "move it away, if you like")
    if not disturbed:
        yield Sign("library", "ok", f"{len(entries)} skills, each as it was put there")


def _needs(workspace: Workspace) -> Iterator[Sign]:
    lacking = [one for one in offered(workspace, Notes()) if one.missing]
    for one in lacking:
        told = f"{one.listed.name} needs {one.missing}"
        yield Sign("needs", "note", told, f"to see how to get it: skill read {one.listed.name}")
    if not lacking:
        yield Sign("needs", "ok", "nothing that a skill needs is missing")


def _agents(workspace: Workspace) -> Iterator[Sign]:
    found = agentdoctor.doctor(workspace, lambda _: False, fix=False).data["found"]
    for one in found:
        remedy = "skill agents doctor --fix" if one["fix"] else "skill agents doctor"
        yield Sign("agents", "wrong", f"{one['place']}: {one['why']}", remedy)
    if not found:
        yield Sign("agents", "ok", "their folders have what they should")


_LOOKS: Final[dict[str, Look]] = {
    "program": _program,
    "git": _git,
    "folders": _folders,
    "state": _state,
    "settings": _settings,
    "taps": _taps,
    "cache": _caches,
    "library": _library,
    "needs": _needs,
    "agents": _agents,
}
