"""What is kept to be fast: how large it is, and letting go of what nobody uses."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skillpm.edges import disk, folders
from skillpm.edges.lock import exclusive
from skillpm.model.outcome import Message, Outcome, Table
from skillpm.operations.workspace import Workspace

DAYS: Final = 30
_DAY: Final = 86_400.0
_REPOSITORIES: Final = ("git", "commits")


@dataclass(frozen=True, slots=True)
class _Thing:
    """Something that can be let go of as a whole.

    Attributes:
        used: seconds since 1970 of its last use.
    """

    kind: str
    path: Path
    size: int
    used: float


def info(workspace: Workspace) -> Outcome:
    """How much is kept, by kind, and how much of the store nothing names any more."""
    cached = list(_cached(workspace))
    unnamed = set(workspace.store.unnamed(workspace.config.history))
    trees = list(_trees(workspace))
    kinds = {
        "git": ("commits and files of git repositories", _of(cached, *_REPOSITORIES)),
        "http": ("indexes that are asked for conditionally", _of(cached, "http")),
        "other": ("the rest of the cache", _of(cached, "other")),
        "store": ("files of installed skills and their history", trees),
        "unused": ("of these, what nothing needs", [t for t in trees if t.path in unnamed]),
    }
    data = {
        kind: {"entries": len(things), "bytes": _size(things)}
        for kind, (_, things) in kinds.items()
    }
    rows = tuple(
        (kind, str(len(things)), readable(_size(things)), what)
        for kind, (what, things) in kinds.items()
    )
    data_and_place = {"place": str(workspace.host.dirs.cache), "kinds": data}
    return Outcome(data_and_place, (), (Table(("kind", "entries", "size", "what"), rows),))


def prune(workspace: Workspace, *, days: int = DAYS, dry_run: bool = False) -> Outcome:
    """Let go of what was not used for so many days, and of trees that nothing names.

    A tree is named by an install, and by the history as far as `[history] keep` reaches.

    Raises:
        StateError: the disk refuses.
    """
    before = time.time() - days * _DAY
    old = [thing for thing in _cached(workspace) if thing.used <= before]
    unnamed = set(workspace.store.unnamed(workspace.config.history))
    trees = [tree for tree in _trees(workspace) if tree.path in unnamed]
    if not dry_run:
        for thing in old:
            _let_go(workspace, thing)
        if trees:
            workspace.store.prune(workspace.config.history)
    freed = _freed([*old, *trees], dry_run=dry_run)
    keep = str(workspace.config.history)
    told = Message(f"history is kept: {keep}; rollback reaches no further")
    more = () if keep == "forever" else (told,)
    return freed._replace(data={**freed.data, "keep": keep}, messages=(*freed.messages, *more))


def clear(workspace: Workspace, *, dry_run: bool = False) -> Outcome:
    """Empty the cache; installed skills and their history are not in it.

    Raises:
        StateError: the disk refuses.
    """
    things = list(_cached(workspace))
    if not dry_run:
        for thing in things:
            _let_go(workspace, thing)
    return _freed(things, dry_run=dry_run)


def readable(size: int) -> str:
    """A size for people."""
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.0f} kB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MB"


def _freed(things: list[_Thing], *, dry_run: bool) -> Outcome:
    kinds = {
        kind: {"entries": len(found), "bytes": _size(found)}
        for kind in ("git", "commits", "http", "other", "store")
        if (found := _of(things, kind))
    }
    size = _size(things)
    verb = "would free" if dry_run else "freed"
    detail = ", ".join(f"{kind} {readable(kinds[kind]['bytes'])}" for kind in kinds)
    told = f"{verb} {readable(size)}" + (f" ({detail})" if detail else "")
    data = {"dry_run": dry_run, "bytes": size, "kinds": kinds}
    return Outcome(data, (Message(told if things else "nothing to free"),))


def _of(things: list[_Thing], *kinds: str) -> list[_Thing]:
    return [thing for thing in things if thing.kind in kinds]


def _size(things: list[_Thing]) -> int:
    return sum(thing.size for thing in things)


def _cached(workspace: Workspace) -> Iterator[_Thing]:
    """Everything in the cache: a repository is one thing, so is any other file.

    A body of HTTP is used when it is asked for; the facts about it are as old as it is.
    """
    root = workspace.host.dirs.cache
    for folder in _children(root):
        if folder.name in _REPOSITORIES:
            yield from (
                _Thing(folder.name, path, *_measured(path))
                for path in _children(folder)
                if path.suffix != ".lock"
            )
        elif folder.name == "http":
            bodies = {path.name: _measured(path) for path in _children(folder / "bodies")}
            yield from (_Thing("http", folder / "bodies" / n, *m) for n, m in bodies.items())
            for path in _children(folder):
                if path.name != "bodies":
                    yield _Thing("http", path, *_measured(path))
        else:
            yield _Thing("other", folder, *_measured(folder))


def _trees(workspace: Workspace) -> Iterator[_Thing]:
    for path in _children(workspace.host.dirs.data / "store"):
        yield _Thing("store", path, *_measured(path))


def _children(folder: Path) -> list[Path]:
    if disk.entry_kind(folder) != "folder":
        return []
    with disk.translated(f"read {folder}"):
        return sorted(folder.iterdir())


def _measured(path: Path) -> tuple[int, float]:
    """The bytes below a path and when it was last used; what vanishes meanwhile is nothing."""
    try:
        status = path.lstat()
    except OSError:
        return 0, 0.0
    size = status.st_size if disk.entry_kind(path) == "file" else 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                size += (Path(folder) / name).lstat().st_size
            except OSError:
                continue
    return size, status.st_mtime


def _let_go(workspace: Workspace, thing: _Thing) -> None:
    """Remove one thing; a repository only while nobody uses it."""
    if thing.kind not in _REPOSITORIES:
        folders.remove_entry(thing.path)
        return
    with exclusive(thing.path.with_name(thing.path.name + ".lock"), workspace.say):
        folders.remove_entry(thing.path)
